package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// MissingCallback is a callback that an endpoint should have received, because an event happened, but that
// is not in the endpoint's log.
type MissingCallback struct {
	Mission *Mission
	Event   api.EventName

	// The event happened between From and To. They are equal if the time of the event is known.
	From, To time.Time

	Probable bool   // it may not be missing: the log has rows that do not name their mission
	Source   string // what shows that the event happened, such as "planning v2, AeroScan"

	found bool // a trace of the callback was found, so it is not missing
}

// Key returns a text that identifies the missing callback among those of an endpoint.
func (m *MissingCallback) Key() string {
	return m.Mission.UUID + " " + string(m.Event) + " " + m.To.UTC().Format(time.RFC3339Nano)
}

const (
	// minAge is how old an event must be before its callback can count as missing.
	minAge = 15 * time.Second
	// maxTraceDelay is the longest time between an event and a trace of its callback. For a row that names
	// the mission there is no limit.
	maxTraceDelay = 2 * time.Minute
)

// rowAbout identifies what a row of a log is about: an event of a mission.
type rowAbout struct {
	mission string // UUID; "" if the row names no mission
	event   api.EventName
}

// eventTrace is evidence that a callback was sent: a row in the log of an endpoint, or an event that this
// app received.
type eventTrace struct {
	at    time.Time
	order string // code of the order; "" if unknown
	rank  int    // certainty: 0 for a row that names its mission, 1 for another row, 2 for a received event
	taken bool   // assigned to an expected callback
}

// FindMissing returns the missing callbacks of an endpoint, newest first. It derives the expected
// callbacks from the state of the missions, and looks for each of them in the log and in the received
// events. Events from before the registration of the endpoint or before the oldest known row of the log
// are ignored.
func FindMissing(
	missions []*Mission, e *Endpoint, received []webhooks.ReceivedEvent, now time.Time,
) []*MissingCallback {
	traces := collectTraces(e.Log, received)
	var expected []*MissingCallback
	for _, m := range missions {
		for _, event := range expectedEvents(m) {
			isOldEnough := now.Sub(event.To) >= minAge
			if !e.isFor(event.Event) || event.From.Before(e.KnownFrom()) || !isOldEnough {
				continue
			}
			event.Probable = len(traces[rowAbout{"", event.Event}]) > 0
			expected = append(expected, event)
		}
	}
	matchTraces(expected, traces)
	missing := slices.DeleteFunc(expected, func(m *MissingCallback) bool { return m.found })
	slices.SortStableFunc(missing, func(a, b *MissingCallback) int { return b.To.Compare(a.To) })
	return missing
}

// collectTraces returns the rows of a log and the received events, grouped by mission and event.
func collectTraces(log []api.WebhookDelivery, received []webhooks.ReceivedEvent) map[rowAbout][]*eventTrace {
	traces := map[rowAbout][]*eventTrace{}
	for i := range log {
		row := &log[i]
		about := rowAbout{row.MissionUID, row.Event}
		trace := &eventTrace{at: row.CreatedAt.Time, order: row.OrderCode}
		if row.MissionUID == "" {
			trace.rank = 1
		}
		traces[about] = append(traces[about], trace)
	}
	for i := range received {
		event := &received[i].Event
		about := rowAbout{event.Data.Mission.UUID, event.Event}
		traces[about] = append(traces[about], &eventTrace{at: event.Timestamp.Time, rank: 2})
	}
	return traces
}

// MissionFacts returns a mission with its planning and packages from the cache. These show which callbacks
// are expected.
func MissionFacts(c *cache.Cache, m *cache.Mission) *Mission {
	facts := MissionOf(m)
	var planning, packages cache.EntryState
	facts.Planning, planning = c.Planning.Get(m.UUID)
	facts.Packages, packages = c.Packages.Get(m.UUID)
	if planning.ReadAt.IsZero() {
		facts.Unread = true
		facts.PlanningErr = planning.Err
	}
	if m.Status.IsDelivered() && packages.ReadAt.IsZero() {
		facts.Unread = true
		facts.PackagesErr = packages.Err
	}
	return facts
}

// NeedFacts returns the data that the cache must load for [MissionFacts].
func NeedFacts(c *cache.Cache, m *cache.Mission) []cache.Need {
	stamp := m.UpdatedAt.String()
	needs := []cache.Need{c.Planning.NeedStamped(m.UUID, stamp)}
	if m.Status.IsDelivered() {
		needs = append(needs, c.Packages.NeedStamped(m.UUID, stamp))
	}
	return needs
}

// MayLackCallbacks reports whether a mission may lack callbacks of events after the time since. It is a
// cheap test, without the planning and the packages of the mission, to find the missions for which they
// must be loaded.
func MayLackCallbacks(m *cache.Mission, since time.Time) bool {
	mayHaveFlightDate := m.Status.HasReached(api.MissionFlightScheduled) || m.Status == api.MissionCancelled
	return mayHaveFlightDate && !m.UpdatedAt.Before(since)
}

