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

// The stages of an order's way.
const (
	placed = iota
	accepted
	operator
	flight
	data
	done
)

var stages = []string{"placed", "accepted", "operator", "flight", "data", "done"}

// reached is how far each status has come.
var reached = map[api.OrderStatus]int{
	api.OrderBiddingWithQuote: placed, api.OrderPendingOperator: accepted, api.OrderOperatorAssigned: operator,
	api.OrderFlyingDateSet: flight, api.OrderCompleted: done,
}

// orderSteps returns the way from placed to done with the days that are known; an order
// whose status is not known, or that was put away, has none. Of one that has
// left the way it ends there.
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

// countReached counts the missions that have reached a status.
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

// shareText says of a stage that only some of the missions have reached how many
// that are, "" of any other.
func (d *orderDetail) shareText(stage, at int, s api.MissionStatus) string {
	n, all := d.countReached(s), len(d.order.Missions)
	if n == 0 || n == all || at < stage-1 {
		return ""
	}
	return fmt.Sprintf("%d of %d", n, all)
}

// acceptedOn returns the day on which a quote was accepted from here, "" where it was
// not, or that is not known.
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

// lastFlight returns the mission that flies last, as far as it is planned, nil for
// none.
func (d *orderDetail) lastFlight() (last *api.Mission) {
	for i := range d.order.Missions {
		m := &d.order.Missions[i]
		if !m.FlightDate.IsZero() && (last == nil || m.FlightDate.After(last.FlightDate.Time)) {
			last = m
		}
	}
	return last
}

// flightDay returns the day of a mission's flight, by the clock that it is told by.
func flightDay(m *api.Mission, now time.Time) string {
	if zone := cache.ZoneOf(m); zone != nil {
		now = now.In(zone)
	}
	return formatDay(m.FlightDate, now)
}

// renderTimeline draws the steps.
func (d *orderDetail) renderTimeline(w int) []string {
	path := d.orderSteps()
	if path == nil {
		return nil
	}
	return widget.StepLines(d.Theme, path, w)
}
