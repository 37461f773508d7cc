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

// labelWidth is the width of field labels.
const labelWidth = 11

// renderFact renders a label and its value in one line.
func renderFact(th *theme.Theme, label, value string, w int) string {
	return factIn(th, theme.Text, label, value, w)
}

func factIn(th *theme.Theme, role theme.Role, label, value string, w int) string {
	return widget.FactLine(th, labelWidth, w, widget.Fact{Label: label, Value: value, Role: role})
}

// renderWrapped renders a label and its value, wrapped.
func renderWrapped(th *theme.Theme, role theme.Role, label, value string, w int) []string {
	return widget.WrapFacts(th, labelWidth, w, widget.Fact{Label: label, Value: value, Role: role})
}

// renderDetail renders an endpoint and its health.
func (p *EndpointList) renderDetail(e *api.WebhookEndpoint, w, h int) (lines []string) {
	th, now := p.Theme, p.Now()
	lines = append(lines, layout.CutLine(" "+th.PaintTitle(endpointName(e)), w))
	if e.Description != "" {
		lines = append(lines, layout.CutLine(th.PaintMuted(" "+e.Description), w))
	}
	lines = append(lines, "")
	lines = append(lines, p.renderHealth(e, w)...)
	lines = append(lines, "")
	lines = append(lines, renderWrapped(th, theme.Text, "Events", labels.WordList(e.Events, labels.EventWord), w)...)
	lines = append(
		lines,
		renderFact(
			th,
			"Status",
			labels.EndpointWord(e.Status).Label,
			w,
		),
		renderFact(th, "Registered", format.Moment(e.CreatedAt.Time, now), w),
		renderFact(th, "ID", e.UUID, w),
	)
	lines = append(lines, p.renderSecret(e, w)...)
	lines = append(lines, widget.FactLines(th, labelWidth, w, widget.Facts(columns.UnknownMembers(e.Extra))...)...)
	if rest := h - len(lines) - 2; rest > 1 {
		lines = append(lines, p.renderTrouble(e, w, rest)...)
	}
	return lines
}

// renderHealth renders the results of the latest callbacks.
func (p *EndpointList) renderHealth(e *api.WebhookEndpoint, w int) []string {
	th := p.Theme
	l, h := p.book.logs[e.UUID], p.book.healths[e.UUID]
	switch {
	case l != nil && l.err != nil && l.read.IsZero():
		return page.RenderProblem(th, l.err, "", "r", w)
	case l == nil || h == nil:
		return []string{th.PaintMuted(" ░░░░░░░░░░░░░░░░░░░░"), th.PaintMuted(" ░░░░░░░░░")}
	case len(l.rows) == 0 && len(h.gaps) == 0:
		return []string{th.PaintMuted(" No callbacks yet.")}
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
	lines := []string{layout.CutLine(" "+renderStrip(th, l.rows, w-2), w), layout.CutLine(th.PaintText(" "+text), w)}
	if n := len(h.gaps); n > 0 {
		lines = append(
			lines,
			layout.CutLine(th.PaintRole(theme.Bad, " ! "+format.Count(n, "missing callback", "missing callbacks")), w),
		)
	}
	return lines
}

// renderSecret renders whether this app can verify the endpoint's callbacks.
func (p *EndpointList) renderSecret(e *api.WebhookEndpoint, w int) []string {
	if p.Secrets.IsKnown(e.UUID) {
		return renderWrapped(p.Theme, theme.Good, "Secret", "✓ stored; this app can verify callbacks", w)
	}
	return renderWrapped(p.Theme, theme.Muted, "Secret", "not stored on this machine", w)
}

// renderTrouble renders the newest callbacks that failed or are missing.
func (p *EndpointList) renderTrouble(e *api.WebhookEndpoint, w, h int) []string {
	health := p.book.healths[e.UUID]
	if health == nil {
		return nil
	}
	th, now := p.Theme, p.Now()
	n := slices.IndexFunc(health.entries, func(e logEntry) bool { return e.entryOutcome() != failed })
	if n < 0 {
		n = len(health.entries)
	}
	if n == 0 {
		return nil
	}
	lines := []string{
		"",
		layout.CutLine(" "+th.PaintTitle("Failed callbacks")+th.PaintMuted(fmt.Sprintf("  %d, newest first", n)), w),
	}
	for _, x := range health.entries[:min(n, h-1)] {
		mark, why := "!", "missing"
		if x.row != nil {
			mark, why = "✗", failureReason(x.row)
		}
		at := layout.FitLeft(formatTime(x.entryTime(), now), 12)
		event := layout.FitLeft(labels.EventWord(x.entryEvent()).Label, 17)
		line := " " + th.PaintRole(theme.Bad, mark) + " " + th.PaintMuted(at) + " " + th.PaintText(event)
		lines = append(lines, layout.CutLine(line+th.PaintMuted("  "+why), w))
	}
	return lines
}

// failureReason returns in a few words why a callback failed.
func failureReason(d *api.WebhookDelivery) string {
	switch {
	case d.Error != nil && *d.Error != "":
		return *d.Error
	case d.ResponseCode != nil && *d.ResponseCode > 0:
		return fmt.Sprintf("HTTP %d", *d.ResponseCode)
	default:
		return "no reason given"
	}
}
