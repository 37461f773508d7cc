package cache

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
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
	id         func(*T) string // returns the ID of a row; nil for its field UUID
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

// readPage requests the next page of a reading and adds its rows to rows. before has the rows of the last
// reading. When a page ends with a row that is in before, the older rows are taken from before instead of
// being requested. Every few minutes all pages are requested, to find out which rows were removed.
func (p *listPaging[T]) readPage(ctx context.Context, r *entryReading, before ListRows[T], rows *ListRows[T]) error {
	cursor := r.cursor
	if cursor == "" && r.continues { // the first request for the rows that follow before
		rows.continueAfter(before)
		cursor = before.cursor
		r.walk.Read = len(rows.Items)
	}
	isFirstPage := cursor == ""
	page, err := p.list(ctx, r.key, api.ListOptions{Limit: api.MaxPageLimit, Cursor: cursor})
	if err != nil {
		return err
	}
	if isFirstPage && p.now().Sub(before.fullyReadAt) >= fullReadAge {
		r.readAll = true // do not take older rows from before
	}
	oldCount := len(rows.Items)
	rows.Items = p.joinRows(r, rows.Items, page.Items)
	r.cursor = "" // ends the reading, unless requestMore sets the cursor of another request
	next, err := page.ContinueWalk(&r.walk, len(rows.Items)-oldCount)
	if err != nil {
		rows.More = false
		rows.cursor = ""
		return err
	}
	if next != "" {
		rest, isFound := p.restOfRows(r, before.Items, page.Items)
		if isFound { // the rows end where the rows of before end
			rows.Items = p.joinRows(r, rows.Items, rest)
			rows.More = before.More
			rows.cursor = before.cursor
			rows.fullyReadAt = before.fullyReadAt
			return nil
		}
	}
	p.requestMore(r, before, rows, next)
	return nil
}

// requestMore sets the cursor of the reading's next request if more rows are wanted, otherwise it ends the
// reading. nextPage is the cursor of the next page, or "" after the last page.
func (p *listPaging[T]) requestMore(r *entryReading, before ListRows[T], rows *ListRows[T], nextPage string) {
	rows.More = nextPage != ""
	rows.cursor = nextPage
	wantedDepth := max(r.depth, len(before.Items))
	if rows.More && !p.isEnough(rows.Items, wantedDepth) {
		r.cursor = nextPage
		return
	}
	rows.fullyReadAt = p.now()
	if r.continues {
		rows.fullyReadAt = before.fullyReadAt
	}
}

// continueAfter makes the rows begin with known rows, to which further rows are appended.
func (l *ListRows[T]) continueAfter(before ListRows[T]) {
	*l = before
	l.Items = slices.Clip(l.Items) // appending must not modify the shared rows
	l.fullyReadAt = time.Time{}
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
	if p.id == nil {
		p.id = func(row *T) string { return reflect.ValueOf(row).Elem().FieldByName("UUID").String() }
	}
	l := newCollection[ListRows[T]](c, name, nil)
	l.depth = depth
	l.read = func(ctx context.Context, r *entryReading) error {
		rows := typedValue[ListRows[T]](r.value)
		err := p.readPage(ctx, r, typedValue[ListRows[T]](r.before), &rows)
		r.value = rows
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

// AllRecords returns the need for the orders of the v2 API. They are read to find the orders that the
// public API does not have, so the need is empty until the public API has listed all orders or rejected
// the request.
func (c *Cache) AllRecords() []Need {
	rows, list := c.Orders.Get(Account)
	isComplete := !list.ReadAt.IsZero() && list.Err == nil && !rows.More
	if !isComplete && !api.IsStatus(list.Err, http.StatusForbidden, http.StatusNotFound) {
		return nil
	}
	return []Need{c.Recorded.NeedRows(Account, maxOrders)}
}

// OnlyRecords returns the orders that only the v2 API shows to this key, without deleted
// orders. It is empty until the public API has listed all orders or rejected the request.
func (c *Cache) OnlyRecords() (only []api.Order) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.onlyRecords() {
		only = append(only, *OrderOf(r))
	}
	return only
}

// IsOnlyRecord reports whether [Cache.OnlyRecords] has an order.
func (c *Cache) IsOnlyRecord(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.orderByID(id) == nil && slices.ContainsFunc(c.onlyRecords(), func(r *api.OrderRecord) bool {
		return r.ID == id || r.OrderCode == id
	})
}

func (c *Cache) onlyRecords() (only []*api.OrderRecord) {
	list := c.Orders.entries[Account]
	records := c.Recorded.entries[Account]
	if list == nil || records == nil || c.Orders.valueOf(list).More {
		return nil
	}
	if !list.complete && list.state.Err == nil {
		return nil
	}
	listed := c.Recorded.valueOf(records).Items
	for i := range listed {
		r := &listed[i]
		isListed := c.orderByID(r.ID) != nil || c.orderByID(r.OrderCode) != nil
		wasListed := c.unlisted[r.ID] || c.unlisted[r.OrderCode]
		if r.StageStatus() != api.RecordDeleted && !isListed && !wasListed {
			only = append(only, r)
		}
	}
	return only
}

// deadlineOf returns the deadline of a record as a day without a time.
func deadlineOf(r *api.OrderRecord) api.Time {
	d := r.DeliveryDeadline
	return api.Time{Time: d.Time, Raw: d.Raw, DateOnly: !d.Time.IsZero()}
}

// OrderOf converts a record to an order.
func OrderOf(r *api.OrderRecord) *api.Order {
	o := &api.Order{
		UUID:         r.ID,
		OrderCode:    cmp.Or(r.OrderCode, r.ID),
		OrderName:    r.OrderName,
		CompanyName:  r.CompanyName,
		AreaSize:     r.AreaSize,
		Deadline:     deadlineOf(r),
		Deliverables: r.MapTypes,
		Status:       api.OrderStatus(r.StageStatus()),
	}
	if r.OrderRejectionReason != "" {
		o.RejectionReason = &r.OrderRejectionReason
	}
	switch r.StageStatus() {
	case api.RecordReviewing, api.RecordQuoteReceived, "inReview":
		o.Status = api.OrderBiddingWithQuote
	}
	if area, unread := r.Extra["areaSize"]; unread {
		o.Extra = api.ExtraMembers{"areaSize": area}
	}
	return o
}
