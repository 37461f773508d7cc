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
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/requestlog"
	"flightdesk/tui/format"
)

// quotes tells when open quotes expire, and of decisions that the log of this
// machine knows nothing of.
func (t *teller) quotes() {
	r := t.facts.Record
	if r == nil {
		return
	}
	here := map[string]bool{}
	for _, e := range t.facts.Decisions {
		if e.Kind != quoting.Note {
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
		t.add(Entry{
			ID: "quote " + q.QuoteID, At: at, Source: FromQuote, Glyph: glyph, Role: role, About: t.code(),
			What: fmt.Sprintf("%s %s, %s%s", cmp.Or(q.QuoteName, q.QuoteID), what, price, days),
			Fields: []Field{
				{"quote", q.QuoteName},
				{"quote id", q.QuoteID},
				{"final price", price},
				{"delivery", q.DeliveryBy.String()},
				{"expires", t.full(q.ExpiryDate.Time)},
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

// code is the order's.
func (t *teller) code() string {
	if t.facts.Order != nil {
		return t.facts.Order.OrderCode
	}
	return t.facts.Subject.Order
}

func (t *teller) decisions() {
	for i := range t.facts.Decisions {
		d := &t.facts.Decisions[i]
		glyph, role := "✎", labels.Muted
		switch {
		case d.Kind == quoting.Note:
		case !d.Confirmed():
			glyph, role = "!", labels.Attention
		case d.Kind == quoting.Accepted:
			glyph, role = "●", labels.Good
		case d.Kind == quoting.Rejected:
			glyph, role = "✗", labels.Text
		}
		what := fmt.Sprintf("%s %s on this machine, %s, %s", d.QuoteName, d.Kind, d.Price, d.Days)
		if d.Kind == quoting.Note {
			what = "note on " + d.QuoteName + ": " + d.Note
		}
		t.add(Entry{
			ID: fmt.Sprintf("decision %s %d", d.QuoteID, d.At.UnixNano()), At: d.At, Source: FromDecision, Glyph: glyph, Role: role,
			About: t.code(), What: what,
			Fields: []Field{
				{"quote id", d.QuoteID}, {"compared with", strings.Join(d.Against, "; ")}, {"note", d.Note}, {"outcome", d.Outcome},
			},
		})
	}
}

// Where is an endpoint's address in short: its host and path.
func Where(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return strings.TrimSuffix(u.Host+u.Path, "/")
}

// Outcome says how a row of a log ended, and how that is shown.
func Outcome(d *api.WebhookDelivery) (text, glyph string, role labels.Tone) {
	tries := ""
	if d.Attempts != nil && *d.Attempts > 1 {
		tries = fmt.Sprintf(", %d attempts", *d.Attempts)
	}
	code := 0
	if d.ResponseCode != nil {
		code = *d.ResponseCode
	}
	why := value(d.Error)
	switch {
	case d.Success && code > 0:
		return fmt.Sprintf("delivered, %d%s", code, tries), "✓", labels.Good
	case d.Success:
		return "delivered" + tries, "✓", labels.Good
	case d.Pending():
		return "being sent" + tries, "◌", labels.Pending
	case code > 0:
		return fmt.Sprintf("failed, answered %d%s", code, tries), "✗", labels.Bad
	case why != "":
		return "failed, " + why + tries, "✗", labels.Bad
	}
	return "failed, no response" + tries, "✗", labels.Bad
}

// later is an outcome of which the log does not say when it was.
func later(outcome string) string {
	verb, rest, more := strings.Cut(outcome, ",")
	if !more {
		return verb + " later"
	}
	return verb + " later," + rest
}

// About reports whether a row of a log is about the subject of the facts. A row
// that names neither mission nor order is about none.
func (f *Facts) About(d *api.WebhookDelivery) bool {
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

func (t *teller) callbacks(e *Endpoint) {
	for i := range e.Log {
		d := &e.Log[i]
		if !t.facts.About(d) {
			continue
		}
		text, glyph, role := Outcome(d)
		if !d.Pending() && (d.Attempts == nil || *d.Attempts != 1) {
			text = later(text)
		}
		code, tries := "none", ""
		if d.ResponseCode != nil && *d.ResponseCode > 0 {
			code = fmt.Sprint(*d.ResponseCode)
		}
		if d.Attempts != nil {
			tries = fmt.Sprint(*d.Attempts)
		}
		t.add(Entry{
			ID: CallbackID(d), At: d.CreatedAt.Time, Source: FromCallback, Glyph: glyph, Role: role,
			About: cmp.Or(t.codes[d.MissionUID], d.OrderCode), Mission: d.MissionUID, Endpoint: e.UUID,
			What: fmt.Sprintf("%s: %s, to %s", labels.Event(d.Event).Label, text, Where(e.URL)),
			Fields: []Field{
				{"event", string(d.Event)},
				{"to", e.URL},
				{"endpoint id", e.UUID},
				{"callback id", d.UUID},
				{"created", t.full(d.CreatedAt.Time)},
				{"response", code},
				{"attempts", tries},
				{"error", value(d.Error)},
			},
		})
	}
}

func (t *teller) received() {
	for i := range t.facts.Received {
		r := &t.facts.Received[i]
		m := &r.Data.Mission
		t.add(Entry{
			ID: "received " + r.ID, At: r.At, Source: FromReceived, Glyph: "↓", Role: labels.Good,
			About: cmp.Or(m.MissionCode, m.OrderCode), Mission: m.UUID, What: labels.Event(r.Event.Event).Label + ": received by this app, verified",
			Fields: []Field{
				{"event", string(r.Event.Event)}, {"callback id", r.ID}, {"sent", t.full(r.Timestamp.Time)}, {"mission status", labels.MissionStatus(m.Status).Detail()},
			},
		})
	}
}

func (t *teller) requests() {
	// The service's clock is known to the second only: what was asked later is
	// told later.
	var last time.Time
	for _, x := range slices.SortedFunc(slices.Values(t.facts.Exchanges), func(a, b *requestlog.Exchange) int { return a.Number - b.Number }) {
		if x.At.After(last) {
			last = x.At
		}
		e := Entry{
			ID: fmt.Sprintf("wire %d", x.Number), At: last, Source: FromWire, Glyph: "↔", Role: labels.Text, About: t.aboutOf(x.Path),
			Exchange: x, Routine: Reads(x) && (!x.Failed() || nothing(x)),
		}
		answer := cmp.Or(x.Code(), "no response")
		if x.Failed() && (!Reads(x) || x.Status != http.StatusNotFound) { // to be not there is an answer
			e.Glyph, e.Role = "!", labels.Bad
		}
		e.What = fmt.Sprintf("%s %s: %s", x.Method, t.readable(x.Path), answer)
		if x.Attempt > 1 {
			e.What += fmt.Sprintf(", try %d", x.Attempt)
		}
		e.Fields = []Field{
			{"request", x.Method + " " + x.URL},
			{"response", answer},
			{"request id", x.RequestID},
			{"error", x.Err},
			{"sizes", format.Bytes(x.RequestSize) + " sent, " + format.Bytes(x.ResponseSize) + " received"},
		}
		t.add(e)
	}
}

// nothing tells whether an answer only says that nothing is recorded: no
// permission, or an order that has nothing in the v2 API.
func nothing(x *requestlog.Exchange) bool {
	return x.Status == http.StatusNotFound && (strings.HasSuffix(x.Path, "/flight-permission") || strings.Contains(x.Path, "/getorder/"))
}

// readable is a path with codes in the place of ids.
func (t *teller) readable(path string) string {
	for uuid, code := range t.codes {
		path = strings.ReplaceAll(path, uuid, code)
	}
	if o := t.facts.Order; o != nil && o.UUID != "" {
		path = strings.ReplaceAll(path, o.UUID, o.OrderCode)
	}
	return path
}

// aboutOf is the code of what a path names.
func (t *teller) aboutOf(path string) string {
	for uuid, code := range t.codes {
		if strings.Contains(path, uuid) {
			return code
		}
	}
	return t.code()
}
