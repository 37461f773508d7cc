package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// missionStates returns the missions as the search for gaps takes them.
func (f *SubjectFacts) missionStates() []webhooks.MissionFacts {
	all := make([]webhooks.MissionFacts, 0, len(f.Missions))
	for i := range f.Missions {
		m := &f.Missions[i]
		if f.Order == nil { // how far it is is not known
			continue
		}
		s := missionState(&m.Mission, f.Order.OrderCode)
		if !m.Unread {
			s.Planned, s.Planning = m.PlanningErr == nil, m.Planning
			s.Packed, s.Packages = m.PackagesErr == nil, m.Packages
		}
		all = append(all, s)
	}
	return all
}

func missionState(m *api.Mission, order string) webhooks.MissionFacts {
	return webhooks.MissionFacts{
		UUID:     m.UUID,
		Code:     m.MissionCode,
		Order:    cmp.Or(m.OrderCode, order),
		Status:   m.Status,
		Operator: textOrEmpty(m.OperatorName),
		Created:  m.CreatedAt.Time,
		Updated:  m.UpdatedAt.Time,
	}
}

// GapsOf returns the events of missions that an endpoint has no row of, as far as
// their states alone tell.
func GapsOf(missions []*cache.Mission, e *Endpoint, now time.Time) []webhooks.MissingCallback {
	if e.LogErr != nil {
		return nil
	}
	states := make([]webhooks.MissionFacts, len(missions))
	for i, m := range missions {
		states[i] = missionState(&m.Mission, m.Order.OrderCode)
	}
	found := webhooks.FindMissing(states, e.endpointFacts(nil), now)
	return slices.DeleteFunc(found, func(g webhooks.MissingCallback) bool { return g.Kind != webhooks.NotLogged })
}

// MissingEvents returns the events that an endpoint was not told of, by its log.
func (f *SubjectFacts) MissingEvents(e *Endpoint, now time.Time) []webhooks.MissingCallback {
	if e.LogErr != nil {
		return nil
	}
	return webhooks.FindMissing(f.missionStates(), e.endpointFacts(f.Received), now)
}

// endpointFacts returns the endpoint as the search for gaps takes it.
func (e *Endpoint) endpointFacts(received []ReceivedEvent) *webhooks.EndpointFacts {
	k := &webhooks.EndpointFacts{Events: e.Events, Since: e.CreatedAt.Time, Log: e.Log, LogSince: e.Since}
	for i := range received {
		k.Received = append(k.Received, received[i].Event)
	}
	return k
}

// tellMissing tells of events that the log of an endpoint has no row of.
func (t *entryBuilder) tellMissing(e *Endpoint) {
	for _, g := range t.facts.MissingEvents(e, t.now) {
		if g.Kind != webhooks.NotLogged {
			continue // the row tells
		}
		role, sure := labels.Bad, "certain"
		if g.Probable {
			role, sure = labels.Attention, "probable: log rows do not name missions"
		}
		t.addEntry(TimelineEntry{
			ID:       "gap " + e.UUID + " " + g.GapID(),
			At:       g.To,
			Source:   FromGap,
			Glyph:    "!",
			Role:     role,
			About:    g.Mission.Code,
			Mission:  g.Mission.UUID,
			Endpoint: e.UUID,
			What:     fmt.Sprintf("%s: never sent to %s", labels.EventWord(g.Event).Label, ShortAddress(e.URL)),
			Fields: []EntryField{
				{
					"event",
					string(g.Event),
				},
				{"to", e.URL},
				{"endpoint id", e.UUID},
				{"summary", g.DescribeGap(t.now)},
				{"source", g.Source},
				{"certainty", sure},
			},
		})
	}
}

// DeliveryVerdict is what is wrong about who was told, in a sentence.
type DeliveryVerdict struct {
	Role labels.Tone
	Text string
}

