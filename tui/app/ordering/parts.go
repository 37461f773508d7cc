package ordering

import (
	"context"
	"net/http"

	"flightdesk/api"
)

// FindPlacedParts finds the parts of a split order that an interrupted run has already
// placed with the same requests. The result has an order for each placed part, and nil for
// each part that must be placed. If all parts were placed equally often, no run was
// interrupted and all results are nil.
func (p *Placer) FindPlacedParts(ctx context.Context, parts []OrderPart) ([]*PlacedOrder, error) {
	placed := make([]*PlacedOrder, len(parts))
	if len(parts) < 2 {
		return placed, nil
	}
	if err := p.Ledger.Refresh(); err != nil {
		return nil, err
	}
	confirmed := make([]int, len(parts)) // how often each part was placed
	last := make([]*PlacedOrder, len(parts))
	most := 0 // how often a part was sent
	for i := range parts {
		entries := p.findRequests(digestOf(EncodeRequest(&parts[i].Request)))
		open := 0
		for _, e := range entries {
			if e.IsOpen() {
				open++
				continue
			}
			order, err := p.findLive(ctx, &e)
			if err != nil {
				return nil, err
			}
			if order != nil {
				confirmed[i]++
				last[i] = order
			}
		}
		most = max(most, confirmed[i]+open)
	}
	isInterrupted := false
	for _, n := range confirmed {
		isInterrupted = isInterrupted || n < most
	}
	for i, n := range confirmed {
		if isInterrupted && n == most {
			placed[i] = last[i]
		}
	}
	return placed, nil
}

// findRequests returns the ledger entries of a request that were confirmed or are
// unconfirmed, oldest first. Each order is returned once.
func (p *Placer) findRequests(digest string) []LedgerEntry {
	counted := map[string]bool{}
	return p.Ledger.FindAll(func(e *LedgerEntry) bool {
		if !p.isPlaced(e) || e.Digest != digest || !e.IsOpen() && !e.IsConfirmed() {
			return false
		}
		isNew := e.OrderID == "" || !counted[e.OrderID]
		counted[e.OrderID] = true
		return isNew
	})
}

// findLive returns the order of a confirmed entry, or nil if the order was deleted or
// abandoned.
func (p *Placer) findLive(ctx context.Context, e *LedgerEntry) (*PlacedOrder, error) {
	order, err := p.Client.Orders.Get(ctx, e.OrderID)
	switch {
	case api.IsStatus(err, http.StatusNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case order.Status.IsAbandoned():
		return nil, nil
	}
	return &PlacedOrder{Order: order, Found: true, SentAt: e.At}, nil
}
