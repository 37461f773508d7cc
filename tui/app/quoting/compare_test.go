package quoting_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/quoting"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// quoteOf returns a quote that expires the given number of hours after noon.
func quoteOf(id, currency string, price float64, days, hours int) api.Quote {
	return api.Quote{
		QuoteID: id, QuoteName: strings.ToUpper(id), Currency: currency, FinalPrice: api.PriceOf(price), PriceBeforeDiscount: api.PriceOf(price),
		DeliveryBy: api.Days{Count: days, Known: true}, ExpiryDate: api.TimeOf(noon.Add(time.Duration(hours) * time.Hour)),
	}
}

// recordOf returns an order of two hectares with open quotes.
func recordOf(quotes ...api.Quote) *api.OrderRecord {
	area := 20_000.0
	return &api.OrderRecord{ID: "0123456789", OrderCode: "ORD-1", OrderName: "Levee", AreaSize: &area, Quotes: quotes}
}

func namesOf(offers []*quoting.Offer) (names []string) {
	for _, o := range offers {
		names = append(names, o.DisplayName())
	}
	return names
}

func TestOffersAreSorted(t *testing.T) {
	unpriced, strange := quoteOf("unpriced", "EUR", 0, 3, 9), quoteOf("strange", "", 1, 3, 9)
	unpriced.FinalPrice = api.Price{}
	r := recordOf(
		quoteOf("over", "EUR", 1, 3, 0), unpriced, strange, quoteOf("dollars", "USD", 5, 3, 9), quoteOf("dear", "EUR", 30, 3, 9),
		quoteOf("francs", "CHF", 7, 3, 9), quoteOf("cheap", "EUR", 20, 3, 1),
	)
	accepted := quoteOf("accepted", "EUR", 1, 1, 1)
	r.AcceptedQuote, r.RejectedQuotes, r.ClosedQuotes = &accepted, []api.Quote{quoteOf("rejected", "EUR", 1, 1, 1)}, []api.Quote{quoteOf("closed", "EUR", 1, 1, 1)}
	b := quoting.NewSet(noon, r)
	if got := namesOf(b.Open); !slices.Equal(got, []string{"CHEAP", "DEAR", "FRANCS", "DOLLARS", "STRANGE", "UNPRICED", "OVER"}) {
		t.Errorf("open are %v", got)
	}
	if got := namesOf(b.Decided); !slices.Equal(got, []string{"ACCEPTED", "REJECTED", "CLOSED"}) || b.Decided[0].Status != api.QuoteAccepted {
		t.Errorf("decided are %v", got)
	}
	if got := b.OpenOffers(noon); len(got) != 6 || b.AcceptedOffer() != b.Decided[0] || b.FindOffer("closed") != b.Decided[2] || b.FindOffer("none") != nil {
		t.Errorf("to be decided are %v", namesOf(got))
	}
	if o := b.SoonestExpiry(noon); o == nil || o.QuoteID != "cheap" {
		t.Errorf("the next to expire is %+v", o)
	}
	if o := b.SoonestExpiry(noon.Add(9 * time.Hour)); o != nil {
		t.Errorf("once all have expired the next is %+v", o)
	}
	if got := quoting.Currencies(b.Open); !slices.Equal(got, []string{"EUR", "CHF", "USD", ""}) {
		t.Errorf("currencies are %q", got)
	}
	for _, id := range []string{"v", "w", "x", "y"} {
		r.Quotes = append(r.Quotes, quoteOf(id, "USD", 4, 3, 9))
	}
	if b = quoting.NewSet(noon, r); b.Open[0].QuoteID != "v" || len(b.Open) != 11 {
		t.Errorf("with more quotes in USD open are %v", namesOf(b.Open))
	}
}

func TestTheBestOfferIsOneThatCanBeDecided(t *testing.T) {
	euros := recordOf(quoteOf("a", "EUR", 20, 10, 9), quoteOf("b", "EUR", 30, 2, 9), quoteOf("over", "EUR", 1, 1, 0))
	b := quoting.NewSet(noon, euros)
	best := func(id string) string { return b.BestOf(b.FindOffer(id), noon) }
	if best("a") != "cheapest" || best("b") != "fastest" || best("over") != "" {
		t.Errorf("%q, %q, %q", best("a"), best("b"), best("over"))
	}
	euros.Quotes = append(euros.Quotes, quoteOf("c", "USD", 1, 2, 9))
	b = quoting.NewSet(noon, euros)
	if best("a") != "cheapest in EUR" || best("b") != "fastest" || best("c") != "fastest" {
		t.Errorf("%q, %q, %q", best("a"), best("b"), best("c"))
	}
	b = quoting.NewSet(noon, recordOf(quoteOf("a", "", 1, 2, 9), quoteOf("b", "", 2, 2, 9)))
	if best("a") != "" || best("b") != "" {
		t.Errorf("without a currency %q, %q", best("a"), best("b"))
	}
}

