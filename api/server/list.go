package server

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// readWindow reads limit, cursor and direction of a list. Without limit and cursor
// the page has whole items: 0 for the whole list.
func (b *handlerBase) readWindow(x *exchange, list string, whole int) (w store.ListWindow, err error) {
	q, err := url.ParseQuery(x.r.URL.RawQuery)
	if err != nil {
		return w, invalidMember("query", "is not well-formed")
	}
	var faults []api.FieldError
	refuse := func(field, message string) {
		faults = append(faults, api.FieldError{Field: field, Message: message})
	}
	for _, name := range [...]string{"limit", "cursor", "direction"} {
		if len(q[name]) > 1 {
			refuse(name, "is given more than once")
		}
	}
	w.Limit = whole
	if q.Has("cursor") {
		w.Limit = api.DefaultPageLimit
		at, err := b.cursors.openCursor(list, x.cursorAccount(), q.Get("cursor"))
		if err != nil {
			refuse("cursor", err.Error())
		}
		w.From = &at
	}
	if q.Has("limit") {
		n, err := strconv.ParseUint(q.Get("limit"), 10, 16)
		if err != nil || n < 1 || n > api.MaxPageLimit {
			refuse("limit", fmt.Sprintf("must be a whole number from 1 to %d", api.MaxPageLimit))
		}
		w.Limit = int(n)
	}
	if q.Has("direction") {
		switch api.Direction(q.Get("direction")) {
		case api.Next:
		case api.Prev:
			w.Before = true
		default:
			refuse("direction", fmt.Sprintf("must be %s or %s", api.Next, api.Prev))
		}
	}
	return w, invalidRequest(faults, len(faults))
}

// shownList is a list as requests ask for it.
type shownList struct {
	name    string // which its cursors are good for
	whole   int    // how many items a page has without limit and cursor: 0 for all
	message string
}

// answerList answers a page of what belongs to a record: read fetches it, wire turns
// an item into what is sent.
func answerList[R, T, W any](
	b *handlerBase, x *exchange, list shownList, of R,
	read func(context.Context, R, store.ListWindow) (domain.Page[T], error), wire func(T) W,
) (handlerAnswer, error) {
	w, err := b.readWindow(x, list.name, list.whole)
	if err != nil {
		return handlerAnswer{}, err
	}
	page, err := read(x.r.Context(), of, w)
	if err != nil {
		return handlerAnswer{}, err
	}
	sent := api.Page[W]{Items: make([]W, len(page.Items)), HasNextPage: page.More}
	for i, item := range page.Items {
		sent.Items[i] = wire(item)
	}
	if page.More {
		cursor := b.cursors.sealCursor(list.name, x.cursorAccount(), *page.End)
		sent.NextCursor = &cursor
	}
	return handlerAnswer{message: list.message, data: sent}, nil
}

// answerAll answers a page of what belongs to nothing else.
func answerAll[T, W any](
	b *handlerBase, x *exchange, list shownList,
	read func(context.Context, store.ListWindow) (domain.Page[T], error), wire func(T) W,
) (handlerAnswer, error) {
	return answerList(b, x, list, b, func(ctx context.Context, _ *handlerBase, w store.ListWindow) (domain.Page[T], error) {
		return read(ctx, w)
	}, wire)
}

// cursorAccount returns whose lists' cursors the request may use: 0 for the
// operations API, which sees everybody's.
func (x *exchange) cursorAccount() int64 {
	if x.caller == nil {
		return 0
	}
	return x.caller.Account.ID
}

// listingPage is a page of orders that are JSON already, in the shape of
// [api.Page].
type listingPage struct {
	items  []store.Listing
	cursor string // "" on the last page
}

func (b *handlerBase) listingPage(x *exchange, list string, p domain.Page[store.Listing]) listingPage {
	page := listingPage{items: p.Items}
	if p.More {
		page.cursor = b.cursors.sealCursor(list, x.cursorAccount(), *p.End)
	}
	return page
}

// appendJSON writes the page. A cursor has no character that JSON escapes.
func (p listingPage) appendJSON(b []byte) []byte {
	b = append(b, `{"data":[`...)
	for i, item := range p.items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item.Text...)
	}
	if p.cursor == "" {
		return append(b, `],"nextCursor":null,"hasNextPage":false}`...)
	}
	b = append(append(b, `],"nextCursor":"`...), p.cursor...)
	return append(b, `","hasNextPage":true}`...)
}
