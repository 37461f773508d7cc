package timeline

import (
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// DeliveryVerdict is what is wrong about who was told, in a sentence.
type DeliveryVerdict struct {
	Role labels.Tone
	Text string
}

// MarshalText returns the sentence.
func (v DeliveryVerdict) MarshalText() ([]byte, error) { return []byte(v.Text), nil }

// DeliveryVerdicts say what is wrong about who was told of what happened, the worst
// first: those who did not get a notice or a callback, nobody to tell, events that an
// endpoint does not get. Endpoints of which the same is to be said share a verdict. None
// is that nothing is known to be wrong.
func DeliveryVerdicts(f *SubjectFacts, entries []TimelineEntry) (all []DeliveryVerdict) {
	if f.EndpointsErr != nil || f.Order == nil {
		return nil
	}
	for i := range f.Notices {
		if n := &f.Notices[i]; n.Failed() {
			all = append(all, DeliveryVerdict{labels.Bad, "completion notice by " + NoticeWay(n) + " failed"})
		}
	}
	if len(f.Endpoints) == 0 {
		return append(all, DeliveryVerdict{labels.Attention, "no endpoints registered; no events are sent"})
	}
	say := func(role labels.Tone, one, many string, count func(*Endpoint) int) {
		if text := f.sayOfEndpoints(one, many, count); text != "" {
			all = append(all, DeliveryVerdict{role, text})
		}
	}
	among := func(source EntrySource, failed bool) func(*Endpoint) int {
		return func(e *Endpoint) (n int) {
			for i := range entries {
				if x := &entries[i]; x.Endpoint == e.UUID && x.Source == source && x.Failed == failed {
					n++
				}
			}
			return n
		}
	}
	say(labels.Bad, "missing callback", "missing callbacks", among(FromGap, true))
	say(labels.Bad, "callback failed", "callbacks failed", among(FromCallback, true))
	say(labels.Attention, "probably missing callback", "probably missing callbacks", among(FromGap, false))
	for _, name := range happenedEvents(f) {
		missed := "not subscribed to " + labels.Word(name).Label
		say(labels.Attention, missed, missed, func(e *Endpoint) int {
			if len(e.Events) == 0 || slices.Contains(e.Events, name) {
				return 0
			}
			return 1
		})
	}
	say(labels.Attention, "event before it was registered", "events before it was registered", f.countBefore)
	return all
}

// sayOfEndpoints says what is counted at endpoints, and at which; "" for nothing. One text for any
// number says no number.
func (f *SubjectFacts) sayOfEndpoints(one, many string, count func(*Endpoint) int) string {
	var names []string
	sum := 0
	for i := range f.Endpoints {
		if n := count(&f.Endpoints[i]); n > 0 {
			names, sum = append(names, ShortAddress(f.Endpoints[i].URL)), sum+n
		}
	}
	what := one
	if one != many {
		what = format.Count(sum, one, many)
	}
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0] + ": " + what
	default:
		return format.Count(n, "endpoint", "endpoints") + ": " + what + " (" + strings.Join(names, ", ") + ")"
	}
}

// CallbackID returns the id of the entry of a callback.
func CallbackID(d *api.WebhookDelivery) string { return string(FromCallback) + " " + d.UUID }

// MissingID returns the id of the entry of an event that an endpoint was not sent.
func MissingID(endpoint string, g *MissingCallback) string {
	return string(FromGap) + " " + endpoint + " " + g.GapID()
}

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
func (f *SubjectFacts) countBefore(e *Endpoint) (n int) {
	count := func(at api.Time) {
		if at.Before(e.CreatedAt.Time) {
			n++
		}
	}
	for i := range f.Missions {
		for _, p := range f.Missions[i].Planning {
			count(p.CreatedAt)
		}
		for _, p := range f.Missions[i].Packages {
			count(p.CreatedAt)
		}
	}
	return n
}
