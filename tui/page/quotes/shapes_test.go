package quotes_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// many are n quotes in some currencies, one after the other.
func many(n int, currencies ...string) string {
	quotes := make([]map[string]any, n)
	for i := range quotes {
		quotes[i] = map[string]any{
			"quoteId": fmt.Sprintf("q-%d", i), "quoteName": fmt.Sprintf("Operator %d Vermessung GmbH", i), "deliveryBy": fmt.Sprintf("%d days", 9+i*7%17),
			"priceBeforeDiscount": 40000 + i*777, "finalPrice": 38000 + i*777, "currency": currencies[i%len(currencies)], "discountProvided": "5%",
			"expiryDate": tuitest.Clock.Add(time.Duration(7+13*i) * time.Hour).Format(time.RFC3339), "description": "2 cm GSD, GCPs included",
		}
	}
	body, err := json.Marshal(quotes)
	if err != nil {
		panic(err)
	}
	return string(body)
}

func TestFramesOfQuotes(t *testing.T) {
	d := apptest.OpenAgainst(t, quoted(three(t)))
	d.Press("4")
	d.CompareMainFrames(t, "inbox")
	d.Press("enter")
	d.CompareMainFrames(t, "compare")
	d.Press("right", "space", "d")
	d.CompareFrames(t, "differences")
	d.Press("A")
	d.CompareFrames(t, "accept")
	d.Press("esc", "X")
	d.CompareFrames(t, "reject")

	twelve := apptest.OpenAgainst(t, quoted(many(12, "EUR")))
	twelve.Press("4", "enter", "right", "right", "right", "right", "right")
	twelve.CompareFrames(t, "twelve")
	mixed := apptest.OpenAgainst(t, quoted(many(5, "EUR", "JPY", "")))
	mixed.Press("4")
	mixed.CompareFrames(t, "inbox-mixed")
	mixed.Press("enter")
	mixed.CompareFrames(t, "mixed")
	one := apptest.OpenAgainst(t, quoted(many(1, "EUR")))
	one.Press("4", "enter")
	one.CompareFrames(t, "one")
}

func TestFramesOfADecision(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50), quote("Nordflug", 16500, 9, 7), quote("Skyline", 14900, 14, 70))
	accept(b, "12420")
	b.CompareFrames(t, "held")
	b.Advance(10 * time.Second)
	b.CompareFrames(t, "decided")
	b.Press("i")
	b.CompareMainFrames(t, "log")
	b.Press("esc", "o")
	b.CompareFrames(t, "story")
}

func TestFramesWithoutQuotes(t *testing.T) {
	d := apptest.OpenAgainst(t, apptest.AnswerNothing)
	d.Press("4")
	d.CompareFrames(t, "none")
	d.Press("i")
	d.CompareFrames(t, "log-none")
	d = apptest.OpenAgainst(t, apptest.AnswerBroken)
	d.Press("4")
	d.CompareFrames(t, "trouble")
	d = apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "getorder/") {
			apptest.AnswerBroken(w, r)
			return
		}
		quoted("[]")(w, r)
	})
	d.Press("4")
	d.CompareFrames(t, "inbox-part")
	d.Press("enter")
	d.CompareFrames(t, "compare-trouble")

	d = apptest.OpenUnanswered(t, quoted("[]"))
	d.Press("4")
	d.CompareFrames(t, "loading")
}

// shapes are quotes as other services may tell them.
func shapes() []string {
	odd := `"Größe 東京タワー é́ שלום 👩‍🚀 \u001b[31m\u202e ` + strings.Repeat("very long ", 30) + `"`
	return []string{
		`[]`, `null`, `{}`, `"none"`, `[null,3,"x",[]]`, many(1, "EUR"), many(300, "EUR", "JPY", "KWD", "", "doubloons"),
		`[{"quoteId":7,"quoteName":8,"deliveryBy":20,"finalPrice":"12,420.00","currency":978,"expiryDate":1795600000}]`,
		`[{"quoteId":"a","deliveryBy":"-3 days","finalPrice":-5,"priceBeforeDiscount":"free","expiryDate":"soon"},{"quoteId":"a","finalPrice":1e300,"currency":"EUR","deliveryBy":9e18}]`,
		`[{},{},{"finalPrice":0,"currency":"EUR"},{"finalPrice":0,"currency":"EUR"}]`,
		`[{"quoteId":"x","quoteName":` + odd + `,"description":` + odd + `,"reasonForDiscount":` + odd + `,"discountProvided":` + odd + `,"currency":` + odd + `,"finalPrice":"1","status":"inReview"}]`,
	}
}

