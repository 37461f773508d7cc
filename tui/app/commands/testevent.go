package commands

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
)

// TestTimeout is how long a receiver of a test event may take, as with the
// service.
const TestTimeout = 5 * time.Second

// testOrder is the code of the order that test events are about; there is no such order.
const testOrder = "ORD-0"

const maxTestAnswer = 4 << 10

// TestResult is what came of a test event.
type TestResult struct {
	To     string        `json:"to"` // without what is secret of it
	Event  api.EventName `json:"event"`
	ID     string        `json:"id"`
	OK     bool          `json:"ok"`              // the receiver accepted it
	Status string        `json:"status,omitzero"` // "" where no answer came
	Took   int64         `json:"took"`            // milliseconds
	Answer string        `json:"answer,omitzero"` // the beginning of it
	Err    error         `json:"-"`               // why no answer came
}

// SendTest sends an event of a mission that there is not to a receiver once, as the service's
// own test events are, signed with the secret, over the transport that trusts it; nil is
// the usual one.
func SendTest(
	ctx context.Context,
	to *url.URL,
	secret string,
	event api.EventName,
	now time.Time,
	trusted http.RoundTripper,
) TestResult {
	var r TestResult
	e := api.Event{
		ID:        "test-" + strings.ToLower(rand.Text()),
		Event:     event,
		Timestamp: api.TimeOf(now.UTC().Truncate(time.Millisecond)),
	}
	e.Data.Mission = api.EventMission{
		UUID: "00000000-0000-7000-8000-000000000000", MissionCode: "MSN-0", Status: event.MissionStatus(),
		OrderUID: "00000000-0000-7000-8000-000000000001", OrderCode: testOrder,
	}
	r.To = to.Redacted()
	r.Event = event
	r.ID = e.ID
	body, err := json.Marshal(e)
	r.Err = err
	if err != nil {
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, TestTimeout)
	defer cancel()
	req, err := api.NewCallback(ctx, to.String(), secret, body)
	r.Err = err
	if err != nil {
		return r
	}
	client := &http.Client{
		Transport:     trusted,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	began := time.Now()
	res, err := client.Do(req)
	r.Took = time.Since(began).Milliseconds()
	if err != nil {
		r.Err = withoutAddress(err, req.URL.Host)
		return r
	}
	defer func() { _ = res.Body.Close() }()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, maxTestAnswer)) // as far as it comes
	r.Status = res.Status
	r.OK = res.StatusCode >= 200 && res.StatusCode < 300
	r.Answer = string(answer)
	return r
}

// ProblemError says why the event was not accepted, nil where it was.
func (r *TestResult) ProblemError() error {
	if r.Err == nil && !r.OK {
		return errors.New("the receiver answered " + r.Status)
	}
	return r.Err
}

// ParseReceiver reads the address of a receiver of test events.
func ParseReceiver(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("not an http or https URL")
	}
	if u.User != nil || u.Fragment != "" {
		return nil, errors.New("remove the user, password or fragment")
	}
	return u, nil
}

// IsLoopback reports whether a host is this machine for certain.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// withoutAddress says what went wrong with a request to a host, without its URL,
// which is shown already.
func withoutAddress(err error, host string) error {
	var u *url.Error
	if errors.As(err, &u) {
		if u.Timeout() {
			return fmt.Errorf("no response within %g s, the service's limit", TestTimeout.Seconds())
		}
		return errors.New((&api.TransportError{Host: host, Err: u.Err}).Reason())
	}
	return err
}

// Sender sends changes of an account. What it sends is in the ledger first.
type Sender struct {
	Client  *api.Client
	Ledger  *ordering.Ledger
	Account string
}

// The kinds of entry for endpoints; that of an order's move is its resulting status.
const (
	registered ordering.EntryKind = "registered"
	removed    ordering.EntryKind = "removed"
)

// newChange returns a change that is not sent yet.
func (s *Sender) newChange(kind ordering.EntryKind) *ordering.Change {
	e := ordering.LedgerEntry{
		At:      s.Client.Now(),
		Kind:    kind,
		Host:    s.Client.Host(),
		Account: s.Account,
	}
	c := &ordering.Change{LedgerEntry: e}
	c.Look = s.LookFor(&c.LedgerEntry)
	return c
}

