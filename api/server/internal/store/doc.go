// Package store is the database of the service: accounts, API keys, orders, missions and
// everything that belongs to them. It uses SQLite, or PostgreSQL if several processes
// share the database. The business rules are in package domain.
//
// Readers run concurrently, each on its own snapshot. A single writer runs the writes: a
// write is a job, and the jobs that wait at the same time run in one transaction (group
// commit). No caller gets its result before the transaction is on disk. A job that fails
// is rolled back alone. Processes that share a database take turns to write, so nothing
// that a job has read changes before the job is committed. If the database rolls a
// transaction back, its jobs run again. So a job must not rely on variables that an
// earlier run has set.
//
// [Store] runs reads and hands jobs to the writer (writer.go); a job gets a [Tx] for its statements
// (write.go). The queries have $n placeholders and are the same for both engines. Most differences are in
// sqlite.go, postgres.go and the folder migrations, which has the migrations of each engine.
package store
