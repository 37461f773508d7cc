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
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// addQuotes adds when quotes were issued and decided, as far as the operations API tells it,
// and when open quotes expire. Decisions in the log of this machine are left to it.
func (t *entryBuilder) addQuotes() {
	r := t.facts.Record
	if r == nil {
		return
	}
	if o := t.facts.Order; o != nil && o.Status == api.OrderArchived {
		r = quoting.CloseArchived(r)
	}
	here := map[string]bool{}
	for _, e := range t.facts.Decisions {
		here[e.QuoteID] = true
	}
	set := quoting.NewSet(t.now, r)
	for _, o := range slices.Concat(set.Open, set.Decided) {
		t.addQuote(r, o, here[o.QuoteID])
	}
}

// addQuote adds a quote of a record; isHere says that the log of this machine has its
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
	st := format.QuoteLabel(o.Status, format.ValueOf(listed.Expired))
	what := strings.ToLower(st.Label)
	var at time.Time
	switch {
	case isOpen && format.ValueOf(listed.Expired):
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
	if st.Role == format.Bad { // nothing has failed
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

// closedReason says why a quote of an order is closed, as far as the order and its record
// show it. The order is nil if it could not be read.
func closedReason(o *api.Order, r *api.OrderRecord) string {
	if r.AcceptedQuote != nil {
		return "closed: another quote was accepted"
	}
	if o != nil && o.Status == api.OrderArchived {
		return "closed: the order is archived"
	}
	switch status := r.StageStatus(); status {
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
		} else if d.Kind == ordering.EntryAccepted {
			glyph = "●"
			role = format.Good
		} else if d.Kind == ordering.EntryRejected {
			glyph = "✗"
			role = format.Text
		}
		t.add(FromDecision, fmt.Sprint(d.QuoteID, " ", d.At.UnixNano()), d.At, glyph, role, t.order, what,
			factsOf(t, columns.Decisions(t.clock), d))
	}
}

// ShortAddress returns an endpoint's address in short: its host and path.
func ShortAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return strings.TrimSuffix(u.Host+u.Path, "/")
}

// IsAbout reports whether a row of a log is about the subject of the facts. A row
// that names neither mission nor order is about none.
func (f *SubjectFacts) IsAbout(d *api.WebhookDelivery) bool {
	if d.MissionUID != "" {
		return slices.ContainsFunc(f.Missions, func(m *Mission) bool { return m.UUID == d.MissionUID })
	}
	return f.Subject.Mission == "" && f.Order != nil && d.OrderCode != "" && d.OrderCode == f.Order.OrderCode
}

// addSending adds a callback or a notice, at the time when it was created: no log says
// when the last of several attempts was.
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

// addEndpoints adds those rows of the logs of endpoints that are to be told, and the events of
// missions that they have no row of.
func (t *entryBuilder) addEndpoints(endpoints []*Endpoint, isIncluded func(*api.WebhookDelivery) bool) {
	for _, e := range endpoints {
		for i := range e.Log {
			if d := &e.Log[i]; isIncluded(d) {
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

// addResends adds each time that somebody had a callback sent again, with the result of its last
// attempt. The result of all attempts is that of the callback, which is told at its own time.
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
		x := t.add(FromCallback, fmt.Sprint("resent ", d.UUID, " ", first), last.ResentAt.Time, glyph, format.Muted, about,
			fmt.Sprintf("%s → %s: sent again by %s, %s", format.Word(d.Event).Label, ShortAddress(e.URL), by, text), nil,
			"Callback", d.UUID)
		x.Order = order
		x.Mission = d.MissionUID
		x.Endpoint = e.UUID
	}
}

// addNotices tells how the client was told that the order is complete.
func (t *entryBuilder) addNotices() {
	for i := range t.facts.Notices {
		n := &t.facts.Notices[i]
		text, _, _ := NoticeOutcome(n)
		t.addSending(FromNotice, NoticeSending(n, t.order), t.order,
			"Completion notice by "+NoticeWay(n)+": "+text, "By", n.Channel, "To", n.Address)
	}
}

// addMissing adds the events that the log of an endpoint has no row of, of missions of which it is
// known how far they are.
func (t *entryBuilder) addMissing(e *Endpoint) {
	f := t.facts
	if f.Order == nil && f.Subject != (StorySubject{}) {
		return
	}
	for _, g := range FindMissing(f.Missions, e, f.Received, t.now) {
		role := format.Bad
		sure := "certain"
		if g.Probable {
			role = format.Attention
			sure = "probable: log rows do not name missions"
		}
		x := t.add(FromGap, e.UUID+" "+g.GapID(), g.To, "!", role, g.Mission.MissionCode,
			format.Word(g.Event).Label+": never sent to "+ShortAddress(e.URL), nil,
			"Event", string(g.Event),
			"To", e.URL,
			"Endpoint ID", e.UUID,
			"Summary", g.DescribeGap(t.now),
			"Source", g.Source,
			"Certainty", sure)
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

func (t *entryBuilder) addRequests() {
	kept := slices.SortedFunc(slices.Values(t.facts.Exchanges), func(a, b *session.Exchange) int {
		return a.Number - b.Number
	})
	// The service's clock is known to the second only: what was asked later is
	// told later.
	var last time.Time
	for _, x := range kept {
		if x.At.After(last) {
			last = x.At
		}
		glyph := "↔"
		role := format.Text
		answer := cmp.Or(x.Code(), "no response")
		if x.Failed() && (!IsRead(x) || x.Status != http.StatusNotFound) { // to be not there is an answer
			glyph = "!"
			role = format.Bad
		}
		about, path := t.readPath(x.Path)
		what := fmt.Sprintf("%s %s: %s", x.Method, path, answer)
		if x.Attempt > 1 {
			what += fmt.Sprintf(", try %d", x.Attempt)
		}
		e := t.add(FromWire, fmt.Sprint(x.Number), last, glyph, role, about, what, nil,
			"Request", x.Method+" "+x.URL,
			"Response", answer,
			"Request ID", x.RequestID,
			"Error", x.Err,
			"Sizes", format.Bytes(x.RequestSize)+" sent, "+format.Bytes(x.ResponseSize)+" received")
		// Some answers only say that nothing is recorded: no permission, nothing in the v2 API.
		nothing := x.Status == http.StatusNotFound &&
			(strings.HasSuffix(x.Path, "/flight-permission") || strings.Contains(x.Path, "/getorder/"))
		e.Exchange = x
		e.Routine = IsRead(x) && (!x.Failed() || nothing)
	}
}

// readPath returns the code of what a path names, and the path with codes in the place of ids.
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
