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

// UndeliveredItem is a callback or a completion notice that can be sent again. The fields of a notice are
// stored in the embedded callback.
type UndeliveredItem struct {
	api.WebhookDelivery

	OrderUID string // only for a notice
	To       string // URL or email address; "" if unknown
	Notice   string // channel and receiver of a notice; "" for a callback
}

// Undelivered is what the user can send again: the selected item, and all failed items about a subject.
type Undelivered struct {
	Selected *UndeliveredItem // nil if nothing is selected
	Failures []UndeliveredItem
	Of       string // name of the subject
	Unknown  string // why there may be more failures, such as a log that could not be loaded, or ""
}

// CallbackSending returns a callback as an item to send again. to is the URL of its endpoint.
func CallbackSending(d *api.WebhookDelivery, to string) UndeliveredItem {
	return UndeliveredItem{WebhookDelivery: *d, To: to}
}

// NoticeSending returns a completion notice as an item to send again. order is the code of its order.
func NoticeSending(n *ops.CompletionNotice, order string) UndeliveredItem {
	delivery := api.WebhookDelivery{
		UUID: n.UUID, Event: api.EventOrderCompleted, OrderCode: order, CreatedAt: n.CreatedAt,
		Success: n.Success, ResponseCode: &n.ResponseCode, Attempts: &n.Attempts, Error: n.Error,
	}
	return UndeliveredItem{WebhookDelivery: delivery, OrderUID: n.OrderUID, To: n.Address, Notice: NoticeWay(n)}
}

// Failed reports whether the service has given up sending the item after failed attempts.
func (s *UndeliveredItem) Failed() bool {
	return columns.CallbackStatus(&s.WebhookDelivery) == columns.CallbackFailed
}

// DescribeItem returns a text about the item with the code of its order, such as "Data delivered of ORD-1,
// ID 01234567".
func (s *UndeliveredItem) DescribeItem() string {
	if s.Notice != "" {
		return strings.TrimSpace("completion notice of "+s.OrderCode) + ", " + s.Notice
	}
	return strings.TrimSpace(format.Word(s.Event).Label+" of "+s.OrderCode) + ", ID " + ShortID(s.UUID)
}

// ResendEffects returns a text that explains to the user what sending the item again does.
func (s *UndeliveredItem) ResendEffects() string {
	if s.Notice != "" {
		return commands.ResendNotice().Effects
	}
	return commands.ResendCallback().Effects
}

// ResendItem sends the item again with the same ID, and updates the item from the response. target says
// with which client; its ID is set by ResendItem.
func (s *UndeliveredItem) ResendItem(target commands.Target) error {
	target.ID = s.UUID
	target.OrderUID = s.OrderUID
	resend := commands.ResendCallback()
	if s.Notice != "" {
		resend = commands.ResendNotice()
	}
	done, err := resend.Run(target)
	if err != nil {
		return err
	}
	switch response := done.Value.(type) {
	case *ops.CompletionNotice:
		*s = NoticeSending(response, s.OrderCode)
	case *api.WebhookDelivery:
		s.WebhookDelivery = *response
	}
	return nil
}

// RereadItem updates the item with its current state on the service.
func (s *UndeliveredItem) RereadItem(ctx context.Context, client *ops.Client) error {
	if s.Notice == "" {
		h, err := client.Webhooks.History(ctx, s.UUID)
		if err != nil {
			return err
		}
		s.WebhookDelivery = h.Delivery
		return nil
	}
	page, err := client.Orders.Notifications(ctx, s.OrderUID, api.ListOptions{Limit: api.MaxPageLimit})
	if err != nil {
		return err
	}
	for i := range page.Items {
		n := &page.Items[i]
		if n.UUID == s.UUID {
			*s = NoticeSending(n, s.OrderCode)
			return nil
		}
	}
	return nil
}

// CountFailed returns the number of failed items as text, such as "2 failed callbacks" or "1 failed
// notice".
func CountFailed(list []UndeliveredItem) string {
	notices := 0
	for i := range list {
		if list[i].Notice != "" {
			notices++
		}
	}
	if notices == 0 {
		return format.Count(len(list), "failed callback")
	}
	if notices == len(list) {
		return format.Count(len(list), "failed notice")
	}
	return format.Count(len(list), "failure", "failed callbacks and notices")
}

// CountUndelivered returns the number of items as text. If all is true, the items need not have failed,
// and the text is such as "2 callbacks". Otherwise it is the text of [CountFailed].
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

// SelectItems returns the callbacks and notices of the subject for which isWanted returns true.
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

// UndeliveredItems returns the failed callbacks and notices of the subject.
func (f *SubjectFacts) UndeliveredItems() []UndeliveredItem {
	var all []UndeliveredItem
	for _, e := range f.Endpoints {
		all = append(all, e.FailedCallbacks(f.IsAbout)...)
	}
	return append(all, FailedNotices(f.Notices, f.SubjectCode())...)
}

