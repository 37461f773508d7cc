package missions

import (
	"fmt"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/theme"
)

const (
	logDays = 30          // how far back the endpoints' logs are read
	around  = time.Minute // tolerance: a log row may be this much older than its event
)

// callbackLogs holds the callback logs of all endpoints, to compare with the mission's
// events.
type callbackLogs struct {
	endpoints []timeline.Endpoint
	read      bool // false too if the API key is not allowed to
	since     time.Time
}

// logStart returns the time from which the logs are read: the mission's creation, or 30
// days ago.
func (p *MissionPage) logStart() time.Time {
	since := p.Now().AddDate(0, 0, -logDays)
	if at := p.mission.CreatedAt.Time; at.After(since) {
		return at
	}
	return since
}

// logRow returns the newest log row of a mission's event at an endpoint between two
// times, or nil. A zero until sets no end.
func logRow(e *timeline.Endpoint, mission string, name api.EventName, from, until time.Time) *api.WebhookDelivery {
	for i := range e.Log { // the newest first
		d := &e.Log[i]
		at := d.CreatedAt.Time
		if d.MissionUID == mission && d.Event == name && !at.Before(from.Add(-around)) &&
			(until.IsZero() || at.Before(until.Add(-around))) {
			return d
		}
	}
	return nil
}

// recordsEvent reports whether a row of the event would be in the endpoint's log: the
// endpoint receives such events, existed at the time, and its rows name their missions.
func recordsEvent(e *timeline.Endpoint, of *expectedEvent) bool {
	unnamed := func(d api.WebhookDelivery) bool { return d.MissionUID == "" }
	return e.LogErr == nil && (len(e.Events) == 0 || slices.Contains(e.Events, of.name)) &&
		(of.at.IsZero() || !e.CreatedAt.After(of.at)) && !slices.ContainsFunc(e.Log, unnamed)
}

// describeOutcomes summarises how the endpoints answered an event, "" if their logs do
// not show it.
func (p *MissionPage) describeOutcomes(e *expectedEvent, until time.Time) (text string, role theme.Role) {
	if !e.at.IsZero() && e.at.Before(p.logs.since) {
		return "", theme.Muted
	}
	all, ok, pending := 0, 0, 0
	var last *api.WebhookDelivery
	for i := range p.logs.endpoints {
		end := &p.logs.endpoints[i]
		d := logRow(end, p.mission.UUID, e.name, e.at, until)
		if d == nil && (e.at.IsZero() || !recordsEvent(end, e)) {
			continue
		}
		all++
		switch {
		case d == nil:
			continue
		case d.Success:
			ok++
		case d.IsPending():
			pending++
		}
		last = d
	}
	switch {
	case all == 0:
		return "", theme.Muted
	case last == nil:
		return "! missing", theme.Attention
	case all == 1:
		text, glyph, role := timeline.DeliveryOutcome(last)
		return glyph + " " + text, role
	case ok+pending < all:
		return fmt.Sprintf("✗ delivered to %d of %d endpoints", ok, all), theme.Bad
	}
	return fmt.Sprintf("✓ delivered to %d of %d endpoints", ok, all), theme.Good
}

// failedCallbacks returns the mission's callbacks that were not delivered.
func (p *MissionPage) failedCallbacks() []timeline.UndeliveredItem {
	return timeline.FailedCallbacks(
		p.logs.endpoints,
		func(d *api.WebhookDelivery) bool { return d.MissionUID == p.mission.UUID },
	)
}

// eventSection returns the callbacks expected from the mission's history, each with its
// outcome if the endpoints' logs are loaded.
func (p *MissionPage) eventSection() detail.Section {
	s := detail.Section{
		Title:  "Expected callbacks",
		Note:   "from status, planning and packages",
		Unread: p.State.IsUnread(),
		None:   "None yet.",
	}
	switch {
	case p.logs.read && len(p.logs.endpoints) == 0:
		s.Note = "no endpoints registered"
	case p.logs.read:
		endpoints := format.Count(len(p.logs.endpoints), "endpoint", "endpoints")
		s.Title, s.Note = "Callbacks", fmt.Sprintf("%s, last %d days", endpoints, logDays)
	}
	if s.Unread {
		return s
	}
	th, now := p.Theme, p.Now()
	all := expectedEvents(&p.mission.Mission, p.story.Planning, p.story.Packages, now, p.mission.FlightZone())
	for i := range all {
		e := &all[i]
		s.Lines = append(s.Lines, th.PaintMuted("   "+layout.FitLeft(format.Moment(e.at, now), 16))+"  "+
			th.PaintText(labels.EventWord(e.name).Label)+th.PaintMuted("  "+e.about))
		if !p.logs.read {
			continue
		}
		var until time.Time
		next := slices.IndexFunc(all[i+1:], func(next expectedEvent) bool { return next.name == e.name })
		if next >= 0 {
			until = all[i+1+next].at
		}
		if text, role := p.describeOutcomes(e, until); text != "" {
			s.Lines = append(s.Lines, th.PaintRole(role, "     "+text))
		}
	}
	return s
}
