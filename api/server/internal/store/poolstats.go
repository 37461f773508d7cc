package store

import (
	"sync/atomic"
	"time"
)

// PoolStats describes how this process uses its connections to a shared database.
type PoolStats struct {
	Open, InUse, Max int           // numbers of connections
	Waits            int64         // how often a query waited for a free connection
	Waited           time.Duration // total time of these waits
	Queries          int64         // number of queries that are not part of a write
	Queried          time.Duration // total time of these queries
	ClockAhead       time.Duration // how far this machine's clock is ahead of the database's
}

// readStats counts queries and their total time.
type readStats struct{ queries, nanoseconds atomic.Int64 }

func (r *readStats) addRead(began time.Time) {
	r.queries.Add(1)
	r.nanoseconds.Add(int64(time.Since(began)))
}

// Pool returns the statistics of the connections to the shared database. For the embedded database,
// it returns false.
func (s *Store) Pool() (PoolStats, bool) {
	engine, isShared := s.engine.(*postgresEngine)
	if !isShared {
		return PoolStats{}, false
	}
	readers := s.readers.Stats()
	writer := s.writer.pool.Stats()
	return PoolStats{
		Open:       readers.OpenConnections + writer.OpenConnections,
		InUse:      readers.InUse + writer.InUse,
		Max:        readers.MaxOpenConnections + writer.MaxOpenConnections,
		Waits:      readers.WaitCount,
		Waited:     readers.WaitDuration,
		Queries:    s.reads.queries.Load(),
		Queried:    time.Duration(s.reads.nanoseconds.Load()),
		ClockAhead: engine.presence.clockAhead(),
	}, true
}
