package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// MissingCallback is a callback that an endpoint should have received, and of which its
// log has no row.
type MissingCallback struct {
	Mission *Mission
	Event   api.EventName
	// It happened between these, which are the same where that is known.
	From, To time.Time
	Probable bool   // the log names no missions: what it has may be another one's
	Source   string // what is known of it comes from: planning v2, AeroScan

	found bool // something is about it
}

// GapID names a missing callback, the same as long as it is missing.
func (m *MissingCallback) GapID() string {
	return m.Mission.UUID + " " + string(m.Event) + " " + m.To.UTC().Format(time.RFC3339Nano)
}

const (
	// grace is how young an event may be without a callback.
	grace = 15 * time.Second
	// lateRow is how much later a trace may be, unless it is a row that names its mission.
	lateRow = 2 * time.Minute
)

// rowAbout is what rows of a log are about.
type rowAbout struct {
	mission string // "" of rows that name none
	event   api.EventName
}

// eventTrace is a sign that a callback was sent: a row of a log, or an event that was received.
type eventTrace struct {
	at    time.Time
	order string // its code, "" for any
	rank  int    // the surer one is less; 0 is of a row that names its mission
	taken bool
}

// FindMissing returns the missing callbacks of an endpoint, the newest first: it
// compares how far missions are with the log and with what was received. Of what
// happened before the endpoint was there, or before its log is known, nothing is said.
func FindMissing(
	missions []*Mission, e *Endpoint, heard []webhooks.ReceivedEvent, now time.Time,
) []*MissingCallback {
	var gaps []*MissingCallback
	traces := map[rowAbout][]*eventTrace{}
	for i := range e.Log {
		row := &e.Log[i]
		about := rowAbout{row.MissionUID, row.Event}
		trace := &eventTrace{at: row.CreatedAt.Time, order: row.OrderCode}
		if row.MissionUID == "" {
			trace.rank = 1
		}
		traces[about] = append(traces[about], trace)
	}
	for i := range heard {
		x := &heard[i].Event
		about := rowAbout{x.Data.Mission.UUID, x.Event}
		traces[about] = append(traces[about], &eventTrace{
			at:   x.Timestamp.Time,
			rank: 2,
		})
	}
	for _, m := range missions {
		for _, h := range expectedEvents(m) {
			if e.isFor(h.Event) && !h.From.Before(e.CreatedAt.Time) && !h.From.Before(e.Since) && now.Sub(h.To) >= grace {
				h.Probable = len(traces[rowAbout{"", h.Event}]) > 0
				gaps = append(gaps, h)
			}
		}
	}
	matchTraces(gaps, traces)
	gaps = slices.DeleteFunc(gaps, func(h *MissingCallback) bool { return h.found })
	slices.SortStableFunc(gaps, func(a, b *MissingCallback) int { return b.To.Compare(a.To) })
	return gaps
}

// MissionFacts returns a mission with its planning and packages as they are cached. They
// tell which callbacks to expect.
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

// MayMissDated reports whether planning or packages of a mission may show that a callback
// after since is missing.
func MayMissDated(m *cache.Mission, since time.Time) bool {
	flies := m.Status.HasReached(api.MissionFlightScheduled) || m.Status == api.MissionCancelled
	return flies && !m.UpdatedAt.Before(since)
}

// maxDated is how many missions are read with planning and packages for the callbacks of an
// account.
const maxDated = 60

// LastChanged returns the missions whose planning or packages may show that a callback after
// since is missing, latest changes first, at most maxDated.
func LastChanged(missions []*cache.Mission, since time.Time) []*cache.Mission {
	var wanted []*cache.Mission
	for _, m := range missions {
		if MayMissDated(m, since) {
			wanted = append(wanted, m)
		}
	}
	slices.SortStableFunc(wanted, func(x, y *cache.Mission) int { return y.UpdatedAt.Compare(x.UpdatedAt.Time) })
	return wanted[:min(len(wanted), maxDated)]
}

// UnreadOrders counts the orders that changed after since and whose missions the cache does
// not read because there are too many.
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

// FirstKnown returns the earliest time from which one of the logs is complete, or now without
// endpoints.
func FirstKnown(endpoints []*Endpoint, now time.Time) time.Time {
	for _, e := range endpoints {
		if from := e.KnownFrom(); from.Before(now) {
			now = from
		}
	}
	return now
}

// KnownFrom returns the time from which the log is complete.
func (e *Endpoint) KnownFrom() time.Time {
	if e.Since.After(e.CreatedAt.Time) {
		return e.Since
	}
	return e.CreatedAt.Time
}

// AsCallback returns the missing callback as a row of a log of e, without an ID.
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

// isFor reports whether an endpoint gets an event.
func (e *Endpoint) isFor(event api.EventName) bool {
	return len(e.Events) == 0 || slices.Contains(e.Events, event)
}

