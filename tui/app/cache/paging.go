package cache

import (
	"context"
	"slices"
	"strconv"
	"time"

	"flightdesk/api"
)

// ListRows has the rows of a list that were read so far, newest first.
type ListRows[T any] struct {
	Items       []T       `json:"items"` // shared with views; must not be modified
	More        bool      `json:"more"`  // the service has older rows
	cursor      string    // cursor of the page after the last row; "" if More is false
	fullyReadAt time.Time // when all rows were last requested, not only the new rows
}

// List is a collection whose values are lists, for example the keys of each account.
type List[T any] = Collection[ListRows[T]]

// listPaging says how to read a list page by page.
type listPaging[T any] struct {
	id         func(*T) string // returns the ID of a row
	maxRows    int             // maximum number of rows
	wantedRows func([]T) int   // called with the rows that were read; returns how many rows are wanted; may be nil
	list       listRequest[T]
	now        func() time.Time
}

// isEnough reports whether no more rows need to be read: there are depth rows, or maxRows. When there are
// depth rows, it calls wantedRows, if set, and uses the returned number of rows instead of depth.
func (p *listPaging[T]) isEnough(rows []T, depth int) bool {
	if p.wantedRows != nil && len(rows) >= depth {
		depth = p.wantedRows(rows)
	}
	return len(rows) >= min(depth, p.maxRows)
}

// readPage requests the next page of a reading. It returns all rows that were read so far, and the cursor
// of the page after them, or "" if the reading is complete.
//
// A list is usually read again to find new rows. When a page ends with a row of the previous reading,
// readPage takes the older rows from the previous reading instead of requesting them. Every few minutes it
// requests all pages, to find out which rows were removed.
func (p *listPaging[T]) readPage(ctx context.Context, r *entryReading) (rows ListRows[T], next string, err error) {
	previous := typedValue[ListRows[T]](r.before)
	isFirstRequest := r.cursor == ""
	if isFirstRequest {
		r.value, r.cursor = p.begin(r, previous)
	}
	rows = typedValue[ListRows[T]](r.value)
	page, err := p.list(ctx, r.key, api.ListOptions{Limit: api.MaxPageLimit, Cursor: r.cursor})
	if err != nil {
		return rows, "", err
	}
	rows, err = p.addPage(r, rows, page)
	if err != nil {
		return rows, "", err
	}
	if rows.More {
		older, isFound := p.olderRows(r, previous.Items, page.Items)
		if isFound {
			rows.Items = p.appendNew(r, rows.Items, older)
			return rows.withEndOf(previous), "", nil
		}
		wantedDepth := max(r.depth, len(previous.Items)) // a list does not become shorter when it is read again
		if !p.isEnough(rows.Items, wantedDepth) {
			return rows, rows.cursor, nil
		}
	}
	rows.fullyReadAt = p.now()
	if r.continues { // this reading has not requested the first rows
		rows.fullyReadAt = previous.fullyReadAt
	}
	return rows, "", nil
}

// addPage returns the rows with the rows of the next page added, and with the cursor of the page after it. After an
// error, for example because the list seems to have no end, there is no cursor.
func (p *listPaging[T]) addPage(r *entryReading, rows ListRows[T], page *api.Page[T]) (ListRows[T], error) {
	oldCount := len(rows.Items)
	rows.Items = p.appendNew(r, rows.Items, page.Items)
	newCount := len(rows.Items) - oldCount
	next, err := page.ContinueWalk(&r.walk, newCount)
	if err != nil {
		rows.More = false
		rows.cursor = ""
		return rows, err
	}
	rows.More = next != ""
	rows.cursor = next
	return rows, nil
}

// begin starts a reading. If the reading only adds rows at the end of the list, begin returns the previous
// rows and the cursor of the page after them. Otherwise it returns no rows and no cursor.
func (p *listPaging[T]) begin(r *entryReading, previous ListRows[T]) (rows ListRows[T], cursor string) {
	if r.continues {
		r.walk.Read = len(previous.Items)
		rows = previous
		rows.Items = slices.Clip(previous.Items) // appending must not modify the shared rows
		rows.fullyReadAt = time.Time{}
		return rows, previous.cursor
	}
	if p.now().Sub(previous.fullyReadAt) >= fullReadAge {
		r.readAll = true
	}
	return ListRows[T]{}, ""
}

// withEndOf returns the rows with the fields that describe the end of the list, taken from other. Both
// lists must have the same last row.
func (l ListRows[T]) withEndOf(other ListRows[T]) ListRows[T] {
	l.More = other.More
	l.cursor = other.cursor
	l.fullyReadAt = other.fullyReadAt
	return l
}

// olderRows finds the last row of a page among the previous rows, and returns the previous rows after it.
// isFound is false if the row is new, or if the reading must request all rows.
func (p *listPaging[T]) olderRows(r *entryReading, previous, page []T) (older []T, isFound bool) {
	if r.readAll || r.continues || len(page) == 0 {
		return nil, false
	}
	lastID := p.id(&page[len(page)-1])
	for i := range previous {
		if p.id(&previous[i]) == lastID {
			return previous[i+1:], true
		}
	}
	return nil, false
}

// appendNew appends the rows of a page, except rows that were already read. Rows can be repeated if new
// rows moved them to the next page.
func (p *listPaging[T]) appendNew(r *entryReading, rows, further []T) []T {
	if r.seen == nil {
		r.seen = make(map[string]bool, len(rows)+len(further))
		for i := range rows {
			r.seen[p.id(&rows[i])] = true
		}
	}
	for i := range further {
		id := p.id(&further[i])
		if !r.seen[id] {
			r.seen[id] = true
			rows = append(rows, further[i])
		}
	}
	return rows
}

// listOf returns a collection of lists that are read page by page. Usually depth rows of a list are read.
// name is used in error messages.
func listOf[T any](c *Cache, name string, depth int, p listPaging[T]) *List[T] {
	p.now = c.now
	l := newCollection[ListRows[T]](c, name, nil)
	l.depth = depth
	l.read = func(ctx context.Context, r *entryReading) error {
		rows, next, err := p.readPage(ctx, r)
		r.value = rows
		r.cursor = next
		return err
	}
	l.short = func(value any, depth int) bool {
		rows := typedValue[ListRows[T]](value)
		return rows.More && len(rows.Items) < min(depth, p.maxRows)
	}
	return l
}

// listRequest requests one page of a list. The string is the key of the list in its collection.
type listRequest[T any] func(context.Context, string, api.ListOptions) (*api.Page[T], error)

// unkeyed makes a listRequest from a request for a list that exists only once and needs no key.
func unkeyed[T any](list func(context.Context, api.ListOptions) (*api.Page[T], error)) listRequest[T] {
	return func(ctx context.Context, _ string, opts api.ListOptions) (*api.Page[T], error) {
		return list(ctx, opts)
	}
}

// numberedReader makes a listRequest from a request that has page numbers instead of cursors.
func numberedReader[T any](list func(context.Context, int) ([]T, error)) listRequest[T] {
	return func(ctx context.Context, _ string, opts api.ListOptions) (*api.Page[T], error) {
		n, _ := strconv.Atoi(opts.Cursor)
		got, err := list(ctx, n)
		next := strconv.Itoa(n + 1)
		return &api.Page[T]{
			Items:       got,
			NextCursor:  &next,
			HasNextPage: len(got) >= api.MaxPageLimit,
		}, err
	}
}
