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
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/app/requestlog"
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
		if e.Kind != ledger.Note {
			here[e.QuoteID] = true
		}
	}
	add := func(q *api.Quote, at time.Time, glyph string, role labels.Tone, what string) {
		price, days := "no price", q.DeliveryBy.String()
		if q.FinalPrice.Known {
			price = format.Money(q.FinalPrice.Amount, q.Currency)
		}
		if days != "" && days != format.None {
			days = ", " + days
		}
		t.addEntry(TimelineEntry{
			ID: "quote " + q.QuoteID, At: at, Source: FromQuote, Glyph: glyph, Role: role, About: t.orderCode(),
			What: fmt.Sprintf("%s %s, %s%s", cmp.Or(q.QuoteName, q.QuoteID), what, price, days),
			Fields: []EntryField{
				{"quote", q.QuoteName},
				{"quote id", q.QuoteID},
				{"final price", price},
				{"delivery", q.DeliveryBy.String()},
				{"expires", t.fullTime(q.ExpiryDate.Time)},
				{"description", q.Description},
			},
		})
	}
	for i := range r.Quotes {
		q := &r.Quotes[i]
		if !q.IsExpired(t.now) {
			add(q, q.ExpiryDate.Time, "◆", labels.Attention, "open until this time")
			continue
		}
		add(q, q.ExpiryDate.Time, "◇", labels.Muted, "expired without a decision")
	}
	if q := r.AcceptedQuote; q != nil && !here[q.QuoteID] {
		add(q, time.Time{}, "●", labels.Good, "accepted, not on this machine")
	}
	for i := range r.RejectedQuotes {
		if q := &r.RejectedQuotes[i]; !here[q.QuoteID] {
			add(q, time.Time{}, "✗", labels.Muted, "rejected, not on this machine")
		}
	}
	for i := range r.ClosedQuotes {
		add(&r.ClosedQuotes[i], time.Time{}, "–", labels.Muted, "closed: another quote was accepted")
	}
}

// orderCode returns the order's.
func (t *entryBuilder) orderCode() string {
	if t.facts.Order != nil {
		return t.facts.Order.OrderCode
	}
	return t.facts.Subject.Order
}