// maxDated is the maximum number of missions of an account whose planning and packages are loaded.
const maxDated = 60

// MissionsToCheck returns the missions for which MayLackCallbacks reports true, latest change first, at most
// maxDated.
func MissionsToCheck(missions []*cache.Mission, since time.Time) []*cache.Mission {
	var wanted []*cache.Mission
	for _, m := range missions {
		if MayLackCallbacks(m, since) {
			wanted = append(wanted, m)
		}
	}
	slices.SortStableFunc(wanted, func(x, y *cache.Mission) int { return y.UpdatedAt.Compare(x.UpdatedAt.Time) })
	return wanted[:min(len(wanted), maxDated)]
}

// CountUncheckedOrders returns the number of orders that changed after the time since, but cannot be checked for
// missing callbacks, because their missions are not loaded. If there are many orders, the cache loads their missions
// only on request.
func CountUncheckedOrders(c *cache.Cache, since time.Time) int {
	var n int
	known := c.Now()
	if known.Left == 0 {
		return 0
	}
	for i := range known.Orders {
		o := &known.Orders[i]
		_, missions := c.MissionsOf(o)
		isRecent := o.UpdatedAt.IsZero() || !o.UpdatedAt.Before(since)
		if isRecent && missions.ReadAt.IsZero() && missions.Err == nil {
			n++
		}
	}
	return n
}

// FirstKnown returns the earliest time from which the log of one of the endpoints is complete. It returns
// now if there are no endpoints.
func FirstKnown(endpoints []*Endpoint, now time.Time) time.Time {
	first := now
	for _, e := range endpoints {
		from := e.KnownFrom()
		if from.Before(first) {
			first = from
		}
	}
	return first
}

// KnownFrom returns the time from which all callbacks of the endpoint are in its log: its registration, or
// Since if that is later.
func (e *Endpoint) KnownFrom() time.Time {
	if e.Since.After(e.CreatedAt.Time) {
		return e.Since
	}
	return e.CreatedAt.Time
}

// AsCallback returns the missing callback in the form of a row of the endpoint's log. The row has no ID,
// and its error says why the callback is expected.
func (m *MissingCallback) AsCallback(e *Endpoint) columns.ListedCallback {
	why := "not in the log (" + m.Source + ")"
	if m.Probable {
		why += "; probable: log rows do not name missions"
	}
	return columns.ListedCallback{
		EndpointUID: e.UUID,
		EndpointURL: e.URL,
		MissionCode: m.Mission.MissionCode,
		Missing:     true,
		WebhookDelivery: api.WebhookDelivery{
			Event:      m.Event,
			MissionUID: m.Mission.UUID,
			OrderCode:  m.Mission.OrderCode,
			Error:      &why,
			CreatedAt:  api.TimeOf(m.To),
		},
	}
}

// isFor reports whether the endpoint subscribes to an event.
func (e *Endpoint) isFor(event api.EventName) bool {
	return len(e.Events) == 0 || slices.Contains(e.Events, event)
}

// matchTraces assigns traces to the expected callbacks and sets found of these callbacks. Each trace is
// used once. The most certain traces are assigned first and, among equally certain ones, the traces
// closest in time to the event.
func matchTraces(expected []*MissingCallback, traces map[rowAbout][]*eventTrace) {
	matches := possibleMatches(expected, traces)
	slices.SortStableFunc(matches, func(a, b traceMatch) int {
		if a.trace.rank != b.trace.rank {
			return a.trace.rank - b.trace.rank
		}
		return cmp.Compare(a.distance, b.distance)
	})
	for _, m := range matches {
		if !m.callback.found && !m.trace.taken {
			m.callback.found = true
			m.trace.taken = true
		}
	}
}

// traceMatch is a trace that may belong to an expected callback.
type traceMatch struct {
	trace    *eventTrace
	callback *MissingCallback
	distance time.Duration // between the trace and the event
}

// possibleMatches returns, for each expected callback, all traces that may belong to it.
func possibleMatches(expected []*MissingCallback, traces map[rowAbout][]*eventTrace) []traceMatch {
	var matches []traceMatch
	for _, callback := range expected {
		ofMission := traces[rowAbout{callback.Mission.UUID, callback.Event}]
		ofAnyMission := traces[rowAbout{"", callback.Event}]
		for _, trace := range slices.Concat(ofMission, ofAnyMission) {
			distance, fits := callback.distanceTo(trace)
			if fits {
				matches = append(matches, traceMatch{trace: trace, callback: callback, distance: distance})
			}
		}
	}
	return matches
}

// distanceTo returns the time between the event and a trace. fits is false if the trace cannot belong to
// the event, because it is about another order or its time is too far away.
func (m *MissingCallback) distanceTo(trace *eventTrace) (distance time.Duration, fits bool) {
	isOtherOrder := trace.order != "" && trace.order != m.Mission.OrderCode
	if isOtherOrder || trace.at.Before(m.From.Add(-clockTolerance)) {
		return 0, false
	}
	if trace.at.Before(m.From) {
		distance = m.From.Sub(trace.at)
	} else if trace.at.After(m.To) {
		distance = trace.at.Sub(m.To)
	}
	namesMission := trace.rank == 0
	return distance, namesMission || distance <= maxTraceDelay
}

