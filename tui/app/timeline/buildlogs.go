package timeline

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// addQuotes adds entries for the quotes of the order: when each was issued, and when it was decided or
// expires. The times of issue and decision are known only with the operations key. addSentChanges adds the
// decisions that were sent from this machine.
func (t *entryBuilder) addQuotes() {
	r := t.facts.Record
	if r == nil {
		return
	}
	if o := t.facts.Order; o != nil && o.Status == api.OrderArchived {
		r = quoting.CloseArchived(r)
	}
	decidedHere := map[string]bool{}
	for _, e := range t.facts.SentChanges {
		decidedHere[e.Quote.ID] = true
	}
	set := quoting.NewSet(t.now, r)
	for _, o := range slices.Concat(set.Open, set.Decided) {
		t.addQuote(r, o, decidedHere[o.QuoteID])
	}
}

// addQuote adds the entries for a quote: that it was issued, and that it was decided or expires. If
// isDecidedHere is true, it leaves out the decision, because addSentChanges adds it from the log of this
// machine.
func (t *entryBuilder) addQuote(r *api.OrderRecord, o *quoting.Offer, isDecidedHere bool) {
	listed := columns.ListedQuote{
		OrderID: t.order,
		Status:  o.Status,
		Expired: columns.IsQuoteExpired(&o.Quote, o.Status, t.now),
		Quote:   o.Quote,
	}
	facts := factsOf(t, columns.Quotes(t.clock), &listed)
	t.addIssue(o, facts)
	isDecided := o.Status != api.QuoteOpen
	if isDecided && isDecidedHere {
		return
	}
	isExpired := format.ValueOf(listed.Expired)
	label := format.QuoteLabel(o.Status, isExpired)
	var end quoteEnd
	if isDecided {
		reason, decidedAt := t.describeDecided(r, o)
		end = quoteEnd{at: decidedAt, state: strings.ToLower(label.Label), reason: reason}
	} else {
		end = expiryOf(o, isExpired)
	}
	role := label.Role
	if role == format.Bad { // a rejected or expired quote is not a failure
		role = format.Muted
	}
	t.add(TimelineEntry{
		Source: FromQuote,
		ID:     o.QuoteID,
		At:     end.at,
		Glyph:  label.Glyph,
		Role:   role,
		About:  t.order,
		Brief:  cmp.Or(o.QuoteName, o.QuoteID) + " " + end.state,
		Detail: joinParts(quotePrice(o), end.reason),
	}, facts, "Description", o.Description)
}

// quoteEnd says how a quote ends: when and how it was decided, or when it expires.
type quoteEnd struct {
	at     time.Time // zero if unknown
	state  string    // such as "accepted" or "expires"
	reason string    // such as "not decided", or ""
}

// expiryOf returns when a quote without a decision expires or has expired.
func expiryOf(o *quoting.Offer, isExpired bool) quoteEnd {
	at := o.ExpiryDate.Time
	if isExpired {
		return quoteEnd{at: at, state: "expired", reason: "not decided"}
	}
	if at.IsZero() {
		return quoteEnd{state: "open", reason: "no expiry date"}
	}
	return quoteEnd{at: at, state: "expires"}
}

// addIssue adds an entry that a quote was issued, if the time is known.
func (t *entryBuilder) addIssue(o *quoting.Offer, facts [][2]string) {
	times := t.facts.QuoteTimes[o.QuoteID]
	if times == nil {
		return
	}
	t.addKnown(TimelineEntry{
		Source: FromQuote,
		ID:     "issued " + o.QuoteID,
		At:     times.CreatedAt.Time,
		Glyph:  "◇",
		Role:   format.Text,
		About:  t.order,
		Brief:  cmp.Or(o.QuoteName, o.QuoteID) + " issued",
		Detail: joinParts(quotePrice(o), textAfter("by ", t.issuerOf(o.QuoteID))),
	}, facts, "Description", o.Description)
}

// describeDecided returns when a quote was decided, and by whom or why. The reason is "" and the time is
// zero if unknown.
func (t *entryBuilder) describeDecided(r *api.OrderRecord, o *quoting.Offer) (reason string, at time.Time) {
	times := t.facts.QuoteTimes[o.QuoteID]
	if o.Status == api.QuoteClosed {
		reason = closedReason(t.facts.Order, r)
	} else if times == nil && t.facts.SentChangesErr == nil {
		reason = "not in the decision log"
	}
	if times == nil {
		return reason, time.Time{}
	}
	return joinParts(reason, textAfter("with key ", t.deciderOf(o.QuoteID))), times.DecidedAt.Time
}

