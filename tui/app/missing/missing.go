package missing

import (
	"cmp"
	"slices"
	"time"

	"flightdesk/api"
)

// Mission is what is known of a mission.
type Mission struct {
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

// Endpoint is what is known of an endpoint.
type Endpoint struct {
	Events   []api.EventName // that it is subscribed to
	Since    time.Time       // when it was registered
	Log      []api.WebhookDelivery
	LogSince time.Time // where the log is not read to its beginning, from when on it is
	Received []api.Event
}

// Kind is what is wrong.
type Kind int

// The kinds of gap.
const (
	NoRow  Kind = iota // the log has no row of it
	Failed             // it has one, and the callback did not get there
)

// Gap is an event that an endpoint should have been told of and was not.
type Gap struct {
	Mission *Mission
	Event   api.EventName
	// It happened between these, which are the same where that is known.
	From, To time.Time
	Kind     Kind
	Row      *api.WebhookDelivery // where there is one
	Probable bool                 // the log names no missions: what it has may be another one's
	Source   string               // what is known of it comes from: planning v2, AeroScan
}

// ID names a gap, the same as long as it is there.
func (g *Gap) ID() string {
	return g.Mission.UUID + " " + string(g.Event) + " " + g.To.UTC().Format(time.RFC3339Nano)
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

// Find returns the gaps of an endpoint, the newest first. Of what happened
// before the endpoint was there, or before its log is known, nothing is said.
func Find(missions []Mission, e *Endpoint, now time.Time) []Gap {
	var open []*happened
	for i := range missions {
		for _, h := range expected(&missions[i]) {
			if slices.Contains(e.Events, h.event) && !h.from.Before(e.Since) && !h.from.Before(e.LogSince) && now.Sub(h.to) >= grace {
				open = append(open, &h)
			}
		}
	}
	rows := index(e.Log)
	match(open, rows, true)
	match(open, rows, false)
	received := receivedOf(e.Received)
	var gaps []Gap
	for _, h := range open {
		if g, is := h.gap(rows, received); is {
			gaps = append(gaps, g)
		}
	}
	slices.SortStableFunc(gaps, func(a, b Gap) int { return b.To.Compare(a.To) })
	return gaps
}

// happened is an event that a mission's state tells of.
type happened struct {
	mission  *Mission
	event    api.EventName
	from, to time.Time
	source   string
	row      *api.WebhookDelivery // the one of the log that is about it
}

// gap says whether and how the endpoint was not told.
func (h *happened) gap(rows *logIndex, received *receivedIndex) (g Gap, is bool) {
	g = Gap{Mission: h.mission, Event: h.event, From: h.from, To: h.to, Row: h.row, Source: h.source}
	switch {
	case h.row == nil:
		g.Probable = rows.nameless[h.event]
		return g, !received.has(h)
	case h.row.Success, received.ids[h.row.UUID], h.row.Pending():
		return g, false
	}
	g.Kind, g.Probable = Failed, h.row.MissionUID == ""
	return g, true
}

// logIndex is a log by what its rows are about.
type logIndex struct {
	of       map[about][]*api.WebhookDelivery // with a mission
	free     map[api.EventName][]*api.WebhookDelivery
	taken    map[*api.WebhookDelivery]bool
	nameless map[api.EventName]bool // some row of the event names no mission
}

type about struct {
	mission string
	event   api.EventName
}

func index(log []api.WebhookDelivery) *logIndex {
	x := &logIndex{
		of: map[about][]*api.WebhookDelivery{}, free: map[api.EventName][]*api.WebhookDelivery{},
		taken: map[*api.WebhookDelivery]bool{}, nameless: map[api.EventName]bool{},
	}
	for i := range log {
		row := &log[i]
		if row.MissionUID == "" {
			x.free[row.Event] = append(x.free[row.Event], row)
			x.nameless[row.Event] = true
			continue
		}
		key := about{row.MissionUID, row.Event}
		x.of[key] = append(x.of[key], row)
	}
	return x
}

// pair is a row that may be about something that happened.
type pair struct {
	h        *happened
	row      *api.WebhookDelivery
	distance time.Duration
}

// match gives each row to what it is about, the nearest first: those that name
// their mission, or those that do not.
func match(open []*happened, rows *logIndex, named bool) {
	var pairs []pair
	for _, h := range open {
		if h.row != nil {
			continue
		}
		candidates := rows.of[about{h.mission.UUID, h.event}]
		if !named {
			candidates = rows.free[h.event]
		}
		for _, row := range candidates {
			if d, fits := h.distance(row, named); fits {
				pairs = append(pairs, pair{h, row, d})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.distance, b.distance) })
	for _, p := range pairs {
		if p.h.row == nil && !rows.taken[p.row] {
			p.h.row, rows.taken[p.row] = p.row, true
		}
	}
}

// distance is how far a row's time is from the event's, and whether the row can
// be about it at all.
func (h *happened) distance(row *api.WebhookDelivery, named bool) (d time.Duration, fits bool) {
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
	of  map[about][]time.Time
}

func receivedOf(events []api.Event) *receivedIndex {
	x := &receivedIndex{map[string]bool{}, map[about][]time.Time{}}
	for i := range events {
		e := &events[i]
		x.ids[e.ID] = true
		key := about{e.Data.Mission.UUID, e.Event}
		x.of[key] = append(x.of[key], e.Timestamp.Time)
	}
	return x
}

// has reports whether something that the log does not show was received.
func (x *receivedIndex) has(h *happened) bool {
	return slices.ContainsFunc(x.of[about{h.mission.UUID, h.event}], func(at time.Time) bool {
		return !at.Before(h.from.Add(-before)) && !at.After(h.to.Add(after))
	})
}
