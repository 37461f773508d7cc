package ordering

import (
	"context"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
)

const (
	// recent is how long ago an order may have been placed to be taken for this
	// one; surveys repeat under their names.
	recent = 7 * 24 * time.Hour
	// mostCompared is how many recent orders are read for that.
	mostCompared = 5
)

// AlikeError is the error for an order that was not sent, since there are orders
// like it or that cannot be found out.
type AlikeError struct {
	Orders []string // a sentence for each
	Sent   bool     // the order itself was sent before, and is not confirmed
	Err    error
}

func (e *AlikeError) Error() string {
	if e.Err != nil {
		return "could not check for similar orders: " + e.Err.Error()
	}
	return "similar order found: " + strings.TrimSuffix(e.Orders[0], ".")
}

// findAlike describes the orders of a list that are recent and like one that is
// about to be placed: of its name, or with places that it has. It is for
// the moment of placing, so that two windows do not order the same.
func (p *Placer) findAlike(
	ctx context.Context,
	list []api.Order,
	req *api.CreateOrderRequest,
	own []string,
) (alike []string, err error) {
	shapes := map[uint64]bool{}
	for i := range req.Missions {
		shapes[cache.ShapeHash(req.Missions[i].LocationMap)] = true
	}
	compared, now := 0, p.Client.Now()
	for i := range list {
		other := &list[i]
		old := other.CreatedAt.IsRead() && now.Sub(other.CreatedAt.Time) > recent
		if old || other.Status.IsAbandoned() || slices.Contains(own, other.UUID) ||
			slices.Contains(own, other.OrderCode) {
			continue
		}
		var same []string
		if strings.EqualFold(strings.TrimSpace(other.OrderName), strings.TrimSpace(req.Order.OrderName)) {
			same = append(same, "has the same name")
		}
		if compared < mostCompared {
			compared++
			full, err := p.Client.Orders.Get(ctx, other.OrderCode)
			if err != nil {
				return nil, err
			}
			if n := samePlaces(full, shapes); n > 0 {
				same = append(same, "has "+format.Count(n, "of these places", "of these places"))
			}
		}
		if len(same) > 0 {
			when := ""
			if other.CreatedAt.IsRead() {
				when = "placed " + format.Ago(other.CreatedAt.Time, now) + ", "
			}
			alike = append(alike, other.OrderCode+", "+when+strings.Join(same, " and ")+".")
		}
	}
	return alike, nil
}

func samePlaces(o *api.Order, shapes map[uint64]bool) (n int) {
	for i := range o.Missions {
		if shape := cache.ShapeHash(o.Missions[i].LocationMap); shape != 0 && shapes[shape] {
			n++
		}
	}
	return n
}