// quotePrice returns the price and the delivery time of a quote, such as "12,420.00 EUR, 10 days".
func quotePrice(o *quoting.Offer) string {
	price := "no price"
	if o.FinalPrice.Known {
		price = format.Money(o.FinalPrice.Amount, o.Currency)
	}
	if text := o.DeliveryBy.String(); text != format.None {
		price += textAfter(", ", text)
	}
	return price
}

// closedReason returns why a quote was closed without a decision, such as "another quote was accepted", or
// "" if unknown. o is nil if the order could not be read.
func closedReason(o *api.Order, r *api.OrderRecord) string {
	if r.AcceptedQuote != nil {
		return "another quote was accepted"
	}
	if o != nil && o.Status == api.OrderArchived {
		return "the order is archived"
	}
	status := r.StageStatus()
	switch status {
	case api.RecordCancelled, api.RecordRejected, api.RecordDeleted, api.RecordNotFeasible:
		return "the order is " + strings.ToLower(format.RecordLabel(status).Label)
	}
	return ""
}

// unconfirmedNote returns "failed" or "not confirmed" for a change that the service has not confirmed. It
// returns "" for a confirmed change.
func unconfirmedNote(d *changes.Change) string {
	switch d.State() {
	case changes.Confirmed:
		return ""
	case changes.Failed:
		return "failed"
	}
	return "not confirmed"
}

func (t *entryBuilder) addSentChanges() {
	for i := range t.facts.SentChanges {
		d := &t.facts.SentChanges[i]
		decision := strings.TrimSpace(d.Quote.Name + " " + string(d.Kind))
		glyph := "✎"
		role := format.Muted
		if !d.IsConfirmed() {
			glyph = "!"
			role = format.Attention
		} else if d.Kind == changes.QuoteAccepted {
			glyph = "●"
			role = format.Good
		} else if d.Kind == changes.QuoteRejected {
			glyph = "✗"
			role = format.Text
		}
		t.add(TimelineEntry{
			Source: FromDecision,
			ID:     fmt.Sprint(d.Quote.ID, " ", d.At.UnixNano()),
			At:     d.At,
			Glyph:  glyph,
			Role:   role,
			About:  t.order,
			Brief:  decision,
			Detail: joinParts(unconfirmedNote(d), d.Quote.Price, d.Quote.Days, "on this machine"),
		}, factsOf(t, columns.Decisions(), d))
	}
}

// ShortAddress returns the host and the path of an endpoint's URL.
func ShortAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return strings.TrimSuffix(u.Host+u.Path, "/")
}

// ShortNames returns a short name for each endpoint, by its ID: the first part of its host, such as "hooks" for
// https://hooks.acme.example/survey. Endpoints with the same first part have their host and path as the name.
func ShortNames(endpoints []*Endpoint) map[string]string {
	count := map[string]int{} // of endpoints, by the first part of the host
	for _, e := range endpoints {
		count[firstOfHost(e.URL)]++
	}
	names := map[string]string{}
	for _, e := range endpoints {
		names[e.UUID] = ShortAddress(e.URL)
		first := firstOfHost(e.URL)
		if first != "" && count[first] == 1 {
			names[e.UUID] = first
		}
	}
	return names
}

// firstOfHost returns the first part of the host of a URL, or the whole host if it is an IP address.
func firstOfHost(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if net.ParseIP(u.Hostname()) != nil {
		return u.Hostname()
	}
	first, _, _ := strings.Cut(u.Hostname(), ".")
	return first
}

// IsAbout reports whether a row of an endpoint's log is about the subject. It is false for a row that
// names neither a mission nor an order.
func (f *SubjectFacts) IsAbout(d *api.WebhookDelivery) bool {
	if d.MissionUID != "" {
		return slices.ContainsFunc(f.Missions, func(m *Mission) bool { return m.UUID == d.MissionUID })
	}
	if f.Subject.Mission != "" || f.Order == nil {
		return false
	}
	return d.OrderCode != "" && d.OrderCode == f.Order.OrderCode
}