// DeliveryVerdicts say what is wrong about who was told of what happened, the worst
// first: callbacks that were never sent, those that did not arrive, nobody to
// tell, events that an endpoint does not get. Endpoints of which the same is to
// be said share a verdict. None is that nothing is known to be wrong.
func DeliveryVerdicts(f *SubjectFacts, entries []TimelineEntry) []DeliveryVerdict {
	if f.EndpointsErr != nil || f.Order == nil {
		return nil
	}
	if len(f.Endpoints) == 0 {
		return append(
			noticeVerdicts(f.Notices),
			DeliveryVerdict{labels.Attention, "no endpoints registered; no events are sent"},
		)
	}
	var gone, failed, probable, late alikeEndpoints
	unheard := map[api.EventName]*alikeEndpoints{}
	names := happenedEvents(f)
	for _, name := range names {
		unheard[name] = &alikeEndpoints{}
	}
	for i := range f.Endpoints {
		e := &f.Endpoints[i]
		e.countWrong(entries, &gone, &probable, &failed)
		late.addEndpoint(e, countBefore(f, e))
		for _, name := range names {
			if len(e.Events) > 0 && !slices.Contains(e.Events, name) {
				unheard[name].addEndpoint(e, 1)
			}
		}
	}
	all := gone.joinVerdicts(labels.Bad, ": %s", ": %s", "missing callback", "missing callbacks")
	all = append(all, noticeVerdicts(f.Notices)...)
	all = append(all, failed.joinVerdicts(labels.Bad, ": %s failed", ": %s failed", "callback", "callbacks")...)
	all = append(
		all,
		probable.joinVerdicts(
			labels.Attention,
			": %s",
			": %s",
			"probably missing callback",
			"probably missing callbacks",
		)...)
	for _, name := range names {
		word := labels.EventWord(name).Label
		all = append(
			all,
			unheard[name].joinVerdicts(
				labels.Attention,
				" is not registered for %s",
				" are not registered for %s",
				word,
				word,
			)...)
	}
	return append(
		all,
		late.joinVerdicts(
			labels.Attention,
			" was registered after %s",
			" were registered after %s",
			"earlier event",
			"earlier events",
		)...)
}

// countWrong counts the endpoint's callbacks that are missing for certain, probably,
// or failed.
func (e *Endpoint) countWrong(entries []TimelineEntry, gone, probable, failed *alikeEndpoints) {
	counts := map[*alikeEndpoints]int{}
	for i := range entries {
		switch x := &entries[i]; {
		case x.Endpoint != e.UUID:
		case x.Source == FromGap && x.Role == labels.Bad:
			counts[gone]++
		case x.Source == FromGap:
			counts[probable]++
		case x.Failed():
			counts[failed]++
		}
	}
	for of, n := range counts {
		of.addEndpoint(e, n)
	}
}

// alikeEndpoints are endpoints of which the same is to be said.
type alikeEndpoints struct {
	names []string
	sum   int // of what is counted at them
}

func (a *alikeEndpoints) addEndpoint(e *Endpoint, n int) {
	if n > 0 {
		a.names, a.sum = append(a.names, ShortAddress(e.URL)), a.sum+n
	}
}

// joinVerdicts say it in one verdict, of how many and at the end of which.
func (a *alikeEndpoints) joinVerdicts(role labels.Tone, one, many, thing, things string) []DeliveryVerdict {
	count := format.Count(a.sum, thing, things)
	if thing == things { // a name, which is not counted
		count = thing
	}
	switch len(a.names) {
	case 0:
		return nil
	case 1:
		return []DeliveryVerdict{{role, a.names[0] + fmt.Sprintf(one, count)}}
	}
	return []DeliveryVerdict{
		{
			role,
			format.Count(
				len(a.names),
				"endpoint",
				"endpoints",
			) + fmt.Sprintf(
				many,
				count,
			) + " (" + strings.Join(
				a.names,
				", ",
			) + ")",
		},
	}
}

// CallbackID returns the id of the entry of a callback.
func CallbackID(d *api.WebhookDelivery) string { return "callback " + d.UUID }

// happenedEvents returns the events that there were by the missions' states.
func happenedEvents(f *SubjectFacts) []api.EventName {
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
		if textOrEmpty(m.OperatorName) != "" {
			names = append(names, api.EventOperatorAssigned)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// countBefore counts what happened before an endpoint was there.
func countBefore(f *SubjectFacts, e *Endpoint) (n int) {
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
