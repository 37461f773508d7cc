package webhooks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// MissionFacts is what is known of a mission.
type MissionFacts struct {
	UUID     string
	Code     string
	Order    string // its order's code
	Status   api.MissionStatus
	Operator string // "" where none is known
	Created  time.Time
	Updated  time.Time // the last time that anything about it changed

	Planned  bool // Planning was read
	Planning []api.PlanningEntry
	Packed   bool // Packages was read
	Packages []api.DeliveryPackage
}

// EndpointFacts is what is known of an endpoint.
type EndpointFacts struct {
	Events   []api.EventName // that it is subscribed to
	Since    time.Time       // when it was registered
	Log      []api.WebhookDelivery
	LogSince time.Time // where the log is not read to its beginning, from when on it is
	Received []api.Event
}

// MissingKind says why a callback is missing.
type MissingKind int

// The kinds.
const (
	NotLogged    MissingKind = iota // the log has no row of it
	NotDelivered                    // it has one, and the callback did not get there
)

// MissingCallback is a callback that an endpoint should have received and did not.
type MissingCallback struct {
	Mission *MissionFacts
	Event   api.EventName
	// It happened between these, which are the same where that is known.
	From, To time.Time
	Kind     MissingKind
	Row      *api.WebhookDelivery // where there is one
	Probable bool                 // the log names no missions: what it has may be another one's
	Source   string               // what is known of it comes from: planning v2, AeroScan
}

// GapID names a missing callback, the same as long as it is missing.
func (m *MissingCallback) GapID() string {
	return m.Mission.UUID + " " + string(m.Event) + " " + m.To.UTC().Format(time.RFC3339Nano)
}

const (
	// grace is how young an event may be without a callback.
	grace = 15 * time.Second
	// before is how much earlier than the event a row may be written: clocks and
	// roundings differ.
	before = time.Minute
	// after is how much later a row may be that does not name its mission.
	after = 2 * time.Minute
)

// FindMissing returns the missing callbacks of an endpoint, the newest first: it
// compares how far missions are with the log and with what was received. Of what
// happened before the endpoint was there, or before its log is known, nothing is said.
func FindMissing(missions []MissionFacts, e *EndpointFacts, now time.Time) []MissingCallback {
	var open []*happenedEvent
	for i := range missions {
		for _, h := range expectedEvents(&missions[i]) {
			if slices.Contains(e.Events, h.event) && !h.from.Before(e.Since) && !h.from.Before(e.LogSince) &&
				now.Sub(h.to) >= grace {
				open = append(open, &h)
			}
		}
	}
	rows := indexLog(e.Log)
	matchRows(open, rows, true)
	matchRows(open, rows, false)
	received := receivedOf(e.Received)
	var gaps []MissingCallback
	for _, h := range open {
		if g, is := h.findGap(rows, received); is {
			gaps = append(gaps, g)
		}
	}
	slices.SortStableFunc(gaps, func(a, b MissingCallback) int { return b.To.Compare(a.To) })
	return gaps
}

// happenedEvent is an event that a mission's state tells of.
type happenedEvent struct {
	mission  *MissionFacts
	event    api.EventName
	from, to time.Time
	source   string
	row      *api.WebhookDelivery // the one of the log that is about it
}

// findGap says whether and how the endpoint was not told.
func (h *happenedEvent) findGap(rows *logIndex, received *receivedIndex) (g MissingCallback, is bool) {
	g = MissingCallback{Mission: h.mission, Event: h.event, From: h.from, To: h.to, Row: h.row, Source: h.source}
	switch {
	case h.row == nil:
		g.Probable = rows.nameless[h.event]
		return g, !received.wasReceived(h)
	case h.row.Success, received.ids[h.row.UUID], h.row.IsPending():
		return g, false
	}
	g.Kind, g.Probable = NotDelivered, h.row.MissionUID == ""
	return g, true
}

// logIndex is a log by what its rows are about.
type logIndex struct {
	of       map[rowAbout][]*api.WebhookDelivery // with a mission
	free     map[api.EventName][]*api.WebhookDelivery
	taken    map[*api.WebhookDelivery]bool
	nameless map[api.EventName]bool // some row of the event names no mission
}

type rowAbout struct {
	mission string
	event   api.EventName
}

