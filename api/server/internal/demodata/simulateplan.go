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
	IssueQuote        = "issueQuote"
	ReportNotFeasible = "reportNotFeasible"
	AssignOperator    = "assignOperator"
	RequestPermission = "requestPermission"
	ScheduleFlight    = "scheduleFlight"
	GrantPermission   = "grantPermission"
	Reschedule        = "reschedule"
	Deliver           = "deliver"
	AcceptDelivery    = "acceptDelivery"
)

// Shares of mishaps.
const (
	infeasibleShare  = 1.0 / 40 // of orders that cannot be flown
	rescheduledShare = 1.0 / 5  // of flights that are rescheduled because of the weather
)

// revised is the prefix of the name of a cheaper quote, which is issued when none of the earlier
// quotes can be accepted any more.
const revised = "Revised"

// SimulatorStep is a change that the simulator is going to make.
type SimulatorStep struct {
	Does    string // kind of the step, such as IssueQuote
	Order   store.Order
	Mission *store.Mission // nil if the step concerns the whole order
	At      time.Time
}

// simulatorPace converts real time to the time of the simulator.
type simulatorPace struct {
	speed float64
	seed  uint64
}

// randomFor returns a random number from 0 to below 1. It depends only on the code of the order
// or mission, the purpose of the number, and the seed.
func (p simulatorPace) randomFor(code, purpose string) float64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(code + " " + purpose + " " + strconv.FormatUint(p.seed, 10))) // never fails
	return rand.New(rand.NewPCG(hash.Sum64(), p.seed)).Float64()
}

// pickText returns a random element of a list, see [simulatorPace.randomFor].
func (p simulatorPace) pickText(list []string, code, purpose string) string {
	return list[int(p.randomFor(code, purpose)*float64(len(list)))]
}

// timeAfter returns a random time after t. It is minHours to maxHours later, converted by
// scaledLength from real time to the time of the simulator. The random number depends on code and
// purpose, see randomFor.
func (p simulatorPace) timeAfter(t time.Time, code, purpose string, minHours, maxHours float64) time.Time {
	hours := minHours + (maxHours-minHours)*p.randomFor(code, purpose)
	return t.Add(p.scaledLength(hours))
}

// scaledLength converts hours of real time to a duration in the simulator, which is shorter if the
// speed is above 1.
func (p simulatorPace) scaledLength(hours float64) time.Duration {
	return time.Duration(hours / p.speed * float64(time.Hour))
}

// planOrder returns the next steps of an order, at most one for each mission. If noMishaps is true,
// the order stays feasible and no flight is rescheduled because of bad weather.
func (p simulatorPace) planOrder(d store.OrderDetail, noMishaps bool) []SimulatorStep {
	o := d.Order
	if o.Status == api.OrderBiddingWithQuote {
		return p.planBidding(d)
	}
	if !o.Status.HasAcceptedQuote() {
		return nil
	}
	if !noMishaps && p.isInfeasible(d) {
		at := p.timeAfter(acceptedAt(d), o.Code, ReportNotFeasible, 15, 25)
		return []SimulatorStep{{Does: ReportNotFeasible, Order: o, At: at}}
	}
	var steps []SimulatorStep
	for i := range d.Missions {
		planner := missionPlanner{pace: p, detail: &d, mission: &d.Missions[i], noMishaps: noMishaps}
		if step := planner.nextStep(); step != nil {
			steps = append(steps, *step)
		}
	}
	return steps
}

// planBidding plans the next quote of an order that is open for bids. First, the quotes of
// reviewOffers are issued one after the other. After all of them are decided or expired without an
// acceptance, one cheaper quote is issued, and then no more.
func (p simulatorPace) planBidding(d store.OrderDetail) []SimulatorStep {
	o := d.Order
	quotes := d.Extras.Quotes
	issueAt := func(at time.Time) []SimulatorStep {
		return []SimulatorStep{{Does: IssueQuote, Order: o, At: at}}
	}
	issued := len(quotes)
	if issued == 0 {
		return issueAt(p.timeAfter(o.Created, o.Code, IssueQuote, 4, 5.2))
	}
	if issued < len(p.reviewOffers(d, o.Created)) {
		newest := quotes[issued-1]
		return issueAt(p.timeAfter(newest.Created, o.Code, IssueQuote+strconv.Itoa(issued), 0.8, 1.5))
	}
	isRevised := func(q store.Quote) bool { return strings.HasPrefix(q.Name, revised) }
	if slices.ContainsFunc(quotes, isRevised) {
		return nil
	}
	return issueAt(p.timeAfter(lastEnd(o, quotes), o.Code, revised, 3, 6))
}