// FailedNotices returns the failed notices of the order with the given code.
func FailedNotices(notices []ops.CompletionNotice, order string) []UndeliveredItem {
	var all []UndeliveredItem
	for i := range notices {
		item := NoticeSending(&notices[i], order)
		if item.Failed() {
			all = append(all, item)
		}
	}
	return all
}

// FailedCallbacks returns the failed callbacks to the endpoint. If isIncluded is not nil, it returns only
// callbacks for which isIncluded returns true.
func (e *Endpoint) FailedCallbacks(isIncluded func(*api.WebhookDelivery) bool) []UndeliveredItem {
	var all []UndeliveredItem
	for i := range e.Log {
		item := CallbackSending(&e.Log[i], e.URL)
		isWanted := isIncluded == nil || isIncluded(&e.Log[i])
		if isWanted && item.Failed() {
			all = append(all, item)
		}
	}
	return all
}

// DeliveryOutcome returns the result of a callback as text, glyph and tone.
func DeliveryOutcome(d *api.WebhookDelivery) (text, glyph string, role format.Tone) {
	switch columns.CallbackStatus(d) {
	case columns.CallbackDelivered:
		return joinParts("delivered", answerOf(d), attemptsOf(d)), "✓", format.Good
	case columns.CallbackSending:
		return joinParts("being sent", attemptsOf(d)), "◌", format.Pending
	}
	return joinParts("failed", FailureCause(d), attemptsOf(d)), "✗", format.Bad
}

// answerOf returns the HTTP status of the response to a callback, such as "answered 200", or "" if there
// was no response.
func answerOf(d *api.WebhookDelivery) string {
	code := format.ValueOf(d.ResponseCode)
	if code <= 0 {
		return ""
	}
	return fmt.Sprintf("answered %d", code)
}

// attemptsOf returns the number of attempts to send a callback, such as "4 attempts", or "" if it is not more than 1.
func attemptsOf(d *api.WebhookDelivery) string {
	attempts := format.ValueOf(d.Attempts)
	if attempts <= 1 {
		return ""
	}
	return fmt.Sprintf("%d attempts", attempts)
}

// ShortOutcome returns the result of a callback in a few words, such as "answered 200" or "unknown host name".
func ShortOutcome(d *api.WebhookDelivery) string {
	switch columns.CallbackStatus(d) {
	case columns.CallbackDelivered:
		return cmp.Or(answerOf(d), "delivered")
	case columns.CallbackSending:
		return "being sent"
	}
	cause, _, _ := strings.Cut(FailureCause(d), " within ") // "no response within 5 s"
	return cause
}

// describeCallback returns a text with an event and the result of its callback, such as "Data delivered:
// answered 200". For a delivered callback it names only the response, which implies the delivery.
func describeCallback(event string, d *api.WebhookDelivery) string {
	answer := answerOf(d)
	if answer != "" && columns.CallbackStatus(d) == columns.CallbackDelivered {
		return event + ": " + joinParts(answer, attemptsOf(d))
	}
	text, _, _ := DeliveryOutcome(d)
	return event + ": " + text
}

// FailureCause returns why a failed callback failed, such as "answered 503" or "unknown host name".
func FailureCause(d *api.WebhookDelivery) string {
	return cmp.Or(answerOf(d), format.ValueOf(d.Error), "no response")
}

// NoticeOutcome returns the result of a completion notice as text, glyph and tone.
func NoticeOutcome(n *ops.CompletionNotice) (text, glyph string, role format.Tone) {
	s := NoticeSending(n, "")
	text, glyph, role = DeliveryOutcome(&s.WebhookDelivery)
	if n.IsEmail() && n.Success {
		text = "sent" // mail servers do not confirm that it was delivered
	}
	return text, glyph, role
}

// NoticeWay returns how and to whom a completion notice was sent, such as "e-mail to a@acme.example".
func NoticeWay(n *ops.CompletionNotice) string {
	if n.IsEmail() {
		return "e-mail to " + n.Address
	}
	return n.Channel + " to " + ShortAddress(n.Address)
}

// DeliveryVerdict is a sentence about a problem with callbacks or notices, such as "2 missing callbacks:
// hooks.acme.example".
type DeliveryVerdict struct {
	Role  format.Tone
	Text  string
	Brief string // Text with short names of the endpoints, for screens
}

// MarshalText returns the sentence.
func (v DeliveryVerdict) MarshalText() ([]byte, error) { return []byte(v.Text), nil }

// DeliveryVerdicts returns the problems with the delivery of events, worst first: failed notices, missing
// and failed callbacks, no endpoints, and events that an endpoint does not receive. Endpoints with the
// same problem share a verdict. The result is empty if no problem is known. entries are the entries of the
// timeline.
func DeliveryVerdicts(f *SubjectFacts, entries []TimelineEntry) []DeliveryVerdict {
	if f.EndpointsErr != nil || f.Order == nil {
		return nil
	}
	var verdicts []DeliveryVerdict
	for _, notice := range FailedNotices(f.Notices, "") {
		text := "completion notice by " + notice.Notice + " failed"
		verdicts = append(verdicts, DeliveryVerdict{Role: format.Bad, Text: text, Brief: text})
	}
	if len(f.Endpoints) == 0 {
		const text = "no endpoints registered; no events are sent"
		return append(verdicts, DeliveryVerdict{Role: format.Attention, Text: text, Brief: text})
	}
	verdicts = append(verdicts, f.callbackVerdicts(entries)...)
	return append(verdicts, f.eventVerdicts()...)
}

