package timeline

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// addQuotes adds when quotes were issued and decided, if the operations API has these
// times, and when open quotes expire. Decisions in the log of this machine have separate
// entries.
func (t *entryBuilder) addQuotes() {
	r := t.facts.Record
	if r == nil {
		return
	}
	if o := t.facts.Order; o != nil && o.Status == api.OrderArchived {
		r = quoting.CloseArchived(r)
	}
	decidedHere := map[string]bool{}
	for _, e := range t.facts.Decisions {
		decidedHere[e.QuoteID] = true
	}
	set := quoting.NewSet(t.now, r)
	for _, o := range slices.Concat(set.Open, set.Decided) {
		t.addQuote(r, o, decidedHere[o.QuoteID])
	}
}

// addQuote adds the entries of a quote. isHere means that the log of this machine has its
// decision.
func (t *entryBuilder) addQuote(r *api.OrderRecord, o *quoting.Offer, isHere bool) {
	listed := columns.ListedQuote{
		OrderID: t.order,
		Status:  o.Status,
		Expired: columns.IsQuoteExpired(&o.Quote, o.Status, t.now),
		Quote:   o.Quote,
	}
	facts := factsOf(t, columns.Quotes(t.clock), &listed)
	name := cmp.Or(o.QuoteName, o.QuoteID)
	price := quotePrice(o)
	times := t.facts.QuoteTimes[o.QuoteID]
	if times != nil {
		t.addKnown(FromQuote, "issued "+o.QuoteID, times.CreatedAt, "◇", format.Text, t.order,
			name+" issued"+textAfter(" by ", t.issuerOf(o.QuoteID))+", "+price, facts, "Description", o.Description)
	}
	isOpen := o.Status == api.QuoteOpen
	if !isOpen && isHere {
		return
	}
	isExpired := format.ValueOf(listed.Expired)
	st := format.QuoteLabel(o.Status, isExpired)
	what := strings.ToLower(st.Label)
	var at time.Time
	switch {
	case isOpen && isExpired:
		what = "expired without a decision"
		at = o.ExpiryDate.Time
	case isOpen:
		what = "open until this time"
		at = o.ExpiryDate.Time
	case o.Status == api.QuoteClosed:
		what = closedReason(t.facts.Order, r)
	case times == nil:
		what += ", not on this machine"
	}
	if !isOpen && times != nil {
		at = times.DecidedAt.Time
		what += textAfter(" with key ", t.deciderOf(o.QuoteID))
	}
	if st.Role == format.Bad { // a rejected or expired quote is not a failure
		st.Role = format.Muted
	}
	t.add(FromQuote, o.QuoteID, at, st.Glyph, st.Role, t.order, name+" "+what+", "+price,
		facts, "Description", o.Description)
}

// quotePrice returns the price of a quote and its delivery time.
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

// closedReason returns why a quote is closed, if the order or its record show it. The
// order is nil if it could not be read.
func closedReason(o *api.Order, r *api.OrderRecord) string {
	if r.AcceptedQuote != nil {
		return "closed: another quote was accepted"
	}
	if o != nil && o.Status == api.OrderArchived {
		return "closed: the order is archived"
	}
	status := r.StageStatus()
	switch status {
	case api.RecordCancelled, api.RecordRejected, api.RecordDeleted, api.RecordNotFeasible:
		return "closed: the order is " + strings.ToLower(format.RecordLabel(status).Label)
	}
	return "closed"
}

