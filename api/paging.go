package api

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/internal/tolerant"
)

// Page is one page of a list, newest first.
type Page[T any] struct {
	Items       []T     `json:"data"`
	NextCursor  *string `json:"nextCursor"`
	HasNextPage bool    `json:"hasNextPage"`

	Total  int `json:"-"` // rows of all pages; 0 if the service did not send it
	Unread int `json:"-"` // rows of the page that could not be read, and are not in Items

	keys []uint64 // of the items: equal for equal rows
}

// ListOptions choose a page. The zero value is the newest page of the
// service's default size.
type ListOptions struct {
	Limit     int // 1 to [MaxPageLimit]; 0 leaves it to the service
	Cursor    string
	Direction Direction
}

// linkCursor begins a cursor that is the query of a link to the next page. Some services
// announce pages only by links, in the header Link or in the body.
const linkCursor = "link:"

// queryValues returns the options as query parameters.
func (o ListOptions) queryValues() url.Values {
	if query, isLink := strings.CutPrefix(o.Cursor, linkCursor); isLink {
		if q, err := url.ParseQuery(query); err == nil {
			return q
		}
	}
	q := url.Values{}
	if o.Limit > 0 {
		q.Set("limit", strconv.Itoa(o.Limit))
	}
	if o.Cursor != "" {
		q.Set("cursor", o.Cursor)
	}
	if o.Direction != "" {
		q.Set("direction", string(o.Direction))
	}
	return q
}

// nextPage returns the cursor of the next page, nil without one, and whether there is a
// next page. hasNextPage decides if the service sent it: a cursor beside
// "hasNextPage": false is the end of the list.
func nextPage(p tolerant.Page, op *Operation) (cursor *string, isThere bool) {
	link := cmp.Or(p.Link, nextLink(op.links))
	if p.Cursor != "" {
		cursor = &p.Cursor
	} else if query := linkedQuery(op.address, link); query != "" {
		cursor = new(linkCursor + query)
	}
	if p.HasNext != nil {
		return cursor, *p.HasNext
	}
	return cursor, cursor != nil || link != ""
}

// nextLink returns the target of the link rel="next" of Link headers (RFC 8288), ""
// without one.
func nextLink(headers []string) string {
	for _, link := range strings.Split(strings.Join(headers, ","), "<") {
		target, parameters, _ := strings.Cut(link, ">")
		for _, parameter := range strings.FieldsFunc(parameters, func(r rune) bool { return r == ';' || r == ',' }) {
			name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
			relations := strings.Fields(strings.ToLower(strings.Trim(value, `"`)))
			for _, relation := range relations {
				if strings.EqualFold(name, "rel") && relation == "next" {
					return target
				}
			}
		}
	}
	return ""
}

// linkedQuery returns the query of a link that leads to another page of the list at an
// address, "" for any other link.
func linkedQuery(list *url.URL, link string) string {
	u, err := url.Parse(link)
	if err != nil || list == nil {
		return ""
	}
	u = list.ResolveReference(u)
	if u.Scheme != list.Scheme || u.Host != list.Host || u.Path != list.Path || u.RawQuery == list.RawQuery {
		return ""
	}
	return u.RawQuery
}

// rowKeys returns a number per record that is the same for the same row on another page:
// of its ID, or of its text on a page whose records have no IDs or share them.
func rowKeys(records []jsontext.Value) []uint64 {
	ids := make([]string, len(records))
	known := map[string]bool{}
	for i, record := range records {
		ids[i] = tolerant.Members(record).FirstText("uuid", "id")
		known[ids[i]] = true
	}
	distinct := len(known) == len(ids) && !known[""]
	keys := make([]uint64, len(ids))
	for i, record := range records {
		if distinct {
			keys[i] = hashText(ids[i])
		} else {
			keys[i] = hashText(string(record))
		}
	}
	return keys
}

func hashText(text string) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(text)) // a hash returns no error
	return sum.Sum64()
}

// Bounds of a list that does not come to an end. The longest lists that anybody has are
// a hundredth of this.
const (
	maxEmptyPages = 20
	maxListPages  = 10_000
	maxListTime   = 10 * time.Minute
)

// ListWalk is the progress of reading a list page by page.
type ListWalk struct {
	Read int // rows

	began                time.Time
	pages, empty, unread int
	cursors              map[string]bool // that were followed
	rows                 map[uint64]bool // keys of the rows that were read
}

// missingRows says which rows of a list that has ended are missing, "" for none.
func (w *ListWalk) missingRows(total int) string {
	switch {
	case w.unread > 0:
		return fmt.Sprintf("%d more could not be read", w.unread)
	case total > w.Read:
		return fmt.Sprintf("the service has %d", total)
	}
	return ""
}

// ContinueWalk adds a page to the walk, of which so many rows are new, and returns the
// cursor of the next page, "" at the end of the list. The error is an [*IncompleteError]
// if the list does not end by itself, or breaks off.
func (p *Page[T]) ContinueWalk(w *ListWalk, fresh int) (next string, err error) {
	rest := Page[struct{}]{
		NextCursor:  p.NextCursor,
		HasNextPage: p.HasNextPage,
		Total:       p.Total,
		Unread:      p.Unread,
	}
	return w.addPage(rest, len(p.Items), fresh, time.Now())
}