// lastEnd returns the time from which on no quote of an order can be accepted any more, because
// all are decided or have expired.
func lastEnd(o store.Order, quotes []store.Quote) time.Time {
	last := o.Created
	for _, q := range quotes {
		end := q.Decided
		if q.Status == api.QuoteOpen {
			end = q.Expires
		}
		if end.After(last) {
			last = end
		}
	}
	return last
}

// reviewOffers returns the quotes that are issued after an order was reviewed. They expire
// some days after now.
func (p simulatorPace) reviewOffers(d store.OrderDetail, now time.Time) []ops.QuoteInput {
	const mantissa = 1 << 53 // number of different results of randomFor
	rng := rand.New(rand.NewPCG(uint64(p.randomFor(d.Order.Code, "offers")*mantissa), p.seed))
	return MakeOffers(SurveyRequest(d), d.Account.Currency, rng, now)
}

// nextOffer returns the next quote to issue for an order. It is one of the quotes from
// reviewOffers or, if all of them are issued, a cheaper quote.
func (p simulatorPace) nextOffer(d store.OrderDetail, now time.Time) ops.QuoteInput {
	offers := p.reviewOffers(d, now)
	issued := len(d.Extras.Quotes)
	if issued < len(offers) {
		return offers[issued]
	}
	cheaper := offers[0]
	cheaper.QuoteName = revised + " " + cheaper.QuoteName
	cheaper.DiscountPercent = 15
	cheaper.ReasonForDiscount = "no earlier quote was accepted"
	return cheaper
}

// isInfeasible decides at random whether an order turns out to be not feasible. It returns false
// if a flight date is set for a mission.
func (p simulatorPace) isInfeasible(d store.OrderDetail) bool {
	for _, m := range d.Missions {
		if m.Status != api.MissionAwaitingPilot && m.Status != api.MissionPilotAssigned {
			return false
		}
	}
	return p.randomFor(d.Order.Code, ReportNotFeasible) < infeasibleShare
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

// missionPlanner plans the next step of a mission.
type missionPlanner struct {
	pace      simulatorPace
	detail    *store.OrderDetail // of the mission's order
	mission   *store.Mission
	noMishaps bool // whether the flight must not be rescheduled
}

// stepAfter returns a step of a kind that is due minHours to maxHours after a time.
func (p missionPlanner) stepAfter(after time.Time, kind string, minHours, maxHours float64) *SimulatorStep {
	return &SimulatorStep{
		Does:    kind,
		Order:   p.detail.Order,
		Mission: p.mission,
		At:      p.pace.timeAfter(after, p.mission.Code, kind, minHours, maxHours),
	}
}

// nextStep returns the next step, or nil if there is none.
func (p missionPlanner) nextStep() *SimulatorStep {
	switch p.mission.Status {
	case api.MissionAwaitingPilot:
		return p.stepAfter(acceptedAt(*p.detail), AssignOperator, 6, 12)
	case api.MissionPilotAssigned:
		if _, wasRequested := p.detail.Permissions[p.mission.ID]; !wasRequested {
			return p.stepAfter(p.mission.Updated, RequestPermission, 1, 3)
		}
		return p.stepAfter(p.mission.Updated, ScheduleFlight, 6, 9)
	case api.MissionFlightScheduled:
		return p.stepBeforeDelivery()
	case api.MissionDataDelivered:
		return p.stepAfter(p.mission.Updated, AcceptDelivery, 30, 48)
	}
	return nil
}

// stepBeforeDelivery returns the next step of a mission with a flight date. If a permission is
// pending, the next step is to grant it. If the permission was refused, there is no next step.
func (p missionPlanner) stepBeforeDelivery() *SimulatorStep {
	m := p.mission
	permission, wasRequested := p.detail.Permissions[m.ID]
	if wasRequested && permission.Status == api.PermissionRefused {
		return nil
	}
	if wasRequested && permission.Status == api.PermissionPending {
		return p.stepAfter(m.Updated, GrantPermission, 4, 8)
	}
	isFirstPlanning := len(p.detail.Planning[m.ID]) == 1
	if !p.noMishaps && isFirstPlanning && p.hasBadWeather() {
		return &SimulatorStep{
			Does:    Reschedule,
			Order:   p.detail.Order,
			Mission: m,
			At:      p.pace.timeAfter(m.Updated, m.Code, Reschedule+"d", 14, 20),
		}
	}
	return p.stepAfter(m.FlightDate, Deliver, 10, 18)
}

// hasBadWeather reports whether the weather on the mission's first flight date is bad.
func (p missionPlanner) hasBadWeather() bool {
	return p.pace.randomFor(p.mission.Code, Reschedule) < rescheduledShare
}
