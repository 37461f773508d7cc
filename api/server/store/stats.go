package store

import "sync/atomic"

// Stats counts what the writer has done since the store was opened.
type Stats struct {
	Kept         uint64 // writes that are on disk
	Undone       uint64 // writes that ended with an error
	Transactions uint64 // that the writes shared
}

// tally is a Stats that is counted while others read it.
type tally struct{ kept, undone, transactions atomic.Uint64 }

// Stats returns what the writer has done so far.
func (s *Store) Stats() Stats {
	return Stats{s.tally.kept.Load(), s.tally.undone.Load(), s.tally.transactions.Load()}
}

// count adds a transaction with the outcomes of its writes.
func (t *tally) count(outcome []error) {
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