// Describe returns a sentence about the missing callback. It names the order, the mission and the event,
// when the event happened and what shows that.
func (m *MissingCallback) Describe(now time.Time) string {
	text := fmt.Sprintf("%s: %s %s (%s), no callback in the log.",
		strings.TrimSpace(m.Mission.OrderCode+" "+m.Mission.MissionCode),
		strings.ToLower(format.Word(m.Event).Label), m.DescribeTime(now), m.Source)
	if m.Probable {
		text += " Probable: log rows do not name missions."
	}
	return format.Clean(text)
}

// DescribeTime returns when the event happened: "on" and a time. If only a range is known, it is "before"
// one time or "between" two times.
func (m *MissingCallback) DescribeTime(now time.Time) string {
	if m.From.Equal(m.To) {
		return "on " + format.Moment(m.To, now)
	}
	if m.From.IsZero() {
		return "before " + format.Moment(m.To, now)
	}
	return "between " + format.Moment(m.From, now) + " and " + format.Moment(m.To, now)
}

// versionText returns a version such as " v2", or "" if the service does not send one.
func versionText(version int) string {
	if version <= 0 {
		return ""
	}
	return fmt.Sprintf(" v%d", version)
}

// eventBetween returns the expected callback of an event that happened between two times.
func (m *Mission) eventBetween(event api.EventName, from, to api.Time, source string) *MissingCallback {
	return &MissingCallback{
		Mission: m,
		Event:   event,
		From:    from.Time,
		To:      to.Time,
		Source:  source,
	}
}

// eventByStatus returns the expected callback of an event that is known only from the status of the
// mission. All that is known of its time is that it was between the creation and the last update of the
// mission.
func (m *Mission) eventByStatus(event api.EventName) *MissingCallback {
	return m.eventBetween(event,
		m.CreatedAt,
		m.UpdatedAt,
		"the mission is "+format.Status(m.Status).Label)
}

// datedEvents returns the expected callbacks for the flight dates that were set and the data that was
// delivered, oldest first.
func (m *Mission) datedEvents() []*MissingCallback {
	all := append(m.flightEvents(), m.deliveryEvents()...)
	slices.SortStableFunc(all, func(a, b *MissingCallback) int { return a.To.Compare(b.To) })
	return all
}

// flightEvents returns an expected callback for each confirmed flight date of the mission.
func (m *Mission) flightEvents() []*MissingCallback {
	isPlanningUnread := m.Unread || m.PlanningErr != nil
	if isPlanningUnread && m.Status.HasReached(api.MissionFlightScheduled) {
		return []*MissingCallback{m.eventByStatus(api.EventFlightScheduled)}
	}
	var events []*MissingCallback
	for _, p := range m.Planning {
		if p.SchedulingStatus == api.ScheduleConfirmed || p.SchedulingStatus == api.ScheduleRescheduled {
			source := "planning" + versionText(p.Version) + textAfter(", ", format.ValueOf(p.ScheduledBy))
			events = append(events, m.eventBetween(api.EventFlightScheduled, p.CreatedAt, p.CreatedAt, source))
		}
	}
	return events
}

// deliveryEvents returns an expected callback for each delivered package of the mission.
func (m *Mission) deliveryEvents() []*MissingCallback {
	arePackagesUnread := m.Unread || m.PackagesErr != nil
	if arePackagesUnread && m.Status.HasReached(api.MissionDataDelivered) {
		return []*MissingCallback{m.eventByStatus(api.EventDataDelivered)}
	}
	var events []*MissingCallback
	for _, p := range m.Packages {
		source := "delivery package" + versionText(p.Version)
		events = append(events, m.eventBetween(api.EventDataDelivered, p.CreatedAt, p.CreatedAt, source))
	}
	return events
}

// expectedEvents returns all callbacks that are expected for a mission in its current state, oldest first.
func expectedEvents(m *Mission) []*MissingCallback {
	var all []*MissingCallback
	dated := m.datedEvents()
	operator := format.ValueOf(m.OperatorName)
	if operator != "" || m.Status.HasReached(api.MissionPilotAssigned) {
		assigned := m.eventByStatus(api.EventOperatorAssigned)
		if operator != "" {
			assigned.Source = "operator " + operator
		}
		if len(dated) > 0 { // the operator was assigned before the first dated event
			assigned.To = dated[0].To
		}
		all = append(all, assigned)
	}
	all = append(all, dated...)
	if m.Status == api.MissionCompleted {
		completed := m.eventByStatus(api.EventMissionCompleted)
		if len(all) > 0 { // completion is the last event
			completed.From = all[len(all)-1].From
		}
		all = append(all, completed)
	}
	return all
}
