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

// health is how an endpoint fares.
type health struct {
	delivered, failed, pending int
	gaps                       []webhooks.Missing
	entries                    []entry // failures first
	ill                        bool    // the last callback did not get there, or there are gaps
}

// entry is a row of the log, or a gap in it.
type entry struct {
	row *api.WebhookDelivery // nil for a gap
	gap *webhooks.Missing
}

func (e *entry) id() string {
	if e.row != nil {
		return e.row.UUID
	}
	return "gap " + e.gap.ID()
}

func (e *entry) at() time.Time {
	if e.row != nil {
		return e.row.CreatedAt.Time
	}
	return e.gap.To
}

func (e *entry) event() api.EventName {
	if e.row != nil {
		return e.row.Event
	}
	return e.gap.Event
}

func (e *entry) mission() string {
	if e.row != nil {
		return e.row.MissionUID
	}
	return e.gap.Mission.UUID
}

// outcome is what became of a callback.
type outcome int

const (
	failed outcome = iota // also a gap
	pending
	delivered
)

func outcomeOf(d *api.WebhookDelivery) outcome {
	switch {
	case d.Success:
		return delivered
	case d.Pending():
		return pending
	default:
		return failed
	}
}

func (e *entry) outcome() outcome {
	if e.row == nil {
		return failed
	}
	return outcomeOf(e.row)
}

// judge works out how all endpoints fare, and shows how many fail behind the
// section.
func (b *book) judge() {
	missions := b.missions()
	clear(b.healths)
	ill := 0
	for i := range b.endpoints {
		e := &b.endpoints[i]
		b.healths[e.UUID] = b.healthOf(e, missions)
		if b.healths[e.UUID].ill {
			ill++
		}
	}
	badge := page.Badge{Role: theme.Bad}
	if ill > 0 {
		badge.Text = "!" + fmt.Sprint(ill)
	}
	b.SetBadge(action.GoWebhooks, badge)
}

// missions are those that were read so far.
func (b *book) missions() []webhooks.MissionFacts {
	known := b.Cache.Now().Missions
	missions := make([]webhooks.MissionFacts, len(known))
	for i, m := range known {
		missions[i] = b.mission(m)
	}
	return missions
}

func (b *book) healthOf(e *api.WebhookEndpoint, missions []webhooks.MissionFacts) *health {
	h := &health{ill: e.LastStatus != nil && *e.LastStatus == "failed"}
	l := b.logs[e.UUID]
	if l == nil || l.read.IsZero() {
		return h
	}
	if i := slices.IndexFunc(l.rows, func(d api.WebhookDelivery) bool { return !d.Pending() }); i >= 0 {
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
		h.entries = append(h.entries, entry{row: row})
	}
	of := webhooks.EndpointFacts{Events: e.Events, Since: e.CreatedAt.Time, Log: l.rows, LogSince: l.since, Received: b.Feed.Log().Of(e.UUID)}
	// What happened after the log was read is not in it yet.
	for _, g := range webhooks.FindMissing(missions, &of, l.read) {
		if g.Kind == webhooks.NotLogged {
			h.gaps = append(h.gaps, g)
		}
	}
	h.ill = h.ill || len(h.gaps) > 0
	for i := range h.gaps {
		h.entries = append(h.entries, entry{gap: &h.gaps[i]})
	}
	slices.SortStableFunc(h.entries, func(x, y entry) int {
		if d := int(x.outcome()) - int(y.outcome()); d != 0 {
			return d
		}
		return y.at().Compare(x.at())
	})
	return h
}

// last is the newest callback of an endpoint's log, nil for none.
func (b *book) last(uuid string) *api.WebhookDelivery {
	if l := b.logs[uuid]; l != nil && len(l.rows) > 0 {
		return &l.rows[0]
	}
	return nil
}

// name is an endpoint's address as it is read: without its scheme.
func name(e *api.WebhookEndpoint) string {
	return strings.TrimSuffix(strings.TrimPrefix(layout.Clean(e.URL), "https://"), "/")
}

// host is the endpoint's host, "" where its address has none.
func host(e *api.WebhookEndpoint) string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// subscribed says which events an endpoint gets.
func subscribed(e *api.WebhookEndpoint) string {
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

// strip is how the last callbacks ended, the newest at the right, in at most w
// cells: shapes as well as colours.
func strip(th *theme.Theme, rows []api.WebhookDelivery, w int) string {
	var b strings.Builder
	rows = rows[:min(len(rows), max(0, w))]
	for i := range slices.Backward(rows) {
		switch outcomeOf(&rows[i]) {
		case delivered:
			b.WriteString(layout.Text(th.Style(theme.Good), "▪"))
		case pending:
			b.WriteString(layout.Text(th.Style(theme.Pending), "◌"))
		case failed:
			b.WriteString(layout.Text(th.Style(theme.Bad), "✗"))
		}
	}
	return b.String()
}

// when is a time as the tables show it: the clock of today, else the day, too.
func when(at, now time.Time) string {
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

// refused tells whether an error is that the key may not do it.
func refused(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Status == http.StatusForbidden && (e.Code == api.CodeMissingScope || e.Code == "")
}
