package ordering

import (
	"context"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/format"
)

const (
	// maxSimilarAge is the maximum age of a similar order. Older orders with the same name are
	// usually repeated surveys.
	maxSimilarAge = 7 * 24 * time.Hour
	// maxCompared limits how many recent orders are loaded to compare their places.
	maxCompared = 5
)

// SimilarError is returned if an order was not sent because a similar order exists, or because it is not
// known whether one exists.
type SimilarError struct {
	Orders []string // a sentence about each similar order
	Sent   bool     // the order itself was sent before and is not confirmed
	Err    error    // why the existing orders could not be checked, or nil
}

func (e *SimilarError) Error() string {
	if e.Err != nil {
		return "could not check for similar orders: " + e.Err.Error()
	}
	return "similar order found: " + strings.TrimSuffix(e.Orders[0], ".")
}

// checkSimilar returns a [*SimilarError] if there are similar orders and the user has not decided yet that
// the order is sent anyway.
func (p *Placer) checkSimilar(
	ctx context.Context,
	req *api.CreateOrderRequest,
	options PlaceOptions,
	sent *changes.Change,
	related relatedOrders,
	existing existingOrders,
) error {
	isUnconfirmed := sent != nil && sent.IsOpen()
	if isDecided(options, sent, isUnconfirmed) {
		return nil
	}
	found := &SimilarError{
		Orders: slices.Clone(related.sentences),
		Sent:   isUnconfirmed,
		Err:    existing.err,
	}
	isCompared := options.Key == "" && existing.err == nil
	if isCompared {
		allowed := slices.Concat(options.Own, related.found) // related orders have a sentence already
		similar, err := p.findSimilar(ctx, existing.orders, req, allowed)
		found.Orders = append(found.Orders, similar...)
		found.Err = err
	}
	if isUnconfirmed {
		ago := format.Ago(sent.At, p.Client.Now())
		found.Orders = append(found.Orders, sent.OrderName+", sent "+ago+", is not confirmed.")
	}
	if found.Err == nil && len(found.Orders) == 0 {
		return nil
	}
	return found
}

// isDecided reports whether the order is sent without asking the user about similar orders. That is the
// case with the option Again. It is also the case with an idempotency key, because the service creates
// only one order per key, unless the order was sent with another key before and is unconfirmed.
func isDecided(options PlaceOptions, sent *changes.Change, isUnconfirmed bool) bool {
	if options.Again {
		return true
	}
	if options.Key == "" {
		return false
	}
	return !isUnconfirmed || sent.Request.Key == options.Key
}

// findSimilar returns a sentence about each recent order with the same name or the same places as the
// requested order. It prevents two windows from placing the same order. Orders with an ID or code in
// allowed are left out. Places are compared for the first maxCompared orders only, because each must be
// loaded.
func (p *Placer) findSimilar(
	ctx context.Context, list []api.Order, req *api.CreateOrderRequest, allowed []string,
) ([]string, error) {
	shapes := shapesOf(req)
	var descriptions []string
	for i, order := range p.recentOrders(list, allowed) {
		var similarities []string
		if hasSameName(order, req) {
			similarities = append(similarities, "has the same name")
		}
		if i < maxCompared {
			count, err := p.countSamePlaces(ctx, order, shapes)
			if err != nil {
				return nil, err
			}
			if count > 0 {
				similarities = append(similarities, "has "+groupDigits(count)+" of these places")
			}
		}
		if len(similarities) > 0 {
			descriptions = append(descriptions, p.describeSimilar(order, similarities))
		}
	}
	return descriptions, nil
}

// shapesOf returns the hashes of the shapes of all missions in a request.
func shapesOf(req *api.CreateOrderRequest) map[uint64]bool {
	shapes := map[uint64]bool{}
	for i := range req.Missions {
		shapes[cache.ShapeHash(req.Missions[i].LocationMap)] = true
	}
	return shapes
}

// recentOrders returns the recent orders of a list, without the orders with an ID or code in allowed.
func (p *Placer) recentOrders(list []api.Order, allowed []string) []*api.Order {
	var recent []*api.Order
	for i := range list {
		order := &list[i]
		isAllowed := slices.Contains(allowed, order.UUID) || slices.Contains(allowed, order.OrderCode)
		if !isAllowed && p.isRecent(order) {
			recent = append(recent, order)
		}
	}
	return recent
}

// isRecent reports whether an order is active and not older than maxSimilarAge.
func (p *Placer) isRecent(o *api.Order) bool {
	isOld := o.CreatedAt.IsRead() && p.Client.Now().Sub(o.CreatedAt.Time) > maxSimilarAge
	return !isOld && !o.Status.IsAbandoned()
}

// hasSameName compares names without regard to case and surrounding spaces.
func hasSameName(o *api.Order, req *api.CreateOrderRequest) bool {
	return strings.EqualFold(strings.TrimSpace(o.OrderName), strings.TrimSpace(req.Order.OrderName))
}

// describeSimilar returns a sentence such as "ORD-1, placed 2 days ago, has the same name." similarities
// are its last parts.
func (p *Placer) describeSimilar(o *api.Order, similarities []string) string {
	placed := ""
	if o.CreatedAt.IsRead() {
		placed = "placed " + format.Ago(o.CreatedAt.Time, p.Client.Now()) + ", "
	}
	return o.OrderCode + ", " + placed + strings.Join(similarities, " and ") + "."
}

// countSamePlaces loads an order and returns how many of its missions have a shape with a hash in shapes.
func (p *Placer) countSamePlaces(ctx context.Context, o *api.Order, shapes map[uint64]bool) (int, error) {
	loaded, err := p.Client.Orders.Get(ctx, o.OrderCode)
	if err != nil {
		return 0, err
	}
	return samePlaces(loaded, shapes), nil
}

func samePlaces(o *api.Order, shapes map[uint64]bool) (n int) {
	for i := range o.Missions {
		shape := cache.ShapeHash(o.Missions[i].LocationMap)
		if shape != 0 && shapes[shape] {
			n++
		}
	}
	return n
}
