package demodata

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// What a step does.
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
	infeasibleOrders   = 40 // one in so many cannot be flown
	rescheduledFlights = 5  // one in so many is moved for the weather
)

// SimulatorStep is a move that the simulator is about to make.
type SimulatorStep struct {
	Does    string
	Order   store.Order
	Mission *store.Mission // nil where it concerns the whole order
	At      time.Time
}

// simulatorPace turns times of life into those of the simulator.
type simulatorPace struct {
	speed float64
	seed  uint64
}

// chanceOf returns a number from 0 to below 1, the same each time for the same thing of the
// same order or mission.
func (p simulatorPace) chanceOf(code, what string) float64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(code + " " + what + " " + strconv.FormatUint(p.seed, 10))) // never fails
	return rand.New(rand.NewPCG(hash.Sum64(), p.seed)).Float64()
}

// timeAfter returns some time after t: from to to hours of life.
func (p simulatorPace) timeAfter(t time.Time, code, what string, from, to float64) time.Time {
	hours := from + (to-from)*p.chanceOf(code, what)
	return t.Add(p.scaledLength(hours))
}

func (p simulatorPace) scaledLength(hours float64) time.Duration {
	return time.Duration(hours / p.speed * float64(time.Hour))
}

// planOrder lists what is to be done of an order, one step for each mission at most.
// The audience's first order is spared mishaps.
func (p simulatorPace) planOrder(d store.OrderDetail, spared bool) []SimulatorStep {
	o := d.Order
	if o.Status == api.OrderBiddingWithQuote {
		return p.planBidding(d)
	}
	if o.Status.HasAcceptedQuote() {
		if !spared && p.isInfeasible(d) {
			return []SimulatorStep{
				{ReportNotFeasible, o, nil, p.timeAfter(acceptedAt(d), o.Code, ReportNotFeasible, 15, 25)},
			}
		}
		var steps []SimulatorStep
		for i := range d.Missions {
			if s, ok := p.planMission(d, &d.Missions[i], spared); ok {
				steps = append(steps, s)
			}
		}
		return steps
	}
	return nil
}

// planBidding plans the next quote: those of the first review, one by one, and a
// cheaper one where none of them can be accepted any more.
func (p simulatorPace) planBidding(d store.OrderDetail) []SimulatorStep {
	o := d.Order
	quotes := d.Extras.Quotes
	step := SimulatorStep{Does: IssueQuote, Order: o}
	n := len(quotes)
	if n == 0 {
		step.At = p.timeAfter(o.Created, o.Code, IssueQuote, 4, 5.2)
	} else if n < len(p.reviewOffers(d, o.Created)) {
		step.At = p.timeAfter(quotes[n-1].Created, o.Code, IssueQuote+strconv.Itoa(n), 0.8, 1.5)
	} else {
		last := o.Created
		for _, q := range quotes {
			if strings.HasPrefix(q.Name, revised) {
				return nil
			}
			end := q.Decided
			if q.Status == api.QuoteOpen {
				end = q.Expires
			}
			if end.After(last) {
				last = end
			}
		}
		step.At = p.timeAfter(last, o.Code, revised, 3, 6)
	}
	return []SimulatorStep{step}
}

// reviewOffers returns the quotes of an order's review.
func (p simulatorPace) reviewOffers(d store.OrderDetail, now time.Time) []ops.QuoteInput {
	seed := uint64(p.chanceOf(d.Order.Code, "offers") * (1 << 53))
	return MakeOffers(SurveyRequest(d), d.Account.Currency, rand.New(rand.NewPCG(seed, p.seed)), now)
}

// nextOffer returns the next quote of an order.
func (p simulatorPace) nextOffer(d store.OrderDetail, now time.Time) ops.QuoteInput {
	all := p.reviewOffers(d, now)
	if n := len(d.Extras.Quotes); n < len(all) {
		return all[n]
	}
	again := all[0]
	again.QuoteName = revised + " " + again.QuoteName
	again.DiscountPercent = 15
	again.ReasonForDiscount = "no earlier quote was accepted"
	return again
}

// isInfeasible reports whether an order whose flights are not set yet turns out
// not to be possible.
func (p simulatorPace) isInfeasible(d store.OrderDetail) bool {
	for _, m := range d.Missions {
		if m.Status != api.MissionAwaitingPilot && m.Status != api.MissionPilotAssigned {
			return false
		}
	}
	return p.chanceOf(d.Order.Code, ReportNotFeasible) < 1.0/infeasibleOrders
}

// acceptedAt returns when an order's quote was accepted.
func acceptedAt(d store.OrderDetail) time.Time {
	for _, q := range d.Extras.Quotes {
		if q.Status == api.QuoteAccepted {
			return q.Decided
		}
	}
	return d.Order.Updated
}

// planMission plans a mission's next step.
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

// planScheduled plans what follows once a flight date is set. Nobody flies without
// a permission where one was asked for.
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
	case !spared && len(d.Planning[m.ID]) == 1 && p.chanceOf(m.Code, Reschedule) < 1.0/rescheduledFlights:
		step.Does = Reschedule
		step.At = p.timeAfter(m.Updated, m.Code, Reschedule+"d", 14, 20)
	default:
		step.Does = Deliver
		step.At = p.timeAfter(m.FlightDate, m.Code, Deliver, 10, 18)
	}
	return step, true
}
