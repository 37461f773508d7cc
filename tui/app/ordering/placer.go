package ordering

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
)

// Placer places orders of an account. What it sends is in the ledger first.
type Placer struct {
	Client  *api.Client
	Ledger  *Ledger
	Account string
}

// PlaceOptions say what a person has decided about an order before it is placed.
type PlaceOptions struct {
	Key   string   // identifies the order; "" derives one from the request
	Again bool     // placed even if a similar order exists, or was sent and is not confirmed
	Own   []string // ids and codes of orders that may be similar
}

// PlacedOrder is an order that is on the service.
type PlacedOrder struct {
	*api.Order
	Found       bool     // by looking, after a lost response
	Differences []string // from what the person confirmed
}

// PlaceOnce places an order unless it was placed before. The error is an [*AlikeError]
// if nothing was sent because of a similar order, and a [*UnconfirmedError] if
// it was sent and is not on the service yet.
func (p *Placer) PlaceOnce(
	ctx context.Context,
	req *api.CreateOrderRequest,
	o PlaceOptions,
) (*PlacedOrder, error) {
	o.Again = o.Again || o.Key != ""
	sent, err := p.findSent(req.Order.OrderName, o.Key)
	if err != nil {
		return nil, err
	}
	if sent != nil && (sent.IsOpen() || o.Key != "") {
		if found, err := p.findOutcome(ctx, sent, o.Again); found != nil || err != nil {
			return found, err
		}
	}
	list, err := p.Client.Orders.List(ctx, api.ListOptions{Limit: api.MaxPageLimit})
	if !o.Again {
		alike := &AlikeError{Err: err}
		if err == nil {
			alike.Orders, alike.Err = p.findAlike(ctx, list.Items, req, o.Own)
		}
		if alike.Sent = sent != nil && sent.IsOpen(); alike.Sent {
			ago := format.Ago(sent.At, p.Client.Now())
			alike.Orders = append(alike.Orders, sent.OrderName+", sent "+ago+", is not confirmed.")
		}
		if alike.Err != nil || len(alike.Orders) > 0 {
			return nil, alike
		}
	}
	entry := p.newEntry(req, cmp.Or(o.Key, p.AttemptKey(req.Order.OrderName, EncodeRequest(req), o.Again)))
	if err == nil {
		entry.Known = listUUIDs(list.Items)
	}
	return p.sendOrder(ctx, req, entry)
}

func listUUIDs(orders []api.Order) (uuids []string) {
	for i := range orders {
		uuids = append(uuids, orders[i].UUID)
	}
	return uuids
}

// FindPlaced looks for the order of a name that was sent last, nil if it is not on the
// service.
func (p *Placer) FindPlaced(ctx context.Context, name string) (*PlacedOrder, error) {
	sent, err := p.findSent(name, "")
	if sent == nil || err != nil {
		return nil, err
	}
	return p.findOutcome(ctx, sent, true)
}

// AttemptKey returns the idempotency key that the encoded request of an order is sent with. It is
// derived from the request and the account, and the same until what was sent with it is settled,
// also after a restart; another order like an earlier one has a new key.
func (p *Placer) AttemptKey(orderName string, request []byte, again bool) string {
	digest, since := digestOf(request), ""
	last := p.Ledger.FindLast(func(e *LedgerEntry) bool { return p.isOf(e, orderName) })
	switch {
	case last != nil && last.IsOpen() && last.Digest == digest:
		return last.Key
	case again:
		return api.NewIdempotencyKey()
	case last != nil:
		since = last.At.UTC().Format(time.RFC3339Nano)
	}
	return digestOf([]byte(strings.Join([]string{p.Client.Host(), p.Account, digest, since}, "\n")))[:32]
}

func (p *Placer) isOf(e *LedgerEntry, name string) bool {
	return e.Kind == EntryPlaced && e.Host == p.Client.Host() && e.Account == p.Account && e.OrderName == name
}

// findSent returns the entry of the order of a name, and of a key unless that is "",
// that was sent last.
func (p *Placer) findSent(name, key string) (*LedgerEntry, error) {
	if err := p.Ledger.Refresh(); err != nil {
		return nil, err
	}
	isSent := func(e *LedgerEntry) bool { return p.isOf(e, name) && (key == "" || e.Key == key) }
	return p.Ledger.FindLast(isSent), nil
}

// findOutcome returns the order of an entry, nil if it is not on the service.
func (p *Placer) findOutcome(ctx context.Context, sent *LedgerEntry, several bool) (*PlacedOrder, error) {
	if sent.IsConfirmed() {
		order, err := p.Client.Orders.Get(ctx, sent.OrderID)
		return &PlacedOrder{Order: order, Found: true}, err
	}
	if !sent.IsOpen() {
		return nil, nil
	}
	found := &PlacedOrder{Found: true}
	if seen, err := p.Ledger.LookForChange(ctx, p.newChange(sent, found), several); !seen {
		return nil, err
	}
	return found, nil
}

