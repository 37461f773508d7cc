package orders

import (
	"fmt"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/widget"
)

// The stages of an order.
const (
	placed = iota
	accepted
	operator
	flight
	data
	done
)

var stages = []string{"placed", "accepted", "operator", "flight", "data", "done"}

// reached maps a status to the last stage it completes.
var reached = map[api.OrderStatus]int{
	api.OrderBiddingWithQuote: placed, api.OrderPendingOperator: accepted, api.OrderOperatorAssigned: operator,
	api.OrderFlyingDateSet: flight, api.OrderCompleted: done,
}

// orderSteps returns the order's stages with their known dates. A cancelled or rejected
// order has only its beginning and end; archived orders and unknown statuses have none.
func (d *orderDetail) orderSteps() []widget.Step {
	o, now := d.order, d.Now()
	switch o.Status {
	case api.OrderCancelled, api.OrderRejected, api.OrderNotFeasible:
		return []widget.Step{
			{Name: stages[placed], State: widget.Done, When: formatDay(o.CreatedAt, now)},
			{Name: labels.OrderStatus(o.Status).Label, State: widget.Ended, When: formatDay(o.UpdatedAt, now)},
		}
	}
	at, known := reached[o.Status]
	if !known {
		return nil
	}
	if at == flight && d.countReached(api.MissionDataDelivered) > 0 {
		at = data
	}
	path := detail.PathSteps(stages, at, labels.OrderStatus(o.Status).Role)
	path[placed].When = formatDay(o.CreatedAt, now)
	path[accepted].When = d.acceptedOn(now)
	path[operator].When = d.shareText(operator, at, api.MissionPilotAssigned)
	if last := d.lastFlight(); at >= flight && last != nil {
		path[flight].When = flightDay(last, now)
	} else {
		path[flight].When = d.shareText(flight, at, api.MissionFlightScheduled)
	}
	path[data].When = d.shareText(data, at, api.MissionDataDelivered)
	if at == done {
		path[done].When = formatDay(o.UpdatedAt, now)
	}
	return path
}

// countReached returns the number of missions that have reached a status.
func (d *orderDetail) countReached(s api.MissionStatus) (n int) {
	life := api.MissionStatuses()
	for i := range d.order.Missions {
		m := d.order.Missions[i].Status
		if m != api.MissionCancelled && slices.Index(life, m) >= slices.Index(life, s) {
			n++
		}
	}
	return n
}

// shareText returns "2 of 3" for a stage that only some missions have reached, "" for
// any other.
func (d *orderDetail) shareText(stage, at int, s api.MissionStatus) string {
	n, all := d.countReached(s), len(d.order.Missions)
	if n == 0 || n == all || at < stage-1 {
		return ""
	}
	return fmt.Sprintf("%d of %d", n, all)
}

// acceptedOn returns the day a quote was accepted on this machine, "" if unknown.
func (d *orderDetail) acceptedOn(now time.Time) string {
	if d.record == nil || d.record.AcceptedQuote == nil || d.Decisions == nil {
		return ""
	}
	e := d.Decisions.LastDecision(d.Host, d.record.AcceptedQuote.QuoteID)
	if e == nil || e.Kind != ledger.Accepted {
		return ""
	}
	return formatDay(api.TimeOf(e.At), now)
}

// lastFlight returns the mission with the latest flight date, or nil.
func (d *orderDetail) lastFlight() (last *api.Mission) {
	for i := range d.order.Missions {
		m := &d.order.Missions[i]
		if !m.FlightDate.IsZero() && (last == nil || m.FlightDate.After(last.FlightDate.Time)) {
			last = m
		}
	}
	return last
}

// flightDay returns the day of a mission's flight, in the time zone used for the
// mission.
func flightDay(m *api.Mission, now time.Time) string {
	if zone := cache.ZoneOf(m); zone != nil {
		now = now.In(zone)
	}
	return formatDay(m.FlightDate, now)
}

// renderTimeline renders the stages.
func (d *orderDetail) renderTimeline(w int) []string {
	path := d.orderSteps()
	if path == nil {
		return nil
	}
	return widget.StepLines(d.Theme, path, w)
}
