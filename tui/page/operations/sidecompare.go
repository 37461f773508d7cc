package operations

import (
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// sideValue is a value of a task as Operations and as the client see it.
type sideValue struct{ name, operations, client string }

// compareSides returns the values of a task's order and mission that differ between Operations and the client. If
// the client does not see the mission, the client's value is "missing".
func compareSides(task *orderItem, client *api.Order, now time.Time) []sideValue {
	values := []sideValue{{
		name:       "order",
		operations: format.Status(task.Order.Status).Label,
		client:     format.Status(client.Status).Label,
	}}
	if task.mission != nil {
		values = append(values, missionValues(&task.mission.Mission, client, now)...)
	}
	return slices.DeleteFunc(values, func(v sideValue) bool { return v.operations == v.client })
}

// missionValues returns the status, the flight and the operator of a mission as both sides see them.
func missionValues(mission *api.Mission, client *api.Order, now time.Time) []sideValue {
	i := slices.IndexFunc(client.Missions, func(m api.Mission) bool { return m.UUID == mission.UUID })
	if i < 0 {
		return []sideValue{{"mission", format.Status(mission.Status).Label, "missing"}}
	}
	seen := &client.Missions[i]
	return []sideValue{
		{"mission", format.Status(mission.Status).Label, format.Status(seen.Status).Label},
		{"flight", format.Moment(mission.FlightDate.Time, now), format.Moment(seen.FlightDate.Time, now)},
		{"operator", operatorName(mission), operatorName(seen)},
	}
}

// operatorName returns the name of a mission's operator, or a dash if no operator is assigned.
func operatorName(m *api.Mission) string {
	if name := format.ValueOf(m.OperatorName); name != "" {
		return name
	}
	return format.None
}

// comparisonFact says whether the client sees a task as Operations does. If not, the fact has the values that
// differ.
func (v *clientView) comparisonFact(task *orderItem) widget.Fact {
	client, state := v.d.env.Profile.Cache.Details.Get(task.OrderCode)
	return describeComparison(task, client, state.Err, v.d.env.Clock.Now())
}

// describeComparison compares a task with the client's order. client is nil if the client's order was never loaded.
// err is the error of the last attempt to load it, or nil. If there is an error, describeComparison does not
// compare, because the client may see newer values.
func describeComparison(task *orderItem, client *api.Order, err error, now time.Time) widget.Fact {
	const label = "Client sees"
	if client == nil && err != nil {
		return widget.Toned(label, "the order could not be loaded", theme.Attention)
	}
	if client == nil {
		return widget.Toned(label, "loading…", theme.Muted)
	}
	if err != nil {
		return widget.Toned(label, "unknown: the order could not be loaded again", theme.Muted)
	}
	var differing []string
	for _, value := range compareSides(task, client, now) {
		differing = append(differing, value.name+" "+value.client+" (here "+value.operations+")")
	}
	if len(differing) > 0 {
		return widget.Toned(label, strings.Join(differing, " · "), theme.Attention)
	}
	if task.mission != nil {
		return widget.Toned(label, "the same status, flight and operator as Operations", theme.Muted)
	}
	return widget.Toned(label, "the same status as Operations", theme.Muted)
}

// operationsFacts returns facts about a task that the client's page does not show: how long the task has been
// waiting, the client's contact, the history of the mission, and the usual quote.
func (v *clientView) operationsFacts(task *orderItem) []widget.Fact {
	var facts []widget.Fact
	if task.Since.Known && task.Since.Text != format.None {
		facts = append(facts, widget.Text("Waiting", task.Since.Text+", for: "+stepWords[task.step]))
	}
	facts = append(facts, contactFacts(task.Order)...)
	if task.mission != nil {
		facts = append(facts, v.d.historyFacts(task)...)
	}
	return append(facts, v.d.usualQuoteFacts(task.Order)...)
}
