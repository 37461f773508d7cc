package run

import "iter"

// Rows are the rows of a list as they come, with an error at the end where they
// break off.
type Rows[T any] = iter.Seq2[*T, error]

// RowsOf returns the rows of a list that are asked for: those that are wanted, up
// to the limit.
func RowsOf[T any](all Rows[T], limit int, wanted func(*T) bool) Rows[T] {
	return func(yield func(*T, error) bool) {
		n := 0
		for row, err := range all {
			if err == nil && wanted != nil && !wanted(row) {
				continue
			}
			if !yield(row, err) || err != nil {
				return
			}
			if n++; n == limit {
				return
			}
		}
	}
}

// OneRow returns a list of one row.
func OneRow[T any](row *T, err error) Rows[T] {
	return func(yield func(*T, error) bool) { yield(row, err) }
}

// ListRows returns rows that are there.
func ListRows[T any](all []T) Rows[T] {
	return func(yield func(*T, error) bool) {
		for i := range all {
			if !yield(&all[i], nil) {
				return
			}
		}
	}
}
