package quotes_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/tui/apptest"
	"flightdesk/tui/format"
)

// quoted answers like a service whose only order has these quotes.
func quoted(quotes string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		record := `{"id":"o-1","orderCode":"ORD-100241","orderName":"Elbe levee south","areaSize":1842000,"companyName":"ACME",
			"orderStatus":"quoteReceived","status":"quoteReceived","locationMap":[{"lat":53.6,"lng":9.48}],"mapTypes":["_2dMap"],"quotes":` + quotes + `}`
		switch {
		case strings.Contains(r.URL.Path, "getorderslist"):
			_, _ = w.Write([]byte("[" + record + "]"))
		case strings.Contains(r.URL.Path, "getorder"):
			_, _ = w.Write([]byte(record))
		default:
			apptest.AnswerNothing(w, r)
		}
	}
}

// three are quotes of one order as the service tells them.
func three(t *testing.T) string {
	t.Helper()
	quotes := []map[string]any{
		{
			"quoteId": "q-1", "quoteName": "AeroScan Hanse", "deliveryBy": "20 days", "priceBeforeDiscount": 13800, "finalPrice": 12420, "currency": "EUR",
			"discountProvided": "10%", "reasonForDiscount": "frame contract", "expiryDate": "2026-11-25T18:00:00+01:00", "description": "2 cm GSD, GCPs included",
		},
		{
			"quoteId": "q-2", "quoteName": "Nordflug express", "deliveryBy": 9, "priceBeforeDiscount": 16500, "finalPrice": 16500, "currency": "EUR",
			"discountProvided": "0%", "expiryDate": "2026-11-24T17:29:12+01:00", "description": "RTK crew in Hamburg that week",
		},
		{
			"quoteId": "q-3", "quoteName": "Skyline Süd", "deliveryBy": "14 days", "priceBeforeDiscount": 14900, "finalPrice": 14155, "currency": "EUR",
			"discountProvided": "5%", "expiryDate": "2026-11-27T12:00:00+01:00",
		},
	}
	body, err := json.Marshal(quotes)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestThreeQuotesSideBySide(t *testing.T) {
	d := apptest.OpenAgainst(t, quoted(three(t)))
	d.Press("4")
	d.RequireText("ORD-100241", "12,420.00 EUR", "9 days")
	d.Press("enter")
	d.RequireText("▸AeroScan Hanse", "cheapest", "fastest", "16,500.00 EUR", "+4,080.00 EUR", "+32.9%", "−11 days", "67.43 EUR", "7 h 47 m", "10%", "frame contract")
	d.Press("A")
	d.RequireText("Accept quote", "ORD-100241", "12,420.00 EUR", "Closes 2 other quotes: ", "16,500.00 EUR", "Type 12420")
	d.Press("esc")
	d.Resize(80, 24)
	d.RequireText("AeroScan Hanse", "Skyline Süd", "Nordflug express", "+4,080.00 EUR", "+32.9%")
	d.SeesNot("Products")
	d.Resize(200, 60) // the order fits below its quotes
	d.RequireText("Products", "2D map")
}

func TestTheFiguresOfAQuoteAreAligned(t *testing.T) {
	d := apptest.OpenAgainst(t, quoted(three(t)))
	d.Press("4", "enter")
	requireOneEnd(t, d.Screen(), "AeroScan Hanse", "cheapest", "12,420.00 EUR", "13,800.00 EUR", "20 days", "67.43 EUR", "10%",
		"1 d 08 h left", "Wed 25 Nov 18:00", "Mon 14 Dec", "frame contract")
	d.RequireText("You decide by")
	d.SeesNot("per delivery day", "Per delivery day", "best per ha")
}

func TestRemarksFollowTheNamesIfTheyFit(t *testing.T) {
	d := apptest.OpenAgainst(t, quoted(three(t)))
	d.Resize(140, 40)
	d.Press("4", "enter")
	d.RequireText("▸AeroScan Hanse · cheapest", "Nordflug express · fastest")
	d.Resize(100, 40)
	d.SeesNot(" · cheapest", " · fastest")
	d.RequireText("cheapest", "fastest")
}

// requireOneEnd fails unless all figures of the first quote end in the same column of the screen.
func requireOneEnd(t *testing.T, screen string, figures ...string) {
	t.Helper()
	ends := map[int][]string{}
	for _, figure := range figures {
		for line := range strings.Lines(screen) {
			before, _, isInLine := strings.Cut(line, figure)
			end := format.Width(before + figure)
			if isInLine && end < firstQuoteEnd {
				ends[end] = append(ends[end], figure)
			}
		}
	}
	if len(ends) != 1 {
		t.Errorf("the figures end in columns %v:\n%s", ends, screen)
	}
}

// firstQuoteEnd is the width of the names and of the first quote in a comparison.
const firstQuoteEnd = 45

func TestDifferencesAreOffIfAllTermsDiffer(t *testing.T) {
	d := apptest.OpenAgainst(t, quoted(three(t)))
	d.Press("4", "enter", "d")
	d.RequireText("all terms differ", "Price per ha")
	same := strings.NewReplacer(`"20 days"`, `"9 days"`, `"14 days"`, `"9 days"`)
	d = apptest.OpenAgainst(t, quoted(same.Replace(three(t))))
	d.Press("4", "enter", "d")
	d.SeesNot("all terms differ", "Delivery time")
	d.Press("d")
	d.RequireText("Delivery time")
}

func TestSelectingAnotherQuoteMovesNoTerms(t *testing.T) {
	long := "One crew on a date of your choice, and all data is checked by a second pair of eyes."
	d := apptest.OpenAgainst(t, quoted(strings.Replace(three(t), "RTK crew in Hamburg that week", long, 1)))
	d.Resize(100, 24)
	d.Press("4", "enter")
	d.RequireText("AeroScan Hanse: “2 cm GSD")
	before := lineOf(d.Screen(), "Discount")
	d.Press("right", "right")
	d.RequireText("Nordflug express: “One crew")
	if after := lineOf(d.Screen(), "Discount"); after != before {
		t.Errorf("the discount moves from line %d to %d:\n%s", before, after, d.Screen())
	}
}

// lineOf returns the number of the first line of a screen with a text, or -1.
func lineOf(screen, text string) int {
	lines := strings.Split(screen, "\n")
	return slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, text) })
}

