package orders

import (
	"fmt"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/format"
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

// arrivals are the statuses in which a mission has reached a stage.
var arrivals = map[int]api.MissionStatus{
	operator: api.MissionPilotAssigned, flight: api.MissionFlightScheduled, data: api.MissionDataDelivered,
}

// renderSteps renders the order's stages with their known dates. A cancelled or rejected
// order has only its beginning and end; archived orders and unknown statuses have none.
func (d *orderDetail) renderSteps(w int) []string {
	o, now := d.order, d.Now()
	switch o.Status {
	case api.OrderCancelled, api.OrderRejected, api.OrderNotFeasible:
		return widget.StepLines(d.Theme, []widget.Step{
			{Name: stages[placed], State: widget.Done, When: formatDay(o.CreatedAt, now)},
			{Name: labels.Status(o.Status).Label, State: widget.Ended, When: formatDay(o.UpdatedAt, now)},
		}, w)
	}
	at, known := reached[o.Status]
	if !known {
		return nil
	}
	days := make([]string, len(stages))
	for stage, status := range arrivals {
		n := d.countReached(status)
		if stage == data && at == flight && n > 0 {
			at = data
		}
		if n > 0 && n < len(o.Missions) && at >= stage-1 {
			days[stage] = fmt.Sprintf("%d of %d", n, len(o.Missions))
		}
	}
	days[placed], days[accepted] = formatDay(o.CreatedAt, now), d.acceptedOn()
	if last := d.lastFlight(); at >= flight && last != nil {
		days[flight] = formatDay(last.FlightDate, d.Units.ClockAt(now, cache.ZoneOf(last)))
	}
	if at == done {
		days[done] = formatDay(o.UpdatedAt, d.Now())
	}
	return widget.StepLines(d.Theme, detail.PathSteps(stages, days, at, labels.Status(o.Status).Role), w)
}

// countReached returns the number of missions that have reached a status.
func (d *orderDetail) countReached(s api.MissionStatus) (n int) {
	for i := range d.order.Missions {
		if d.order.Missions[i].Status.HasReached(s) {
			n++
		}
	}
	return n
}

// acceptedOn returns the day a quote was accepted on this machine, "" if unknown.
func (d *orderDetail) acceptedOn() string {
	if d.record == nil || d.record.AcceptedQuote == nil || d.Decisions == nil {
		return ""
	}
	e := d.Decisions.LastDecision(d.Host, d.record.AcceptedQuote.QuoteID)
	if e == nil || e.Kind != ledger.Accepted {
		return ""
	}
	return format.ShortDay(e.At, d.Now())
}

// lastFlight returns the mission with the latest flight date, or nil.
func (d *orderDetail) lastFlight() *api.Mission {
	if len(d.order.Missions) == 0 {
		return nil
	}
	last := slices.MaxFunc(
		d.order.Missions,
		func(x, y api.Mission) int { return x.FlightDate.Compare(y.FlightDate.Time) },
	)
	if last.FlightDate.IsZero() {
		return nil
	}
	return &last
}

// formatDay formats a time as a day; times that could not be parsed stay raw.
func formatDay(t api.Time, now time.Time) string {
	if t.IsZero() && t.Raw != "" {
		return t.Raw
	}
	return format.ShortDay(t.Time, now)
}
