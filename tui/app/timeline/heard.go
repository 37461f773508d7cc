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
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// tellQuotes tells when open quotes expire, and of decisions that the log of this
// machine knows nothing of.
func (t *entryBuilder) tellQuotes() {
	r := t.facts.Record
	if r == nil {
		return
	}
	here := map[string]bool{}
	for _, e := range t.facts.Decisions {
		here[e.QuoteID] = here[e.QuoteID] || e.Kind != ordering.EntryNote
	}
	add := func(q *api.Quote, at time.Time, glyph string, role format.Tone, what string) {
		price, days := "no price", ""
		if q.FinalPrice.Known {
			price = format.Money(q.FinalPrice.Amount, q.Currency)
		}
		if text := q.DeliveryBy.String(); text != format.None {
			days = textAfter(", ", text)
		}
		t.add(FromQuote, q.QuoteID, at, glyph, role, t.order,
			cmp.Or(q.QuoteName, q.QuoteID)+" "+what+", "+price+days,
			"quote", q.QuoteName,
			"quote id", q.QuoteID,
			"final price", price,
			"delivery", q.DeliveryBy.String(),
			"expires", t.fullTime(q.ExpiryDate.Time),
			"description", q.Description)
	}
	decided := func(quotes []api.Quote, glyph string, role format.Tone, what string) {
		for i := range quotes {
			if q := &quotes[i]; !here[q.QuoteID] {
				add(q, time.Time{}, glyph, role, what)
			}
		}
	}
	for i := range r.Quotes {
		if q := &r.Quotes[i]; q.IsExpired(t.now) {
			add(q, q.ExpiryDate.Time, "◇", format.Muted, "expired without a decision")
		} else {
			add(q, q.ExpiryDate.Time, "◆", format.Attention, "open until this time")
		}
	}
	if r.AcceptedQuote != nil {
		decided([]api.Quote{*r.AcceptedQuote}, "●", format.Good, "accepted, not on this machine")
	}
	decided(r.RejectedQuotes, "✗", format.Muted, "rejected, not on this machine")
	decided(r.ClosedQuotes, "–", format.Muted, "closed: another quote was accepted")
}

