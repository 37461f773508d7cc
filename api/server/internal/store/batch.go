package store

import (
	"fmt"
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

// inList chooses by the JSON list of ids that is a query's first argument.
const inList = ` IN (SELECT value FROM json_each($1))`

// listIDs returns ids as a JSON list.
func listIDs(ids []int64) string { return strings.ReplaceAll(fmt.Sprint(ids), " ", ",") }