// addSending adds an entry for a callback or a completion notice. The time of the entry is when the item
// was created, because logs do not show the time of the last attempt. texts is the new entry with its
// source and texts; addSending sets the other fields.
func (t *entryBuilder) addSending(texts TimelineEntry, s UndeliveredItem, more ...string) {
	_, glyph, role := DeliveryOutcome(&s.WebhookDelivery)
	row := columns.ListedCallback{WebhookDelivery: s.WebhookDelivery}
	entry := texts
	entry.ID = s.UUID
	entry.At = s.CreatedAt.Time
	entry.Glyph = glyph
	entry.Role = role
	entry.Sending = &s
	t.add(entry, factsOf(t, columns.Callbacks(), &row), more...)
}

// addEndpoints adds entries for the callbacks in the logs of endpoints for which isIncluded returns true,
// and for the missing callbacks.
func (t *entryBuilder) addEndpoints(endpoints []*Endpoint, isIncluded func(*api.WebhookDelivery) bool) {
	for _, e := range endpoints {
		for i := range e.Log {
			d := &e.Log[i]
			if isIncluded(d) {
				t.addCallback(e, d)
			}
		}
		if e.LogErr == nil {
			t.addMissing(e)
		}
	}
}

// callbackFailed is the value of [TimelineEntry.Problem] for a failed callback.
const callbackFailed = "callback failed"

// addCallback adds an entry for a callback in the log of an endpoint, and entries for its resends.
func (t *entryBuilder) addCallback(e *Endpoint, d *api.WebhookDelivery) {
	about := cmp.Or(d.OrderCode, ShortID(d.MissionUID))
	order := d.OrderCode
	if m := t.missions[d.MissionUID]; m != nil {
		about = m.code()
		order = cmp.Or(order, m.OrderCode)
	}
	event := format.Word(d.Event).Label
	texts := TimelineEntry{
		Source:   FromCallback,
		About:    about,
		What:     describeCallback(event, d) + " → " + ShortAddress(e.URL),
		Brief:    event,
		Detail:   ShortOutcome(d),
		To:       t.short[e.UUID],
		Order:    order,
		Mission:  d.MissionUID,
		Endpoint: e.UUID,
	}
	if columns.CallbackStatus(d) == columns.CallbackFailed {
		texts.Problem = callbackFailed
	}
	more := append([]string{"To", e.URL, "Endpoint ID", e.UUID}, t.attemptFields(d.UUID)...)
	t.addSending(texts, CallbackSending(d, e.URL), more...)
	t.addResends(e, d, about, order)
}

// attemptFields returns a field for each attempt to send a callback, with its time, result and duration.
// Names and values alternate. It returns nil if the attempts were not read.
func (t *entryBuilder) attemptFields(callback string) []string {
	h := t.facts.Histories[callback]
	if h == nil {
		return nil
	}
	var fields []string
	for i := range h.Attempts {
		a := &h.Attempts[i]
		result, _, _ := DeliveryOutcome(&api.WebhookDelivery{Success: a.Error == nil, ResponseCode: &a.ResponseCode, Error: a.Error})
		took := time.Duration(a.DurationMillis) * time.Millisecond
		sentAt := a.SentAt.In(t.now.Location()).Format(FieldTime)
		value := fmt.Sprintf("%s, %s, after %v", sentAt, result, took)
		fields = append(fields, fmt.Sprint("Attempt ", a.Number), value)
	}
	return fields
}

// addResends adds an entry for each time that somebody sent a callback again. It shows the result of the
// last attempt of that resend. The callback has its own entry, with its final result.
func (t *entryBuilder) addResends(e *Endpoint, d *api.WebhookDelivery, about, order string) {
	history := t.facts.Histories[d.UUID]
	if history == nil {
		return
	}
	event := format.Word(d.Event).Label
	for _, r := range findResends(history) {
		outcome, glyph := resendOutcome(r.attempts, r.fault)
		last := r.attempts[len(r.attempts)-1]
		resentAt := last.ResentAt.Time
		problem := ""
		if r.fault != nil && *r.fault != api.CallbackPending {
			problem = callbackFailed
		}
		resender := t.resenderOf(d.UUID, resentAt, last.ResentBy)
		t.add(TimelineEntry{
			Source:   FromCallback,
			ID:       fmt.Sprint("resent ", d.UUID, " ", r.firstIndex),
			At:       resentAt,
			Glyph:    glyph,
			Role:     format.Muted,
			About:    about,
			Order:    order,
			Mission:  d.MissionUID,
			Endpoint: e.UUID,
			What:     fmt.Sprintf("%s: sent again by %s, %s → %s", event, resender, outcome, ShortAddress(e.URL)),
			Brief:    event,
			Problem:  problem,
			Detail:   "sent again by " + resender + ", " + outcome,
			To:       t.short[e.UUID],
		}, nil, "Callback", d.UUID)
	}
}