func TestFiguresOfAnOffer(t *testing.T) {
	b := quoting.NewSet(noon, recordOf(quoteOf("a", "EUR", 20, 10, 9), quoteOf("b", "EUR", 25, 0, 9)))
	a, now := b.FindOffer("a"), b.FindOffer("b")
	if area, ok := a.PerArea(); area != 0.001 || !ok {
		t.Errorf("per hectare %v, %v", area, ok)
	}
	if by, share, ok := quoting.Difference(now, a, (*quoting.Offer).Price); by != 5 || share != 0.25 || !ok {
		t.Errorf("the difference is %v, %v, %v", by, share, ok)
	}
	unsized := recordOf(quoteOf("a", "EUR", 20, 10, 9))
	unsized.AreaSize = nil
	if _, ok := quoting.NewSet(noon, unsized).Open[0].PerArea(); ok {
		t.Error("an order without a size has a price per hectare")
	}
	why, blank := "season", " "
	for want, q := range map[string]api.Quote{
		"":                         {},
		"5%, season":               {DiscountProvided: "5 %", ReasonForDiscount: &why},
		"5%, no reason given":      {DiscountProvided: "5%", ReasonForDiscount: &blank},
		"much, no reason given":    {DiscountProvided: "much"},
		"12.5, no reason given":    {DiscountProvided: "12.5"},
		" quote id, Unnamed quote": {DiscountProvided: "0%"},
	} {
		o := quoting.Offer{Quote: q}
		if got := o.DiscountText(); got != want && q.DiscountProvided != "0%" || q.DiscountProvided == "0%" && got != "" {
			t.Errorf("%+v is %q, not %q", q, got, want)
		}
	}
	for want, q := range map[string]api.Quote{"N": {QuoteName: "N", QuoteID: "i"}, "quote i": {QuoteName: " ", QuoteID: "i"}, "Unnamed quote": {}} {
		if o := (quoting.Offer{Quote: q}); o.DisplayName() != want {
			t.Errorf("%+v is called %q", q, o.DisplayName())
		}
	}
	if r := (&api.OrderRecord{ID: "0123456789", OrderName: "N"}); quoting.FullName(r) != "0123456… N" {
		t.Errorf("called %q", quoting.FullName(r))
	}
}

