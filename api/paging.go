package api

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"net/url"
	"slices"
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

	Total  int `json:"-"` // rows of all pages; 0 if the service did not send the number
	Unread int `json:"-"` // rows of the page that could not be decoded and are not in Items

	keys []uint64 // key of each item, from rowKeys
}

// ListOptions selects a page. The zero value selects the newest page of the service's
// default size.
type ListOptions struct {
	Limit     int // 1 to [MaxPageLimit]; 0 leaves it to the service
	Cursor    string
	Direction Direction
}

// linkCursor is the prefix of a cursor made from a link to the next page. The rest is the
// query of the link. Some services announce pages only by links, in the Link header or in
// the body.
const linkCursor = "link:"

// queryValues returns the options as query parameters. If the cursor is a link, the parameters of the
// link replace all options.
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

// nextPage returns the cursor of the next page, or nil if the service sent neither a cursor nor a link to another
// page of the list. hasNext reports whether there is a next page. If the service sent "hasNextPage", that decides,
// whether or not it sent a cursor. Otherwise there is a next page if the service sent a cursor or a link.
func nextPage(p tolerant.Page, op *Operation) (cursor *string, hasNext bool) {
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

// nextLink returns the target of the link rel="next" in Link headers (RFC 8288), or "".
func nextLink(headers []string) string {
	for _, link := range strings.Split(strings.Join(headers, ","), "<") {
		target, parameters, _ := strings.Cut(link, ">")
		if hasNextRelation(parameters) {
			return target
		}
	}
	return ""
}

// hasNextRelation reports whether the parameters of a link contain rel="next", possibly
// among other relations.
func hasNextRelation(parameters string) bool {
	isSeparator := func(r rune) bool { return r == ';' || r == ',' }
	for _, parameter := range strings.FieldsFunc(parameters, isSeparator) {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		relations := strings.Fields(strings.ToLower(strings.Trim(value, `"`)))
		if strings.EqualFold(name, "rel") && slices.Contains(relations, "next") {
			return true
		}
	}
	return false
}

// linkedQuery returns the query of a link to another page of the same list, and "" for any
// other link. list is the address of the page that contains the link.
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

// rowKeys returns a key for each record, to recognize the same row on another page. The key is the hash of the ID. If
// IDs are missing or repeat on the page, it is the hash of the whole record.
func rowKeys(records []jsontext.Value) []uint64 {
	ids := make([]string, len(records))
	distinct := map[string]bool{}
	for i, record := range records {
		ids[i] = tolerant.Members(record).FirstText("uuid", "id")
		distinct[ids[i]] = true
	}
	areUsable := len(distinct) == len(ids) && !distinct[""]
	keys := make([]uint64, len(ids))
	for i, record := range records {
		if areUsable {
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

// Limits that end the walk of a list without end. The longest real lists need a hundredth
// of them.
const (
	maxEmptyPages = 20
	maxListPages  = 10_000
	maxListTime   = 10 * time.Minute
)

// ListWalk is the progress of reading a list page by page.
type ListWalk struct {
	Read int // rows so far

	began   time.Time
	pages   int
	empty   int             // consecutive empty pages
	unread  int             // rows that could not be decoded
	cursors map[string]bool // cursors followed so far
	rows    map[uint64]bool // keys of the rows so far
}

// missingRows describes the rows that a completed walk did not read. It returns "" if no rows are
// missing.
func (w *ListWalk) missingRows(total int) string {
	if w.unread > 0 {
		return fmt.Sprintf("%d more could not be read", w.unread)
	}
	if total > w.Read {
		return fmt.Sprintf("the service has %d", total)
	}
	return ""
}

// ContinueWalk adds the page to the walk. newCount is the number of its rows that no earlier page had.
// ContinueWalk returns the cursor of the next page, or "" at the end of the list. The error is an
// [*IncompleteError] if rows are missing or the list seems to have no end.
func (p *Page[T]) ContinueWalk(w *ListWalk, newCount int) (next string, err error) {
	end := pageEnd{
		rowCount: len(p.Items),
		newCount: newCount,
		unread:   p.Unread,
		total:    p.Total,
		hasNext:  p.HasNextPage,
	}
	if p.NextCursor != nil {
		end.cursor = *p.NextCursor
	}
	return w.addPage(end, time.Now())
}

// pageEnd describes a page without its rows.
type pageEnd struct {
	rowCount int
	newCount int    // rows that no earlier page had
	unread   int    // rows that could not be decoded, not in rowCount
	total    int    // rows of all pages; 0 if unknown
	hasNext  bool   // there is a next page
	cursor   string // of the next page; "" if the service did not send it
}

// addPage adds a page that was read at the given time to the walk. It returns the cursor of the next page, or
// "" at the end of the list.
func (w *ListWalk) addPage(p pageEnd, now time.Time) (next string, err error) {
	if w.began.IsZero() {
		w.began = now
	}
	w.Read += p.newCount
	w.unread += p.unread
	w.pages++
	if p.rowCount > 0 {
		w.empty = 0
	} else {
		w.empty++
	}
	if !p.hasNext {
		if missing := w.missingRows(p.total); missing != "" {
			return "", w.incomplete(missing)
		}
		return "", nil
	}
	if reason := w.endlessReason(p, now); reason != "" {
		return "", w.incomplete(reason)
	}
	// The cursor is added after the check, which looks for it among the cursors of earlier pages.
	if w.cursors == nil {
		w.cursors = map[string]bool{}
	}
	w.cursors[p.cursor] = true
	return p.cursor, nil
}

// endlessReason returns why the walk seems to have no end if it follows the cursor of the page, or "".
func (w *ListWalk) endlessReason(p pageEnd, now time.Time) string {
	hasOnlyKnownRows := p.rowCount > 0 && p.newCount == 0
	isRepeatedPage := w.cursors[p.cursor] || hasOnlyKnownRows
	switch {
	case p.cursor == "":
		return "the service sent no cursor for the next page"
	case isRepeatedPage:
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

// incomplete returns an [*IncompleteError] with the reason.
func (w *ListWalk) incomplete(reason string) error {
	return &IncompleteError{Read: w.Read, Reason: reason}
}

// interrupted returns the error of a walk that failed with err because it could not read the next page. It is an
// [*IncompleteError] if earlier pages were read. Otherwise, or if the context has ended, it is err itself.
func (w *ListWalk) interrupted(ctx context.Context, err error) error {
	if w.pages == 0 || ctx.Err() != nil {
		return err
	}
	return &IncompleteError{Read: w.Read, Reason: err.Error(), Err: err}
}

// isNew reports whether no earlier page contained the row with the key.
func (w *ListWalk) isNew(key uint64) bool { return !w.rows[key] }

// addRows adds the keys of a page's rows.
func (w *ListWalk) addRows(keys []uint64) {
	if w.rows == nil {
		w.rows = map[uint64]bool{}
	}
	for _, key := range keys {
		w.rows[key] = true
	}
}

// newItems returns the items of a page that are on no earlier page of the walk.
func (p *Page[T]) newItems(w *ListWalk) []*T {
	items := make([]*T, 0, len(p.Items))
	for i := range p.Items {
		if len(p.keys) != len(p.Items) || w.isNew(p.keys[i]) {
			items = append(items, &p.Items[i])
		}
	}
	w.addRows(p.keys)
	return items
}

// ListAll yields all rows of a list; see [WalkList].
func ListAll[T any](ctx context.Context, c *Connection, op Operation, limit int) iter.Seq2[*T, error] {
	return WalkList(ctx, limit, func(ctx context.Context, opts ListOptions) (*Page[T], error) {
		return CallPage[T](ctx, c, op, opts)
	})
}

// yieldPage yields the new rows of a page, and then an error if the walk cannot continue before the end of the
// list. It returns the cursor of the next page, or "" if the walk ends.
func yieldPage[T any](walk *ListWalk, p *Page[T], newItems []*T, yield func(*T, error) bool) (next string) {
	next, incomplete := p.ContinueWalk(walk, len(newItems))
	for _, item := range newItems {
		if !yield(item, nil) {
			return ""
		}
	}
	if incomplete != nil {
		yield(nil, incomplete)
		return ""
	}
	return next
}

// WalkList yields every row of a list once. It reads the list by cursors, limit rows per
// page; with 0, the service chooses the number. It yields the first error and stops. If
// rows were read before the error, it is an [*IncompleteError].
func WalkList[T any](
	ctx context.Context, limit int, page func(context.Context, ListOptions) (*Page[T], error),
) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		opts := ListOptions{Limit: limit}
		var walk ListWalk
		for {
			p, err := page(ctx, opts)
			if err != nil {
				yield(nil, walk.interrupted(ctx, err))
				return
			}
			next := yieldPage(&walk, p, p.newItems(&walk), yield)
			if next == "" {
				return
			}
			opts.Cursor = next
		}
	}
}

// walkPages yields every row of a list with numbered pages, until a page has no new rows. A
// short page need not be the last page, because a service can use a smaller page size than
// requested. A service that ignores the page number repeats its rows.
func walkPages[T any](
	ctx context.Context, page func(int) ([]T, error), id func(*T) string,
) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var walk ListWalk
		for n := 0; ; n++ {
			items, err := page(n)
			if err != nil {
				yield(nil, walk.interrupted(ctx, err))
				return
			}
			p := Page[T]{Items: items, keys: make([]uint64, len(items))}
			for i := range items {
				p.keys[i] = hashText(id(&items[i]))
			}
			newItems := p.newItems(&walk)
			p.HasNextPage = len(newItems) > 0
			p.NextCursor = new(strconv.Itoa(n + 1))
			if yieldPage(&walk, &p, newItems, yield) == "" {
				return
			}
		}
	}
}
