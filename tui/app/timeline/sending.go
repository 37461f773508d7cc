package timeline

import (
	"context"
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/commands"
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

// Undelivered is what can be sent again: what is selected, nil for nothing, and all
// failures of what is named.
type Undelivered struct {
	Selected *UndeliveredItem
	Failures []UndeliveredItem
	Of       string
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
func NoticeSending(n *ops.CompletionNotice, order string) UndeliveredItem {
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
	return strings.TrimSpace(format.Word(s.Event).Label+" of "+s.Order) + ", ID " + s.UUID[:min(8, len(s.UUID))]
}

// ResendEffects says what follows when it is sent again.
func (s *UndeliveredItem) ResendEffects() string {
	if s.Notice != "" {
		return commands.ResendNotice().Effects
	}
	return commands.ResendCallback().Effects
}

// ResendItem sends it once more, under the same ID.
func (s *UndeliveredItem) ResendItem(ctx context.Context, ops *ops.Client) (err error) {
	if s.Notice != "" {
		_, err = ops.Orders.ResendNotification(ctx, s.UUID)
	} else {
		_, err = ops.Webhooks.Resend(ctx, s.UUID)
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
		return format.Count(n, "failed callback")
	case n:
		return format.Count(n, "failed notice")
	default:
		return format.Count(n, "failure", "failed callbacks and notices")
	}
}

// UndeliveredItems returns the callbacks and notices of the subject that failed.
func (f *SubjectFacts) UndeliveredItems() []UndeliveredItem {
	return append(FailedCallbacks(f.Endpoints, f.IsAbout), FailedNotices(f.Notices, f.SubjectCode())...)
}

// FailedNotices returns those of the order of a code that failed.
func FailedNotices(notices []ops.CompletionNotice, order string) (all []UndeliveredItem) {
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

// noticeDelivery returns a completion notice as a row of an endpoint's log is.
func noticeDelivery(n *ops.CompletionNotice) api.WebhookDelivery {
	return api.WebhookDelivery{
		UUID: n.UUID, Event: api.EventOrderCompleted, CreatedAt: n.CreatedAt,
		Success: n.Success, ResponseCode: &n.ResponseCode, Attempts: &n.Attempts, Error: n.Error,
	}
}

// NoticeOutcome says what became of a completion notice, and how that is shown.
func NoticeOutcome(n *ops.CompletionNotice) (text, glyph string, role format.Tone) {
	d := noticeDelivery(n)
	text, glyph, role = DeliveryOutcome(&d)
	if n.IsEmail() && n.Success {
		text = "sent" // whether it arrived no mail server says
	}
	return text, glyph, role
}

// NoticeWay returns how a completion notice is sent, and where to.
func NoticeWay(n *ops.CompletionNotice) string {
	if n.IsEmail() {
		return "e-mail to " + n.Address
	}
	return n.Channel + " to " + ShortAddress(n.Address)
}

// DeliveryVerdict is what is wrong about who was told, in a sentence.
type DeliveryVerdict struct {
	Role format.Tone
	Text string
}

// MarshalText returns the sentence.
func (v DeliveryVerdict) MarshalText() ([]byte, error) { return []byte(v.Text), nil }

// DeliveryVerdicts say what is wrong about who was told of what happened, the worst
// first: those who did not get a notice or a callback, nobody to tell, events that an
// endpoint does not get. Endpoints of which the same is to be said share a verdict. None
// is that nothing is known to be wrong.
func DeliveryVerdicts(f *SubjectFacts, entries []TimelineEntry) (all []DeliveryVerdict) {
	if f.EndpointsErr != nil || f.Order == nil {
		return nil
	}
	for i := range f.Notices {
		if n := &f.Notices[i]; n.Failed() {
			all = append(all, DeliveryVerdict{format.Bad, "completion notice by " + NoticeWay(n) + " failed"})
		}
	}
	if len(f.Endpoints) == 0 {
		return append(all, DeliveryVerdict{format.Attention, "no endpoints registered; no events are sent"})
	}
	say := func(role format.Tone, one, many string, count func(*Endpoint) int) {
		if text := f.sayOfEndpoints(one, many, count); text != "" {
			all = append(all, DeliveryVerdict{role, text})
		}
	}
	among := func(source EntrySource, failed bool) func(*Endpoint) int {
		return func(e *Endpoint) (n int) {
			for i := range entries {
				if x := &entries[i]; x.Endpoint == e.UUID && x.Source == source && x.Failed == failed {
					n++
				}
			}
			return n
		}
	}
	say(format.Bad, "missing callback", "missing callbacks", among(FromGap, true))
	say(format.Bad, "callback failed", "callbacks failed", among(FromCallback, true))
	say(
		format.Attention,
		"probably missing callback",
		"probably missing callbacks",
		among(FromGap, false),
	)
	for _, name := range happenedEvents(f) {
		missed := "not subscribed to " + format.Word(name).Label
		say(format.Attention, missed, missed, func(e *Endpoint) int {
			if len(e.Events) == 0 || slices.Contains(e.Events, name) {
				return 0
			}
			return 1
		})
	}
	say(
		format.Attention,
		"event before it was registered",
		"events before it was registered",
		f.countBefore,
	)
	return all
}

// sayOfEndpoints says what is counted at endpoints, and at which; "" for nothing. One text for any
// number says no number.
func (f *SubjectFacts) sayOfEndpoints(one, many string, count func(*Endpoint) int) string {
	var names []string
	sum := 0
	for i := range f.Endpoints {
		if n := count(&f.Endpoints[i]); n > 0 {
			names, sum = append(names, ShortAddress(f.Endpoints[i].URL)), sum+n
		}
	}
	what := one
	if one != many {
		what = format.Count(sum, one, many)
	}
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0] + ": " + what
	default:
		return format.Count(n, "endpoint") + ": " + what + " (" + strings.Join(names, ", ") + ")"
	}
}

// CallbackID returns the id of the entry of a callback.
func CallbackID(d *api.WebhookDelivery) string { return string(FromCallback) + " " + d.UUID }

// MissingID returns the id of the entry of an event that an endpoint was not sent.
func MissingID(endpoint string, g *MissingCallback) string {
	return string(FromGap) + " " + endpoint + " " + g.GapID()
}

// happenedEvents returns the events that there were by the missions' states.
func happenedEvents(f *SubjectFacts) []api.EventName {
	var names []api.EventName
	for i := range f.Missions {
		m := &f.Missions[i]
		if len(m.Planning) > 0 {
			names = append(names, api.EventFlightScheduled)
		}
		if len(m.Packages) > 0 {
			names = append(names, api.EventDataDelivered)
		}
		if m.Status == api.MissionCompleted {
			names = append(names, api.EventMissionCompleted)
		}
		if textOrEmpty(m.OperatorName) != "" {
			names = append(names, api.EventOperatorAssigned)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// countBefore counts what happened before an endpoint was there.
func (f *SubjectFacts) countBefore(e *Endpoint) (n int) {
	count := func(at api.Time) {
		if at.Before(e.CreatedAt.Time) {
			n++
		}
	}
	for i := range f.Missions {
		for _, p := range f.Missions[i].Planning {
			count(p.CreatedAt)
		}
		for _, p := range f.Missions[i].Packages {
			count(p.CreatedAt)
		}
	}
	return n
}
