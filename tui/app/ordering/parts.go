package ordering

import (
	"context"
	"net/http"
	"slices"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
)

// FindPlacedParts finds the parts of a split order that an interrupted run has already placed with the
// same requests. The result has an element for each part: its order if it was placed, or nil if it must be
// placed.
//
// A complete run places every part once. So if all parts were placed equally often, no run was
// interrupted, and all parts must be placed. For example, if A was placed twice, B twice and C once, the
// second of two runs was interrupted after B. The result then has the last orders of A and B, and nil for
// C.
func (p *Placer) FindPlacedParts(ctx context.Context, parts []OrderPart) ([]*PlacedOrder, error) {
	placed := make([]*PlacedOrder, len(parts)) // nil for all parts until one is found
	if len(parts) < 2 {
		return placed, nil
	}
	if err := p.Changes.Refresh(); err != nil {
		return nil, err
	}
	counts := make([]partCount, len(parts))
	for i := range parts {
		count, err := p.countPlaced(ctx, &parts[i])
		if err != nil {
			return nil, err
		}
		counts[i] = count
	}
	runs := countRuns(counts)
	if !isInterrupted(counts, runs) {
		return placed, nil
	}
	for i, count := range counts {
		wasPlacedByEveryRun := count.confirmed == runs // also by the interrupted run
		if wasPlacedByEveryRun {
			placed[i] = count.last
		}
	}
	return placed, nil
}

// countRuns returns how many times the whole split order was sent, counting an interrupted run. A run
// sends each part at most once, so it is the highest number of orders of any part.
func countRuns(counts []partCount) int {
	runs := 0
	for _, count := range counts {
		runs = max(runs, count.confirmed+count.open)
	}
	return runs
}

// partCount says how many orders were sent with the request of one part of a split order.
type partCount struct {
	confirmed int          // orders that are on the service
	open      int          // unconfirmed orders
	last      *PlacedOrder // the last confirmed order, or nil
}

// countPlaced counts the confirmed and the unconfirmed orders that were sent with the request of a part.
func (p *Placer) countPlaced(ctx context.Context, part *OrderPart) (partCount, error) {
	var count partCount
	for _, e := range p.findRequests(digestOf(EncodeRequest(&part.Request))) {
		if e.IsOpen() {
			count.open++
			continue
		}
		order, err := p.findLive(ctx, &e)
		if err != nil {
			return partCount{}, err
		}
		if order != nil {
			count.confirmed++
			count.last = order
		}
	}
	return count, nil
}

// isInterrupted reports whether a run of a split order was interrupted, because a part has fewer confirmed
// orders than there were runs.
func isInterrupted(counts []partCount, runs int) bool {
	return slices.ContainsFunc(counts, func(count partCount) bool { return count.confirmed < runs })
}

// findRequests returns the log entries of the orders that were sent with a request, oldest first. digest
// identifies the request. Failed orders are left out. If several entries have the same order, only one is
// returned.
func (p *Placer) findRequests(digest string) []changes.Change {
	seen := map[string]bool{} // order IDs
	return p.Changes.FindAll(func(e *changes.Change) bool {
		if !p.isOwnEntry(e) || e.Request.Digest != digest {
			return false
		}
		if !e.IsOpen() && !e.IsConfirmed() {
			return false
		}
		isNew := e.OrderID == "" || !seen[e.OrderID]
		seen[e.OrderID] = true
		return isNew
	})
}

// findLive loads the order of a confirmed log entry. It returns nil if the order no longer exists or ended
// without a result, for instance because it was cancelled.
func (p *Placer) findLive(ctx context.Context, e *changes.Change) (*PlacedOrder, error) {
	order, err := p.Client.Orders.Get(ctx, e.OrderID)
	if api.IsStatus(err, http.StatusNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if order.Status.IsAbandoned() {
		return nil, nil
	}
	return &PlacedOrder{Order: order, Found: true, SentAt: e.At}, nil
}