// resend is a time at which somebody sent a callback again, with the attempts that followed.
type resend struct {
	firstIndex int                   // index of the first attempt in the history of the callback
	attempts   []ops.CallbackAttempt // at least one
	fault      *string               // error of the last attempt; nil if it succeeded or the service will try again
}

// findResends returns the resends of a callback, oldest first.
func findResends(history *ops.CallbackHistory) []resend {
	var resends []resend
	groups := groupAttempts(history.Attempts)
	firstIndex := 0
	for i, attempts := range groups {
		last := attempts[len(attempts)-1]
		fault := last.Error
		isLastGroup := i == len(groups)-1
		if isLastGroup && history.Delivery.IsPending() { // not failed yet, because the service will try again
			fault = history.Delivery.Error
		}
		isResend := !last.ResentAt.IsZero() // otherwise the callback was sent for the first time
		if isResend {
			resends = append(resends, resend{firstIndex, attempts, fault})
		}
		firstIndex += len(attempts)
	}
	return resends
}

// resendOutcome returns the result of a resend as text and glyph. fault is the error of the last attempt,
// or nil if it succeeded.
func resendOutcome(attempts []ops.CallbackAttempt, fault *string) (text, glyph string) {
	count := len(attempts)
	text, glyph, _ = DeliveryOutcome(&api.WebhookDelivery{
		Success:      fault == nil,
		ResponseCode: &attempts[count-1].ResponseCode,
		Error:        fault,
		Attempts:     &count,
	})
	return text, glyph
}

// groupAttempts groups the attempts of a callback. The first group has the attempts before the first
// resend, and each other group has the attempts of one resend.
func groupAttempts(attempts []ops.CallbackAttempt) [][]ops.CallbackAttempt {
	var groups [][]ops.CallbackAttempt
	for i, attempt := range attempts {
		last := len(groups) - 1
		if i == 0 || !attempt.ResentAt.Equal(attempts[i-1].ResentAt.Time) {
			groups = append(groups, []ops.CallbackAttempt{attempt})
			continue
		}
		groups[last] = append(groups[last], attempt)
	}
	return groups
}

// addNotices adds entries for the completion notices, which tell a customer that the order is complete.
func (t *entryBuilder) addNotices() {
	for i := range t.facts.Notices {
		n := &t.facts.Notices[i]
		text, _, _ := NoticeOutcome(n)
		order := cmp.Or(t.order, n.OrderCode)
		texts := TimelineEntry{
			Source: FromNotice,
			About:  order,
			What:   "Completion notice by " + NoticeWay(n) + ": " + text,
			Brief:  "completion notice",
			Detail: text + ", by " + NoticeWay(n),
			Order:  order,
		}
		t.addSending(texts, NoticeSending(n, order), "By", n.Channel, "To", n.Address)
	}
}

// addMissing adds entries for the callbacks that are missing in the log of an endpoint. If the order of
// the subject could not be read, it adds none, because the expected callbacks are unknown then.
func (t *entryBuilder) addMissing(e *Endpoint) {
	f := t.facts
	hasSubject := f.Subject != StorySubject{} // the report on an account has none
	if hasSubject && f.Order == nil {
		return
	}
	for _, missing := range FindMissing(f.Missions, e, f.Received, t.now) {
		role := format.Bad
		outcome := "missing"
		certainty := "certain"
		if doubt := t.doubtAbout(missing); doubt != "" {
			role = format.Attention
			outcome = "probably missing"
			certainty = "probable: " + doubt
		}
		event := format.Word(missing.Event).Label
		t.add(TimelineEntry{
			Source:   FromMissing,
			ID:       e.UUID + " " + missing.Key(),
			At:       missing.To,
			Glyph:    "!",
			Role:     role,
			About:    missing.Mission.MissionCode,
			Order:    missing.Mission.OrderCode,
			Mission:  missing.Mission.UUID,
			Endpoint: e.UUID,
			What:     event + ": " + outcome + ", not in the log → " + ShortAddress(e.URL),
			Brief:    event,
			Problem:  "callback " + outcome,
			Detail:   outcome,
			To:       t.short[e.UUID],
		}, nil,
			"Event", string(missing.Event),
			"To", e.URL,
			"Endpoint ID", e.UUID,
			"Summary", missing.Describe(t.now),
			"Source", missing.Source,
			"Certainty", certainty)
	}
}