func (t *entryBuilder) tellDecisions() {
	for i := range t.facts.Decisions {
		d := &t.facts.Decisions[i]
		what := strings.TrimSpace(d.QuoteName+" "+string(d.Kind)) + " on this machine" +
			textAfter(", ", d.Price) + textAfter(", ", d.Days)
		glyph, role := "✎", format.Muted
		switch {
		case d.Kind == ordering.EntryNote:
			what = "note on " + d.QuoteName + ": " + d.Note
		case !d.IsConfirmed():
			glyph, role = "!", format.Attention
		case d.Kind == ordering.EntryAccepted:
			glyph, role = "●", format.Good
		case d.Kind == ordering.EntryRejected:
			glyph, role = "✗", format.Text
		}
		t.add(FromDecision, fmt.Sprint(d.QuoteID, " ", d.At.UnixNano()), d.At, glyph, role, t.order, what,
			"quote id", d.QuoteID,
			"compared with", strings.Join(d.Against, "; "),
			"note", d.Note,
			"outcome", d.Outcome)
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
	source EntrySource, s UndeliveredItem, about, what string, fields ...string,
) *TimelineEntry {
	_, glyph, role := DeliveryOutcome(&s.WebhookDelivery)
	code, tries := "none", ""
	if n := valueOf(s.ResponseCode); n > 0 {
		code = fmt.Sprint(n)
	}
	if s.Attempts != nil {
		tries = fmt.Sprint(*s.Attempts)
	}
	e := t.add(source, s.UUID, s.CreatedAt.Time, glyph, role, about, what, append(append([]string{
		"event", string(s.Event),
	}, fields...),
		string(source)+" ID", s.UUID,
		"created", t.fullTime(s.CreatedAt.Time),
		"response", code,
		"attempts", tries,
		"error", valueOf(s.Error))...)
	e.Sending = &s
	return e
}

// tellEndpoints adds those rows of the logs of endpoints that are to be told, and the events of
// missions that they have no row of.
func (t *entryBuilder) tellEndpoints(endpoints []*Endpoint, isTold func(*api.WebhookDelivery) bool) {
	for _, e := range endpoints {
		for i := range e.Log {
			if d := &e.Log[i]; isTold(d) {
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
	about, order := cmp.Or(d.OrderCode, ShortID(d.MissionUID)), d.OrderCode
	if m := t.missions[d.MissionUID]; m != nil {
		about, order = m.code(), cmp.Or(order, m.OrderCode)
	}
	x := t.addSending(FromCallback, CallbackSending(d, e.URL), about,
		format.Word(d.Event).Label+" → "+ShortAddress(e.URL)+": "+text, "to", e.URL, "endpoint ID", e.UUID)
	x.Order, x.Mission, x.Endpoint = order, d.MissionUID, e.UUID
}

// tellNotices tells how the client was told that the order is complete.
func (t *entryBuilder) tellNotices() {
	for i := range t.facts.Notices {
		n := &t.facts.Notices[i]
		text, _, _ := NoticeOutcome(n)
		t.addSending(FromNotice, NoticeSending(n, t.order), t.order,
			"Completion notice by "+NoticeWay(n)+": "+text, "by", n.Channel, "to", n.Address)
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
		role, sure := format.Bad, "certain"
		if g.Probable {
			role, sure = format.Attention, "probable: log rows do not name missions"
		}
		x := t.add(FromGap, e.UUID+" "+g.GapID(), g.To, "!", role, g.Mission.MissionCode,
			format.Word(g.Event).Label+": never sent to "+ShortAddress(e.URL),
			"event", string(g.Event),
			"to", e.URL,
			"endpoint ID", e.UUID,
			"summary", g.DescribeGap(t.now),
			"source", g.Source,
			"certainty", sure)
		x.Order, x.Mission, x.Endpoint = g.Mission.OrderCode, g.Mission.UUID, e.UUID
	}
}

func (t *entryBuilder) tellReceived() {
	for i := range t.facts.Received {
		r := &t.facts.Received[i]
		m := &r.Event.Data.Mission
		t.add(FromReceived, r.Event.ID, r.At, "↓", format.Good, cmp.Or(m.MissionCode, m.OrderCode),
			format.Word(r.Event.Event).Label+": received by this app, verified",
			"event", string(r.Event.Event),
			"callback ID", r.Event.ID,
			"sent", t.fullTime(r.Event.Timestamp.Time),
			"mission status", format.Status(m.Status).DetailText()).Mission = m.UUID
	}
}

func (t *entryBuilder) tellRequests() {
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
		glyph, role, answer := "↔", format.Text, cmp.Or(x.Code(), "no response")
		if x.Failed() && (!IsRead(x) || x.Status != http.StatusNotFound) { // to be not there is an answer
			glyph, role = "!", format.Bad
		}
		about, path := t.readPath(x.Path)
		what := fmt.Sprintf("%s %s: %s", x.Method, path, answer)
		if x.Attempt > 1 {
			what += fmt.Sprintf(", try %d", x.Attempt)
		}
		e := t.add(FromWire, fmt.Sprint(x.Number), last, glyph, role, about, what,
			"request", x.Method+" "+x.URL,
			"response", answer,
			"request id", x.RequestID,
			"error", x.Err,
			"sizes", format.Bytes(x.RequestSize)+" sent, "+format.Bytes(x.ResponseSize)+" received")
		// Some answers only say that nothing is recorded: no permission, nothing in the v2 API.
		nothing := x.Status == http.StatusNotFound &&
			(strings.HasSuffix(x.Path, "/flight-permission") || strings.Contains(x.Path, "/getorder/"))
		e.Exchange, e.Routine = x, IsRead(x) && (!x.Failed() || nothing)
	}
}

// readPath returns the code of what a path names, and the path with codes in the place of ids.
func (t *entryBuilder) readPath(path string) (about, readable string) {
	about = t.order
	for uuid, m := range t.missions {
		if uuid != "" && strings.Contains(path, uuid) {
			about, path = m.code(), strings.ReplaceAll(path, uuid, m.code())
		}
	}
	if o := t.facts.Order; o != nil && o.UUID != "" {
		path = strings.ReplaceAll(path, o.UUID, o.OrderCode)
	}
	return about, path
}