// Whatever the service tells of quotes, whatever is pressed, at whatever size:
// nothing leaves its rectangle, nothing panics.
func TestNoShapeOfQuotesBreaksThePages(t *testing.T) {
	all := apptest.AllKeys()
	own := []string{"4", "enter", "enter", "right", "left", "A", "X", "d", "v", "space", "i", "esc", "r", "E", "G", "o"}
	for n, shape := range shapes() {
		area := []string{`"areaSize":1842000`, `"areaSize":null`, `"areaSize":"12 ha"`}[n%3]
		serve := quoted(shape)
		d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/quote/") {
				apptest.WriteAnswer(w, 200, `{"status":"Quote decided","quoteDetails":[]}`)
				return
			}
			rec := httptest.NewRecorder()
			serve(rec, r)
			_, _ = w.Write([]byte(strings.ReplaceAll(rec.Body.String(), `"areaSize":1842000`, area)))
		})
		d.Press("4", "enter")
		r := rand.New(rand.NewPCG(uint64(n), 8))
		for step := range 150 {
			switch r.IntN(10) {
			case 0:
				d.Resize(r.IntN(160), r.IntN(50))
			case 1:
				d.Advance(time.Duration(r.IntN(3000)) * time.Millisecond)
			case 2:
				d.Press(all[r.IntN(len(all))])
			default:
				d.Press(own[r.IntN(len(own))])
			}
			whole(d, t, fmt.Sprintf("shape %d, step %d", n, step))
		}
	}
}

// whole fails the test unless all lines of the screen are of one length.
func whole(d *apptest.Session, t *testing.T, what string) {
	t.Helper()
	view := d.View()
	if view.Content == "" {
		return
	}
	lines := strings.Split(view.Content, "\n")
	w := ansi.StringWidth(lines[0])
	for _, line := range lines {
		if ansi.StringWidth(line) != w {
			t.Fatalf("%s: a line of %d cells among %d:\n%s", what, ansi.StringWidth(line), w, d.Screen())
		}
	}
	if c := view.Cursor; c != nil && (c.X < 0 || c.X >= max(1, w) || c.Y < 0 || c.Y >= len(lines)) {
		t.Fatalf("%s: the cursor is at %d,%d of %dx%d:\n%s", what, c.X, c.Y, w, len(lines), d.Screen())
	}
}

func TestEveryScreenOfQuotesFillsTheWindow(t *testing.T) {
	d := apptest.OpenAgainst(t, quoted(many(12, "EUR", "JPY")))
	for _, way := range [][]string{{"4"}, {"enter"}, {"A"}, {"esc", "X"}, {"esc", "enter"}, {"esc", "space", "right", "space"}, {"esc", "E"}, {"esc", "i"}} {
		d.Press(way...)
		for h := 18; h <= 45; h += 3 {
			for _, w := range []int{60, 61, 80, 99, 120, 200} {
				d.Resize(w, h)
				lines := strings.Split(d.View().Content, "\n")
				if len(lines) != h || ansi.StringWidth(lines[0]) != w {
					t.Fatalf("%v at %dx%d is drawn as %dx%d:\n%s", way, w, h, ansi.StringWidth(lines[0]), len(lines), d.Screen())
				}
			}
		}
	}
}

// Of several currencies none is measured by another.
func TestSeveralCurrenciesAreNotOne(t *testing.T) {
	d := apptest.OpenAgainst(t, quoted(many(6, "EUR", "JPY", "")))
	d.Resize(200, 40)
	d.Press("4", "enter")
	d.RequireText("cheapest in EUR", "cheapest in JPY", "no currency")
	d.SeesNot("cheapest in  ", "cheapest in no")
}

func BenchmarkQuotes300(b *testing.B) {
	d := apptest.OpenAgainst(b, quoted(many(300, "EUR")))
	d.Resize(140, 40)
	d.Press("4", "enter")
	for _, key := range []string{"right", "d"} {
		b.Run(key, func(b *testing.B) {
			for b.Loop() {
				d.Press(key)
				d.View()
			}
		})
	}
}

func TestAnErrorIsWholeBelowManyDecidedQuotes(t *testing.T) {
	var isBroken atomic.Bool
	decided := strings.NewReplacer(`"quotes":[]`, `"closedQuotes":`+many(30, "EUR"), "quoteReceived", "pendingOperator")
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if isBroken.Load() {
			apptest.AnswerBroken(w, r)
			return
		}
		recorded := httptest.NewRecorder()
		quoted("[]")(recorded, r)
		_, _ = w.Write([]byte(decided.Replace(recorded.Body.String())))
	})
	d.Resize(100, 24)
	d.Press("2", "enter", "c")
	d.RequireText("Operator 0 Vermessung", "o order")
	isBroken.Store(true)
	d.Press("r")
	d.RequireText("Operator 0 Vermessung", "o order", "Showing quotes loaded", "r retry")
}
