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
	logDays = 30          // of the endpoints' logs that are read
	around  = time.Minute // between an event and its row, at most before it
)

// callbackLogs is what the endpoints' logs say of a mission's callbacks.
type callbackLogs struct {
	endpoints []timeline.Endpoint
	read      bool // they were; a key that may not is no fault of the page
	since     time.Time
}

// logStart returns the time from which on the logs are read.
func (p *MissionPage) logStart() time.Time {
	since := p.Now().AddDate(0, 0, -logDays)
	if at := p.mission.CreatedAt.Time; at.After(since) {
		return at
	}
	return since
}

// logRow returns the log's row of an event of a mission at an endpoint: the last one
// before the next event of the name, nil where there is none.
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

// saysOutcome tells whether an endpoint's log says what came of an event: it takes
// such events, was there by then, and names the missions of its rows.
func saysOutcome(e *timeline.Endpoint, of *expectedEvent) bool {
	unnamed := func(d api.WebhookDelivery) bool { return d.MissionUID == "" }
	return e.LogErr == nil && (len(e.Events) == 0 || slices.Contains(e.Events, of.name)) &&
		(of.at.IsZero() || !e.CreatedAt.After(of.at)) && !slices.ContainsFunc(e.Log, unnamed)
}

// describeOutcomes say in short what came of an event at the endpoints, "" where their
// logs do not tell.
func (p *MissionPage) describeOutcomes(e *expectedEvent, until time.Time) (text string, role theme.Role) {
	if !e.at.IsZero() && e.at.Before(p.told.since) {
		return "", theme.Muted
	}
	all, ok, pending := 0, 0, 0
	var last *api.WebhookDelivery
	for i := range p.told.endpoints {
		end := &p.told.endpoints[i]
		d := logRow(end, p.mission.UUID, e.name, e.at, until)
		if d == nil && (e.at.IsZero() || !saysOutcome(end, e)) {
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

// failedCallbacks returns the mission's callbacks that did not arrive.
func (p *MissionPage) failedCallbacks() []timeline.UndeliveredItem {
	return timeline.FailedCallbacks(
		p.told.endpoints,
		func(d *api.WebhookDelivery) bool { return d.MissionUID == p.mission.UUID },
	)
}

// eventSection returns the callbacks that the mission should have sent by its story, with
// what came of them as far as the endpoints' logs are read.
func (p *MissionPage) eventSection() detail.Section {
	s := detail.Section{
		Title:  "Expected callbacks",
		Note:   "from status, planning and packages",
		Unread: p.State.IsUnread(),
		None:   "None yet.",
	}
	switch {
	case p.told.read && len(p.told.endpoints) == 0:
		s.Note = "no endpoints registered"
	case p.told.read:
		s.Title, s.Note = "Callbacks", format.Count(
			len(p.told.endpoints),
			"endpoint",
			"endpoints",
		)+fmt.Sprintf(
			", last %d days",
			logDays,
		)
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
		if !p.told.read {
			continue
		}
		var until time.Time
		if next := slices.IndexFunc(
			all[i+1:],
			func(next expectedEvent) bool { return next.name == e.name },
		); next >= 0 {
			until = all[i+1+next].at
		}
		if text, role := p.describeOutcomes(e, until); text != "" {
			s.Lines = append(s.Lines, th.PaintRole(role, "     "+text))
		}
	}
	return s
}
