package ordering

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
)

// PreparedOrder is one of the orders that a draft is placed as, as it would be sent.
type PreparedOrder struct {
	OrderPart
	Request api.CreateOrderRequest
	Digest  string // tells it from other requests; the draft's keys are by it
}

// PrepareOrders makes the requests of what is not placed yet. Each has a key that
// stays as long as the request is the same.
func (d *Draft) PrepareOrders(now time.Time) []PreparedOrder {
	keys := map[string]string{}
	if d.Pending {
		keys[d.Sent] = d.Key
	}
	parts := d.SplitParts(now)
	orders := make([]PreparedOrder, len(parts))
	for i, p := range parts {
		o := PreparedOrder{OrderPart: p, Request: d.BuildRequest(p, now)}
		o.Digest = requestDigest(&o.Request)
		orders[i] = o
		keys[o.Digest] = cmp.Or(d.Keys[o.Digest], keys[o.Digest])
		if keys[o.Digest] == "" {
			keys[o.Digest] = api.NewIdempotencyKey()
		}
	}
	d.Keys = keys
	return orders
}

// PlaceOrder notes in the draft that an order is on its way, and returns what sends
// it. Unless that was confirmed, it sends nothing if there is an order like it:
// the error is an [*AlikeError]. Then it first writes the draft: whatever ends the program then, the next run
// looks for the order before it sends again.
func (k *Drafts) PlaceOrder(d *Draft, o PreparedOrder, client *api.Client, now time.Time, confirmed bool) func(context.Context) (*api.Order, error) {
	d.Sent, d.Key = o.Digest, d.Keys[o.Digest]
	d.SentAt, d.SentName, d.SentSites, d.Pending = now, o.Name, SiteIDs(o.Sites), true
	keep, key, find := k.Keep(d), d.Key, d.findAlike(client, o, now)
	return func(ctx context.Context) (*api.Order, error) {
		if !confirmed {
			if alike, err := find(ctx); err != nil || len(alike) > 0 {
				return nil, &AlikeError{alike, err}
			}
		}
		if err := keep(); err != nil {
			return nil, err
		}
		return client.Orders.Create(ctx, o.Request, key)
	}
}

// FindSent returns what looks for the order of the draft whose answer was lost.
// It finds nil where the service does not have it.
func (d *Draft) FindSent(client *api.Client) func(context.Context) (*api.Order, error) {
	name, since := d.SentName, d.SentAt.Add(-time.Minute)
	return func(ctx context.Context) (*api.Order, error) { return findOrder(ctx, client, name, since) }
}

// NotPlaced notes that the order that was sent is not on the service.
func (d *Draft) NotPlaced() { d.Pending, d.SentSites = false, nil }

// ConfirmPlaced notes that the order that was sent is on the service.
func (d *Draft) ConfirmPlaced(o *api.Order) {
	sites := d.SitesOf(d.SentSites)
	if len(d.SentSites) == 0 { // a draft of a time when one was one order
		sites = d.IncludedSites()
	}
	d.MarkPlaced(sites, o, d.SentName)
}

var missionField = regexp.MustCompile(`^missions\[(\d+)\](?:\.(.*))?$`)

// FaultsOfService finds the field or the site that each of the service's faults is of.
func FaultsOfService(fields []api.FieldError, sites []*Site) []OrderFault {
	faults := make([]OrderFault, len(fields))
	for i, f := range fields {
		faults[i] = OrderFault{Field: strings.TrimPrefix(f.Field, "order."), Message: f.Message, Service: true}
		if match := missionField.FindStringSubmatch(f.Field); match != nil {
			if n, err := strconv.Atoi(match[1]); err == nil && n < len(sites) {
				faults[i] = OrderFault{Site: sites[n], Message: strings.TrimSpace(match[2] + " " + f.Message), Service: true}
			}
		}
	}
	return faults
}

// PlaceOnce places an order. Where the answer is lost, the list shows whether it
// is there before it is sent once more, with the same key. An order of the same
// name that was there before is another one.
func PlaceOnce(ctx context.Context, client *api.Client, req api.CreateOrderRequest, key string) (*api.Order, error) {
	before, unread := findOrder(ctx, client, req.Order.OrderName, time.Time{})
	for again := false; ; again = true {
		placed, err := client.Orders.Create(ctx, req, key)
		if err == nil || !api.MaybeApplied(err) {
			return placed, err
		}
		there, failed := findOrder(ctx, client, req.Order.OrderName, time.Time{})
		isNew := there != nil && (before == nil || there.UUID != before.UUID)
		switch {
		case failed != nil || unread != nil:
			return nil, fmt.Errorf("%w; %w", err, ErrUnknown)
		case isNew:
			return there, nil
		case again:
			return nil, fmt.Errorf("%w; the order was not placed", err)
		}
	}
}

// ErrUnknown says that an order was sent and it cannot be found out whether it
// was placed.
var ErrUnknown = errors.New("it is not known whether the order was placed")

// findOrder returns the newest order of a name that was placed since, ever for the
// zero time; nil where the service shows none. It is how a lost answer to
// placing one is made good.
func findOrder(ctx context.Context, client *api.Client, name string, since time.Time) (*api.Order, error) {
	list, err := client.Orders.List(ctx, api.ListOptions{Limit: api.MaxPageLimit})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		if o := &list.Items[i]; o.OrderName == name && (since.IsZero() || o.CreatedAt.After(since)) {
			return o, nil
		}
	}
	return nil, nil
}