func (t *entryBuilder) tellDecisions() {
	for i := range t.facts.Decisions {
		d := &t.facts.Decisions[i]
		glyph, role := "✎", labels.Muted
		switch {
		case d.Kind == ledger.Note:
		case !d.IsConfirmed():
			glyph, role = "!", labels.Attention
		case d.Kind == ledger.Accepted:
			glyph, role = "●", labels.Good
		case d.Kind == ledger.Rejected:
			glyph, role = "✗", labels.Text
		}
		what := fmt.Sprintf("%s %s on this machine, %s, %s", d.QuoteName, d.Kind, d.Price, d.Days)
		if d.Kind == ledger.Note {
			what = "note on " + d.QuoteName + ": " + d.Note
		}
		t.addEntry(TimelineEntry{
			ID: fmt.Sprintf(
				"decision %s %d",
				d.QuoteID,
				d.At.UnixNano(),
			),
			At:     d.At,
			Source: FromDecision,
			Glyph:  glyph,
			Role:   role,
			About:  t.orderCode(),
			What:   what,
			Fields: []EntryField{
				{
					"quote id",
					d.QuoteID,
				},
				{"compared with", strings.Join(d.Against, "; ")},
				{"note", d.Note},
				{"outcome", d.Outcome},
			},
		})
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
func DeliveryOutcome(d *api.WebhookDelivery) (text, glyph string, role labels.Tone) {
	tries := ""
	if d.Attempts != nil && *d.Attempts > 1 {
		tries = fmt.Sprintf(", %d attempts", *d.Attempts)
	}
	code := 0
	if d.ResponseCode != nil {
		code = *d.ResponseCode
	}
	why := textOrEmpty(d.Error)
	switch {
	case d.Success && code > 0:
		return fmt.Sprintf("delivered, %d%s", code, tries), "✓", labels.Good
	case d.Success:
		return "delivered" + tries, "✓", labels.Good
	case d.IsPending():
		return "being sent" + tries, "◌", labels.Pending
	case code > 0:
		return fmt.Sprintf("failed, answered %d%s", code, tries), "✗", labels.Bad
	case why != "":
		return "failed, " + why + tries, "✗", labels.Bad
	}
	return "failed, no response" + tries, "✗", labels.Bad
}

// withUnknownTime returns an outcome of which the log does not say when it was.
func withUnknownTime(outcome string) string {
	verb, rest, more := strings.Cut(outcome, ",")
	if !more {
		return verb + " later"
	}
	return verb + " later," + rest
}

// IsAbout reports whether a row of a log is about the subject of the facts. A row
// that names neither mission nor order is about none.
func (f *SubjectFacts) IsAbout(d *api.WebhookDelivery) bool {
	if d.MissionUID != "" {
		for i := range f.Missions {
			if f.Missions[i].UUID == d.MissionUID {
				return true
			}
		}
		return false
	}
	return f.Subject.Mission == "" && f.Order != nil && d.OrderCode != "" && d.OrderCode == f.Order.OrderCode
}

func (t *entryBuilder) tellCallbacks(e *Endpoint) {
	for i := range e.Log {
		d := &e.Log[i]
		if !t.facts.IsAbout(d) {
			continue
		}
		text, glyph, role := DeliveryOutcome(d)
		if !d.IsPending() && (d.Attempts == nil || *d.Attempts != 1) {
			text = withUnknownTime(text)
		}
		code, tries := "none", ""
		if d.ResponseCode != nil && *d.ResponseCode > 0 {
			code = fmt.Sprint(*d.ResponseCode)
		}
		if d.Attempts != nil {
			tries = fmt.Sprint(*d.Attempts)
		}
		t.addEntry(TimelineEntry{
			ID: CallbackID(d), At: d.CreatedAt.Time, Source: FromCallback, Glyph: glyph, Role: role,
			About: cmp.Or(t.codes[d.MissionUID], d.OrderCode), Mission: d.MissionUID, Endpoint: e.UUID,
			What: fmt.Sprintf("%s: %s, to %s", labels.EventWord(d.Event).Label, text, ShortAddress(e.URL)),
			Fields: []EntryField{
				{"event", string(d.Event)},
				{"to", e.URL},
				{"endpoint id", e.UUID},
				{"callback id", d.UUID},
				{"created", t.fullTime(d.CreatedAt.Time)},
				{"response", code},
				{"attempts", tries},
				{"error", textOrEmpty(d.Error)},
			},
		})
	}
}

func (t *entryBuilder) tellReceived() {
	for i := range t.facts.Received {
		r := &t.facts.Received[i]
		m := &r.Data.Mission
		t.addEntry(TimelineEntry{
			ID:     "received " + r.ID,
			At:     r.At,
			Source: FromReceived,
			Glyph:  "↓",
			Role:   labels.Good,
			About: cmp.Or(
				m.MissionCode,
				m.OrderCode,
			),
			Mission: m.UUID,
			What:    labels.EventWord(r.Event.Event).Label + ": received by this app, verified",
			Fields: []EntryField{
				{
					"event",
					string(r.Event.Event),
				},
				{"callback id", r.ID},
				{"sent", t.fullTime(r.Timestamp.Time)},
				{"mission status", labels.MissionStatus(m.Status).DetailText()},
			},
		})
	}
}

func (t *entryBuilder) tellRequests() {
	// The service's clock is known to the second only: what was asked later is
	// told later.
	var last time.Time
	for _, x := range slices.SortedFunc(slices.Values(t.facts.Exchanges), func(a, b *requestlog.Exchange) int { return a.Number - b.Number }) {
		if x.At.After(last) {
			last = x.At
		}
		e := TimelineEntry{
			ID: fmt.Sprintf(
				"wire %d",
				x.Number,
			),
			At:       last,
			Source:   FromWire,
			Glyph:    "↔",
			Role:     labels.Text,
			About:    t.aboutOf(x.Path),
			Exchange: x,
			Routine:  IsRead(x) && (!x.Failed() || saysNothing(x)),
		}
		answer := cmp.Or(x.Code(), "no response")
		if x.Failed() && (!IsRead(x) || x.Status != http.StatusNotFound) { // to be not there is an answer
			e.Glyph, e.Role = "!", labels.Bad
		}
		e.What = fmt.Sprintf("%s %s: %s", x.Method, t.readablePath(x.Path), answer)
		if x.Attempt > 1 {
			e.What += fmt.Sprintf(", try %d", x.Attempt)
		}
		e.Fields = []EntryField{
			{"request", x.Method + " " + x.URL},
			{"response", answer},
			{"request id", x.RequestID},
			{"error", x.Err},
			{"sizes", format.Bytes(x.RequestSize) + " sent, " + format.Bytes(x.ResponseSize) + " received"},
		}
		t.addEntry(e)
	}
}

// saysNothing tells whether an answer only says that nothing is recorded: no
// permission, or an order that has nothing in the v2 API.
func saysNothing(x *requestlog.Exchange) bool {
	return x.Status == http.StatusNotFound &&
		(strings.HasSuffix(x.Path, "/flight-permission") || strings.Contains(x.Path, "/getorder/"))
}

// readablePath returns a path with codes in the place of ids.
func (t *entryBuilder) readablePath(path string) string {
	for uuid, code := range t.codes {
		path = strings.ReplaceAll(path, uuid, code)
	}
	if o := t.facts.Order; o != nil && o.UUID != "" {
		path = strings.ReplaceAll(path, o.UUID, o.OrderCode)
	}
	return path
}

// aboutOf returns the code of what a path names.
func (t *entryBuilder) aboutOf(path string) string {
	for uuid, code := range t.codes {
		if strings.Contains(path, uuid) {
			return code
		}
	}
	return t.orderCode()
}
