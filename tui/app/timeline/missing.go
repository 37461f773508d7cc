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

// MissingCallback is a callback that an endpoint should have received. It is not in the endpoint's log.
type MissingCallback struct {
	Mission *Mission
	Event   api.EventName

	// The event happened between From and To. They are equal if the time of the event is known.
	From, To time.Time

	Probable bool   // the log does not name missions, so its rows may be about another mission
	Source   string // why the event is known, such as "planning v2, AeroScan"

	found bool // the callback is not missing
}

// Key identifies the missing callback.
func (m *MissingCallback) Key() string {
	return m.Mission.UUID + " " + string(m.Event) + " " + m.To.UTC().Format(time.RFC3339Nano)
}

const (
	// minAge is the minimum age of an event without a callback.
	minAge = 15 * time.Second
	// maxTraceDelay is how much later than its event a trace can be. It does not apply to a row
	// that names the mission.
	maxTraceDelay = 2 * time.Minute
)

// rowAbout is the subject of a row in a log.
type rowAbout struct {
	mission string // UUID; "" if the row names no mission
	event   api.EventName
}

// eventTrace is evidence that a callback was sent: a row of a log, or an event that this
// app received.
type eventTrace struct {
	at    time.Time
	order string // code; "" for any
	rank  int    // lower is more certain; 0 is a row that names its mission
	taken bool
}

// FindMissing returns the missing callbacks of an endpoint, newest first. It compares the state of missions with the
// log and with the received events. It ignores events from before the endpoint was registered, and events that may be
// older than the rows of the log.
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

// collectTraces returns the rows of the log and the received events by their subject.
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

// MissionFacts returns a mission with its planning and packages from the cache, which
// determine the expected callbacks.
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

// NeedFacts returns the needs of [MissionFacts].
func NeedFacts(c *cache.Cache, m *cache.Mission) []cache.Need {
	stamp := m.UpdatedAt.String()
	needs := []cache.Need{c.Planning.NeedStamped(m.UUID, stamp)}
	if m.Status.IsDelivered() {
		needs = append(needs, c.Packages.NeedStamped(m.UUID, stamp))
	}
	return needs
}

// MayLackCallbacks reports whether callbacks of a mission that were due after the time since may be missing. To
// find out, its planning and packages must be read.
func MayLackCallbacks(m *cache.Mission, since time.Time) bool {
	mayHaveFlightDate := m.Status.HasReached(api.MissionFlightScheduled) || m.Status == api.MissionCancelled
	return mayHaveFlightDate && !m.UpdatedAt.Before(since)
}

// maxDated is the maximum number of an account's missions that are read with planning and
// packages.
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

// UnreadOrders counts the orders with unread missions that changed after the time since. The cache reads these
// missions only on request, because there are too many.
func UnreadOrders(c *cache.Cache, since time.Time) int {
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

// FirstKnown returns the earliest time from which a log is complete, or now if there are
// no endpoints.
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

// KnownFrom returns the time from which the log is complete.
func (e *Endpoint) KnownFrom() time.Time {
	if e.Since.After(e.CreatedAt.Time) {
		return e.Since
	}
	return e.CreatedAt.Time
}

// AsCallback returns the missing callback as a row of the endpoint's log, without an ID.
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

// matchTraces assigns each trace to at most one expected callback. The most certain traces are assigned first. If
// traces are equally certain, the trace that is closest in time to its callback is assigned first.
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

// traceMatch is a trace that can be evidence for an expected callback.
type traceMatch struct {
	trace    *eventTrace
	callback *MissingCallback
	distance time.Duration // between the trace and the event
}

// possibleMatches returns all expected callbacks with each of their possible traces.
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

// distanceTo returns the difference between the time of a trace and the event, and
// whether the trace can be about the event.
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

// Describe describes the missing callback in a sentence.
func (m *MissingCallback) Describe(now time.Time) string {
	text := fmt.Sprintf("%s: %s %s (%s), no callback in the log.",
		strings.TrimSpace(m.Mission.OrderCode+" "+m.Mission.MissionCode),
		strings.ToLower(format.Word(m.Event).Label), m.DescribeTime(now), m.Source)
	if m.Probable {
		text += " Probable: log rows do not name missions."
	}
	return format.Clean(text)
}

// DescribeTime returns when the event happened: a time or a range.
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

// eventByStatus returns the expected callback of an event that is known only from the mission's status. The event
// happened between the creation and the last update of the mission.
func (m *Mission) eventByStatus(event api.EventName) *MissingCallback {
	return m.eventBetween(event,
		m.CreatedAt,
		m.UpdatedAt,
		"the mission is "+format.Status(m.Status).Label)
}

// datedEvents returns the events that a flight date was set or data was delivered, oldest
// first.
func (m *Mission) datedEvents() []*MissingCallback {
	all := append(m.flightEvents(), m.deliveryEvents()...)
	slices.SortStableFunc(all, func(a, b *MissingCallback) int { return a.To.Compare(b.To) })
	return all
}

// flightEvents returns the events that a flight date was set.
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

// deliveryEvents returns the events that data was delivered.
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

// expectedEvents returns the events that follow from a mission's state, oldest first.
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
