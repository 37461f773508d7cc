// Package store keeps what the service knows: accounts, API keys, orders and
// missions, in SQLite. It decides nothing; what may happen is package domain's.
//
// Many readers see a snapshot each while one writer works. A write is a job,
// run with other jobs that wait at the same moment in one transaction that is
// on disk before any of them is told so (group commit). A job that fails is
// undone alone.
//
// The SQL text has $n placeholders and nothing that only SQLite knows, so that
// it suits PostgreSQL unchanged; the migrations alone are per engine.
package store
