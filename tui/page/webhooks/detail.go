package webhooks

import (
	"fmt"
	"slices"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// labelWidth is the width of the labels in details.
const labelWidth = 11

// fact is a line of a detail: what it is, and what it says.
func fact(th *theme.Theme, label, value string, w int) string {
	return factIn(th, theme.Text, label, value, w)
}

func factIn(th *theme.Theme, role theme.Role, label, value string, w int) string {
	return widget.FactLine(th, labelWidth, w, widget.Fact{Label: label, Value: value, Role: role})
}

// wrapped is a fact over as many lines as it takes.
func wrapped(th *theme.Theme, role theme.Role, label, value string, w int) []string {
	return widget.WrapFacts(th, labelWidth, w, widget.Fact{Label: label, Value: value, Role: role})
}

// detail is how an endpoint fares.
func (p *List) detail(e *api.WebhookEndpoint, w, h int) (lines []string) {
	th, now := p.Theme, p.Now()
	lines = append(lines, layout.Cut(" "+layout.Text(th.Title, name(e)), w))
	if e.Description != "" {
		lines = append(lines, layout.Cut(layout.Text(th.Style(theme.Muted), " "+e.Description), w))
	}
	lines = append(lines, "")
	lines = append(lines, p.fares(e, w)...)
	lines = append(lines, "")
	lines = append(lines, wrapped(th, theme.Text, "Events", labels.List(e.Events, labels.Event), w)...)
	lines = append(lines,
		fact(th, "Status", labels.Endpoint(e.Status).Label, w), fact(th, "Registered", format.Moment(e.CreatedAt.Time, now), w), fact(th, "ID", e.UUID, w))
	lines = append(lines, p.secret(e, w)...)
	lines = append(lines, widget.FactLines(th, labelWidth, w, widget.Facts(columns.Unknown(e.Extra))...)...)
	if rest := h - len(lines) - 2; rest > 1 {
		lines = append(lines, p.trouble(e, w, rest)...)
	}
	return lines
}

// fares is how the last callbacks ended.
func (p *List) fares(e *api.WebhookEndpoint, w int) []string {
	th := p.Theme
	l, h := p.book.logs[e.UUID], p.book.healths[e.UUID]
	switch {
	case l != nil && l.err != nil && l.read.IsZero():
		return page.Problem(th, l.err, "", "r", w)
	case l == nil || h == nil:
		return []string{layout.Text(th.Style(theme.Muted), " ░░░░░░░░░░░░░░░░░░░░"), layout.Text(th.Style(theme.Muted), " ░░░░░░░░░")}
	case len(l.rows) == 0 && len(h.gaps) == 0:
		return []string{layout.Text(th.Style(theme.Muted), " No callbacks yet.")}
	}
	of := len(l.rows) - h.pending
	share := format.None
	if of > 0 {
		share = fmt.Sprintf("%d%%", h.delivered*100/of)
	}
	text := share + " delivered of " + format.Count(of, "callback", "callbacks")
	if !l.since.IsZero() {
		text += " since " + format.Day(l.since, p.Now())
	}
	lines := []string{layout.Cut(" "+strip(th, l.rows, w-2), w), layout.Cut(layout.Text(th.Style(theme.Text), " "+text), w)}
	if n := len(h.gaps); n > 0 {
		lines = append(lines, layout.Cut(layout.Text(th.Style(theme.Bad), " ! "+format.Count(n, "missing callback", "missing callbacks")), w))
	}
	return lines
}

// secret says whether what comes from the endpoint can be verified here.
func (p *List) secret(e *api.WebhookEndpoint, w int) []string {
	if p.Secrets.Known(e.UUID) {
		return wrapped(p.Theme, theme.Good, "Secret", "✓ stored; this app can verify callbacks", w)
	}
	return wrapped(p.Theme, theme.Muted, "Secret", "not stored on this machine", w)
}

// trouble is the newest of what did not get there.
func (p *List) trouble(e *api.WebhookEndpoint, w, h int) []string {
	health := p.book.healths[e.UUID]
	if health == nil {
		return nil
	}
	th, now := p.Theme, p.Now()
	n := slices.IndexFunc(health.entries, func(e entry) bool { return e.outcome() != failed })
	if n < 0 {
		n = len(health.entries)
	}
	if n == 0 {
		return nil
	}
	lines := []string{"", layout.Cut(" "+layout.Text(th.Title, "Failed callbacks")+layout.Text(th.Style(theme.Muted), fmt.Sprintf("  %d, newest first", n)), w)}
	for _, x := range health.entries[:min(n, h-1)] {
		mark, why := "!", "missing"
		if x.row != nil {
			mark, why = "✗", reason(x.row)
		}
		lines = append(lines, layout.Cut(" "+layout.Text(th.Style(theme.Bad), mark)+" "+layout.Text(th.Style(theme.Muted), layout.Left(when(x.at(), now), 12))+" "+
			layout.Text(th.Style(theme.Text), layout.Left(labels.Event(x.event()).Label, 17))+layout.Text(th.Style(theme.Muted), "  "+why), w))
	}
	return lines
}

// reason says in short why a callback did not get there.
func reason(d *api.WebhookDelivery) string {
	switch {
	case d.Error != nil && *d.Error != "":
		return *d.Error
	case d.ResponseCode != nil && *d.ResponseCode > 0:
		return fmt.Sprintf("HTTP %d", *d.ResponseCode)
	default:
		return "no reason given"
	}
}