func TestADecisionDescribesItsConsequences(t *testing.T) {
	dear, unread := quoteOf("dear", "EUR", 30.5, 2, 9), quoteOf("plain", "EUR", 20, 10, 9)
	dear.PriceBeforeDiscount = api.PriceOf(30)
	unread.FinalPrice = api.Price{}
	three := recordOf(dear, quoteOf("cheap", "EUR", 20, 10, 9), quoteOf("over", "EUR", 1, 1, 0))
	many := recordOf()
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		many.Quotes = append(many.Quotes, quoteOf(id, "EUR", 1, 1, 1))
	}
	for name, c := range map[string]struct {
		kind   changes.Kind
		record *api.OrderRecord
		ids    string
		word   string
		says   string
		text   []string
	}{
		"the dearer": {changes.QuoteAccepted, three, "dear", "30", "accept DEAR, 30.50 EUR, for ORD-1", []string{
			"ORD-1  Levee", "DEAR   30.50 EUR   2 days", "Expires in 9 h 00 m.", "▲ The final price is above the price before the discount.",
			"+10.50 +52.5% compared to the cheapest, CHEAP.", "",
			"Closes 2 other quotes: CHEAP 20.00 EUR, OVER 1.00 EUR (expired).", "Accepting starts the work. End.",
		}},
		"the cheapest": {changes.QuoteAccepted, three, "cheap", "20", "accept CHEAP, 20.00 EUR, for ORD-1", []string{
			"ORD-1  Levee", "CHEAP   20.00 EUR   10 days", "Expires in 9 h 00 m.", "No other open quote in EUR is cheaper.", "",
			"Closes 2 other quotes: DEAR 30.50 EUR, OVER 1.00 EUR (expired).", "Accepting starts the work. End.",
		}},
		"the only one": {changes.QuoteAccepted, recordOf(unread), "plain", "ORD-1", "accept PLAIN, –, for ORD-1", []string{
			"ORD-1  Levee", "PLAIN   –   10 days", "Expires in 9 h 00 m.", "", "Accepting starts the work. End.",
		}},
		"one of several rejected": {changes.QuoteRejected, three, "cheap", "reject", "reject CHEAP, 20.00 EUR, for ORD-1", []string{
			"ORD-1  Levee", "CHEAP   20.00 EUR   10 days", "Expires in 9 h 00 m.", "", "End.",
		}},
		"five": {changes.QuoteRejected, many, "abcde", "reject", "reject 5 quotes for ORD-1", []string{
			"ORD-1  Levee", "A   1.00 EUR   1 day", "B   1.00 EUR   1 day", "C   1.00 EUR   1 day", "D   1.00 EUR   1 day", "E   1.00 EUR   1 day", "", "End.",
		}},
		"all six": {changes.QuoteRejected, many, "abcdef", "reject", "reject 6 quotes for ORD-1", []string{
			"ORD-1  Levee", "A   1.00 EUR   1 day", "B   1.00 EUR   1 day", "C   1.00 EUR   1 day", "D   1.00 EUR   1 day", "and 2 more", "",
			"No open quotes will be left; the order returns to review.", "End.",
		}},
	} {
		b := quoting.NewSet(noon, c.record)
		var chosen []*quoting.Offer
		for _, o := range b.Open {
			if o.QuoteID == c.ids || len(o.QuoteID) == 1 && strings.Contains(c.ids, o.QuoteID) {
				chosen = append(chosen, o)
			}
		}
		d := b.NewDecision(c.kind, chosen...)
		if got := d.DescribeLines(noon, "End."); !slices.Equal(got, c.text) {
			t.Errorf("%s:\n%s", name, strings.Join(got, "\n"))
		}
		if d.ConfirmWord() != c.word || d.Describe(d.Verb()) != c.says {
			t.Errorf("%s: %q, %q", name, d.ConfirmWord(), d.Describe(d.Verb()))
		}
	}
	b := quoting.NewSet(noon, three)
	d := b.NewDecision(changes.QuoteAccepted, b.FindOffer("dear"))
	e := d.Entry(b.FindOffer("dear"))
	if e.Kind != changes.QuoteAccepted || e.OrderID != "0123456789" || e.OrderName != "ORD-1 Levee" || e.Quote.ID != "dear" || e.Quote.Name != "DEAR" || e.Quote.Price != "30.50 EUR" ||
		e.Quote.Days != "2 days" || !slices.Equal(e.Quote.Against, []string{"CHEAP 20.00 EUR", "OVER 1.00 EUR"}) {
		t.Errorf("logged as %+v", e)
	}
}

func TestAcceptingSaysWhetherTheDataMeetsTheDeadline(t *testing.T) {
	for deadline, want := range map[string]string{
		"2026-12-04": "Data by Wed 2 Dec, 2 days before the deadline.",
		"2026-12-02": "Data by Wed 2 Dec, on the day of the deadline.",
		"2026-12-01": "▲ Data by Wed 2 Dec, 1 day after the deadline.",
		"2026-11-16": "▲ Data by Wed 2 Dec, 16 days after the deadline.",
		"":           "",
	} {
		record := recordOf(quoteOf("plain", "EUR", 20, 10, 9))
		record.DeliveryDeadline = api.ParseDate(deadline)
		b := quoting.NewSet(noon, record)
		accept := b.NewDecision(changes.QuoteAccepted, b.Open[0])
		lines := accept.DescribeLines(noon, "End.")
		if want != "" && !slices.Contains(lines, want) {
			t.Errorf("due %s: %q", deadline, lines)
		}
		reject := b.NewDecision(changes.QuoteRejected, b.Open[0])
		for _, line := range reject.DescribeLines(noon, "End.") {
			if strings.Contains(line, "Data by") {
				t.Errorf("rejecting says %q", line)
			}
		}
	}
}

