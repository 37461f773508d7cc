package timeline

import (
	"fmt"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
)

// NoticeOutcome says what became of a completion notice, and how that is shown.
func NoticeOutcome(n *api.CompletionNotice) (text, glyph string, role labels.Tone) {
	text, glyph, role = Outcome(&api.WebhookDelivery{Success: n.Success, ResponseCode: &n.ResponseCode, Attempts: &n.Attempts, Error: n.Error})
	if n.IsEmail() && n.Success {
		text = "sent" // whether it arrived no mail server says
	}
	return text, glyph, role
}

// NoticeWay is how a completion notice is sent, and where to.
func NoticeWay(n *api.CompletionNotice) string {
	if n.IsEmail() {
		return "e-mail to " + n.Address
	}
	return n.Channel + " to " + Where(n.Address)
}

// notices tells how the client was told that the order is complete.
func (t *teller) notices() {
	for i := range t.facts.Notices {
		n := &t.facts.Notices[i]
		text, glyph, role := NoticeOutcome(n)
		if !n.Pending() && n.Attempts != 1 {
			text = later(text)
		}
		code := "none"
		if n.ResponseCode > 0 {
			code = fmt.Sprint(n.ResponseCode)
		}
		t.add(Entry{
			ID: noticeID(n), At: n.CreatedAt.Time, Source: FromNotice, Glyph: glyph, Role: role, About: t.code(),
			What: fmt.Sprintf("Completion notice: %s, %s", text, NoticeWay(n)),
			Fields: []Field{
				{"event", string(api.EventOrderCompleted)},
				{"by", n.Channel},
				{"to", n.Address},
				{"notice id", n.UUID},
				{"created", t.full(n.CreatedAt.Time)},
				{"response", code},
				{"attempts", fmt.Sprint(n.Attempts)},
				{"error", value(n.Error)},
			},
		})
	}
}

// noticeID is the id of the entry of a completion notice.
func noticeID(n *api.CompletionNotice) string { return "notice " + n.UUID }

// noticeVerdicts say which completion notices the client did not get.
func noticeVerdicts(notices []api.CompletionNotice) (all []Verdict) {
	for i := range notices {
		if n := &notices[i]; n.Failed() {
			all = append(all, Verdict{labels.Bad, fmt.Sprintf("completion notice by %s failed", NoticeWay(n))})
		}
	}
	return all
}