func TestDescriptionsAreWrappedInTheirColumns(t *testing.T) {
	long := "One crew, when it is nearby; weather days are not charged, and the reflight is free of charge."
	d := apptest.OpenAgainst(t, quoted(strings.Replace(three(t), "2 cm GSD, GCPs included", long, 1)))
	d.Press("4", "enter")
	d.RequireText("Description", "reflight is free of", "RTK crew in Hamburg")
	d.SeesNot("AeroScan Hanse: “")
	d.Resize(60, 18)
	d.RequireText("AeroScan Hanse: “")
}

func TestTheExactPriceConfirms(t *testing.T) {
	for _, typed := range []string{"12420", "12420.00", "12420,00", "12,420.00", "12,420.00 EUR", "12420 eur"} {
		d := apptest.OpenAgainst(t, quoted(three(t)))
		d.Press("4", "enter", "A")
		d.Type(typed)
		d.Press("enter")
		d.RequireText("Accepting AeroScan Hanse")
	}
	d := apptest.OpenAgainst(t, quoted(three(t)))
	d.Press("4", "enter", "A")
	d.Type("12420.01")
	d.Press("enter")
	d.RequireText("Does not match 12420")
}

func TestTheComparisonIsExported(t *testing.T) {
	odd := `{"quoteId":"q-4","quoteName":"=cmd|' /C calc'!A0 \\u003cscript\\u003e","deliveryBy":"soon","finalPrice":"2000000","currency":"JPY","description":"a|b\\n# c"}`
	d := apptest.OpenAgainst(t, quoted(strings.Replace(three(t), "[", "["+strings.ReplaceAll(odd, `\\`, `\`)+",", 1)))
	d.Press("4", "enter", "E")
	d.RequireText("Export comparison", "4 quotes, as CSV", "quotes-ORD-100241-2026-11-24.csv")
	d.Press("enter")
	d.RequireText("Exported the comparison of 4 quotes to ")
	rows, err := csv.NewReader(bytes.NewReader(d.ReadFile("quotes-ORD-100241-2026-11-24.csv"))).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		if strings.HasPrefix(row[2], "=") {
			t.Errorf("%q is a formula", row[2])
		}
	}
	first := strings.Join(rows[1], "|")
	for _, want := range []string{"AeroScan Hanse|q-1|open|cheapest in EUR", "13800.00|10%|frame contract|12420.00|EUR", "|20|2026-11-25T18:00:00+01:00|false|"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in %s", want, first)
		}
	}
}

func TestTheQuoteThatExpiresFirstIsNamedWhileItIsOutOfView(t *testing.T) {
	d := apptest.OpenAgainst(t, quoted(three(t)))
	d.Resize(60, 24)
	d.Press("4", "enter")
	d.RequireText("▸AeroScan Hanse", "Nordflug express expires first, in 7 h 47 m", "→ towards it")
	d.Press("right", "right")
	d.RequireText("▸Nordflug express", "7 h 47 m")
	d.SeesNot("expires first")
}

func TestAWideListOfQuotesComparesDeliveriesWithTheDeadline(t *testing.T) {
	quotes := three(t)
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.Path, "getorder") {
			apptest.AnswerNothing(w, r)
			return
		}
		record := `{"id":"o-1","orderCode":"ORD-1","orderName":"Levee","orderStatus":"quoteReceived","deliveryDeadline":"2026-12-08","quotes":` + quotes + `}`
		if strings.Contains(r.URL.Path, "getorderslist") {
			record = "[" + record + "]"
		}
		_, _ = w.Write([]byte(record))
	})
	d.Resize(200, 60)
	d.Press("4")
	d.RequireText("Data by, if accepted today", "Mon 14 Dec  6 days after the deadline",
		"Tue 8 Dec  on the day of the deadline", "Thu 3 Dec  5 days before the deadline")
	d.SeesNot("the rest is in the order")
}

func TestALongDescriptionLeavesTheListOfQuotesItsRoom(t *testing.T) {
	description := strings.Repeat("along the dike ", 200)
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		record := `{"id":"o-1","orderCode":"ORD-1","orderName":"Levee","orderStatus":"quoteReceived",` +
			`"description":"` + description + `","quotes":` + three(t) + `}`
		switch {
		case strings.Contains(r.URL.Path, "getorderslist"):
			_, _ = w.Write([]byte("[" + record + "]"))
		case strings.Contains(r.URL.Path, "getorder"):
			_, _ = w.Write([]byte(record))
		default:
			apptest.AnswerNothing(w, r)
		}
	})
	d.Resize(200, 60)
	d.Press("4")
	d.RequireText("Data by, if accepted today", "the rest is in the order")
	if n := strings.Count(d.Screen(), "along the dike"); n > 60 {
		t.Errorf("the description is shown %d times", n)
	}
}

func TestSecondsAreShownInTheLastHourOfAQuote(t *testing.T) {
	d := apptest.OpenAgainst(t, quoted(three(t)))
	d.Resize(140, 40)
	d.Press("4")
	d.RequireText("Expires in", "7 h 47 m", "decide within 7 h 47 m") // in the list and beside it
	d.Advance(7 * time.Hour)
	d.RequireText("00:47:12")
	d.Press("enter")
	d.RequireText("00:47:12")
}

func TestTheComparisonSaysWhenDataIsDeliveredAndShowsTheOrder(t *testing.T) {
	d := apptest.Open(t, 200, 60)
	d.Press("4", "enter")
	d.RequireText("Data by, if", "accepted today", "days late", "Dates", "deadline of the order", "Sites", "苫前 ridge, turbines 1–9  Asset")
	d.Press("esc", "down", "enter")
	d.RequireText("Decided quotes", "✗ Standard")
	d.SeesNot("▹ 1 decided quote")
	d.Press("v")
	d.RequireText("already shown")
	d.Resize(80, 24)
	d.RequireText("▹ 1 decided quote")
}

func TestTheFactsOfAnOrderAreDirectlyBelowTheList(t *testing.T) {
	d := apptest.Open(t, 200, 60)
	d.Press("4")
	last := lineOf(d.Screen(), "ORD-100228")
	if facts := lineOf(d.Screen(), "Data by, if accepted today"); facts > last+3 {
		t.Errorf("the facts begin in line %d, below the last order in line %d:\n%s", facts, last, d.Screen())
	}
}

func TestTheNameOfAnOrderIsWholeBesideTheList(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.Press("4")
	d.RequireText("ORD-100246  苫前 blade inspection", "             after the typhoon")
	d.SeesNot("inspection afte…")
}

func TestTheDeliveriesBelowTheListAreAligned(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.Press("4")
	d.RequireText(
		" Economy   28 days  Tue 22 Dec  16 days after the deadline",
		" Express    9 days   Thu 3 Dec   3 days before the deadline",
		"◆ Economy · cheapest",
	)
}

func TestTheNumberOfOrdersToDecideComesFirst(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("4")
	d.RequireText("2 to decide · 1 expired")
	d.Resize(60, 18)
	d.RequireText("2 to decide")
	d.SeesNot("1 expired")
}

func TestTheListOfQuotesUsesFreeLinesInASmallWindow(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("4")
	d.RequireText("the typhoon", "◆ Economy   1,388.43 EUR  28 days", "enter compare and decide")
}

func TestALowComparisonShowsTheDeadline(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("4", "/")
	d.Type("ORD-100246")
	d.Press("enter", "enter")
	d.RequireText("› ORD-100246", "Final price", "Data by, if", "accepted today", "1 more row: enter", "─ Priority →")
}

// The dates of many quotes do not fit below the comparison. Its rows then show them.
func TestTheLatestDayOfDataIsShownAtEveryHeight(t *testing.T) {
	d := apptest.OpenAgainst(t, quoted(many(12, "EUR")))
	d.Press("4", "enter")
	for height := 24; height <= 60; height++ {
		d.Resize(140, height)
		screen := d.Screen()
		isShown := strings.Contains(screen, "Data by, if") || strings.Contains(screen, "data by")
		if !isShown {
			t.Errorf("%d lines do not show it", height)
		}
	}
}

func TestTheFactsOfAnOrderAreTheSameAsOnItsPage(t *testing.T) {
	d := apptest.Open(t, 200, 60)
	d.Press("4", "/")
	d.Type("ORD-100246")
	d.Press("enter", "enter")
	facts := []string{"Sun 6 Dec 18:00", "1 mission · 1.1 ha", "Photos (JPEG), 3D model, LiDAR points"}
	d.RequireText(append(facts, "› ORD-100246")...)
	d.SeesNot("1.13 ha")
	d.Press("esc", "o")
	d.RequireText(append(facts, "› ORD-100246")...)
	d.Press("c", "i") // the code is not repeated
	d.RequireText("Quotes › ORD-100246 › Quotes › Decision log")
}

func TestTheWarningOfALateDeliveryStaysAfterTheDecision(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.Press("4", "enter", "A")
	d.Type("1388")
	d.Press("enter")
	d.Advance(10 * time.Second)
	d.RequireText("Economy: data by, 16 days late")
	d.Press("o")
	d.RequireText("▲ Data by Tue 22 Dec, 16 days after the deadline")
}
