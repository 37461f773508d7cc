package demodata

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// Kinds of steps.
const (
	IssueQuote         = "issueQuote"
	ReportNotFeasible  = "reportNotFeasible"
	AssignOperator     = "assignOperator"
	RequestPermission  = "requestPermission"
	ScheduleFlight     = "scheduleFlight"
	GrantPermission    = "grantPermission"
	Reschedule         = "reschedule"
	Deliver            = "deliver"
	AcceptDelivery     = "acceptDelivery"
	revised            = "Revised"
	infeasibleOrders   = 40 // one in this many cannot be flown
	rescheduledFlights = 5  // one in this many is rescheduled because of the weather
)

// SimulatorStep is a change that the simulator is going to make.
type SimulatorStep struct {
	Does    string
	Order   store.Order
	Mission *store.Mission // nil if the step concerns the whole order
	At      time.Time
}

// simulatorPace converts real time to the time of the simulator.
type simulatorPace struct {
	speed float64
	seed  uint64
}

// randomFor returns a number from 0 to below 1. It is always the same for the same code,
// purpose and seed.
func (p simulatorPace) randomFor(code, what string) float64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(code + " " + what + " " + strconv.FormatUint(p.seed, 10))) // never fails
	return rand.New(rand.NewPCG(hash.Sum64(), p.seed)).Float64()
}

// timeAfter returns a time after t by a random number of hours of real time, between from
// and to.
func (p simulatorPace) timeAfter(t time.Time, code, what string, from, to float64) time.Time {
	hours := from + (to-from)*p.randomFor(code, what)
	return t.Add(p.scaledLength(hours))
}

func (p simulatorPace) scaledLength(hours float64) time.Duration {
	return time.Duration(hours / p.speed * float64(time.Hour))
}

// planOrder returns the next steps of an order, at most one for each mission. The orders
// that are spared have no mishaps.
func (p simulatorPace) planOrder(d store.OrderDetail, spared bool) []SimulatorStep {
	o := d.Order
	if o.Status == api.OrderBiddingWithQuote {
		return p.planBidding(d)
	}
	if !o.Status.HasAcceptedQuote() {
		return nil
	}
	if !spared && p.isInfeasible(d) {
		at := p.timeAfter(acceptedAt(d), o.Code, ReportNotFeasible, 15, 25)
		return []SimulatorStep{{ReportNotFeasible, o, nil, at}}
	}
	var steps []SimulatorStep
	for i := range d.Missions {
		step, ok := p.planMission(d, &d.Missions[i], spared)
		if ok {
			steps = append(steps, step)
		}
	}
	return steps
}

// planBidding plans the next quote: first those of the review, one after the other, and
// later a cheaper one if none of them can be accepted any more.
func (p simulatorPace) planBidding(d store.OrderDetail) []SimulatorStep {
	o := d.Order
	quotes := d.Extras.Quotes
	step := SimulatorStep{Does: IssueQuote, Order: o}
	n := len(quotes)
	if n == 0 {
		step.At = p.timeAfter(o.Created, o.Code, IssueQuote, 4, 5.2)
		return []SimulatorStep{step}
	}
	if n < len(p.reviewOffers(d, o.Created)) {
		step.At = p.timeAfter(quotes[n-1].Created, o.Code, IssueQuote+strconv.Itoa(n), 0.8, 1.5)
		return []SimulatorStep{step}
	}
	isRevised := func(q store.Quote) bool { return strings.HasPrefix(q.Name, revised) }
	if slices.ContainsFunc(quotes, isRevised) {
		return nil
	}
	lastEnd := o.Created
	for _, q := range quotes {
		end := q.Decided
		if q.Status == api.QuoteOpen {
			end = q.Expires
		}
		if end.After(lastEnd) {
			lastEnd = end
		}
	}
	step.At = p.timeAfter(lastEnd, o.Code, revised, 3, 6)
	return []SimulatorStep{step}
}

// reviewOffers returns the quotes of an order's review.
func (p simulatorPace) reviewOffers(d store.OrderDetail, now time.Time) []ops.QuoteInput {
	seed := uint64(p.randomFor(d.Order.Code, "offers") * (1 << 53))
	return MakeOffers(SurveyRequest(d), d.Account.Currency, rand.New(rand.NewPCG(seed, p.seed)), now)
}

// nextOffer returns the next quote of an order.
func (p simulatorPace) nextOffer(d store.OrderDetail, now time.Time) ops.QuoteInput {
	offers := p.reviewOffers(d, now)
	n := len(d.Extras.Quotes)
	if n < len(offers) {
		return offers[n]
	}
	cheaper := offers[0]
	cheaper.QuoteName = revised + " " + cheaper.QuoteName
	cheaper.DiscountPercent = 15
	cheaper.ReasonForDiscount = "no earlier quote was accepted"
	return cheaper
}

// isInfeasible reports whether an order without flight dates turns out to be not
// feasible.
func (p simulatorPace) isInfeasible(d store.OrderDetail) bool {
	for _, m := range d.Missions {
		if m.Status != api.MissionAwaitingPilot && m.Status != api.MissionPilotAssigned {
			return false
		}
	}
	return p.randomFor(d.Order.Code, ReportNotFeasible) < 1.0/infeasibleOrders
}

// acceptedAt returns when a quote of an order was accepted.
func acceptedAt(d store.OrderDetail) time.Time {
	for _, q := range d.Extras.Quotes {
		if q.Status == api.QuoteAccepted {
			return q.Decided
		}
	}
	return d.Order.Updated
}

// planMission returns the next step of a mission, or false if there is none.
func (p simulatorPace) planMission(d store.OrderDetail, m *store.Mission, spared bool) (SimulatorStep, bool) {
	permission, recorded := d.Permissions[m.ID]
	step := SimulatorStep{Order: d.Order, Mission: m}
	at := func(does string, since time.Time, from, to float64) (SimulatorStep, bool) {
		step.Does = does
		step.At = p.timeAfter(since, m.Code, does, from, to)
		return step, true
	}
	switch m.Status {
	case api.MissionAwaitingPilot:
		return at(AssignOperator, acceptedAt(d), 6, 12)
	case api.MissionPilotAssigned:
		if !recorded {
			return at(RequestPermission, m.Updated, 1, 3)
		}
		return at(ScheduleFlight, m.Updated, 6, 9)
	case api.MissionFlightScheduled:
		return p.planScheduled(d, step, permission, recorded, spared)
	case api.MissionDataDelivered:
		return at(AcceptDelivery, m.Updated, 30, 48)
	}
	return step, false
}

// planScheduled returns the next step of a mission with a flight date. If a permission
// was requested, it must be granted before the flight.
func (p simulatorPace) planScheduled(
	d store.OrderDetail, step SimulatorStep, permission store.Permission, recorded, spared bool,
) (SimulatorStep, bool) {
	m := step.Mission
	switch {
	case recorded && permission.Status == api.PermissionRefused:
		return step, false
	case recorded && permission.Status == api.PermissionPending:
		step.Does = GrantPermission
		step.At = p.timeAfter(m.Updated, m.Code, GrantPermission, 4, 8)
	case !spared && len(d.Planning[m.ID]) == 1 && p.randomFor(m.Code, Reschedule) < 1.0/rescheduledFlights:
		step.Does = Reschedule
		step.At = p.timeAfter(m.Updated, m.Code, Reschedule+"d", 14, 20)
	default:
		step.Does = Deliver
		step.At = p.timeAfter(m.FlightDate, m.Code, Deliver, 10, 18)
	}
	return step, true
}
