package timeline

import (
	"context"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// Sending is a callback, or the notice that an order is complete, with what it
// takes to send it again.
type Sending struct {
	UUID     string
	Event    api.EventName
	Order    string // its code, or its id where no more is known
	OrderUID string // of a notice
	To       string // the receiver's address; "" where that is not known
	Notice   string // how a completion notice is sent, and where to; "" for a callback
	Pending  bool
	Failed   bool
}

// CallbackSending is a callback to an endpoint of an address.
func CallbackSending(d *api.WebhookDelivery, to string) Sending {
	return Sending{UUID: d.UUID, Event: d.Event, Order: d.OrderCode, To: to, Pending: d.Pending(), Failed: !d.Success && !d.Pending()}
}

// NoticeSending is a completion notice of the order of a code.
func NoticeSending(n *api.CompletionNotice, order string) Sending {
	return Sending{
		UUID: n.UUID, Event: api.EventOrderCompleted, Order: order, OrderUID: n.OrderUID, To: n.Address, Notice: NoticeWay(n),
		Pending: n.Pending(), Failed: n.Failed(),
	}
}

// Describe names it.
func (s *Sending) Describe() string {
	if s.Notice != "" {
		return strings.TrimSpace("completion notice of "+s.Order) + ", " + s.Notice
	}
	return strings.TrimSpace(labels.Event(s.Event).Label+" of "+s.Order) + ", ID " + s.UUID[:min(8, len(s.UUID))]
}

// Effects says what follows when it is sent again.
func (s *Sending) Effects() string {
	if s.Notice != "" {
		return commands.ResendNotice().Effects
	}
	return commands.ResendCallback().Effects
}

// Resend sends it once more, under the same ID.
func (s *Sending) Resend(ctx context.Context, ops *api.Ops) (err error) {
	if s.Notice != "" {
		_, err = commands.ResendNotice().Run(ctx, ops, s.UUID)
	} else {
		_, err = commands.ResendCallback().Run(ctx, ops, s.UUID)
	}
	return err
}

// CountFailed is how many of what failed there are, in words.
func CountFailed(list []Sending) string {
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

// Sending is the callback or notice of the entry of an id, nil for another entry.
func (f *Facts) Sending(entry string) *Sending {
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
			s := NoticeSending(n, f.Code())
			return &s
		}
	}
	return nil
}

// Failures are the callbacks and notices of the subject that failed.
func (f *Facts) Failures() []Sending {
	return append(FailedCallbacks(f.Endpoints, f.About), FailedNotices(f.Notices, f.Code())...)
}

// FailedNotices are those of the order of a code that failed.
func FailedNotices(notices []api.CompletionNotice, order string) (all []Sending) {
	for i := range notices {
		if notices[i].Failed() {
			all = append(all, NoticeSending(&notices[i], order))
		}
	}
	return all
}

// FailedCallbacks are the callbacks of endpoints that are about something and
// did not arrive.
func FailedCallbacks(endpoints []Endpoint, about func(*api.WebhookDelivery) bool) (all []Sending) {
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
