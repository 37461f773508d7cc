package timeline

import (
	"fmt"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
)

// NoticeOutcome says what became of a completion notice, and how that is shown.
func NoticeOutcome(n *api.CompletionNotice) (text, glyph string, role labels.Tone) {
	text, glyph, role = DeliveryOutcome(&api.WebhookDelivery{Success: n.Success, ResponseCode: &n.ResponseCode, Attempts: &n.Attempts, Error: n.Error})
	if n.IsEmail() && n.Success {
		text = "sent" // whether it arrived no mail server says
	}
	return text, glyph, role
}

// NoticeWay returns how a completion notice is sent, and where to.
func NoticeWay(n *api.CompletionNotice) string {
	if n.IsEmail() {
		return "e-mail to " + n.Address
	}
	return n.Channel + " to " + ShortAddress(n.Address)
}

// tellNotices tells how the client was told that the order is complete.
func (t *entryBuilder) tellNotices() {
	for i := range t.facts.Notices {
		n := &t.facts.Notices[i]
		text, glyph, role := NoticeOutcome(n)
		if !n.IsPending() && n.Attempts != 1 {
			text = withUnknownTime(text)
		}
		code := "none"
		if n.ResponseCode > 0 {
			code = fmt.Sprint(n.ResponseCode)
		}
		t.addEntry(TimelineEntry{
			ID: noticeID(n), At: n.CreatedAt.Time, Source: FromNotice, Glyph: glyph, Role: role, About: t.orderCode(),
			What: fmt.Sprintf("Completion notice: %s, %s", text, NoticeWay(n)),
			Fields: []EntryField{
				{"event", string(api.EventOrderCompleted)},
				{"by", n.Channel},
				{"to", n.Address},
				{"notice id", n.UUID},
				{"created", t.fullTime(n.CreatedAt.Time)},
				{"response", code},
				{"attempts", fmt.Sprint(n.Attempts)},
				{"error", textOrEmpty(n.Error)},
			},
		})
	}
}

// noticeID returns the id of the entry of a completion notice.
func noticeID(n *api.CompletionNotice) string { return "notice " + n.UUID }

// noticeVerdicts say which completion notices the client did not get.
func noticeVerdicts(notices []api.CompletionNotice) (all []DeliveryVerdict) {
	for i := range notices {
		if n := &notices[i]; n.Failed() {
			all = append(all, DeliveryVerdict{labels.Bad, fmt.Sprintf("completion notice by %s failed", NoticeWay(n))})
		}
	}
	return all
}