// addPage does what [Page.ContinueWalk] does, with a page without its rows.
func (w *ListWalk) addPage(p Page[struct{}], rows, fresh int, now time.Time) (next string, err error) {
	if w.began.IsZero() {
		w.began = now
	}
	w.Read += fresh
	w.unread += p.Unread
	w.pages++
	w.empty++
	if rows > 0 {
		w.empty = 0
	}
	if !p.HasNextPage {
		return "", w.incomplete(w.missingRows(p.Total))
	}
	if p.NextCursor != nil {
		next = *p.NextCursor
	}
	fault := w.endlessness(next, rows, fresh, now)
	if fault != "" {
		return "", w.incomplete(fault)
	}
	if w.cursors == nil {
		w.cursors = map[string]bool{}
	}
	w.cursors[next] = true
	return next, nil
}

// endlessness says why a list cannot be read to its end by the next cursor, "" if it can.
func (w *ListWalk) endlessness(next string, rows, fresh int, now time.Time) string {
	switch {
	case next == "":
		return "the service sent no cursor for the next page"
	case w.cursors[next], fresh == 0 && rows > 0:
		return "the service repeats a page"
	case w.empty >= maxEmptyPages:
		return fmt.Sprintf("%d pages in a row were empty", w.empty)
	case w.pages >= maxListPages:
		return fmt.Sprintf("the list has not ended after %d pages", w.pages)
	case now.Sub(w.began) >= maxListTime:
		return fmt.Sprintf("the list has not ended after %g minutes", maxListTime.Minutes())
	}
	return ""
}

// incomplete returns the error of a list that was not read to its end for a reason, nil
// without a reason.
func (w *ListWalk) incomplete(reason string) error {
	if reason == "" {
		return nil
	}
	return &IncompleteError{Read: w.Read, Reason: reason}
}

// breakOff returns the error of a walk whose next page could not be read. Rows that were
// read before hold.
func (w *ListWalk) breakOff(ctx context.Context, err error) error {
	if w.pages == 0 || ctx.Err() != nil {
		return err
	}
	return &IncompleteError{Read: w.Read, Reason: err.Error(), Err: err}
}

// isNew reports whether no earlier page had a row, by its key.
func (w *ListWalk) isNew(key uint64) bool { return !w.rows[key] }

// noteRows adds the rows of a page to the rows that were read.
func (w *ListWalk) noteRows(keys []uint64) {
	if w.rows == nil {
		w.rows = map[uint64]bool{}
	}
	for _, key := range keys {
		w.rows[key] = true
	}
}

// newItems returns the items of a page that no earlier page of the walk had.
func (p *Page[T]) newItems(w *ListWalk) []*T {
	fresh := make([]*T, 0, len(p.Items))
	for i := range p.Items {
		if len(p.keys) != len(p.Items) || w.isNew(p.keys[i]) {
			fresh = append(fresh, &p.Items[i])
		}
	}
	w.noteRows(p.keys)
	return fresh
}

// ListAll yields all of a list as [WalkList] does.
func ListAll[T any](ctx context.Context, c *Connection, op Operation, limit int) iter.Seq2[*T, error] {
	return WalkList(ctx, limit, func(ctx context.Context, opts ListOptions) (*Page[T], error) {
		return CallPage[T](ctx, c, op, opts)
	})
}

// WalkList yields all rows of a list, each once, which it reads by its cursors in pages of
// a limit; 0 leaves that to the service. It stops after the first error, which it yields:
// an [*IncompleteError] if rows were read before, and the list does not come to an end or
// a later page cannot be read.
func WalkList[T any](
	ctx context.Context, limit int, page func(context.Context, ListOptions) (*Page[T], error),
) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		opts, walk := ListOptions{Limit: limit}, ListWalk{}
		for {
			p, err := page(ctx, opts)
			if err != nil {
				yield(nil, walk.breakOff(ctx, err))
				return
			}
			fresh := p.newItems(&walk)
			opts.Cursor, err = p.ContinueWalk(&walk, len(fresh))
			for _, item := range fresh {
				if !yield(item, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
			}
			if opts.Cursor == "" {
				return
			}
		}
	}
}

// walkPages walks numbered pages until one has nothing new. A short page need not be the
// last: a service may have a limit of its own. A service that ignores the number repeats
// its rows.
func walkPages[T any](
	ctx context.Context, page func(int) ([]T, error), id func(*T) string,
) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		walk := ListWalk{}
		for n := 0; n < maxListPages; n++ {
			items, err := page(n)
			if err != nil {
				yield(nil, walk.breakOff(ctx, err))
				return
			}
			p := Page[T]{Items: items, keys: make([]uint64, len(items))}
			for i := range items {
				p.keys[i] = hashText(id(&items[i]))
			}
			fresh := p.newItems(&walk)
			for _, item := range fresh {
				if !yield(item, nil) {
					return
				}
			}
			if len(fresh) == 0 {
				return
			}
			walk.Read += len(fresh)
			walk.pages++
		}
		yield(nil, walk.incomplete(fmt.Sprintf("the list has not ended after %d pages", maxListPages)))
	}
}
