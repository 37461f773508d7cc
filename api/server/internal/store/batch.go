package store

import (
	"math/bits"
	"strconv"
	"strings"
)

// batchQueries are the texts of a query for 1, 2, 4, 8 and 16 items, so that few
// prepared statements serve any number of them.
type batchQueries [5]string

func newBatchQueries(text func(items int) string) (b batchQueries) {
	for i := range b {
		b[i] = text(1 << i)
	}
	return b
}

// firstBatch returns the text for as many of n items as one has, and their number.
func (b *batchQueries) firstBatch(n int) (text string, items int) {
	i := min(bits.Len(uint(n)), len(b)) - 1
	return b[i], 1 << i
}

// placeholders returns ($from, …), n of them.
func placeholders(from, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "$" + strconv.Itoa(from+i)
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// rowsOf returns the placeholders of rows, one after the other.
func rowsOf(rows, columns int) string {
	list := make([]string, rows)
	for i := range list {
		list[i] = placeholders(1+i*columns, columns)
	}
	return strings.Join(list, ", ")
}

// idArguments returns the ids after the other arguments of a query.
func idArguments(ids []int64, before ...any) []any {
	for _, id := range ids {
		before = append(before, id)
	}
	return before
}
