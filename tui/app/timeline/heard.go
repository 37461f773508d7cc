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
	"flightdesk/tui/app/webhooks"
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
	for i := range r.Quotes {
		if q := &r.Quotes[i]; q.IsExpired(t.now) {
			add(q, q.ExpiryDate.Time, "◇", format.Muted, "expired without a decision")
		} else {
			add(q, q.ExpiryDate.Time, "◆", format.Attention, "open until this time")
		}
	}
	if q := r.AcceptedQuote; q != nil && !here[q.QuoteID] {
		add(q, time.Time{}, "●", format.Good, "accepted, not on this machine")
	}
	for i := range r.RejectedQuotes {
		if q := &r.RejectedQuotes[i]; !here[q.QuoteID] {
			add(q, time.Time{}, "✗", format.Muted, "rejected, not on this machine")
		}
	}
	for i := range r.ClosedQuotes {
		add(&r.ClosedQuotes[i], time.Time{}, "–", format.Muted, "closed: another quote was accepted")
	}
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

// DeliveryOutcome says how a row of a log ended, and how that is shown.
func DeliveryOutcome(d *api.WebhookDelivery) (text, glyph string, role format.Tone) {
	tries, code := "", valueOf(d.ResponseCode)
	if n := valueOf(d.Attempts); n > 1 {
		tries = fmt.Sprintf(", %d attempts", n)
	}
	switch {
	case d.Success && code > 0:
		return fmt.Sprintf("delivered, answered %d%s", code, tries), "✓", format.Good
	case d.Success:
		return "delivered" + tries, "✓", format.Good
	case d.IsPending():
		return "being sent" + tries, "◌", format.Pending
	case code > 0:
		return fmt.Sprintf("failed, answered %d%s", code, tries), "✗", format.Bad
	}
	return "failed, " + cmp.Or(textOrEmpty(d.Error), "no response") + tries, "✗", format.Bad
}

// valueOf returns a number, 0 where there is none.
func valueOf(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// IsAbout reports whether a row of a log is about the subject of the facts. A row
// that names neither mission nor order is about none.
func (f *SubjectFacts) IsAbout(d *api.WebhookDelivery) bool {
	if d.MissionUID != "" {
		return slices.ContainsFunc(f.Missions, func(m Mission) bool { return m.UUID == d.MissionUID })
	}
	return f.Subject.Mission == "" && f.Order != nil && d.OrderCode != "" && d.OrderCode == f.Order.OrderCode
}

// addSending adds a callback or a notice, at the time when it was created: no log says
// when the last of several attempts was.
func (t *entryBuilder) addSending(
	source EntrySource,
	d *api.WebhookDelivery,
	about, title, outcome, way string,
	s *UndeliveredItem,
	fields ...string,
) *TimelineEntry {
	_, glyph, role := DeliveryOutcome(d)
	code, tries := "none", ""
	if n := valueOf(d.ResponseCode); n > 0 {
		code = fmt.Sprint(n)
	}
	if d.Attempts != nil {
		tries = fmt.Sprint(*d.Attempts)
	}
	e := t.add(source, d.UUID, d.CreatedAt.Time, glyph, role, about, title+" "+way+": "+outcome, append(fields,
		string(source)+" ID", d.UUID,
		"created", t.fullTime(d.CreatedAt.Time),
		"response", code,
		"attempts", tries,
		"error", textOrEmpty(d.Error))...)
	e.Sending = s
	return e
}

// addCallback adds a row of an endpoint's log.
func (t *entryBuilder) addCallback(e *Endpoint, d *api.WebhookDelivery) {
	text, _, _ := DeliveryOutcome(d)
	s := CallbackSending(d, e.URL)
	about := cmp.Or(
		t.codes[d.MissionUID],
		d.OrderCode,
		d.MissionUID[:min(8, len(d.MissionUID))],
	)
	x := t.addSending(FromCallback, d, about, format.Word(d.Event).Label, text, "→ "+ShortAddress(e.URL), &s,
		"event", string(d.Event), "to", e.URL, "endpoint ID", e.UUID)
	x.Order, x.Mission, x.Endpoint = cmp.Or(d.OrderCode, t.orders[d.MissionUID]), d.MissionUID, e.UUID
}

// tellNotices tells how the client was told that the order is complete.
func (t *entryBuilder) tellNotices() {
	for i := range t.facts.Notices {
		n := &t.facts.Notices[i]
		d, s := noticeDelivery(n), NoticeSending(n, t.order)
		text, _, _ := NoticeOutcome(n)
		t.addSending(FromNotice, &d, t.order, "Completion notice", text, "by "+s.Notice, &s,
			"event", string(d.Event), "by", n.Channel, "to", n.Address)
	}
}

// addMissing adds the events of missions that the log of an endpoint has no row of.
func (t *entryBuilder) addMissing(e *Endpoint, missions []Mission, heard []webhooks.ReceivedEvent) {
	if e.LogErr != nil {
		return
	}
	for _, g := range FindMissing(missions, e, heard, t.now) {
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
		e.Exchange, e.Routine = x, IsRead(x) && (!x.Failed() || saysNothing(x))
	}
}

// saysNothing tells whether an answer only says that nothing is recorded: no
// permission, or an order that has nothing in the v2 API.
func saysNothing(x *session.Exchange) bool {
	return x.Status == http.StatusNotFound &&
		(strings.HasSuffix(x.Path, "/flight-permission") || strings.Contains(x.Path, "/getorder/"))
}

// readPath returns the code of what a path names, and the path with codes in the place of ids.
func (t *entryBuilder) readPath(path string) (about, readable string) {
	about = t.order
	for uuid, code := range t.codes {
		if strings.Contains(path, uuid) {
			about, path = code, strings.ReplaceAll(path, uuid, code)
		}
	}
	if o := t.facts.Order; o != nil && o.UUID != "" {
		path = strings.ReplaceAll(path, o.UUID, o.OrderCode)
	}
	return about, path
}
