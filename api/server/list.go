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

// readWindow reads the query parameters limit, cursor and direction of a list. defaultLimit is the
// maximum number of items if neither limit nor cursor is given; 0 means no maximum.
func (b *handlerBase) readWindow(x *exchange, list string, defaultLimit int) (store.ListWindow, error) {
	query, err := url.ParseQuery(x.r.URL.RawQuery)
	if err != nil {
		return store.ListWindow{}, invalidMember("query", "is not well-formed")
	}
	r := &windowReader{query: query}
	r.checkOnce("limit", "cursor", "direction")
	r.window.Limit = defaultLimit
	if query.Has("cursor") {
		r.window.Limit = api.DefaultPageLimit
		position, err := b.cursors.openCursor(list, x.cursorAccount(), query.Get("cursor"))
		if err != nil {
			r.addFault("cursor", err.Error())
		} else {
			r.window.From = &position
		}
	}
	r.readLimit()
	r.readDirection()
	if len(r.faults) > 0 {
		return store.ListWindow{}, invalidRequest(r.faults, len(r.faults))
	}
	return r.window, nil
}

// windowReader reads from query parameters which page of a list a client requests. It collects all
// faults, so that the error response can name all of them.
type windowReader struct {
	query  url.Values
	window store.ListWindow
	faults []api.FieldError
}

func (r *windowReader) addFault(parameter, message string) {
	r.faults = append(r.faults, api.FieldError{Field: parameter, Message: message})
}

// checkOnce adds a fault for each of the parameters that is given more than once.
func (r *windowReader) checkOnce(parameters ...string) {
	for _, name := range parameters {
		if len(r.query[name]) > 1 {
			r.addFault(name, "is given more than once")
		}
	}
}

// readLimit reads the number of items of the page, if it is given.
func (r *windowReader) readLimit() {
	if !r.query.Has("limit") {
		return
	}
	limit, err := strconv.ParseUint(r.query.Get("limit"), 10, 16)
	if err != nil || limit < 1 || limit > api.MaxPageLimit {
		r.addFault("limit", fmt.Sprintf("must be a whole number from 1 to %d", api.MaxPageLimit))
		return
	}
	r.window.Limit = int(limit)
}

// readDirection reads the direction from the cursor, if it is given.
func (r *windowReader) readDirection() {
	if !r.query.Has("direction") {
		return
	}
	switch api.Direction(r.query.Get("direction")) {
	case api.Next:
	case api.Prev:
		r.window.Before = true
	default:
		r.addFault("direction", fmt.Sprintf("must be %s or %s", api.Next, api.Prev))
	}
}

// shownList describes a list that the service sends page by page.
type shownList struct {
	name    string // identifies the list in its cursors
	whole   int    // maximum number of items if the request has no limit or cursor; 0 is unlimited
	message string
}

// answerList answers with a page of a list that belongs to an owner, such as an account; see
// [domain.List]. wire converts a record to its JSON type.
func answerList[T, W any](
	b *handlerBase, x *exchange, list shownList, owner int64, wire func(T) W,
) (handlerAnswer, error) {
	load := func(ctx context.Context, w store.ListWindow) (domain.Page[T], error) {
		return domain.List[T](ctx, b.domain, owner, w)
	}
	return answerPage(b, x, list, load, wire)
}

// answerPage answers with the page of a list that the request selects. load loads the page,
// and wire converts a record to its JSON type.
func answerPage[T, W any](
	b *handlerBase, x *exchange, list shownList,
	load func(context.Context, store.ListWindow) (domain.Page[T], error), wire func(T) W,
) (handlerAnswer, error) {
	w, err := b.readWindow(x, list.name, list.whole)
	if err != nil {
		return handlerAnswer{}, err
	}
	page, err := load(x.r.Context(), w)
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

// cursorAccount returns the ID of the account for which a cursor is valid. It is 0 for the
// operations API, whose lists have the records of all accounts.
func (x *exchange) cursorAccount() int64 {
	if x.caller == nil {
		return 0
	}
	return x.caller.Account.ID
}

// listingPage is a page of orders that are stored as JSON. It is written like [api.Page].
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

// appendJSON appends the page as JSON. It appends the cursor unchanged, because cursors contain no
// characters that JSON escapes.
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
	b = append(b, `],"nextCursor":"`...)
	b = append(b, p.cursor...)
	return append(b, `","hasNextPage":true}`...)
}

