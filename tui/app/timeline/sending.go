package timeline

import (
	"context"
	"fmt"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// UndeliveredItem is a callback, or the notice that an order is complete, with what it
// takes to send it again.
type UndeliveredItem struct {
	UUID     string
	Event    api.EventName
	Order    string // its code, or its id where no more is known
	OrderUID string // of a notice
	To       string // the receiver's address; "" where that is not known
	Notice   string // how a completion notice is sent, and where to; "" for a callback
	Pending  bool
	Failed   bool
}

// CallbackSending returns a callback to an endpoint of an address.
func CallbackSending(d *api.WebhookDelivery, to string) UndeliveredItem {
	return UndeliveredItem{
		UUID:    d.UUID,
		Event:   d.Event,
		Order:   d.OrderCode,
		To:      to,
		Pending: d.IsPending(),
		Failed:  !d.Success && !d.IsPending(),
	}
}

// NoticeSending returns a completion notice of the order of a code.
func NoticeSending(n *api.CompletionNotice, order string) UndeliveredItem {
	return UndeliveredItem{
		UUID:     n.UUID,
		Event:    api.EventOrderCompleted,
		Order:    order,
		OrderUID: n.OrderUID,
		To:       n.Address,
		Notice:   NoticeWay(n),
		Pending:  n.IsPending(),
		Failed:   n.Failed(),
	}
}

// DescribeItem names it.
func (s *UndeliveredItem) DescribeItem() string {
	if s.Notice != "" {
		return strings.TrimSpace("completion notice of "+s.Order) + ", " + s.Notice
	}
	return strings.TrimSpace(labels.EventWord(s.Event).Label+" of "+s.Order) + ", ID " + s.UUID[:min(8, len(s.UUID))]
}

// ResendEffects says what follows when it is sent again.
func (s *UndeliveredItem) ResendEffects() string {
	if s.Notice != "" {
		return commands.ResendNotice().Effects
	}
	return commands.ResendCallback().Effects
}

// ResendItem sends it once more, under the same ID.
func (s *UndeliveredItem) ResendItem(ctx context.Context, ops *api.Ops) (err error) {
	if s.Notice != "" {
		_, err = commands.ResendNotice().Run(ctx, ops, s.UUID)
	} else {
		_, err = commands.ResendCallback().Run(ctx, ops, s.UUID)
	}
	return err
}

// CountFailed returns how many of what failed there are, in words.
func CountFailed(list []UndeliveredItem) string {
	notices := 0
	for i := range list {
		if list[i].Notice != "" {
			notices++
		}
	}
	switch n := len(list); notices {
	case 0:
		return format.Count(n, "failed callback", "failed callbacks")
	case n:
		return format.Count(n, "failed notice", "failed notices")
	default:
		return format.Count(n, "failure", "failed callbacks and notices")
	}
}

// UndeliveredOf returns the callback or notice of the entry of an id, nil for another entry.
func (f *SubjectFacts) UndeliveredOf(entry string) *UndeliveredItem {
	for i := range f.Endpoints {
		for j := range f.Endpoints[i].Log {
			if d := &f.Endpoints[i].Log[j]; CallbackID(d) == entry {
				s := CallbackSending(d, f.Endpoints[i].URL)
				return &s
			}
		}
	}
	for i := range f.Notices {
		if n := &f.Notices[i]; noticeID(n) == entry {
			s := NoticeSending(n, f.SubjectCode())
			return &s
		}
	}
	return nil
}

// UndeliveredItems returns the callbacks and notices of the subject that failed.
func (f *SubjectFacts) UndeliveredItems() []UndeliveredItem {
	return append(FailedCallbacks(f.Endpoints, f.IsAbout), FailedNotices(f.Notices, f.SubjectCode())...)
}

// FailedNotices returns those of the order of a code that failed.
func FailedNotices(notices []api.CompletionNotice, order string) (all []UndeliveredItem) {
	for i := range notices {
		if notices[i].Failed() {
			all = append(all, NoticeSending(&notices[i], order))
		}
	}
	return all
}

// FailedCallbacks returns the callbacks of endpoints that are about something and
// did not arrive.
func FailedCallbacks(endpoints []Endpoint, about func(*api.WebhookDelivery) bool) (all []UndeliveredItem) {
	for i := range endpoints {
		for j := range endpoints[i].Log {
			d := &endpoints[i].Log[j]
			if s := CallbackSending(d, endpoints[i].URL); s.Failed && about(d) {
				all = append(all, s)
			}
		}
	}
	return all
}

// NoticeOutcome says what became of a completion notice, and how that is shown.
func NoticeOutcome(n *api.CompletionNotice) (text, glyph string, role labels.Tone) {
	text, glyph, role = DeliveryOutcome(
		&api.WebhookDelivery{Success: n.Success, ResponseCode: &n.ResponseCode, Attempts: &n.Attempts, Error: n.Error},
	)
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
