package store

// ReserveNumbers reserves the next n numbers of a sequence, which is a named counter in the
// database. It returns the first of these numbers. They are saved when the transaction commits.
func (tx *Tx) ReserveNumbers(sequence string, n int) (int64, error) {
	last, isKnown := tx.reserved[sequence]
	if !isKnown {
		last, isKnown = tx.sequences[sequence]
	}
	if !isKnown {
		err := tx.queryRow(`SELECT last FROM sequences WHERE name = $1`, []any{sequence}, &last)
		if err != nil {
			return 0, err
		}
	}
	if tx.reserved == nil {
		tx.reserved = map[string]int64{}
	}
	tx.reserved[sequence] = last + int64(n)
	return last + 1, nil
}

// saveSequences saves the last reserved number of each sequence.
func (tx *Tx) saveSequences() error {
	for sequence, last := range tx.reserved {
		if err := tx.execute(`UPDATE sequences SET last = $1 WHERE name = $2`, last, sequence); err != nil {
			return err
		}
	}
	return nil
}