func (t *entryBuilder) addDecisions() {
	for i := range t.facts.Decisions {
		d := &t.facts.Decisions[i]
		what := strings.TrimSpace(d.QuoteName+" "+string(d.Kind)) + " on this machine" +
			textAfter(", ", d.Price) + textAfter(", ", d.Days)
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
		t.add(FromDecision, fmt.Sprint(d.QuoteID, " ", d.At.UnixNano()), d.At, glyph, role, t.order, what,
			factsOf(t, columns.Decisions(t.clock), d))
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

// IsAbout reports whether a row of a log is about the subject. A row without a mission
// and an order is not.
func (f *SubjectFacts) IsAbout(d *api.WebhookDelivery) bool {
	if d.MissionUID != "" {
		return slices.ContainsFunc(f.Missions, func(m *Mission) bool { return m.UUID == d.MissionUID })
	}
	return f.Subject.Mission == "" && f.Order != nil && d.OrderCode != "" && d.OrderCode == f.Order.OrderCode
}

// addSending adds a callback or a notice at the time when it was created. Logs do not
// show the time of the last attempt.
func (t *entryBuilder) addSending(
	source EntrySource, s UndeliveredItem, about, what string, more ...string,
) *TimelineEntry {
	_, glyph, role := DeliveryOutcome(&s.WebhookDelivery)
	row := columns.ListedCallback{WebhookDelivery: s.WebhookDelivery}
	e := t.add(source, s.UUID, s.CreatedAt.Time, glyph, role, about, what,
		factsOf(t, columns.Callbacks(), &row), more...)
	e.Sending = &s
	return e
}

// addEndpoints adds the included rows of the logs of endpoints, and the missing
// callbacks.
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

// addCallback adds a row of an endpoint's log.
func (t *entryBuilder) addCallback(e *Endpoint, d *api.WebhookDelivery) {
	text, _, _ := DeliveryOutcome(d)
	about := cmp.Or(d.OrderCode, ShortID(d.MissionUID))
	order := d.OrderCode
	if m := t.missions[d.MissionUID]; m != nil {
		about = m.code()
		order = cmp.Or(order, m.OrderCode)
	}
	x := t.addSending(FromCallback, CallbackSending(d, e.URL), about,
		format.Word(d.Event).Label+" → "+ShortAddress(e.URL)+": "+text, "To", e.URL, "Endpoint ID", e.UUID)
	x.Order = order
	x.Mission = d.MissionUID
	x.Endpoint = e.UUID
	t.addResends(e, d, about, order)
}

// addResends adds an entry for each time that somebody sent a callback again, with the
// result of the last attempt then. The entry of the callback itself has the final result,
// at its own time.
func (t *entryBuilder) addResends(e *Endpoint, d *api.WebhookDelivery, about, order string) {
	h := t.facts.Histories[d.UUID]
	if h == nil {
		return
	}
	for i := 0; i < len(h.Attempts); {
		first := i
		for i < len(h.Attempts) && h.Attempts[i].ResentAt.Equal(h.Attempts[first].ResentAt.Time) {
			i++
		}
		last := h.Attempts[i-1]
		if last.ResentAt.IsZero() {
			continue
		}
		attempts := i - first
		fault := last.Error
		if i == len(h.Attempts) && h.Delivery.IsPending() { // attempts remain
			fault = h.Delivery.Error
		}
		text, glyph, _ := DeliveryOutcome(&api.WebhookDelivery{
			Success: fault == nil, ResponseCode: &last.ResponseCode, Error: fault, Attempts: &attempts,
		})
		by := t.resenderOf(d.UUID, last.ResentAt.Time, last.ResentBy)
		id := fmt.Sprint("resent ", d.UUID, " ", first)
		what := fmt.Sprintf("%s → %s: sent again by %s, %s",
			format.Word(d.Event).Label, ShortAddress(e.URL), by, text)
		x := t.add(FromCallback, id, last.ResentAt.Time, glyph, format.Muted, about, what, nil, "Callback", d.UUID)
		x.Order = order
		x.Mission = d.MissionUID
		x.Endpoint = e.UUID
	}
}

// addNotices adds the notices that the order is complete.
func (t *entryBuilder) addNotices() {
	for i := range t.facts.Notices {
		n := &t.facts.Notices[i]
		text, _, _ := NoticeOutcome(n)
		t.addSending(FromNotice, NoticeSending(n, t.order), t.order,
			"Completion notice by "+NoticeWay(n)+": "+text, "By", n.Channel, "To", n.Address)
	}
}

// addMissing adds the callbacks that are missing in the log of an endpoint.
func (t *entryBuilder) addMissing(e *Endpoint) {
	f := t.facts
	if f.Order == nil && f.Subject != (StorySubject{}) {
		return
	}
	for _, g := range FindMissing(f.Missions, e, f.Received, t.now) {
		role := format.Bad
		certainty := "certain"
		if g.Probable {
			role = format.Attention
			certainty = "probable: log rows do not name missions"
		}
		x := t.add(FromMissing, e.UUID+" "+g.Key(), g.To, "!", role, g.Mission.MissionCode,
			format.Word(g.Event).Label+": never sent to "+ShortAddress(e.URL), nil,
			"Event", string(g.Event),
			"To", e.URL,
			"Endpoint ID", e.UUID,
			"Summary", g.Describe(t.now),
			"Source", g.Source,
			"Certainty", certainty)
		x.Order = g.Mission.OrderCode
		x.Mission = g.Mission.UUID
		x.Endpoint = e.UUID
	}
}

func (t *entryBuilder) addReceived() {
	for i := range t.facts.Received {
		r := &t.facts.Received[i]
		m := &r.Event.Data.Mission
		t.add(FromReceived, r.Event.ID, r.At, "↓", format.Good, cmp.Or(m.MissionCode, m.OrderCode),
			format.Word(r.Event.Event).Label+": received by this app, verified", nil,
			"Event", string(r.Event.Event),
			"Callback ID", r.Event.ID,
			"Sent", r.Event.Timestamp.In(t.now.Location()).Format(time.RFC3339),
			"Mission status", format.Status(m.Status).Label).Mission = m.UUID
	}
}

// addRequests adds an entry for each request of this session, in the sequence in which they were
// sent.
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

// addRequest adds an entry for a request at a time.
func (t *entryBuilder) addRequest(request *session.Exchange, at time.Time) {
	isAbsent := request.Status == http.StatusNotFound
	isExpected := IsRead(request) && isAbsent
	glyph := "↔"
	role := format.Text
	if request.Failed() && !isExpected {
		glyph = "!"
		role = format.Bad
	}
	response := cmp.Or(request.Code(), "no response")
	about, path := t.readPath(request.Path)
	what := fmt.Sprintf("%s %s: %s", request.Method, path, response)
	if request.Attempt > 1 {
		what += fmt.Sprintf(", try %d", request.Attempt)
	}
	sizes := format.Bytes(request.RequestSize) + " sent, " + format.Bytes(request.ResponseSize) + " received"
	entry := t.add(FromRequest, fmt.Sprint(request.Number), at, glyph, role, about, what, nil,
		"Request", request.Method+" "+request.URL,
		"Response", response,
		"Request ID", request.RequestID,
		"Error", request.Err,
		"Sizes", sizes)
	entry.Exchange = request
	// Some 404 responses only mean that there is no permission, or no record in the v2 API.
	isOptional := strings.HasSuffix(request.Path, "/flight-permission") || strings.Contains(request.Path, "/getorder/")
	hasExpectedOutcome := !request.Failed() || isAbsent && isOptional
	entry.Routine = IsRead(request) && hasExpectedOutcome
}

// readPath returns the code of the object in a path, and the path with codes instead of
// UUIDs.
func (t *entryBuilder) readPath(path string) (about, readable string) {
	about = t.order
	for uuid, m := range t.missions {
		if uuid != "" && strings.Contains(path, uuid) {
			about = m.code()
			path = strings.ReplaceAll(path, uuid, m.code())
		}
	}
	if o := t.facts.Order; o != nil && o.UUID != "" {
		path = strings.ReplaceAll(path, o.UUID, o.OrderCode)
	}
	return about, path
}
