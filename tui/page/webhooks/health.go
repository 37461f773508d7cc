package webhooks

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// endpointHealth summarises the callbacks of an endpoint.
type endpointHealth struct {
	delivered, failed, pending int
	gaps                       []webhooks.MissingCallback
	entries                    []logEntry // failures first
	ill                        bool       // the last callback failed, or callbacks are missing
}

// logEntry is a row of the log, or a missing callback.
type logEntry struct {
	row *api.WebhookDelivery // nil for a missing callback
	gap *webhooks.MissingCallback
}

func (e *logEntry) entryID() string {
	if e.row != nil {
		return e.row.UUID
	}
	return "gap " + e.gap.GapID()
}

func (e *logEntry) entryTime() time.Time {
	if e.row != nil {
		return e.row.CreatedAt.Time
	}
	return e.gap.To
}

func (e *logEntry) entryEvent() api.EventName {
	if e.row != nil {
		return e.row.Event
	}
	return e.gap.Event
}

func (e *logEntry) entryMission() string {
	if e.row != nil {
		return e.row.MissionUID
	}
	return e.gap.Mission.UUID
}

// callbackOutcome is the result of a callback.
type callbackOutcome int

const (
	failed callbackOutcome = iota // or missing
	pending
	delivered
)

func outcomeOf(d *api.WebhookDelivery) callbackOutcome {
	switch {
	case d.Success:
		return delivered
	case d.IsPending():
		return pending
	default:
		return failed
	}
}

func (e *logEntry) entryOutcome() callbackOutcome {
	if e.row == nil {
		return failed
	}
	return outcomeOf(e.row)
}

// judgeHealth computes the health of all endpoints, and shows the number of failing
// ones beside the section's name.
func (b *endpointBook) judgeHealth() {
	missions := b.readMissions()
	clear(b.healths)
	ill := 0
	for i := range b.endpoints {
		e := &b.endpoints[i]
		b.healths[e.UUID] = b.healthOf(e, missions)
		if b.healths[e.UUID].ill {
			ill++
		}
	}
	badge := page.SectionBadge{Role: theme.Bad}
	if ill > 0 {
		badge.Text = "!" + fmt.Sprint(ill)
	}
	b.SetBadge(action.GoWebhooks, badge)
}

// readMissions returns the data of all loaded missions.
func (b *endpointBook) readMissions() []webhooks.MissionFacts {
	known := b.Cache.Now().Missions
	missions := make([]webhooks.MissionFacts, len(known))
	for i, m := range known {
		missions[i] = b.knownMission(m)
	}
	return missions
}

func (b *endpointBook) healthOf(e *api.WebhookEndpoint, missions []webhooks.MissionFacts) *endpointHealth {
	h := &endpointHealth{ill: e.LastStatus != nil && *e.LastStatus == "failed"}
	l := b.logs[e.UUID]
	if l == nil || l.read.IsZero() {
		return h
	}
	if i := slices.IndexFunc(l.rows, func(d api.WebhookDelivery) bool { return !d.IsPending() }); i >= 0 {
		h.ill = !l.rows[i].Success
	}
	for i := range l.rows {
		row := &l.rows[i]
		switch outcomeOf(row) {
		case delivered:
			h.delivered++
		case pending:
			h.pending++
		case failed:
			h.failed++
		}
		h.entries = append(h.entries, logEntry{row: row})
	}
	of := webhooks.EndpointFacts{
		Events:   e.Events,
		Since:    e.CreatedAt.Time,
		Log:      l.rows,
		LogSince: l.since,
		Received: b.Feed.EventLog().EventsOf(e.UUID),
	}
	// Events after the log was loaded are not in it yet.
	for _, g := range webhooks.FindMissing(missions, &of, l.read) {
		if g.Kind == webhooks.NotLogged {
			h.gaps = append(h.gaps, g)
		}
	}
	h.ill = h.ill || len(h.gaps) > 0
	for i := range h.gaps {
		h.entries = append(h.entries, logEntry{gap: &h.gaps[i]})
	}
	slices.SortStableFunc(h.entries, func(x, y logEntry) int {
		if d := int(x.entryOutcome()) - int(y.entryOutcome()); d != 0 {
			return d
		}
		return y.entryTime().Compare(x.entryTime())
	})
	return h
}

// lastCallback returns the newest callback of an endpoint's log, or nil.
func (b *endpointBook) lastCallback(uuid string) *api.WebhookDelivery {
	if l := b.logs[uuid]; l != nil && len(l.rows) > 0 {
		return &l.rows[0]
	}
	return nil
}

// endpointName returns an endpoint's address without its scheme.
func endpointName(e *api.WebhookEndpoint) string {
	return strings.TrimSuffix(strings.TrimPrefix(layout.Clean(e.URL), "https://"), "/")
}

// endpointHost returns the endpoint's host, "" if the address has none.
func endpointHost(e *api.WebhookEndpoint) string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// subscribedEvents returns the names of the events an endpoint receives.
func subscribedEvents(e *api.WebhookEndpoint) string {
	n := 0
	for _, known := range api.EventNames() {
		if slices.Contains(e.Events, known) {
			n++
		}
	}
	if n == len(api.EventNames()) {
		return "all"
	}
	return fmt.Sprint(len(e.Events))
}

// renderStrip renders the results of the latest callbacks in at most w cells, newest on
// the right. Results differ in shape as well as in colour.
func renderStrip(th *theme.Theme, rows []api.WebhookDelivery, w int) string {
	var b strings.Builder
	rows = rows[:min(len(rows), max(0, w))]
	for i := range slices.Backward(rows) {
		switch outcomeOf(&rows[i]) {
		case delivered:
			b.WriteString(th.PaintRole(theme.Good, "▪"))
		case pending:
			b.WriteString(th.PaintRole(theme.Pending, "◌"))
		case failed:
			b.WriteString(th.PaintRole(theme.Bad, "✗"))
		}
	}
	return b.String()
}

// formatTime formats a time for tables: the clock for today, otherwise with the day.
func formatTime(at, now time.Time) string {
	if at.IsZero() {
		return format.None
	}
	at = at.In(now.Location())
	switch y, m, d := at.Date(); {
	case y == now.Year() && m == now.Month() && d == now.Day():
		return at.Format(time.TimeOnly)
	case y == now.Year():
		return at.Format("2 Jan 15:04")
	default:
		return at.Format("2 Jan 2006")
	}
}

// isRefused reports whether an error is due to a missing permission of the API key.
func isRefused(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Status == http.StatusForbidden && (e.Code == api.CodeMissingScope || e.Code == "")
}