// callbackVerdicts returns the verdicts on missing and failed callbacks. entries are the entries of the
// timeline.
func (f *SubjectFacts) callbackVerdicts(entries []TimelineEntry) []DeliveryVerdict {
	isMissing := func(x *TimelineEntry) bool { return x.Source == FromMissing && x.Failed }
	isProbablyMissing := func(x *TimelineEntry) bool { return x.Source == FromMissing && !x.Failed }
	isFailed := func(x *TimelineEntry) bool { return x.Source == FromCallback && x.Failed }
	missing := countByEndpoint(entries, isMissing)
	failed := countByEndpoint(entries, isFailed)
	probablyMissing := countByEndpoint(entries, isProbablyMissing)
	return slices.Concat(
		f.verdict(format.Bad, "missing callback", "missing callbacks", missing),
		f.verdict(format.Bad, "callback failed", "callbacks failed", failed),
		f.verdict(format.Attention, "probably missing callback", "probably missing callbacks", probablyMissing),
	)
}

// eventVerdicts returns the verdicts on events that an endpoint does not receive: it is not
// subscribed to them, or they happened before it was registered.
func (f *SubjectFacts) eventVerdicts() []DeliveryVerdict {
	var events []*MissingCallback
	for _, m := range f.Missions {
		events = append(events, expectedEvents(m)...)
	}
	early := f.verdict(format.Attention, "event before registration", "events before registration",
		f.countEarly(events))
	return append(f.subscriptionVerdicts(events), early...)
}

// subscriptionVerdicts returns a verdict for each endpoint that is not subscribed to some of the events.
func (f *SubjectFacts) subscriptionVerdicts(events []*MissingCallback) []DeliveryVerdict {
	var verdicts []DeliveryVerdict
	for _, e := range f.Endpoints {
		var labels []string
		for _, name := range api.EventNames() {
			isExpected := slices.ContainsFunc(events, func(event *MissingCallback) bool { return event.Event == name })
			if isExpected && !e.isFor(name) {
				labels = append(labels, format.Word(name).Label)
			}
		}
		if len(labels) > 0 {
			problem := "not subscribed to " + strings.Join(labels, ", ")
			verdicts = append(verdicts, f.verdict(format.Attention, problem, "", map[string]int{e.UUID: 1})...)
		}
	}
	return verdicts
}

// countEarly counts, for each endpoint, the events that happened before it was registered. The result has
// the counts by the UUID of the endpoint.
func (f *SubjectFacts) countEarly(events []*MissingCallback) map[string]int {
	counts := map[string]int{}
	for _, e := range f.Endpoints {
		for _, event := range events {
			if event.To.Before(e.CreatedAt.Time) {
				counts[e.UUID]++
			}
		}
	}
	return counts
}

// countByEndpoint counts, for each endpoint, the entries for which matches returns true. The result has
// the counts by the UUID of the endpoint.
func countByEndpoint(entries []TimelineEntry, matches func(*TimelineEntry) bool) map[string]int {
	counts := map[string]int{}
	for i := range entries {
		if matches(&entries[i]) {
			counts[entries[i].Endpoint]++
		}
	}
	return counts
}

// verdict returns a verdict that names the endpoints with a problem, or nil if no endpoint has it. counts
// is the number of problems by the UUID of the endpoint. singular and plural are the names of the problem.
// If plural is "", the verdict does not say how many problems there are.
func (f *SubjectFacts) verdict(role format.Tone, singular, plural string, counts map[string]int) []DeliveryVerdict {
	sum := 0
	shortNameOf := ShortNames(f.Endpoints)
	var addresses, names []string
	for _, e := range f.Endpoints {
		if counts[e.UUID] > 0 {
			addresses = append(addresses, ShortAddress(e.URL))
			names = append(names, shortNameOf[e.UUID])
			sum += counts[e.UUID]
		}
	}
	if sum == 0 {
		return nil
	}
	problem := singular
	if plural != "" {
		problem = format.Count(sum, singular, plural)
	}
	return []DeliveryVerdict{{
		Role:  role,
		Text:  problem + ": " + strings.Join(addresses, ", "),
		Brief: problem + ": " + strings.Join(names, ", "),
	}}
}

// CallbackID returns the ID of the timeline entry for a callback.
func CallbackID(d *api.WebhookDelivery) string { return string(FromCallback) + " " + d.UUID }

// PackageID returns the ID of the timeline entry for a delivery package.
func PackageID(p *api.DeliveryPackage) string { return string(FromDelivery) + " " + p.UUID }

// MissingID returns the ID of the timeline entry for a missing callback.
func MissingID(endpoint string, g *MissingCallback) string {
	return string(FromMissing) + " " + endpoint + " " + g.Key()
}
