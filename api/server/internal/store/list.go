package store

import (
	"context"
	"database/sql"
	"slices"
)

// listQueries holds the queries of a list that one column sorts. Each has the owner
// as $1, a limit as $2 and a place in the list as $3.
type listQueries struct{ whole, first, onward, back string }

// newListQueries makes the queries of `SELECT … FROM … WHERE …`, sorted by a column
// that the owner's items have once each.
func newListQueries(from, column string, newestFirst bool) listQueries {
	order, reverse, after, before := "", " DESC", " > ", " < "
	if newestFirst {
		order, reverse, after, before = reverse, order, before, after
	}
	whole := from + ` ORDER BY ` + column + order
	return listQueries{
		whole:  whole,
		first:  whole + ` LIMIT $2 + 0`,
		onward: from + ` AND ` + column + after + `$3 ORDER BY ` + column + order + ` LIMIT $2 + 0`,
		back:   from + ` AND ` + column + before + `$3 ORDER BY ` + column + reverse + ` LIMIT $2 + 0`,
	}
}

// readList reads a window of an owner's list.
func readList[T any](
	ctx context.Context, q querier, l listQueries, scan func(*sql.Rows) (T, error), owner int64, w ListWindow,
) ([]T, error) {
	switch {
	case w.Limit == 0:
		return collectRows(ctx, q, scan, l.whole, owner)
	case w.From == nil:
		return collectRows(ctx, q, scan, l.first, owner, w.Limit)
	case !w.Before:
		return collectRows(ctx, q, scan, l.onward, owner, w.Limit, w.From.ID)
	}
	page, err := collectRows(ctx, q, scan, l.back, owner, w.Limit, w.From.ID)
	slices.Reverse(page)
	return page, err
}
