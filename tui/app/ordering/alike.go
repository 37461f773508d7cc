package ordering

import (
	"context"
	"fmt"
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
	Err    error
}

func (e *AlikeError) Error() string {
	if e.Err != nil {
		return "could not check for similar orders: " + e.Err.Error()
	}
	return "similar order found: " + e.Orders[0]
}

// findAlike returns what looks on the service for recent orders like the one
// that is about to be placed: of its name, or with places that it has. It is for
// the moment of placing, so that two windows do not order the same.
func (d *Draft) findAlike(client *api.Client, o PreparedOrder, now time.Time) func(context.Context) ([]string, error) {
	shapes := map[uint64]bool{}
	for _, s := range o.Sites {
		shapes[s.Fingerprint()] = true
	}
	own := []string{d.Again}
	for _, p := range d.Placed {
		own = append(own, p.UUID, p.Code)
	}
	return func(ctx context.Context) ([]string, error) {
		list, err := client.Orders.List(ctx, api.ListOptions{Limit: api.MaxPageLimit})
		if err != nil {
			return nil, err
		}
		var alike []string
		compared := 0
		for i := range list.Items {
			other := &list.Items[i]
			if other.Status.IsAbandoned() || now.Sub(other.CreatedAt.Time) > recent || slices.Contains(own, other.UUID) || slices.Contains(own, other.OrderCode) {
				continue
			}
			var same []string
			if strings.EqualFold(strings.TrimSpace(other.OrderName), strings.TrimSpace(o.Name)) {
				same = append(same, "has the same name")
			}
			if compared < mostCompared {
				compared++
				full, err := client.Orders.Get(ctx, other.OrderCode)
				if err != nil {
					return nil, err
				}
				if n := samePlaces(full, shapes); n > 0 {
					same = append(same, "has "+format.Count(n, "of these places", "of these places"))
				}
			}
			if len(same) > 0 {
				alike = append(alike, fmt.Sprintf("%s, placed %s, %s.", other.OrderCode, format.Ago(other.CreatedAt.Time, now), strings.Join(same, " and ")))
			}
		}
		return alike, nil
	}
}

func samePlaces(o *api.Order, shapes map[uint64]bool) (n int) {
	for i := range o.Missions {
		if shape := cache.ShapeHash(o.Missions[i].LocationMap); shape != 0 && shapes[shape] {
			n++
		}
	}
	return n
}
