// Package store keeps what the service knows: accounts, API keys, orders and
// missions, in SQLite, or in PostgreSQL for processes that share it. It decides
// nothing; what may happen is package domain's.
//
// Many readers see a snapshot each while one writer works. A write is a job,
// run with other jobs that wait at the same moment in one transaction that is
// on disk before any of them is told so (group commit). A job that fails is
// undone alone. The writers of processes that share a database take turns, so
// what a job has read holds until it is kept, with both engines alike. Where the
// database undoes a transaction its jobs are run again; a job therefore begins
// with what it was given, and keeps nothing of an earlier run.
//
// The SQL text has $n placeholders and suits both engines; what differs is in
// sqlite.go and postgres.go, and the migrations are per engine.
package store
