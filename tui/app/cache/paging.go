package cache

import (
	"context"
	"slices"
	"strconv"
	"time"

	"flightdesk/api"
)

// ListRows are the rows of a list that were read, newest first.
type ListRows[T any] struct {
	Items       []T       `json:"items"` // shared with views; must not be modified
	More        bool      `json:"more"`  // older rows were not read
	cursor      string    // of the page after the rows; "" if there is none
	fullyReadAt time.Time // when the rows were last read from the first to the last
}

// List is a collection of lists.
type List[T any] = Collection[ListRows[T]]

// listPaging reads a list page by page.
type listPaging[T any] struct {
	id         func(*T) string // returns the ID of a row
	maxRows    int             // maximum number of rows
	wantedRows func([]T) int   // returns how many rows are wanted, given the rows that were read; may be nil
	list       listRequest[T]
	now        func() time.Time
}

// isEnough reports whether there are as many rows as wanted.
func (p *listPaging[T]) isEnough(rows []T, depth int) bool {
	if p.wantedRows != nil && len(rows) >= depth {
		depth = p.wantedRows(rows)
	}
	return len(rows) >= min(depth, p.maxRows)
}

// readPage sends the next request of a reading. It returns the rows of the reading with the rows of the page,
// and the cursor of the next request, or "" if the reading is complete. When a page ends with a row that is
// in the last reading, the older rows are taken from there instead of being requested. Every few minutes all
// pages are requested, to find out which rows were removed.
func (p *listPaging[T]) readPage(ctx context.Context, r *entryReading) (rows ListRows[T], next string, err error) {
	before := typedValue[ListRows[T]](r.before)
	rows = typedValue[ListRows[T]](r.value)
	cursor := r.cursor
	if cursor == "" {
		rows, cursor = p.begin(r, before)
	}
	page, err := p.list(ctx, r.key, api.ListOptions{Limit: api.MaxPageLimit, Cursor: cursor})
	if err != nil {
		return rows, "", err
	}
	oldCount := len(rows.Items)
	rows.Items = p.joinRows(r, rows.Items, page.Items)
	nextPage, err := page.ContinueWalk(&r.walk, len(rows.Items)-oldCount)
	if err != nil {
		rows.More = false
		rows.cursor = ""
		return rows, "", err
	}
	if nextPage != "" {
		rest, isFound := p.restOfRows(r, before.Items, page.Items)
		if isFound {
			rows.Items = p.joinRows(r, rows.Items, rest)
			return rows.endingLike(before), "", nil
		}
	}
	rows, next = p.continueOrEnd(r, before, rows, nextPage)
	return rows, next, nil
}

// begin returns the rows with which a reading begins and the cursor of its first request. before has the rows
// of the last reading.
func (p *listPaging[T]) begin(r *entryReading, before ListRows[T]) (rows ListRows[T], cursor string) {
	if r.continues {
		r.walk.Read = len(before.Items)
		return before.withoutEnd(), before.cursor
	}
	if p.now().Sub(before.fullyReadAt) >= fullReadAge {
		r.readAll = true // do not take older rows from before
	}
	return ListRows[T]{}, ""
}

// continueOrEnd returns the rows with their end, and the cursor of the reading's next request: nextPage if
// more rows are wanted, otherwise "". nextPage is the cursor of the next page, or "" after the last page.
func (p *listPaging[T]) continueOrEnd(
	r *entryReading, before, rows ListRows[T], nextPage string,
) (_ ListRows[T], next string) {
	rows.More = nextPage != ""
	rows.cursor = nextPage
	wantedDepth := max(r.depth, len(before.Items))
	if rows.More && !p.isEnough(rows.Items, wantedDepth) {
		return rows, nextPage
	}
	rows.fullyReadAt = p.now()
	if r.continues {
		rows.fullyReadAt = before.fullyReadAt
	}
	return rows, ""
}

// withoutEnd returns the rows of the last reading, to which further rows are appended.
func (l ListRows[T]) withoutEnd() ListRows[T] {
	l.Items = slices.Clip(l.Items) // appending must not modify the shared rows
	l.fullyReadAt = time.Time{}
	return l
}

// endingLike returns the rows with the end of other rows, whose last rows they share.
func (l ListRows[T]) endingLike(other ListRows[T]) ListRows[T] {
	l.More = other.More
	l.cursor = other.cursor
	l.fullyReadAt = other.fullyReadAt
	return l
}

// restOfRows looks for the last row of a page in before and returns the rows of before that follow it. It
// finds nothing if the reading must request all rows.
func (p *listPaging[T]) restOfRows(r *entryReading, before, page []T) (rest []T, isFound bool) {
	if r.readAll || r.continues || len(page) == 0 {
		return nil, false
	}
	lastID := p.id(&page[len(page)-1])
	for i := range before {
		if p.id(&before[i]) == lastID {
			return before[i+1:], true
		}
	}
	return nil, false
}

// joinRows appends the rows that the reading does not have yet.
func (p *listPaging[T]) joinRows(r *entryReading, joined, rows []T) []T {
	if r.seen == nil {
		r.seen = make(map[string]bool, len(joined)+len(rows))
		for i := range joined {
			r.seen[p.id(&joined[i])] = true
		}
	}
	for i := range rows {
		if id := p.id(&rows[i]); !r.seen[id] {
			r.seen[id] = true
			joined = append(joined, rows[i])
		}
	}
	return joined
}

// listOf returns a collection of lists that are read page by page.
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

// listRequest requests a page of the list with a key.
type listRequest[T any] func(context.Context, string, api.ListOptions) (*api.Page[T], error)

// unkeyed adapts a request for a list that has no key.
func unkeyed[T any](list func(context.Context, api.ListOptions) (*api.Page[T], error)) listRequest[T] {
	return func(ctx context.Context, _ string, opts api.ListOptions) (*api.Page[T], error) {
		return list(ctx, opts)
	}
}

// numberedReader adapts a request for a list whose pages are numbered.
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
