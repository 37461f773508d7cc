package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// states are the missions as the search for gaps takes them.
func (f *Facts) states() []webhooks.MissionFacts {
	all := make([]webhooks.MissionFacts, 0, len(f.Missions))
	for i := range f.Missions {
		m := &f.Missions[i]
		if f.Order == nil { // how far it is is not known
			continue
		}
		s := state(&m.Mission, f.Order.OrderCode)
		if !m.Unread {
			s.Planned, s.Planning = m.PlanningErr == nil, m.Planning
			s.Packed, s.Packages = m.PackagesErr == nil, m.Packages
		}
		all = append(all, s)
	}
	return all
}

func state(m *api.Mission, order string) webhooks.MissionFacts {
	return webhooks.MissionFacts{
		UUID: m.UUID, Code: m.MissionCode, Order: cmp.Or(m.OrderCode, order), Status: m.Status, Operator: value(m.OperatorName),
		Created: m.CreatedAt.Time, Updated: m.UpdatedAt.Time,
	}
}

// GapsOf are the events of missions that an endpoint has no row of, as far as
// their states alone tell.
func GapsOf(missions []*cache.Mission, e *Endpoint, now time.Time) []webhooks.Missing {
	if e.LogErr != nil {
		return nil
	}
	states := make([]webhooks.MissionFacts, len(missions))
	for i, m := range missions {
		states[i] = state(&m.Mission, m.Order.OrderCode)
	}
	found := webhooks.FindMissing(states, e.known(nil), now)
	return slices.DeleteFunc(found, func(g webhooks.Missing) bool { return g.Kind != webhooks.NotLogged })
}

// Gaps are the events that an endpoint was not told of, by its log.
func (f *Facts) Gaps(e *Endpoint, now time.Time) []webhooks.Missing {
	if e.LogErr != nil {
		return nil
	}
	return webhooks.FindMissing(f.states(), e.known(f.Received), now)
}

// known is the endpoint as the search for gaps takes it.
func (e *Endpoint) known(received []Received) *webhooks.EndpointFacts {
	k := &webhooks.EndpointFacts{Events: e.Events, Since: e.CreatedAt.Time, Log: e.Log, LogSince: e.Since}
	for i := range received {
		k.Received = append(k.Received, received[i].Event)
	}
	return k
}

// missing tells of events that the log of an endpoint has no row of.
func (t *teller) missing(e *Endpoint) {
	for _, g := range t.facts.Gaps(e, t.now) {
		if g.Kind != webhooks.NotLogged {
			continue // the row tells
		}
		role, sure := labels.Bad, "yes"
		if g.Probable {
			role, sure = labels.Attention, "probable: the log does not name its missions"
		}
		t.add(Entry{
			ID: "gap " + e.UUID + " " + g.ID(), At: g.To, Source: FromGap, Glyph: "!", Role: role, About: g.Mission.Code, Mission: g.Mission.UUID,
			Endpoint: e.UUID, What: fmt.Sprintf("%s never sent, to %s", trimmed(g.Event), Where(e.URL)),
			Fields: []Field{
				{"event", string(g.Event)}, {"to", e.URL}, {"endpoint id", e.UUID}, {"in words", g.Text(t.now)}, {"known from", g.Source}, {"certain", sure},
			},
		})
	}
}

// Verdict is what is wrong about who was told, in a sentence.
type Verdict struct {
	Role labels.Tone
	Text string
}

// Verdicts say what is wrong about who was told of what happened: nobody to
// tell, callbacks that did not arrive or were never sent, events that an
// endpoint does not get. None is that nothing is known to be wrong.
func Verdicts(f *Facts, entries []Entry) []Verdict {
	if f.EndpointsErr != nil || f.Order == nil {
		return nil
	}
	all := noticeVerdicts(f.Notices)
	if len(f.Endpoints) == 0 {
		return append(all, Verdict{labels.Attention, "no endpoint is registered: nobody is told of anything"})
	}
	for i := range f.Endpoints {
		all = append(all, f.Endpoints[i].verdicts(f, entries)...)
	}
	return all
}

// verdicts are those of one endpoint.
func (e *Endpoint) verdicts(f *Facts, entries []Entry) (all []Verdict) {
	failed, gone := 0, 0
	for i := range entries {
		switch x := &entries[i]; {
		case x.Endpoint != e.UUID:
		case x.Source == FromGap:
			gone++
		case x.Failed():
			failed++
		}
	}
	if failed > 0 {
		all = append(all, Verdict{labels.Bad, fmt.Sprintf("%s: %s failed", Where(e.URL), format.Count(failed, "callback", "callbacks"))})
	}
	if gone > 0 {
		all = append(all, Verdict{labels.Bad, fmt.Sprintf("%s was never sent %s", Where(e.URL), format.Count(gone, "event", "events"))})
	}
	for _, name := range happened(f) {
		if len(e.Events) > 0 && !slices.Contains(e.Events, name) {
			all = append(all, Verdict{labels.Attention, fmt.Sprintf("%s does not get %s", Where(e.URL), name)})
		}
	}
	if n := before(f, e); n > 0 {
		all = append(all, Verdict{labels.Attention, fmt.Sprintf("%s was registered after %s", Where(e.URL), format.Count(n, "plan or package", "plans or packages"))})
	}
	return all
}

// happened are the events that there were by the missions' states.
func happened(f *Facts) []api.EventName {
	var names []api.EventName
	for i := range f.Missions {
		m := &f.Missions[i]
		if len(m.Planning) > 0 {
			names = append(names, api.EventFlightScheduled)
		}
		if len(m.Packages) > 0 {
			names = append(names, api.EventDataDelivered)
		}
		if m.Status == api.MissionCompleted {
			names = append(names, api.EventMissionCompleted)
		}
		if value(m.OperatorName) != "" {
			names = append(names, api.EventOperatorAssigned)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// before counts what happened before an endpoint was there.
func before(f *Facts, e *Endpoint) (n int) {
	for i := range f.Missions {
		for _, p := range f.Missions[i].Planning {
			if p.CreatedAt.Before(e.CreatedAt.Time) {
				n++
			}
		}
		for _, p := range f.Missions[i].Packages {
			if p.CreatedAt.Before(e.CreatedAt.Time) {
				n++
			}
		}
	}
	return n
}
