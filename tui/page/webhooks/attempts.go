package webhooks

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// renderAttempts returns the tries that the service kept of a callback, and when the next
// one is due.
func (p *EndpointPage) renderAttempts(h *api.CallbackHistory, w int) (lines []string) {
	th, zone := p.Theme, p.Now().Location()
	var resent time.Time
	for i := range h.Attempts {
		a := &h.Attempts[i]
		if at := a.ResentAt.Time; !at.IsZero() && !at.Equal(resent) {
			resent = at
			lines = append(lines, renderFact(th, "Resent", "by "+a.ResentBy+", "+at.In(zone).Format("2 Jan 2006 15:04:05"), w))
		}
		glyph, role := "✓", theme.Good
		if a.Error != nil {
			glyph, role = "✗", theme.Bad
		}
		lines = append(lines, renderWrapped(th, role, fmt.Sprint("Attempt ", a.Number),
			fmt.Sprintf("%s %s, %d ms: %s", glyph, a.SentAt.In(zone).Format("2 Jan 2006 15:04:05"), a.DurationMillis, cameOf(a)), w)...)
	}
	if next := h.NextAttemptAt.Time; !next.IsZero() {
		lines = append(lines, factIn(th, theme.Pending, "Next", next.In(zone).Format("2 Jan 2006 15:04:05"), w))
	}
	return lines
}

// renderEvidence returns what was sent last, and how its answer begins.
func (p *EndpointPage) renderEvidence(d *api.WebhookDelivery, w int) (lines []string) {
	th, h := p.Theme, p.callbackHistory(d)
	if h == nil || len(h.Attempts) == 0 {
		return nil
	}
	last := &h.Attempts[len(h.Attempts)-1]
	for _, name := range slices.Sorted(maps.Keys(last.Headers)) {
		lines = append(lines, renderWrapped(th, theme.Muted, "Header", name+": "+last.Headers[name], w)...)
	}
	if answer := strings.TrimSpace(last.Answer); answer != "" {
		lines = append(lines, renderWrapped(th, theme.Text, "Answer", layout.Clean(answer), w)...)
	}
	return append(lines, renderWrapped(th, theme.Text, "Body", last.Body, w)...)
}

// cameOf returns what came of an attempt.
func cameOf(a *api.CallbackAttempt) string {
	switch {
	case a.ResponseCode != 0:
		return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", a.ResponseCode, http.StatusText(a.ResponseCode)))
	case a.Error != nil:
		return *a.Error
	}
	return "delivered"
}
