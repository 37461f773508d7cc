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

// renderDetail renders all details of an entry.
func (p *EndpointPage) renderDetail(e *logEntry, w int) []string {
	th := p.Theme
	head := labels.EventWord(e.entryEvent())
	lines := []string{layout.CutLine(" "+th.PaintTitle(head.Label)+th.PaintMuted("  "+string(e.entryEvent())), w)}
	if e.gap != nil {
		return append(lines, p.renderGap(e.gap, w)...)
	}
	d := e.row
	lines = append(lines, p.renderOutcome(d, w)...)
	lines = append(lines, p.renderAttemptCount(d, w)...)
	lines = append(lines, p.renderAbout(e, w)...)
	lines = append(lines, p.renderReceipt(d, w)...)
	lines = append(lines, renderFact(th, "ID", d.UUID, w))
	lines = append(lines, p.renderEvidence(d, w)...)
	return append(lines, widget.WrapFacts(th, labelWidth, w, widget.Facts(columns.UnknownMembers(d.Extra))...)...)
}

// renderAbout renders the mission of an entry, and when its row was created.
func (p *EndpointPage) renderAbout(e *logEntry, w int) []string {
	th, now := p.Theme, p.Now()
	code := p.missionCode(e)
	if m := p.book.findMission(e.entryMission()); m != nil {
		code += "  " + m.MissionName
	}
	created := ""
	if !e.entryTime().IsZero() {
		created = e.entryTime().In(now.Location()).Format("Mon 2 Jan 2006 15:04:05 -07:00")
	}
	return []string{
		renderFact(th, "Mission", code, w),
		renderFact(th, "Order", p.orderCode(e), w),
		renderFact(th, "Created", created, w),
	}
}

// renderOutcome renders the result of a callback and advice on failures.
func (p *EndpointPage) renderOutcome(d *api.WebhookDelivery, w int) []string {
	th := p.Theme
	switch outcomeOf(d) {
	case delivered:
		return []string{factIn(th, theme.Good, "Result", "✓ Delivered, "+lastAnswer(d), w)}
	case pending:
		return append([]string{factIn(th, theme.Pending, "Result", "◌ Sending", w)}, p.lastError(d, w)...)
	default:
		lines := []string{factIn(th, theme.Bad, "Result", "✗ Failed, "+lastAnswer(d), w)}
		if d.Error != nil && *d.Error != "" {
			lines = append(lines, renderWrapped(th, theme.Text, "Reason", *d.Error, w)...)
		}
		if advice := adviseOn(d); advice != "" {
			lines = append(lines, renderWrapped(th, theme.Muted, "", advice, w)...)
		}
		return lines
	}
}

// lastError renders the last error of a pending callback.
func (p *EndpointPage) lastError(d *api.WebhookDelivery, w int) []string {
	if h := p.callbackHistory(d); h != nil && len(h.Attempts) > 0 {
		return renderWrapped(p.Theme, theme.Text, "Last error", attemptResult(&h.Attempts[len(h.Attempts)-1]), w)
	}
	return nil
}

// lastAnswer returns the receiver's last answer.
func lastAnswer(d *api.WebhookDelivery) string {
	if d.ResponseCode == nil || *d.ResponseCode == 0 {
		return "no response"
	}
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", *d.ResponseCode, http.StatusText(*d.ResponseCode)))
}

// adviseOn returns what an answer commonly means, and what to check.
func adviseOn(d *api.WebhookDelivery) string {
	code := 0
	if d.ResponseCode != nil {
		code = *d.ResponseCode
	}
	switch {
	case code >= 200 && code < 300:
		return "The receiver accepted it, but the service counts it as failed. Give its support the ID below."
	case code >= 300 && code < 400:
		return "Redirects are not followed. Register the final URL."
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return "Receiver rejected it: wrong secret, or a login in front of it. Press V to check the signature."
	case code == http.StatusNotFound || code == http.StatusGone || code == http.StatusMethodNotAllowed:
		return "Nothing accepts callbacks at this URL. Check its path, and that the receiver accepts POST."
	case code == http.StatusTooManyRequests:
		return "The receiver is overloaded."
	case code >= 500:
		return "The receiver failed. Check its log."
	case code >= 400:
		return "The receiver rejected the request. Check its log."
	}
	return ""
}