// LookFor returns the function that looks for the order of an entry.
func (p *Placer) LookFor(sent *LedgerEntry) LookFunc {
	return p.newChange(sent, &PlacedOrder{}).Look
}

// newChange returns the change of an entry without its sending; into is the order once
// it is seen.
func (p *Placer) newChange(sent *LedgerEntry, into *PlacedOrder) *Change {
	c := &Change{LedgerEntry: *sent}
	c.Look = func(ctx context.Context) (bool, error) {
		own, err := p.findOwn(ctx, sent)
		if own == nil {
			return false, err
		}
		into.Order, c.OrderID = own, cmp.Or(own.OrderCode, own.UUID)
		return true, nil
	}
	return c
}

// sendOrder sends an order that is not in the ledger yet.
func (p *Placer) sendOrder(
	ctx context.Context,
	req *api.CreateOrderRequest,
	entry *LedgerEntry,
) (*PlacedOrder, error) {
	placed := &PlacedOrder{Found: true}
	c := p.newChange(entry, placed)
	c.Send = func(ctx context.Context) error {
		order, err := p.Client.Orders.Create(ctx, *req, entry.Key)
		if err == nil {
			c.OrderID = cmp.Or(order.OrderCode, order.UUID)
			*placed = PlacedOrder{Order: order, Differences: differencesOf(entry, order)}
		}
		return err
	}
	if err := p.Ledger.SendOnce(ctx, c); err != nil {
		return nil, err
	}
	return placed, nil
}

// newEntry returns what is written down of an order before it is sent.
func (p *Placer) newEntry(req *api.CreateOrderRequest, key string) *LedgerEntry {
	e := &LedgerEntry{
		Kind:      EntryPlaced,
		At:        p.Client.Now(),
		Host:      p.Client.Host(),
		Account:   p.Account,
		Key:       key,
		Digest:    digestOf(EncodeRequest(req)),
		OrderName: req.Order.OrderName,
		Order:     &req.Order,
		Sites:     len(req.Missions),
	}
	for i := range req.Missions {
		e.Shape += cache.ShapeHash(req.Missions[i].LocationMap)
	}
	return e
}

// clockGap is how much earlier than its sending an order may seem to be created.
const clockGap = time.Minute

// findOwn returns the order on the service that an entry is about: it agrees in name,
// sites, dates and deliverables, was created after it was sent, and was not known before.
func (p *Placer) findOwn(ctx context.Context, e *LedgerEntry) (*api.Order, error) {
	list, err := p.Client.Orders.List(ctx, api.ListOptions{Limit: api.MaxPageLimit})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		o := &list.Items[i]
		older := o.CreatedAt.IsRead() && o.CreatedAt.Before(e.At.Add(-clockGap))
		if older || o.OrderName != e.OrderName || slices.Contains(e.Known, o.UUID) {
			continue
		}
		full, err := p.Client.Orders.Get(ctx, cmp.Or(o.OrderCode, o.UUID))
		if err != nil {
			return nil, err
		}
		if len(full.Missions) > 0 && len(differencesOf(e, full)) == 0 {
			return full, nil
		}
	}
	return nil, nil
}

// differencesOf says what an order has that was confirmed otherwise. What the service
// does not show of it counts as equal.
func differencesOf(e *LedgerEntry, o *api.Order) (list []string) {
	compare := func(what, got, want string) {
		if got != want {
			list = append(list, what+" "+got+", not "+want)
		}
	}
	if o.OrderName != "" {
		compare("name", o.OrderName, e.OrderName)
	}
	compareDay := func(what string, got, want api.Time) {
		if got.IsRead() && got.Sub(want.Time).Abs() >= 24*time.Hour { // some services keep only the day
			compare(what, got.Format(time.DateOnly), want.Format(time.DateOnly))
		}
	}
	compareDay("start date", o.StartDate, e.Order.StartDate)
	compareDay("deadline", o.Deadline, e.Order.Deadline)
	if len(o.Deliverables) > 0 {
		compare("products", joinDeliverables(o.Deliverables), joinDeliverables(e.Order.Deliverables))
	}
	if len(o.Missions) > 0 {
		shape := uint64(0)
		for i := range o.Missions {
			shape += cache.ShapeHash(o.Missions[i].LocationMap)
		}
		compare("sites", fmt.Sprint(len(o.Missions)), fmt.Sprint(e.Sites))
		if len(o.Missions) == e.Sites && shape != e.Shape {
			list = append(list, "other sites")
		}
	}
	return list
}

// joinDeliverables returns deliverables in one order, without the one that is
// always included.
func joinDeliverables(of []api.Deliverable) string {
	isJPG := func(name string) bool { return name == string(api.DeliverableJPG) }
	names := slices.DeleteFunc(format.PlainTexts(of), isJPG)
	slices.Sort(names)
	return strings.Join(names, ", ")
}