// doubtAbout returns why a callback is only probably missing, or "" if it is certainly missing.
func (t *entryBuilder) doubtAbout(missing *MissingCallback) string {
	if missing.Probable {
		return "log rows do not name missions"
	}
	if t.facts.ReceivedErr != nil {
		return "received events could not be loaded"
	}
	return ""
}

func (t *entryBuilder) addReceived() {
	for i := range t.facts.Received {
		r := &t.facts.Received[i]
		m := &r.Event.Data.Mission
		t.add(TimelineEntry{
			Source:  FromReceived,
			ID:      r.Event.ID,
			At:      r.At,
			Glyph:   "↓",
			Role:    format.Good,
			About:   cmp.Or(m.MissionCode, m.OrderCode),
			Mission: m.UUID,
			What:    format.Word(r.Event.Event).Label + ": received by this app, verified",
			Brief:   format.Word(r.Event.Event).Label,
			Detail:  "received by this app, verified",
		}, nil,
			"Event", string(r.Event.Event),
			"Callback ID", r.Event.ID,
			"Sent", r.Event.Timestamp.In(t.now.Location()).Format(time.RFC3339),
			"Mission status", format.Status(m.Status).Label)
	}
}

// addRequests adds an entry for each request of this app, in the order in which the requests were sent.
func (t *entryBuilder) addRequests() {
	requests := slices.Clone(t.facts.Exchanges)
	slices.SortFunc(requests, func(a, b *session.Exchange) int { return a.Number - b.Number })
	// Times of the service are in whole seconds. A request is never shown before an earlier one.
	var last time.Time
	for _, request := range requests {
		if request.At.After(last) {
			last = request.At
		}
		t.addRequest(request, last)
	}
}

// addRequest adds an entry for a request. at is the time of the entry.
func (t *entryBuilder) addRequest(request *session.Exchange, at time.Time) {
	isExpected := IsRead(request) && request.Status == http.StatusNotFound
	glyph := "↔"
	role := format.Text
	if request.Failed() && !isExpected {
		glyph = "!"
		role = format.Bad
	}
	response := cmp.Or(request.Code(), "no response")
	about, path := t.readPath(request.Path)
	attempt := ""
	if request.Attempt > 1 {
		attempt = fmt.Sprintf(", attempt %d", request.Attempt)
	}
	sizes := format.Bytes(request.RequestSize) + " sent, " + format.Bytes(request.ResponseSize) + " received"
	t.add(TimelineEntry{
		Source:   FromRequest,
		ID:       fmt.Sprint(request.Number),
		At:       at,
		Glyph:    glyph,
		Role:     role,
		About:    about,
		What:     request.Method + " " + path + ": " + response + attempt,
		Brief:    request.Method + " " + response,
		Detail:   path + attempt,
		Exchange: request,
		Routine:  isRoutine(request),
	}, nil,
		"Request", request.Method+" "+request.URL,
		"Response", response,
		"Request ID", request.RequestID,
		"Error", request.Err,
		"Sizes", sizes)
}

// isRoutine reports whether a request only reads and has an expected response. A 404 response is expected
// for a flight permission, and for the record of an order in the v2 API, because they need not exist.
func isRoutine(request *session.Exchange) bool {
	if !IsRead(request) {
		return false
	}
	isOptional := strings.HasSuffix(request.Path, "/flight-permission") || strings.Contains(request.Path, "/getorder/")
	isAbsent := isOptional && request.Status == http.StatusNotFound
	return isAbsent || !request.Failed()
}

// readPath returns the code of the order or mission that a request is about, and the path of the request
// with codes instead of UUIDs. In /orders/UUID and /orders/UUID/missions it keeps the UUID, because the
// service expects a code there, and the UUID is why it responds with 404.
func (t *entryBuilder) readPath(path string) (about, readable string) {
	about = t.order
	for uuid, m := range t.missions {
		if uuid != "" && strings.Contains(path, uuid) {
			about = m.code()
			path = strings.ReplaceAll(path, uuid, m.code())
		}
	}
	o := t.facts.Order
	if o == nil || o.UUID == "" {
		return about, path
	}
	afterOrder, isOrder := strings.CutPrefix(path, "/orders/"+o.UUID)
	if isOrder && (afterOrder == "" || afterOrder == "/missions") {
		return about, path
	}
	return about, strings.ReplaceAll(path, o.UUID, o.OrderCode)
}