// attemptCount returns the number of attempts, 0 if unknown.
func attemptCount(d *api.WebhookDelivery) int {
	if d.Attempts == nil {
		return 0
	}
	return *d.Attempts
}

// renderAttemptCount renders the number of attempts, and each attempt if the service
// lists them.
func (p *EndpointPage) renderAttemptCount(d *api.WebhookDelivery, w int) []string {
	n := attemptCount(d)
	if n <= 0 {
		return nil
	}
	lines := []string{renderFact(p.Theme, "Attempts", fmt.Sprint(n), w)}
	if h := p.callbackHistory(d); h != nil {
		lines = append(lines, p.renderAttempts(h, w)...)
	}
	return lines
}

// renderReceipt renders whether this app received the callback.
func (p *EndpointPage) renderReceipt(d *api.WebhookDelivery, w int) []string {
	h, ok := p.Feed.EventLog().EventByID(d.UUID)
	if !ok {
		return []string{factIn(p.Theme, theme.Muted, "App", "not received", w)}
	}
	text := "✓ received and verified, " + format.Moment(h.At, p.Now())
	if h.Repeats > 0 {
		text += ", " + format.Count(h.Repeats, "duplicate", "duplicates") + " ignored"
	}
	return []string{factIn(p.Theme, theme.Good, "App", text, w)}
}

// renderGap describes a missing callback and the evidence for it.
func (p *EndpointPage) renderGap(g *webhooks.MissingCallback, w int) []string {
	th := p.Theme
	var lines []string
	lines = append(lines, th.PaintLines(theme.Text, " ", g.DescribeGap(p.Now()), w-2)...)
	known, role := "Certain: log rows name missions", theme.Text
	if g.Probable {
		known, role = "Probable: log rows name no missions", theme.Attention
	}
	lines = append(lines, "",
		factIn(th, theme.Good, "Source", "✓ "+g.Source, w),
		factIn(th, theme.Bad, "Log", "✗ not in the log", w),
		factIn(th, theme.Muted, "App", "not received", w))
	lines = append(append(lines, renderWrapped(th, role, "Evidence", known, w)...), "")
	const advice = "The service did not send this event, or its log is incomplete. Contact the service's support."
	lines = append(lines, th.PaintLines(theme.Muted, " ", advice, w-2)...)
	return append(lines, " "+th.PaintHint("y", "copy summary"))
}

// describeEntry returns a summary of an entry to send to someone else.
func (p *EndpointPage) describeEntry(e *logEntry) string {
	if e.gap != nil {
		return e.gap.DescribeGap(p.Now())
	}
	d := e.row
	outcome := "was delivered, " + lastAnswer(d)
	switch outcomeOf(d) {
	case delivered:
	case pending:
		outcome = "is still being sent"
	case failed:
		outcome = "was not delivered"
		if d.Attempts != nil && *d.Attempts > 0 {
			outcome += " after " + format.Count(*d.Attempts, "attempt", "attempts")
		}
		outcome += ": " + lastAnswer(d)
		if why := failureReason(d); d.ResponseCode == nil || *d.ResponseCode == 0 {
			outcome += ", " + why
		}
	}
	who := strings.TrimSpace(p.orderCode(e) + " " + p.missionCode(e))
	return layout.Clean(
		fmt.Sprintf(
			"%s: the callback for %s created %s to %s %s (ID %s).",
			who,
			d.Event,
			format.Moment(e.entryTime(), p.Now()),
			endpointName(p.shownEndpoint()),
			outcome,
			d.UUID,
		),
	)
}
