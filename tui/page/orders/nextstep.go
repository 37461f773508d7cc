package orders

import (
	"cmp"
	"sort"
	"time"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
)

// orderStep returns the next step of an order, or the zero step if it is not known. Until a quote is accepted,
// the step depends on the quotes. After that it depends on the missions. The first step that applies is
// returned: check delivered data, assign operators, set flight dates, deliver data, wait for the next flight,
// accept checked data.
func orderStep(env *page.Env, o *api.Order) page.NextStep {
	if o.Status == api.OrderBiddingWithQuote {
		return quoteStep(env, quotesOf(env, o))
	}
	if o.Status == api.OrderRejected || o.Status == api.OrderNotFeasible {
		return orderAgainStep(env)
	}
	if !o.Status.HasAcceptedQuote() { // this includes statuses that this version does not know
		return page.NextStep{}
	}
	areAllLoaded := len(o.Missions) > 0 && len(o.Missions) >= format.ValueOf(o.MissionCount)
	if !areAllLoaded {
		return stepOfStatus(o.Status)
	}
	steps := []func(*page.Env, []api.Mission) page.NextStep{
		checkStep, operatorStep, dateStep, dataStep, flightStep, acceptStep,
	}
	for _, stepOf := range steps {
		step := stepOf(env, o.Missions)
		if step.Text != "" {
			return step
		}
	}
	return page.NextStep{}
}

// orderAgainStep returns the next step of an order that the service does not carry out, or the zero step if the user
// cannot place orders.
func orderAgainStep(env *page.Env) page.NextStep {
	if env.Profile.RefusalOf(action.ChangesOrders) != "" {
		return page.NextStep{}
	}
	return page.NextStep{
		Text:   "you order again with other dates or sites",
		Action: action.OrderAgain,
		Key:    action.KeyOf(action.OrderAgain, action.Order),
		Opens:  "order again",
	}
}

// quotesOf returns the state of an order's quotes. It uses the order's v2 record if the record is loaded,
// otherwise the list of orders with open quotes. The record is often newer, because that list is loaded less
// often.
func quotesOf(env *page.Env, o *api.Order) format.QuoteState {
	record, state := env.Profile.Cache.Records.Get(cache.OrderIdentity(o))
	if record == nil || state.ReadAt.IsZero() {
		return env.QuotesOf(o.UUID)
	}
	quoted := quoting.NewQuotedOrder(record, env.Clock.Now())
	open := len(quoted.Live)
	return format.QuoteStateOf(open, len(quoted.Set.Open)-open)
}

// quoteStep returns the next step of an order without an accepted quote. state is the state of its quotes.
func quoteStep(env *page.Env, state format.QuoteState) page.NextStep {
	canDecide := env.Profile.RefusalOf(action.ChangesOrders) == ""
	switch state {
	case format.QuotesNone:
		return page.NextStep{Text: "the service sends quotes"}
	case format.QuotesReady:
		step := page.NextStep{
			Text:   "you decide on the quotes",
			Action: action.ShowQuotes,
			Key:    action.KeyOf(action.ShowQuotes, action.Order),
			Opens:  "quotes",
		}
		if !canDecide {
			step.Text = "the client decides on the quotes"
		}
		return step
	case format.QuotesExpired:
		text := "the service sends new quotes"
		if canDecide {
			text += ", or you cancel the order"
		}
		return page.NextStep{Text: text}
	}
	return page.NextStep{}
}

// stepOfStatus returns the next step of an order whose missions are not loaded.
func stepOfStatus(status api.OrderStatus) page.NextStep {
	switch status {
	case api.OrderPendingOperator:
		return page.NextStep{Text: "the service assigns an operator"}
	case api.OrderOperatorAssigned:
		return page.NextStep{Text: "the service sets the flight date"}
	}
	return page.NextStep{}
}

