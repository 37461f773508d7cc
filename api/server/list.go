package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

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

// answerList answers a page of the list of an owner's records, see [store.List]; wire
// turns one into what is sent.
func answerList[T, W any](
	b *handlerBase, x *exchange, list shownList, owner int64, wire func(T) W,
) (handlerAnswer, error) {
	return answerAll(b, x, list, func(ctx context.Context, w store.ListWindow) (domain.Page[T], error) {
		return domain.List[T](ctx, b.domain, owner, w)
	}, wire)
}

// answerAll answers a page of what read fetches.
func answerAll[T, W any](
	b *handlerBase, x *exchange, list shownList,
	read func(context.Context, store.ListWindow) (domain.Page[T], error), wire func(T) W,
) (handlerAnswer, error) {
	w, err := b.readWindow(x, list.name, list.whole)
	if err != nil {
		return handlerAnswer{}, err
	}
	page, err := read(x.r.Context(), w)
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

// cursorSealer makes and opens the cursors of lists. A cursor is a position
// with a MAC over it, its list and its account, so that it opens nowhere else.
type cursorSealer struct{ secret []byte }

const cursorMACBytes = 16

var errCursor = errors.New("is not a cursor of this list; use nextCursor")

func (s cursorSealer) sealCursor(list string, accountID int64, p store.Position) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(accountID))
	return sealToken(s.secret, cursorMACBytes, b, list, [2]int64{p.Sort, p.ID})
}

func (s cursorSealer) openCursor(list string, accountID int64, cursor string) (store.Position, error) {
	b := binary.BigEndian.AppendUint64(nil, uint64(accountID))
	numbers, ok := openToken(s.secret, cursorMACBytes, b, list, cursor)
	if !ok {
		return store.Position{}, errCursor
	}
	return store.Position{Sort: numbers[0], ID: numbers[1]}, nil
}

const numberBytes = 16 // of the two numbers of a token

// sealToken writes two numbers, and a MAC of so many bytes over what is before them,
// the numbers, and what they are of.
func sealToken(secret []byte, macBytes int, before []byte, of string, numbers [2]int64) string {
	content := binary.BigEndian.AppendUint64(nil, uint64(numbers[0]))
	content = binary.BigEndian.AppendUint64(content, uint64(numbers[1]))
	mac := hmac.New(sha256.New, secret)
	mac.Write(slices.Concat(before, content, []byte(of))) // last, since its length varies
	return base64.RawURLEncoding.EncodeToString(append(content, mac.Sum(nil)[:macBytes]...))
}

// openToken returns the numbers of a token, unless it was altered or made up.
func openToken(secret []byte, macBytes int, before []byte, of, token string) (numbers [2]int64, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != numberBytes+macBytes {
		return numbers, false
	}
	numbers[0], numbers[1] = int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:]))
	return numbers, hmac.Equal([]byte(token), []byte(sealToken(secret, macBytes, before, of, numbers)))
}

// rateLimiter lets each key make so many requests a second, with as many at once.
type rateLimiter struct {
	rate float64 // requests per second; 0: no limit

	mu   sync.Mutex
	left map[string]keyAllowance // by the uuid of a key
}

// keyAllowance is what a key has left at a time of the machine's clock, whatever
// the service's says.
type keyAllowance struct {
	requests float64
	at       time.Time
}

// maxAllowances bounds the keys that are remembered at once.
const maxAllowances = 10_000

// takeRequest uses up a request of a key, or returns how long to wait for one. As many as
// in a second, and at least one, can follow each other at once.
func (l *rateLimiter) takeRequest(key string, now time.Time) (pause time.Duration) {
	if l.rate <= 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	most := math.Max(1, l.rate)
	a, known := l.left[key]
	if !known {
		a = keyAllowance{most, now}
	}
	a.requests = math.Min(most, a.requests+now.Sub(a.at).Seconds()*l.rate)
	a.at = now
	if a.requests < 1 {
		pause = time.Duration((1 - a.requests) / l.rate * float64(time.Second))
	} else {
		a.requests--
	}
	if l.left == nil || len(l.left) >= maxAllowances {
		l.left = map[string]keyAllowance{} // looking for those to keep would cost more than it is worth
	}
	l.left[key] = a
	return pause
}
