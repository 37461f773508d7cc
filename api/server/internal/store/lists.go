package store

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
)

// Position is the position of an item in a list.
type Position struct {
	Sort int64 // creation time in milliseconds; 0 if the list is sorted by ID only
	ID   int64
}

// ListWindow selects a page of a list.
type ListWindow struct {
	Limit  int       // 0 is unlimited
	From   *Position // position after which the page begins; nil is the start of the list
	Before bool      // the page ends before From instead
}

// listQueries contains the SQL queries of a list. Their first parameters are the values that
// select the list, such as the ID of an account. Then follow a limit and a position in the list.
type listQueries struct {
	whole  string // all items; has no limit
	first  string // the first items; has no position
	onward string // the items after a position
	back   string // the items before a position, last item first
	dated  bool   // sorted by creation time, and by ID within a millisecond
}

// conditions are the SQL conditions that a filter adds to a query, with the values of their
// parameters.
type conditions struct {
	texts []string
	args  []any
}

// add adds a condition. It replaces each $N in the condition by the parameter for the value, such
// as $2.
func (c *conditions) add(condition string, value any) {
	c.args = append(c.args, value)
	parameter := "$" + strconv.Itoa(len(c.args))
	c.texts = append(c.texts, strings.ReplaceAll(condition, "$N", parameter))
}

// clause returns the WHERE clause in which all conditions must hold. There is at least one condition.
func (c *conditions) clause() string { return `WHERE ` + strings.Join(c.texts, ` AND `) }

// listDirection is a direction in which a list is read.
type listDirection struct {
	order      string // suffix of each column in ORDER BY
	comparison string // " > " or " < ": true between each item after a position and the position
}

// The directions of a list.
var (
	ascending  = listDirection{order: "", comparison: " > "}
	descending = listDirection{order: " DESC", comparison: " < "} // newest first
)

func (d listDirection) reverse() listDirection {
	if d == ascending {
		return descending
	}
	return ascending
}

// newListQueries returns the queries of a list. selection is a query of the form `SELECT … FROM …
// WHERE …` that selects the items, and paramCount is the number of its parameters. The list is
// sorted by columns, which must be unique together. forward is the direction of the list.
//
// The queries walk an index from a position, so all pages cost the same. The limit is written as
// a sum, because SQLite would plan a query again each time a plain parameter of LIMIT is bound.
func newListQueries(selection string, paramCount int, forward listDirection, columns ...string) listQueries {
	backward := forward.reverse()
	sorted := func(d listDirection) string {
		return ` ORDER BY ` + strings.Join(columns, d.order+", ") + d.order
	}
	position := placeholders(paramCount+2, len(columns))
	beyond := func(d listDirection) string {
		return selection + ` AND (` + strings.Join(columns, ", ") + `)` + d.comparison + position
	}
	limit := ` LIMIT $` + strconv.Itoa(paramCount+1) + ` + 0`
	return listQueries{
		whole:  selection + sorted(forward),
		first:  selection + sorted(forward) + limit,
		onward: beyond(forward) + sorted(forward) + limit,
		back:   beyond(backward) + sorted(backward) + limit,
		dated:  len(columns) > 1,
	}
}

// queryOf returns the query that reads the page w of a list, and the arguments of the query. args
// are the arguments that select the list. isReversed is true if the query returns the last item of
// the page first.
func (l *listQueries) queryOf(w ListWindow, args []any) (text string, all []any, isReversed bool) {
	if w.Limit == 0 {
		return l.whole, args, false
	}
	if w.From == nil {
		return l.first, append(args, w.Limit), false
	}
	position := []any{w.Limit, w.From.ID}
	if l.dated {
		position = []any{w.Limit, w.From.Sort, w.From.ID}
	}
	args = slices.Concat(args, position)
	if w.Before {
		return l.back, args, true
	}
	return l.onward, args, false
}

// readList returns one page of the list that args select. w selects the page.
func readList[T any](
	ctx context.Context, q querier, l *listQueries, scan func(*sql.Rows, *T) error, w ListWindow, args ...any,
) ([]T, error) {
	text, args, isReversed := l.queryOf(w, args)
	page, err := collectRows(ctx, q, scan, text, args...)
	if isReversed {
		slices.Reverse(page)
	}
	return page, err
}