// checkStep returns the next step if delivered data was not checked in this app yet, or if its check found problems.
// Otherwise it returns the zero step.
func checkStep(env *page.Env, missions []api.Mission) page.NextStep {
	var unchecked, faulty []*api.Mission
	problems := 0
	for _, m := range missionsWith(missions, api.MissionDataDelivered) {
		check := lastCheck(env, m)
		if check == nil {
			unchecked = append(unchecked, m)
		} else if check.Problems > 0 {
			faulty = append(faulty, m)
			problems += check.Problems
		}
	}
	if len(unchecked) == 0 && len(faulty) == 0 {
		return page.NextStep{}
	}
	text := describeProblemStep(env, problems, " of "+describeMissions(faulty))
	if len(unchecked) > 0 {
		text = describeCheckStep(env, " of "+describeMissions(unchecked))
	}
	return page.NextStep{
		Text:   text,
		Action: action.ShowData,
		Key:    action.KeyOf(action.ShowData, action.Order),
		Opens:  "deliveries",
	}
}

// describeCheckStep returns the text of the next step if delivered data is not checked: the user checks it, with the
// key for it, or the client if the user views the client's account with an operations key. It also says who records
// the acceptance, because the user cannot. of names the data; it can be "".
func describeCheckStep(env *page.Env, of string) string {
	if env.Profile.Viewed {
		return "the client checks the data" + of + "; the service records the acceptance"
	}
	key := action.KeyOf(action.Verify, action.Deliveries)
	if key != "" {
		key = " (" + key + ")"
	}
	return "you check the data" + of + key + "; the service records the acceptance"
}

// describeProblemStep returns the text of the next step if the check of delivered data found problems: the user or the
// client reports them to the service. of names the data; it can be "".
func describeProblemStep(env *page.Env, problems int, of string) string {
	who := "you report "
	if env.Profile.Viewed {
		who = "the client reports "
	}
	return who + format.Count(problems, "problem") + " in the data" + of + " to the service"
}

// lastCheck returns the result of the last check of a mission's delivered data in this app, or nil if the data was not
// checked since the mission changed.
func lastCheck(env *page.Env, m *api.Mission) *checking.MissionResult {
	if env.Profile.Downloads == nil {
		return nil
	}
	result, ok := env.Profile.Downloads.Checks.OfMission(m.MissionCode)
	if !ok || result.At.Before(m.UpdatedAt.Time) {
		return nil
	}
	return &result
}

// recordsAcceptance is the next step of delivered data that is checked.
const recordsAcceptance = "the service records the acceptance"

// acceptStep returns the step for delivered data that is checked. The client cannot accept the data in this app,
// because neither API has an operation for it: the service records the acceptance.
func acceptStep(_ *page.Env, missions []api.Mission) page.NextStep {
	delivered := missionsWith(missions, api.MissionDataDelivered)
	if len(delivered) == 0 {
		return page.NextStep{}
	}
	return page.NextStep{Text: recordsAcceptance + " of " + describeMissions(delivered)}
}

// operatorStep returns the next step if missions have no operator, otherwise the zero step.
func operatorStep(_ *page.Env, missions []api.Mission) page.NextStep {
	waiting := missionsWith(missions, api.MissionAwaitingPilot)
	if len(waiting) == 0 {
		return page.NextStep{}
	}
	return page.NextStep{Text: "the service assigns an operator to " + describeMissions(waiting)}
}

// dateStep returns the next step if missions have an operator but no flight date, otherwise the zero step.
func dateStep(_ *page.Env, missions []api.Mission) page.NextStep {
	undated := missionsWith(missions, api.MissionPilotAssigned)
	if len(undated) == 0 {
		return page.NextStep{}
	}
	return page.NextStep{Text: "the service sets the flight date of " + describeMissions(undated)}
}

// dataStep returns the next step if the flight date of missions has passed and their data is not delivered,
// otherwise the zero step.
func dataStep(env *page.Env, missions []api.Mission) page.NextStep {
	now := env.Clock.Now()
	var flown []*api.Mission
	for _, m := range missionsWith(missions, api.MissionFlightScheduled) {
		if isPast(m.FlightDate, now) {
			flown = append(flown, m)
		}
	}
	if len(flown) == 0 {
		return page.NextStep{}
	}
	return page.NextStep{Text: "the service delivers the data of " + describeMissions(flown) + ", or moves the flight"}
}

// flightStep returns the next flight as the next step, or the zero step if no flight is scheduled.
func flightStep(env *page.Env, missions []api.Mission) page.NextStep {
	flights := upcomingFlights(missions, env.Clock.Now())
	if len(flights) == 0 {
		return page.NextStep{}
	}
	next := flights[0]
	return page.NextStep{Text: describeFlight(env, next, " "+nameOf(next))}
}