func TestADecisionIsNotSentIfTheQuoteHasChanged(t *testing.T) {
	shown := quoting.NewSet(noon, recordOf(quoteOf("a", "EUR", 20, 10, 9))).Open[0]
	other, slower, unpriced := quoteOf("a", "EUR", 21, 10, 9), quoteOf("a", "EUR", 20, 11, 9), quoteOf("a", "EUR", 20, 10, 9)
	unpriced.FinalPrice = api.Price{}
	closed, won := recordOf(), quoteOf("b", "EUR", 19, 1, 1)
	closed.AcceptedQuote, closed.ClosedQuotes = &won, []api.Quote{quoteOf("a", "EUR", 20, 10, 9)}
	rejected := recordOf()
	rejected.RejectedQuotes = closed.ClosedQuotes
	for _, c := range []struct {
		name           string
		now            *api.OrderRecord
		after          time.Duration
		accept, reject string
	}{
		{"the same", recordOf(quoteOf("a", "EUR", 20, 10, 9)), 9*time.Hour - 1, "", ""},
		{"expired", recordOf(quoteOf("a", "EUR", 20, 10, 9)), 9 * time.Hour, "A has expired; not sent", "A has expired; not sent"},
		{"gone", recordOf(), 0, "A is no longer among the order's quotes; not sent", "A is no longer among the order's quotes; not sent"},
		{"dearer", recordOf(other), 0, "A has changed to 21.00 EUR, 10 days; not sent, review it again", ""},
		{"slower", recordOf(slower), 0, "A has changed to 20.00 EUR, 11 days; not sent, review it again", ""},
		{"without a price", recordOf(unpriced), 0, "A has no price; not sent", ""},
		{"closed", closed, 0, "A is closed: the accepted quote is B, 19.00 EUR", "A is closed: the accepted quote is B, 19.00 EUR"},
		{"rejected", rejected, 0, "A was already decided: rejected", "A was already decided: rejected"},
	} {
		b := quoting.NewSet(noon.Add(c.after), c.now)
		for kind, want := range map[changes.Kind]string{changes.QuoteAccepted: c.accept, changes.QuoteRejected: c.reject} {
			if got := quoting.ChangedReason(kind, shown, &b, noon.Add(c.after)); got != want {
				t.Errorf("%s, %s: %q", c.name, kind, got)
			}
		}
	}
}

func TestAComparisonIsWrittenAsCSV(t *testing.T) {
	why := "season"
	b := quoteOf("b", "EUR", 30, 11, 9)
	b.PriceBeforeDiscount, b.DiscountProvided, b.ReasonForDiscount = api.PriceOf(40), "25%", &why
	r := recordOf(quoteOf("a", "EUR", 20, 10, 9), b, quoteOf("c", "USD", 10, 10, 9), quoteOf("over", "EUR", 10, 9, 0))
	r.OrderName, r.RejectedQuotes = "=Levee", []api.Quote{quoteOf("d", "EUR", 5, 1, 1)}
	r.OrderCode = ""
	r.ID = "=1"
	c, err := quoting.NewComparison(r, "B", noon)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := c.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil || len(rows) != 6 {
		t.Fatalf("%v, %v", rows, err)
	}
	of := func(row int, name string) string { return rows[row][slices.Index(rows[0], name)] }
	for name, want := range map[string][2]string{
		"quote": {"A", "D"}, "status": {"open", "rejected"}, "finalPrice": {"20.00", "5.00"}, "currency": {"EUR", "EUR"}, "difference": {"-10.00", "-25.00"},
		"differencePercent": {"-33.3", "-83.3"}, "order": {"'=1 =Levee", "'=1 =Levee"}, "expired": {"false", "false"}, "deliveryBy": {"10", "1"},
	} {
		if got := [2]string{of(1, name), of(5, name)}; got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
	if of(2, "difference") != "" || of(2, "discount") != "25%" || of(2, "reasonForDiscount") != "season" || of(4, "expired") != "true" || of(3, "differencePercent") != "" {
		t.Errorf("written is %q", rows)
	}
	if _, err := quoting.NewComparison(r, "none", noon); err == nil {
		t.Error("compared with a quote that is not there")
	}
	if c, err := quoting.NewComparison(r, "c", noon); err != nil || c.Pick.QuoteID != "c" {
		t.Errorf("compared by id: %v", err)
	}
}