// matchTraces gives each trace to what it is about, the surest and then the nearest first.
func matchTraces(expected []*MissingCallback, traces map[rowAbout][]*eventTrace) {
	type pair struct {
		*eventTrace

		of       *MissingCallback
		distance time.Duration
	}
	var pairs []pair
	for _, h := range expected {
		for _, mission := range []string{h.Mission.UUID, ""} {
			for _, trace := range traces[rowAbout{mission, h.Event}] {
				if d, fits := h.distanceTo(trace); fits {
					pairs = append(pairs, pair{trace, h, d})
				}
			}
		}
	}
	sort.SliceStable(pairs, func(i, j int) bool {
		return cmp.Or(pairs[i].rank-pairs[j].rank, int(pairs[i].distance-pairs[j].distance)) < 0
	})
	for _, p := range pairs {
		if !p.of.found && !p.taken {
			p.of.found = true
			p.taken = true
		}
	}
}

// distanceTo returns how far a trace's time is from the event's, and whether it
// can be about it at all.
func (m *MissingCallback) distanceTo(trace *eventTrace) (d time.Duration, fits bool) {
	at := trace.at
	if trace.order != "" && trace.order != m.Mission.OrderCode || at.Before(m.From.Add(-early)) {
		return 0, false
	} else if at.Before(m.From) {
		d = m.From.Sub(at)
	} else if at.After(m.To) {
		d = at.Sub(m.To)
	}
	return d, trace.rank == 0 || d <= lateRow
}

// DescribeGap describes a missing callback in a sentence.
func (m *MissingCallback) DescribeGap(now time.Time) string {
	text := fmt.Sprintf("%s: %s %s (%s), no callback was delivered.",
		strings.TrimSpace(m.Mission.OrderCode+" "+m.Mission.MissionCode),
		strings.ToLower(format.Word(m.Event).Label), m.DescribeTime(now), m.Source)
	if m.Probable {
		text += " Probable: log rows do not name missions."
	}
	return format.Clean(text)
}

// DescribeTime says when it happened, as far as that is known.
func (m *MissingCallback) DescribeTime(now time.Time) string {
	if m.From.Equal(m.To) {
		return "on " + format.Moment(m.To, now)
	}
	return "between " + format.Moment(m.From, now) + " and " + format.Moment(m.To, now)
}

// eventBetween returns an event that happened between two moments.
func (m *Mission) eventBetween(event api.EventName, from, to api.Time, source string) *MissingCallback {
	return &MissingCallback{
		Mission: m,
		Event:   event,
		From:    from.Time,
		To:      to.Time,
		Source:  source,
	}
}

// eventByStatus returns an event that is known by the mission's status alone.
func (m *Mission) eventByStatus(event api.EventName) *MissingCallback {
	return m.eventBetween(event,
		m.CreatedAt,
		m.UpdatedAt,
		"the mission is "+format.Status(m.Status).Label)
}

// datedEvents returns the flight dates that were set and the releases of data, oldest first.
func (m *Mission) datedEvents() []*MissingCallback {
	var all []*MissingCallback
	if (m.Unread || m.PlanningErr != nil) && m.Status.HasReached(api.MissionFlightScheduled) {
		all = append(all, m.eventByStatus(api.EventFlightScheduled))
	} else {
		for _, p := range m.Planning {
			if p.SchedulingStatus == api.ScheduleConfirmed || p.SchedulingStatus == api.ScheduleRescheduled {
				source := fmt.Sprintf("planning v%d", p.Version) + textAfter(", ", format.ValueOf(p.ScheduledBy))
				all = append(all, m.eventBetween(api.EventFlightScheduled, p.CreatedAt, p.CreatedAt, source))
			}
		}
	}
	if (m.Unread || m.PackagesErr != nil) && m.Status.HasReached(api.MissionDataDelivered) {
		all = append(all, m.eventByStatus(api.EventDataDelivered))
	} else {
		for _, p := range m.Packages {
			source := fmt.Sprintf("delivery package v%d", p.Version)
			all = append(all, m.eventBetween(api.EventDataDelivered, p.CreatedAt, p.CreatedAt, source))
		}
	}
	slices.SortStableFunc(all, func(a, b *MissingCallback) int { return a.To.Compare(b.To) })
	return all
}

// expectedEvents returns the events that a mission's state tells of, in the order of its life.
func expectedEvents(m *Mission) []*MissingCallback {
	var all []*MissingCallback
	dated := m.datedEvents()
	operator := format.ValueOf(m.OperatorName)
	if operator != "" || m.Status.HasReached(api.MissionPilotAssigned) {
		h := m.eventByStatus(api.EventOperatorAssigned)
		if operator != "" {
			h.Source = "operator " + operator
		}
		if len(dated) > 0 { // the operator came before
			h.To = dated[0].To
		}
		all = append(all, h)
	}
	all = append(all, dated...)
	if m.Status == api.MissionCompleted {
		h := m.eventByStatus(api.EventMissionCompleted)
		if n := len(all); n > 0 { // it came after all else
			h.From = all[n-1].From
		}
		all = append(all, h)
	}
	return all
}
