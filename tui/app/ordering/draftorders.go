package ordering

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
)

// DraftOrders are the orders that were sent from a draft. Only the log of changes records them, not the
// draft.
type DraftOrders struct {
	Open   *changes.Change  // the last order that is not confirmed, or nil
	Placed []changes.Change // confirmed orders, oldest first
}

// OrdersOf returns the orders of the draft with the given ID, as last read from the log.
func OrdersOf(l *changes.Log, draft string) DraftOrders {
	var orders DraftOrders
	isOrder := func(e *changes.Change) bool {
		return e.Kind == changes.OrderPlaced && e.Request.Draft == draft && draft != ""
	}
	for _, e := range l.FindAll(isOrder) {
		if e.IsOpen() {
			orders.Open = &e
		} else if e.IsConfirmed() {
			orders.Placed = append(orders.Placed, e)
		}
	}
	return orders
}

// UseChanges sets the log of changes, in which Drafts looks up the orders that were sent from a draft.
func (k *Drafts) UseChanges(l *changes.Log) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.changeLog = l
}

// ReadOrders reads the orders of the draft with the given ID from the log of changes. It does I/O:
// call it in the background.
func (k *Drafts) ReadOrders(draft string) (DraftOrders, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refreshChanges(); err != nil {
		return DraftOrders{}, err
	}
	return k.ordersOf(draft), nil
}

// refreshChanges loads new entries of the log of changes that other programs wrote. The caller holds mu.
func (k *Drafts) refreshChanges() error {
	if k.changeLog == nil {
		return nil
	}
	return k.changeLog.Refresh()
}

// ordersOf returns the orders of a draft, as last read from the log of changes. The caller holds mu.
func (k *Drafts) ordersOf(draft string) DraftOrders {
	if k.changeLog == nil {
		return DraftOrders{}
	}
	return OrdersOf(k.changeLog, draft)
}

// SaveAndPlace returns a function that saves the draft and then places one of its orders with
// [Placer.PlaceOnce].
func (k *Drafts) SaveAndPlace(
	d *Draft,
	part OrderPart,
	p *Placer,
	again bool,
) func(context.Context) (*PlacedOrder, error) {
	save := k.Save(d) // the log of changes names the draft, which must be on disk first
	options := PlaceOptions{Again: again, Own: []string{d.Again}, Draft: d.ID}
	for _, placed := range d.Placed {
		options.Own = append(options.Own, placed.UUID, placed.Code)
	}
	return func(ctx context.Context) (*PlacedOrder, error) {
		if err := save(); err != nil {
			return nil, err
		}
		options.DraftSites = part.Fingerprints()
		return p.PlaceOnce(ctx, &part.Request, options)
	}
}

// UpdateOrders updates Sent and marks the sites of the confirmed orders as placed. It reports whether an
// order was added to Placed.
func (d *Draft) UpdateOrders(orders DraftOrders) (more bool) {
	d.Sent = orders.Open
	for _, e := range orders.Placed {
		isKnown := func(p PlacedPart) bool { return e.OrderID == p.Code || e.OrderID == p.UUID }
		if slices.ContainsFunc(d.Placed, isKnown) {
			continue
		}
		d.confirmSites(PlacedPart{Code: e.OrderID, Name: e.OrderName}, e.Request.DraftSites)
		more = true
	}
	return more
}

// ConfirmPlaced marks the sites of the placed order o. Sites that the user has changed since the order was
// sent stay unplaced. sent has the fingerprints of the sites when the order was sent, by site ID.
func (d *Draft) ConfirmPlaced(o *api.Order, name string, sent map[int]uint64) {
	d.Sent = nil
	code := cmp.Or(o.OrderCode, o.UUID, "an order")
	d.confirmSites(PlacedPart{Code: code, UUID: o.UUID, Name: name}, sent)
}

func (d *Draft) confirmSites(part PlacedPart, sent map[int]uint64) {
	for _, s := range d.Sites {
		fingerprint, isSent := sent[s.ID]
		if isSent && fingerprint == fingerprintOf(s.MissionInput()) {
			s.Placed = true
			s.Order = part.Code
		}
	}
	part.Missions = len(sent)
	d.Placed = append(d.Placed, part)
}

// IsPlaced reports whether all included sites of the draft were placed.
func (d *Draft) IsPlaced() bool {
	return len(d.Placed) > 0 && len(d.IncludedSites()) == 0
}

// Fingerprints returns a hash of the content of each site, by site ID. It shows later whether the user has
// changed a site.
func (o *OrderPart) Fingerprints() map[int]uint64 {
	sent := make(map[int]uint64, len(o.Sites))
	for i, s := range o.Sites {
		sent[s.ID] = fingerprintOf(o.Request.Missions[i])
	}
	return sent
}

func fingerprintOf(m api.MissionInput) uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write(EncodeRequest(m))
	return hash.Sum64()
}