func indexLog(log []api.WebhookDelivery) *logIndex {
	x := &logIndex{
		of: map[rowAbout][]*api.WebhookDelivery{}, free: map[api.EventName][]*api.WebhookDelivery{},
		taken: map[*api.WebhookDelivery]bool{}, nameless: map[api.EventName]bool{},
	}
	for i := range log {
		row := &log[i]
		if row.MissionUID == "" {
			x.free[row.Event] = append(x.free[row.Event], row)
			x.nameless[row.Event] = true
			continue
		}
		key := rowAbout{row.MissionUID, row.Event}
		x.of[key] = append(x.of[key], row)
	}
	return x
}

// rowPair is a row that may be about something that happened.
type rowPair struct {
	h        *happenedEvent
	row      *api.WebhookDelivery
	distance time.Duration
}

// matchRows gives each row to what it is about, the nearest first: those that name
// their mission, or those that do not.
func matchRows(open []*happenedEvent, rows *logIndex, named bool) {
	var pairs []rowPair
	for _, h := range open {
		if h.row != nil {
			continue
		}
		candidates := rows.of[rowAbout{h.mission.UUID, h.event}]
		if !named {
			candidates = rows.free[h.event]
		}
		for _, row := range candidates {
			if d, fits := h.rowDistance(row, named); fits {
				pairs = append(pairs, rowPair{h, row, d})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b rowPair) int { return cmp.Compare(a.distance, b.distance) })
	for _, p := range pairs {
		if p.h.row == nil && !rows.taken[p.row] {
			p.h.row, rows.taken[p.row] = p.row, true
		}
	}
}

// rowDistance returns how far a row's time is from the event's, and whether the row can
// be about it at all.
func (h *happenedEvent) rowDistance(row *api.WebhookDelivery, named bool) (d time.Duration, fits bool) {
	at := row.CreatedAt.Time
	if row.OrderCode != "" && row.OrderCode != h.mission.Order {
		return 0, false
	}
	switch {
	case at.Before(h.from.Add(-before)):
		return 0, false
	case at.Before(h.from):
		return h.from.Sub(at), true
	case at.After(h.to):
		d = at.Sub(h.to)
	}
	return d, named || d <= after
}

// receivedIndex is what was received.
type receivedIndex struct {
	ids map[string]bool
	of  map[rowAbout][]time.Time
}

func receivedOf(events []api.Event) *receivedIndex {
	x := &receivedIndex{map[string]bool{}, map[rowAbout][]time.Time{}}
	for i := range events {
		e := &events[i]
		x.ids[e.ID] = true
		key := rowAbout{e.Data.Mission.UUID, e.Event}
		x.of[key] = append(x.of[key], e.Timestamp.Time)
	}
	return x
}

// wasReceived reports whether something that the log does not show was received.
func (x *receivedIndex) wasReceived(h *happenedEvent) bool {
	return slices.ContainsFunc(x.of[rowAbout{h.mission.UUID, h.event}], func(at time.Time) bool {
		return !at.Before(h.from.Add(-before)) && !at.After(h.to.Add(after))
	})
}

// DescribeGap describes a missing callback in a sentence.
func (m *MissingCallback) DescribeGap(now time.Time) string {
	who := strings.TrimSpace(m.Mission.Order + " " + m.Mission.Code)
	text := fmt.Sprintf(
		"%s: %s %s (%s), %s",
		who,
		strings.ToLower(labels.EventWord(m.Event).Label),
		m.DescribeTime(now),
		m.Source,
		m.describeOutcome(),
	)
	if m.Probable {
		text += " Probable: log rows do not name missions."
	}
	return layout.Clean(text)
}

// DescribeTime says when it happened, as far as that is known.
func (m *MissingCallback) DescribeTime(now time.Time) string {
	if m.From.Equal(m.To) {
		return "on " + format.Moment(m.To, now)
	}
	return "between " + format.Moment(m.From, now) + " and " + format.Moment(m.To, now)
}

// describeOutcome says what became of the callback.
func (m *MissingCallback) describeOutcome() string {
	if m.Kind == NotLogged {
		return "no callback was delivered."
	}
	why := "no response"
	switch row := m.Row; {
	case row.ResponseCode != nil && *row.ResponseCode > 0:
		why = fmt.Sprintf("the receiver answered %d", *row.ResponseCode)
	case row.Error != nil && *row.Error != "":
		why = *row.Error
	}
	tries := ""
	if m.Row.Attempts != nil && *m.Row.Attempts > 0 {
		tries = " after " + format.Count(*m.Row.Attempts, "attempt", "attempts")
	}
	return fmt.Sprintf("callback failed%s: %s.", tries, why)
}
