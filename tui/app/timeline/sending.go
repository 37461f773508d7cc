package timeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

// UndeliveredItem is a callback, or the notice that an order is complete as a row of an
// endpoint's log, with what it takes to send it again.
type UndeliveredItem struct {
	api.WebhookDelivery

	OrderUID string // of a notice
	To       string // the receiver's address; "" where that is not known
	Notice   string // how a completion notice is sent, and where to; "" for a callback
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
	return UndeliveredItem{WebhookDelivery: *d, To: to}
}

// NoticeSending returns a completion notice of the order of a code.
func NoticeSending(n *ops.CompletionNotice, order string) UndeliveredItem {
	return UndeliveredItem{OrderUID: n.OrderUID, To: n.Address, Notice: NoticeWay(n), WebhookDelivery: api.WebhookDelivery{
		UUID: n.UUID, Event: api.EventOrderCompleted, OrderCode: order, CreatedAt: n.CreatedAt,
		Success: n.Success, ResponseCode: &n.ResponseCode, Attempts: &n.Attempts, Error: n.Error,
	}}
}

// Failed reports whether all attempts failed.
func (s *UndeliveredItem) Failed() bool {
	return columns.CallbackStatus(&s.WebhookDelivery) == columns.CallbackFailed
}

// DescribeItem names it.
func (s *UndeliveredItem) DescribeItem() string {
	if s.Notice != "" {
		return strings.TrimSpace("completion notice of "+s.OrderCode) + ", " + s.Notice
	}
	return strings.TrimSpace(format.Word(s.Event).Label+" of "+s.OrderCode) + ", ID " + ShortID(s.UUID)
}

// ResendEffects says what follows when it is sent again.
func (s *UndeliveredItem) ResendEffects() string {
	if s.Notice != "" {
		return commands.ResendNotice().Effects
	}
	return commands.ResendCallback().Effects
}

// ResendItem sends it once more, under the same ID. It is then as the service has it.
func (s *UndeliveredItem) ResendItem(ctx context.Context, desk *ops.Client) error {
	target := commands.Target{Context: ctx, Client: desk, ID: s.UUID, OrderUID: s.OrderUID}
	resend := commands.ResendCallback()
	if s.Notice != "" {
		resend = commands.ResendNotice()
	}
	done, err := resend.Run(target)
	if err != nil {
		return err
	}
	switch answer := done.Value.(type) {
	case *ops.CompletionNotice:
		*s = NoticeSending(answer, s.OrderCode)
	case *api.WebhookDelivery:
		s.WebhookDelivery = *answer
	}
	return nil
}