// cursorSealer creates and opens the cursors of lists. A cursor is a position in a list
// with a MAC of the position, the list and the account, so it is not valid for any other
// list or account.
type cursorSealer struct{ secret []byte }

const cursorMACBytes = 16

var errCursor = errors.New("is not a cursor of this list; use nextCursor")

func (s cursorSealer) sealCursor(list string, accountID int64, p store.Position) string {
	account := binary.BigEndian.AppendUint64(nil, uint64(accountID))
	return sealToken(s.secret, cursorMACBytes, account, list, [2]int64{p.Sort, p.ID})
}

func (s cursorSealer) openCursor(list string, accountID int64, cursor string) (store.Position, error) {
	account := binary.BigEndian.AppendUint64(nil, uint64(accountID))
	numbers, ok := openToken(s.secret, cursorMACBytes, account, list, cursor)
	if !ok {
		return store.Position{}, errCursor
	}
	return store.Position{Sort: numbers[0], ID: numbers[1]}, nil
}

const numberBytes = 16 // length of the two numbers in a token

// sealToken returns a token: two numbers and macBytes bytes of a MAC. The MAC protects the numbers,
// the account, and the subject, which is the list or the file of the token. All accounts that are
// used with the same secret must have the same length, because the MAC covers account and numbers
// without a separator.
func sealToken(secret []byte, macBytes int, account []byte, subject string, numbers [2]int64) string {
	content := binary.BigEndian.AppendUint64(nil, uint64(numbers[0]))
	content = binary.BigEndian.AppendUint64(content, uint64(numbers[1]))
	mac := hmac.New(sha256.New, secret)
	mac.Write(slices.Concat(account, content, []byte(subject))) // subject is last, because its length varies
	return base64.RawURLEncoding.EncodeToString(append(content, mac.Sum(nil)[:macBytes]...))
}

// openToken returns the numbers of a token. ok is false if the token was not created by
// sealToken with the same arguments.
func openToken(secret []byte, macBytes int, account []byte, subject, token string) (numbers [2]int64, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != numberBytes+macBytes {
		return numbers, false
	}
	numbers[0] = int64(binary.BigEndian.Uint64(b))
	numbers[1] = int64(binary.BigEndian.Uint64(b[8:]))
	want := sealToken(secret, macBytes, account, subject, numbers)
	return numbers, hmac.Equal([]byte(token), []byte(want))
}

// rateLimiter limits the requests per second of each key.
type rateLimiter struct {
	rate float64 // requests per second; 0 is unlimited

	mu   sync.Mutex
	left map[string]keyAllowance // by the UUID of a key
}

// keyAllowance is the number of requests that a key may still send without waiting.
type keyAllowance struct {
	requests float64
	updated  time.Time // by real time, not by the service clock
}

// maxAllowances is the maximum number of keys in a rateLimiter.
const maxAllowances = 10_000

// reserve counts a request of a key and returns 0. If the key has sent too many requests, reserve
// returns how long the client must wait. After a pause, a key can send the requests of one second
// at once. If the rate is below one request per second, it can send one request.
func (l *rateLimiter) reserve(key string, now time.Time) time.Duration {
	if l.rate <= 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	allowance := l.currentAllowance(key, now)
	var pause time.Duration
	if allowance.requests >= 1 {
		allowance.requests--
	} else {
		missing := 1 - allowance.requests
		pause = time.Duration(missing / l.rate * float64(time.Second))
	}
	if l.left == nil || len(l.left) >= maxAllowances {
		l.left = map[string]keyAllowance{} // removing only the unused keys would cost more than it saves
	}
	l.left[key] = allowance
	return pause
}

// currentAllowance returns the allowance of a key at now, which has grown since the key's last request. The caller
// must hold l.mu.
func (l *rateLimiter) currentAllowance(key string, now time.Time) keyAllowance {
	burst := math.Max(1, l.rate) // maximum number of requests at once
	allowance, isKnown := l.left[key]
	if !isKnown {
		return keyAllowance{requests: burst, updated: now}
	}
	earned := now.Sub(allowance.updated).Seconds() * l.rate
	return keyAllowance{requests: math.Min(burst, allowance.requests+earned), updated: now}
}
