package ordering

import (
	"context"
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
	Digest  string // tells it from other requests
}

// PrepareOrders makes the requests of what is not placed yet.
func (d *Draft) PrepareOrders(now time.Time) []PreparedOrder {
	parts := d.SplitParts(now)
	orders := make([]PreparedOrder, len(parts))
	for i, p := range parts {
		orders[i] = PreparedOrder{OrderPart: p, Request: d.BuildRequest(p, now)}
		orders[i].Digest = requestDigest(&orders[i].Request)
	}
	return orders
}

// PlaceOrder notes in the draft that an order is on its way, and returns what writes
// the draft and places the order ([Placer.PlaceOnce]).
func (k *Drafts) PlaceOrder(d *Draft, o PreparedOrder, p *Placer, again bool) func(context.Context) (*PlacedOrder, error) {
	d.SentName, d.SentSites, d.Pending = o.Name, SiteIDs(o.Sites), true
	keep, options := k.Keep(d), PlaceOptions{Again: again, Own: []string{d.Again}}
	for _, placed := range d.Placed {
		options.Own = append(options.Own, placed.UUID, placed.Code)
	}
	return func(ctx context.Context) (*PlacedOrder, error) {
		if err := keep(); err != nil {
			return nil, err
		}
		return p.PlaceOnce(ctx, o.Request, options)
	}
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
