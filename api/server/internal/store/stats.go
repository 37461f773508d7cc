package store

import (
	"sync/atomic"
	"time"
)

// WriterStats counts what the writer has done since the store was opened.
type WriterStats struct {
	Kept         uint64 // writes that are on disk
	Undone       uint64 // writes that ended with an error
	Transactions uint64 // that the writes shared
}

// writerTally is a Stats that is counted while others read it.
type writerTally struct{ kept, undone, transactions atomic.Uint64 }

// Stats returns what the writer has done so far.
func (s *Store) Stats() WriterStats {
	return WriterStats{s.tally.kept.Load(), s.tally.undone.Load(), s.tally.transactions.Load()}
}

// countOutcome adds a transaction with the outcomes of its writes.
func (t *writerTally) countOutcome(outcome []error) {
	undone := uint64(0)
	for _, err := range outcome {
		if err != nil {
			undone++
		}
	}
	t.undone.Add(undone)
	t.kept.Add(uint64(len(outcome)) - undone)
	t.transactions.Add(1)
}

// PoolStats is how the connections to a shared database are used.
type PoolStats struct {
	Open, InUse, Max int
	Waits            int64
	Waited           time.Duration
	Queries          int64         // outside of writes
	Queried          time.Duration // by them
}

// readStats counts queries and their time.
type readStats struct{ queries, nanoseconds atomic.Int64 }

func (r *readStats) addRead(began time.Time) {
	r.queries.Add(1)
	r.nanoseconds.Add(int64(time.Since(began)))
}

// Pool returns how the connections are used, false for the embedded database.
func (s *Store) Pool() (p PoolStats, shared bool) {
	if _, shared = s.engine.(*postgresEngine); !shared {
		return p, false
	}
	readers, writer := s.readers.Stats(), s.writer.Stats()
	return PoolStats{
		Open: readers.OpenConnections + writer.OpenConnections, InUse: readers.InUse + writer.InUse,
		Max: readers.MaxOpenConnections + writer.MaxOpenConnections, Waits: readers.WaitCount, Waited: readers.WaitDuration,
		Queries: s.reads.queries.Load(), Queried: time.Duration(s.reads.nanoseconds.Load()),
	}, true
}