// RereadItem reads how far it is.
func (s *UndeliveredItem) RereadItem(ctx context.Context, desk *ops.Client) error {
	if s.Notice == "" {
		h, err := desk.Webhooks.History(ctx, s.UUID)
		if err == nil {
			s.WebhookDelivery = h.Delivery
		}
		return err
	}
	page, err := desk.Orders.Notifications(ctx, s.OrderUID, api.ListOptions{Limit: api.MaxPageLimit})
	if err != nil {
		return err
	}
	for i := range page.Items {
		if n := &page.Items[i]; n.UUID == s.UUID {
			*s = NoticeSending(n, s.OrderCode)
		}
	}
	return nil
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

// CountUndelivered returns the number of items in words: of failures, or of callbacks and
// notices whatever became of them.
func CountUndelivered(list []UndeliveredItem, all bool) string {
	if !all {
		return CountFailed(list)
	}
	hasNotice := slices.ContainsFunc(list, func(s UndeliveredItem) bool { return s.Notice != "" })
	if hasNotice {
		return format.Count(len(list), "callback or notice", "callbacks and notices")
	}
	return format.Count(len(list), "callback")
}

// SelectItems returns the callbacks and notices of the subject that are wanted.
func (f *SubjectFacts) SelectItems(isWanted func(*UndeliveredItem) bool) (all []UndeliveredItem) {
	add := func(item UndeliveredItem) {
		if isWanted(&item) {
			all = append(all, item)
		}
	}
	for _, e := range f.Endpoints {
		for i := range e.Log {
			if f.IsAbout(&e.Log[i]) {
				add(CallbackSending(&e.Log[i], e.URL))
			}
		}
	}
	for i := range f.Notices {
		add(NoticeSending(&f.Notices[i], f.SubjectCode()))
	}
	return all
}

// UndeliveredItems returns the callbacks and notices of the subject that failed.
func (f *SubjectFacts) UndeliveredItems() []UndeliveredItem {
	var all []UndeliveredItem
	for _, e := range f.Endpoints {
		all = append(all, e.FailedCallbacks(f.IsAbout)...)
	}
	return append(all, FailedNotices(f.Notices, f.SubjectCode())...)
}

// FailedNotices returns those of the order of a code that failed.
func FailedNotices(notices []ops.CompletionNotice, order string) []UndeliveredItem {
	var all []UndeliveredItem
	for i := range notices {
		if s := NoticeSending(&notices[i], order); s.Failed() {
			all = append(all, s)
		}
	}
	return all
}

// FailedCallbacks returns the callbacks to an endpoint that are about something, or with
// nil all, and did not arrive.
func (e *Endpoint) FailedCallbacks(about func(*api.WebhookDelivery) bool) []UndeliveredItem {
	var all []UndeliveredItem
	for i := range e.Log {
		if s := CallbackSending(&e.Log[i], e.URL); s.Failed() && (about == nil || about(&e.Log[i])) {
			all = append(all, s)
		}
	}
	return all
}

// DeliveryOutcome says how a row of a log ended, and how that is shown.
func DeliveryOutcome(d *api.WebhookDelivery) (text, glyph string, role format.Tone) {
	tries := ""
	code := format.ValueOf(d.ResponseCode)
	if n := format.ValueOf(d.Attempts); n > 1 {
		tries = fmt.Sprintf(", %d attempts", n)
	}
	answered := ""
	if code > 0 {
		answered = fmt.Sprintf(", answered %d", code)
	}
	switch columns.CallbackStatus(d) {
	case columns.CallbackDelivered:
		return "delivered" + answered + tries, "✓", format.Good
	case columns.CallbackSending:
		return "being sent" + tries, "◌", format.Pending
	}
	if answered == "" {
		answered = ", " + cmp.Or(format.ValueOf(d.Error), "no response")
	}
	return "failed" + answered + tries, "✗", format.Bad
}

// NoticeOutcome says what became of a completion notice, and how that is shown.
func NoticeOutcome(n *ops.CompletionNotice) (text, glyph string, role format.Tone) {
	s := NoticeSending(n, "")
	text, glyph, role = DeliveryOutcome(&s.WebhookDelivery)
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
func DeliveryVerdicts(f *SubjectFacts, entries []TimelineEntry) []DeliveryVerdict {
	var all []DeliveryVerdict
	if f.EndpointsErr != nil || f.Order == nil {
		return nil
	}
	for _, s := range FailedNotices(f.Notices, "") {
		all = append(all, DeliveryVerdict{format.Bad, "completion notice by " + s.Notice + " failed"})
	}
	if len(f.Endpoints) == 0 {
		return append(all, DeliveryVerdict{format.Attention, "no endpoints registered; no events are sent"})
	}
	say := func(role format.Tone, one, several string, count func(*Endpoint) int) {
		if text := f.sayOfEndpoints(one, several, count); text != "" {
			all = append(all, DeliveryVerdict{role, text})
		}
	}
	among := func(source EntrySource, failed bool) func(*Endpoint) int {
		return func(e *Endpoint) int {
			return e.countEntries(entries, func(x *TimelineEntry) bool { return x.Source == source && x.Failed == failed })
		}
	}
	say(format.Bad, "missing callback", "missing callbacks", among(FromGap, true))
	say(format.Bad, "callback failed", "callbacks failed", among(FromCallback, true))
	say(format.Attention,
		"probably missing callback",
		"probably missing callbacks",
		among(FromGap, false))
	var happened []*MissingCallback
	for _, m := range f.Missions {
		happened = append(happened, expectedEvents(m)...)
	}
	for _, name := range api.EventNames() {
		say(format.Attention, "not subscribed to "+format.Word(name).Label, "", func(e *Endpoint) int {
			if e.isFor(name) || !slices.ContainsFunc(happened, func(h *MissingCallback) bool { return h.Event == name }) {
				return 0
			}
			return 1
		})
	}
	say(format.Attention, "event before registration", "events before registration", func(e *Endpoint) int {
		before := func(h *MissingCallback) bool { return h.To.Before(e.CreatedAt.Time) }
		return len(happened) - len(slices.DeleteFunc(slices.Clone(happened), before))
	})
	return all
}

// countEntries counts those of the entries about an endpoint that match.
func (e *Endpoint) countEntries(entries []TimelineEntry, matches func(*TimelineEntry) bool) int {
	var n int
	for i := range entries {
		if x := &entries[i]; x.Endpoint == e.UUID && matches(x) {
			n++
		}
	}
	return n
}

// sayOfEndpoints says what is counted at endpoints, and at which; "" for nothing. Without a word
// for several it says no number.
func (f *SubjectFacts) sayOfEndpoints(one, several string, count func(*Endpoint) int) string {
	sum := 0
	names := []string(nil)
	for _, e := range f.Endpoints {
		if n := count(e); n > 0 {
			names = append(names, ShortAddress(e.URL))
			sum = sum + n
		}
	}
	if several != "" {
		one = format.Count(sum, one, several)
	}
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0] + ": " + one
	default:
		return format.Count(n, "endpoint") + ": " + one + " (" + strings.Join(names, ", ") + ")"
	}
}

// CallbackID returns the id of the entry of a callback.
func CallbackID(d *api.WebhookDelivery) string { return string(FromCallback) + " " + d.UUID }

// MissingID returns the id of the entry of an event that an endpoint was not sent.
func MissingID(endpoint string, g *MissingCallback) string {
	return string(FromGap) + " " + endpoint + " " + g.GapID()
}