// upcomingFlights returns the missions whose flight is scheduled for a time after now, soonest first.
func upcomingFlights(missions []api.Mission, now time.Time) []*api.Mission {
	var upcoming []*api.Mission
	for _, m := range missionsWith(missions, api.MissionFlightScheduled) {
		if m.FlightDate.After(now) {
			upcoming = append(upcoming, m)
		}
	}
	sort.SliceStable(upcoming, func(i, j int) bool {
		return upcoming[i].FlightDate.Before(upcoming[j].FlightDate.Time)
	})
	return upcoming
}

// missionStep returns the next step of a mission, or the zero step if it is not known. planning has the versions of
// the flight date, newest first. It is nil if the versions are not loaded.
func missionStep(env *page.Env, m *mission, planning []api.PlanningEntry) page.NextStep {
	if m.Order == nil || m.Status == api.MissionCancelled {
		return page.NextStep{}
	}
	status := m.Order.Status
	if status == api.OrderBiddingWithQuote {
		return stepOfOrder(env, m)
	}
	if !status.HasAcceptedQuote() { // this includes statuses that this version does not know
		return page.NextStep{}
	}
	isProposed := len(planning) > 0 && planning[0].SchedulingStatus == api.ScheduleProposed
	switch m.Status {
	case api.MissionAwaitingPilot:
		return page.NextStep{Text: "the service assigns an operator"}
	case api.MissionPilotAssigned:
		if isProposed {
			return page.NextStep{Text: "the proposed flight date is confirmed or changed"}
		}
		return page.NextStep{Text: "the service sets the flight date"}
	case api.MissionFlightScheduled:
		if isPast(m.FlightDate, env.Clock.Now()) {
			return page.NextStep{Text: "the service delivers the data, or moves the flight"}
		}
		if !m.FlightDate.IsZero() {
			return page.NextStep{Text: describeFlight(env, &m.Mission, "")}
		}
	case api.MissionDataDelivered:
		text := describeCheckStep(env, "")
		if check := lastCheck(env, &m.Mission); check != nil {
			if check.Problems == 0 {
				return page.NextStep{Text: recordsAcceptance}
			}
			text = describeProblemStep(env, check.Problems, "")
		}
		return page.NextStep{
			Text:   text,
			Action: action.ShowData,
			Key:    action.KeyOf(action.ShowData, action.Mission),
			Opens:  "deliveries",
		}
	}
	return page.NextStep{}
}

// stepOfOrder returns the next step of a mission whose order has no accepted quote. This is the next step of the order.
func stepOfOrder(env *page.Env, m *mission) page.NextStep {
	step := quoteStep(env, env.QuotesOf(m.Order.UUID))
	if step.Action == action.ShowQuotes { // the page of the mission has no key for quotes
		step.Action = action.ShowOrder
		step.Key = action.KeyOf(action.ShowOrder, action.Mission)
		step.Opens = "order"
	}
	return step
}

// missionsWith returns the missions with a status.
func missionsWith(missions []api.Mission, status api.MissionStatus) []*api.Mission {
	var found []*api.Mission
	for i := range missions {
		if missions[i].Status == status {
			found = append(found, &missions[i])
		}
	}
	return found
}

// describeMissions returns the name of a single mission, or the number of several, such as "3 missions".
func describeMissions(missions []*api.Mission) string {
	if len(missions) == 1 {
		return nameOf(missions[0])
	}
	return format.Count(len(missions), "mission")
}

// nameOf returns the name of a mission, or its code if it has no name.
func nameOf(m *api.Mission) string { return cmp.Or(m.MissionName, m.MissionCode) }

// describeFlight returns who flies a mission and when, such as "Jørgen Aasen flies on Tue 8 Dec 09:45". place
// is inserted after "flies"; it can be "".
func describeFlight(env *page.Env, m *api.Mission, place string) string {
	operator := format.ValueOf(m.OperatorName)
	if operator == "" {
		operator = "the operator"
	}
	moment := env.Look.Units.MomentAt(m.FlightDate.Time, env.Clock.Now(), cache.ZoneOf(m))
	return operator + " flies" + place + " on " + moment
}

// isPast reports whether a time is known and over.
func isPast(t api.Time, now time.Time) bool { return !t.IsZero() && t.Before(now) }