// MoveOrder cancels, archives or rejects an order, and returns it as it is afterwards. What
// the order says of itself decides whether the move was made, also if the response was
// lost.
func (s *Sender) MoveOrder(
	ctx context.Context, before *api.Order, move api.OrderMove, reason string,
) (moved *api.Order, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := s.newChange(ordering.EntryKind(move.ResultingStatus()))
	c.OrderID = before.OrderCode
	c.OrderName = before.OrderName
	c.Look = func(ctx context.Context) (settled bool, err error) {
		moved, settled, err = s.lookForMoved(ctx, &c.LedgerEntry)
		return settled, err
	}
	c.Send = func(ctx context.Context) (err error) {
		moved, err = requestMove(ctx, s.Client, move, before.UUID, reason)
		if err == nil && moved.Status == before.Status {
			return &api.Error{
				Op:      string(move) + " order",
				Status:  http.StatusOK,
				Message: "the service answered that the order is still " + InText(moved.Status),
				Foreign: true,
			}
		}
		if err == nil || api.MaybeApplied(err) || ctx.Err() != nil {
			return err
		}
		moved, err = afterRefusal(ctx, s.Client, move, before.OrderCode, err)
		return err
	}
	if err = s.Ledger.SendOnce(ctx, c); err != nil {
		return nil, err
	}
	return moved, nil
}

// lookForMoved reads the order of an entry, and reports whether it was moved as the entry
// says.
func (s *Sender) lookForMoved(ctx context.Context, e *ordering.LedgerEntry) (o *api.Order, moved bool, err error) {
	o, err = s.Client.Orders.Get(ctx, e.OrderID)
	if err != nil && !api.IsPartial(err) {
		return nil, false, err
	}
	return o, o.Status.Means(api.OrderStatus(e.Kind)), nil
}

// RegisterEndpoint registers an endpoint. One that is found after a lost response is an
// error: nobody has its secret.
func (s *Sender) RegisterEndpoint(
	ctx context.Context, req api.CreateWebhookRequest,
) (made *api.WebhookEndpoint, err error) {
	c := s.newChange(registered)
	c.Address = req.URL
	for e, err := range s.Client.Webhooks.All(ctx) {
		if err != nil { // the endpoint is registered all the same
			c.KnownUnread = true
			c.At = s.Client.Now() // the failed response told the service's time
			break
		}
		c.Known = append(c.Known, e.UUID)
	}
	c.Send = func(ctx context.Context) (err error) {
		made, err = s.Client.Webhooks.Create(ctx, req)
		return err
	}
	err = s.Ledger.SendOnce(ctx, c)
	return made, err
}

// RemoveEndpoint removes an endpoint. One that is gone already is removed.
func (s *Sender) RemoveEndpoint(ctx context.Context, uuid, address string) error {
	c := s.newChange(removed)
	c.EndpointID = uuid
	c.Address = address
	c.Send = func(ctx context.Context) error {
		err := s.Client.Webhooks.Delete(ctx, uuid)
		if !api.IsStatus(err, http.StatusNotFound, http.StatusGone) {
			return err
		}
		if removed, _ := c.Look(ctx); removed {
			return nil
		}
		return err // the service does not know the path, but has the endpoint
	}
	return s.Ledger.SendOnce(ctx, c)
}

// LookFor returns the function that looks for the change of an entry, nil where it is
// of a kind that others send.
func (s *Sender) LookFor(e *ordering.LedgerEntry) ordering.LookFunc {
	if e.Kind == registered {
		return func(ctx context.Context) (bool, error) { return s.lookForRegistered(ctx, e) }
	}
	if e.Kind == removed {
		return func(ctx context.Context) (bool, error) {
			_, err := s.Client.Webhooks.Get(ctx, e.EndpointID)
			if api.IsStatus(err, http.StatusNotFound, http.StatusGone) {
				return true, nil
			}
			return false, err
		}
	}
	if e.Kind == ordering.EntryPlaced || e.IsQuote() {
		return nil
	}
	return func(ctx context.Context) (bool, error) {
		_, moved, err := s.lookForMoved(ctx, e)
		return moved, err
	}
}

// sentMargin is how much earlier than the entry of its change an endpoint may be created: the
// service's clock is known to a second.
const sentMargin = 2 * time.Second

// isOlder reports whether an endpoint existed before the change of an entry, or may have.
func isOlder(found *api.WebhookEndpoint, e *ordering.LedgerEntry) bool {
	if slices.Contains(e.Known, found.UUID) {
		return true
	}
	return e.KnownUnread && found.CreatedAt.Before(e.At.Add(-sentMargin))
}

// lookForRegistered looks for an endpoint of an address that was not there before.
func (s *Sender) lookForRegistered(ctx context.Context, e *ordering.LedgerEntry) (bool, error) {
	for found, err := range s.Client.Webhooks.All(ctx) {
		if err != nil {
			return false, err
		}
		if found.URL == e.Address && !isOlder(found, e) {
			return true, fmt.Errorf("endpoint %s was registered, but its secret is lost; remove it", found.UUID)
		}
	}
	return false, nil
}
