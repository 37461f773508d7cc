package webhooks

import (
	"fmt"
	"net/http"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// detail is an entry in full.
func (p *Endpoint) detail(e *entry, w int) []string {
	th := p.Theme
	head := labels.Event(e.event())
	lines := []string{layout.Cut(" "+layout.Text(th.Title, head.Label)+layout.Text(th.Style(theme.Muted), "  "+string(e.event())), w)}
	if e.gap != nil {
		return append(lines, p.gap(e.gap, w)...)
	}
	d := e.row
	lines = append(lines, p.outcome(d, w)...)
	lines = append(lines, p.tries(d, w)...)
	lines = append(lines, p.about(e, w)...)
	lines = append(lines, p.receivedHere(d, w)...)
	lines = append(lines, fact(th, "Id", d.UUID, w))
	lines = append(lines, p.evidence(d, w)...)
	return append(lines, widget.WrapFacts(th, labelWidth, w, widget.Facts(columns.Unknown(d.Extra))...)...)
}

// about is which mission an entry is about, and when its row was created.
func (p *Endpoint) about(e *entry, w int) []string {
	th, now := p.Theme, p.Now()
	code := p.missionCode(e)
	if m := p.book.find(e.mission()); m != nil {
		code += "  " + m.MissionName
	}
	created := ""
	if !e.at().IsZero() {
		created = e.at().In(now.Location()).Format("Mon 2 Jan 2006 15:04:05 -07:00")
	}
	return []string{fact(th, "Mission", code, w), fact(th, "Order", p.orderCode(e), w), fact(th, "Created", created, w)}
}

// outcome is how it ended, and what may be done about it.
func (p *Endpoint) outcome(d *api.WebhookDelivery, w int) []string {
	th := p.Theme
	switch outcomeOf(d) {
	case delivered:
		return []string{factIn(th, theme.Good, "Result", "✓ delivered, "+answered(d), w)}
	case pending:
		return append([]string{factIn(th, theme.Pending, "Result", "◌ sending", w)}, p.lastError(d, w)...)
	default:
		lines := []string{factIn(th, theme.Bad, "Result", "✗ not delivered, "+answered(d), w)}
		if d.Error != nil && *d.Error != "" {
			lines = append(lines, wrapped(th, theme.Text, "Reason", *d.Error, w)...)
		}
		if advice := advise(d); advice != "" {
			lines = append(lines, wrapped(th, theme.Muted, "", advice, w)...)
		}
		return lines
	}
}

// lastError is what the last attempt of a pending callback came to.
func (p *Endpoint) lastError(d *api.WebhookDelivery, w int) []string {
	if h := p.history(d); h != nil && len(h.Attempts) > 0 {
		return wrapped(p.Theme, theme.Text, "Last error", cameOf(&h.Attempts[len(h.Attempts)-1]), w)
	}
	return nil
}

// answered is what the receiver answered last.
func answered(d *api.WebhookDelivery) string {
	if d.ResponseCode == nil || *d.ResponseCode == 0 {
		return "no response"
	}
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", *d.ResponseCode, http.StatusText(*d.ResponseCode)))
}

// advise says what an answer commonly means, and what to look at.
func advise(d *api.WebhookDelivery) string {
	code := 0
	if d.ResponseCode != nil {
		code = *d.ResponseCode
	}
	switch {
	case code >= 200 && code < 300:
		return "The receiver said yes, but the service counts it as failed: ask its support with the id below."
	case code >= 300 && code < 400:
		return "Redirects are not followed: register the address that it leads to."
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return "The receiver does not take it: another secret, or something before it that wants a login. i looks at the signature."
	case code == http.StatusNotFound || code == http.StatusGone || code == http.StatusMethodNotAllowed:
		return "Nothing takes callbacks at this address: look at its path, and whether the receiver takes POST."
	case code == http.StatusTooManyRequests:
		return "The receiver has too much to do."
	case code >= 500:
		return "The receiver has a fault of its own; its log tells more."
	case code >= 400:
		return "The receiver takes no request like this; its log tells more."
	}
	return ""
}

// tries is how often a callback was tried, 0 where that is not known.
func tries(d *api.WebhookDelivery) int {
	if d.Attempts == nil {
		return 0
	}
	return *d.Attempts
}

// tries is how often it was tried, as the row says; when, and what came of those
// before the last, it does not.
func (p *Endpoint) tries(d *api.WebhookDelivery, w int) []string {
	n := tries(d)
	if n <= 0 {
		return nil
	}
	lines := []string{fact(p.Theme, "Tries", format.Count(n, "try", "tries"), w)}
	if h := p.history(d); h != nil {
		lines = append(lines, p.attempts(h, w)...)
	}
	return lines
}

// receivedHere says whether the app received it itself.
func (p *Endpoint) receivedHere(d *api.WebhookDelivery, w int) []string {
	h, ok := p.Feed.Log().Get(d.UUID)
	if !ok {
		return []string{factIn(p.Theme, theme.Muted, "Here", "not received by this app", w)}
	}
	text := "✓ received and verified, " + format.Moment(h.At, p.Now())
	if h.Repeats > 0 {
		text += ", " + format.Count(h.Repeats, "repeat", "repeats") + " dropped"
	}
	return []string{factIn(p.Theme, theme.Good, "Here", text, w)}
}

// gap names what is missing in a sentence, and where it is known from.
func (p *Endpoint) gap(g *webhooks.Missing, w int) []string {
	th := p.Theme
	var lines []string
	for _, part := range layout.Wrap(g.Text(p.Now()), w-2) {
		lines = append(lines, " "+layout.Text(th.Style(theme.Text), part))
	}
	known, role := "certain: rows name their missions", theme.Text
	if g.Probable {
		known, role = "probable: rows name no missions", theme.Attention
	}
	lines = append(lines, "",
		factIn(th, theme.Good, "Known from", "✓ "+g.Source, w),
		factIn(th, theme.Bad, "Log", "✗ no row about it", w),
		factIn(th, theme.Muted, "Here", "not received by this app", w))
	lines = append(append(lines, wrapped(th, role, "This is", known, w)...), "")
	for _, part := range layout.Wrap("The service has not sent it, or its log has lost it. Its support can look into it.", w-2) {
		lines = append(lines, " "+layout.Text(th.Style(theme.Muted), part))
	}
	return append(lines, " "+layout.Text(th.Key, "c")+layout.Text(th.Style(theme.Muted), " copies the sentence"))
}

// sentence says what is known of an entry, for somebody who has to be told.
func (p *Endpoint) sentence(e *entry) string {
	if e.gap != nil {
		return e.gap.Text(p.Now())
	}
	d := e.row
	outcome := "was delivered, " + answered(d)
	switch outcomeOf(d) {
	case delivered:
	case pending:
		outcome = "is still being sent"
	case failed:
		outcome = "was not delivered"
		if d.Attempts != nil && *d.Attempts > 0 {
			outcome += " after " + format.Count(*d.Attempts, "try", "tries")
		}
		outcome += ": " + answered(d)
		if why := reason(d); d.ResponseCode == nil || *d.ResponseCode == 0 {
			outcome += ", " + why
		}
	}
	who := strings.TrimSpace(p.orderCode(e) + " " + p.missionCode(e))
	return layout.Clean(fmt.Sprintf("%s: the callback %s created %s to %s %s (delivery %s).", who, d.Event, format.Moment(e.at(), p.Now()), name(p.endpoint()), outcome, d.UUID))
}
