package quotes_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
	"flightdesk/tui/page"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
)

// bidding is the app on the real service, with one order that has quotes, its
// operations API, and a hand on the line between them.
type bidding struct {
	*apptest.Session
	ops     *ops.Client
	order   *api.Order
	service http.Handler
	archive bool                                         // the public API shows the order as archived, while its record keeps the quotes open
	sent    int                                          // decisions that reached the service
	line    func(w http.ResponseWriter, r *http.Request) // takes decisions instead of the service; nil for the service
}

// bid places an order and issues the quotes for it, in EUR.
func bid(t *testing.T, quotes ...ops.QuoteInput) *bidding {
	t.Helper()
	d := tuitest.New(t)
	s := &server.Server{Demo: true, Now: d.Now}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := &bidding{service: s.Handler()}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/quote/") {
			b.sent++
			if b.line != nil {
				b.line(w, r)
				return
			}
		}
		if b.archive && strings.HasPrefix(r.URL.Path, server.PublicPath) {
			kept := httptest.NewRecorder()
			s.Handler().ServeHTTP(kept, r)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(kept.Code)
			_, _ = w.Write(bytes.ReplaceAll(kept.Body.Bytes(), []byte(`"biddingWithQuote"`), []byte(`"archived"`)))
			return
		}
		s.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	var err error
	if b.ops, err = ops.NewClient(web.URL+server.OpsPath, s.OpsKey); err != nil {
		t.Fatal(err)
	}
	account := s.Accounts()[0]
	client, err := api.NewClient(web.URL+server.PublicPath, api.WithKey(account.Key), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	b.order = placeOrder(t, client, d.Now())
	for _, q := range quotes {
		b.issue(t, q)
	}
	b.Session = apptest.OpenOn(t, d, web.URL+server.PublicPath, account.Key, account.CompanyName, 120, 36)
	b.look()
	return b
}

// placeOrder places an order of one field.
func placeOrder(t *testing.T, client *api.Client, now time.Time) *api.Order {
	t.Helper()
	o, err := client.Orders.Create(t.Context(), api.CreateOrderRequest{
		Order: api.OrderInput{
			CompanyName: "ACME", OrderName: "Elbe levee south", OrderType: api.SingleLocation, Sensors: []api.Sensor{"rgbSensor"},
			Deliverables: []api.Deliverable{"_2dMap"}, MissionObjective: "mapAndSurvey", IndustryAssetType: "waterManagement",
			StartDate: api.TimeOf(now.Add(24 * time.Hour)), Deadline: api.TimeOf(now.Add(40 * 24 * time.Hour)),
		},
		Missions: []api.MissionInput{{
			MissionName: "Levee", MissionType: api.MissionArea, Country: "DE", LocationLabel: "Stade", AreaSize: 1_842_000,
			LocationMap: []api.Point{{Lat: 53.6, Lng: 9.4}, {Lat: 53.6, Lng: 9.5}, {Lat: 53.7, Lng: 9.5}},
		}},
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (b *bidding) issue(t *testing.T, q ops.QuoteInput) *ops.Quote {
	t.Helper()
	made, err := b.ops.Quotes.Issue(t.Context(), b.order.UUID, q)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// look opens the order's quotes from the inbox.
func (b *bidding) look() {
	b.T.Helper()
	b.Press("4", "/")
	b.Type(b.order.OrderCode)
	b.Press("enter", "enter")
}

// quote is one in EUR that expires after some hours.
func quote(name string, price float64, days int, hours float64) ops.QuoteInput {
	return ops.QuoteInput{
		QuoteName: name, PriceBeforeDiscount: price, DeliveryBy: days, Currency: "EUR",
		ExpiryDate: api.TimeOf(tuitest.Clock.Add(time.Duration(hours * float64(time.Hour)))),
	}
}

// colleague decides a quote of the order elsewhere.
func (b *bidding) colleague(accept bool, name string) {
	b.T.Helper()
	r, err := b.Client.Records.Get(b.T.Context(), b.order.UUID)
	if err != nil {
		b.T.Fatal(err)
	}
	decide := b.Client.Quotes.Reject
	if accept {
		decide = b.Client.Quotes.Accept
	}
	for _, q := range r.Quotes {
		if q.QuoteName == name {
			if _, err := decide(b.T.Context(), b.order.UUID, q.QuoteID); err != nil {
				b.T.Fatal(err)
			}
			return
		}
	}
	b.T.Fatalf("%s is not open", name)
}

// stands tells of the order as the service has it: status, winner, and how many
// quotes are open, rejected and closed.
func (b *bidding) stands(status api.RecordStatus, winner string, open, rejected, closed int) {
	b.T.Helper()
	r, err := b.Client.Records.Get(b.T.Context(), b.order.UUID)
	if err != nil {
		b.T.Fatal(err)
	}
	got := ""
	if r.AcceptedQuote != nil {
		got = r.AcceptedQuote.QuoteName
	}
	if r.StageStatus() != status || got != winner || len(r.Quotes) != open || len(r.RejectedQuotes) != rejected || len(r.ClosedQuotes) != closed {
		b.T.Errorf("the order is %s, won by %q, with %d open, %d rejected and %d closed", r.StageStatus(), got, len(r.Quotes), len(r.RejectedQuotes), len(r.ClosedQuotes))
	}
}

func accept(b *bidding, amount string) {
	b.Press("A")
	b.Type(amount)
	b.Press("enter")
}

func TestOneQuoteIsAccepted(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50))
	b.RequireText("▸AeroScan Hanse", "12,420.00 EUR", "2 d 01 h")
	b.SeesNot("against", "cheapest")
	b.Press("A", "enter")
	b.Type("1242")
	b.Press("enter")
	b.RequireText("Accept quote", "Type 12420 to confirm", b.order.OrderCode+" Elbe levee south")
	if b.sent > 0 {
		t.Fatal("sent before it was confirmed")
	}
	b.Type("0")
	b.Press("enter")
	b.RequireText("Accepting AeroScan Hanse, 12,420.00 EUR, for " + b.order.OrderCode + " in 8 s · u to undo")
	b.Advance(page.HoldTime)
	b.RequireText("Accepted AeroScan Hanse, 12,420.00 EUR", "● AeroScan Hanse", "Awaiting operator: quote accepted")
	b.stands(api.RecordPendingOperator, "AeroScan Hanse", 0, 0, 0)
	b.Press("u")
	b.RequireText("Cannot undo: already sent")
	b.Press("i")
	b.RequireText("1 decision on this machine", "Accepted", "Confirmed")
	if b.sent != 1 {
		t.Errorf("sent %d times", b.sent)
	}
}

func TestAnAcceptIsStoppedInTime(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50), quote("Nordflug", 16500, 9, 7))
	accept(b, "12420")
	b.Press("A")
	b.RequireText("accept: still pending: accept AeroScan Hanse, 12,420.00 EUR, for " + b.order.OrderCode)
	b.Press("right", "X")
	b.RequireText("reject: still pending: accept AeroScan Hanse")
	b.Press("u")
	b.RequireText("Not sent: accept AeroScan Hanse", "Not sent")
	b.Advance(time.Minute)
	b.stands(api.RecordQuoteReceived, "", 2, 0, 0)
	if b.sent != 0 {
		t.Errorf("sent %d times", b.sent)
	}
}

func TestAQuoteExpiresWhileOneLooks(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50), quote("Nordflug", 11500, 9, 0.01))
	b.RequireText("▸Nordflug", "00:00:3")
	accept(b, "11500")
	b.Press("u")
	b.Press("A")
	b.Type("11500")
	b.Advance(40 * time.Second)
	b.Press("enter")
	b.RequireText("Nordflug has expired; not sent", "expired")
	b.Press("A")
	b.RequireText("accept: expired")
	if b.sent != 0 {
		t.Errorf("sent %d times", b.sent)
	}
	b.Press("r")
	b.RequireText("AeroScan Hanse", "▸Nordflug", "1 d") // behind, and still the chosen one
}

// The service's clock may run ahead of what was read last.
func TestAQuoteExpiresOnTheWay(t *testing.T) {
	b := bid(t, quote("Nordflug", 11500, 9, 1))
	b.line = func(w http.ResponseWriter, r *http.Request) {
		if _, err := b.ops.World.AdvanceClock(t.Context(), 2*time.Hour); err != nil {
			t.Error(err)
		}
		b.service.ServeHTTP(w, r)
	}
	accept(b, "11500")
	b.Advance(page.HoldTime)
	b.RequireText("Nordflug expired before the decision arrived; nothing was decided")
	b.stands(api.RecordQuoteReceived, "", 1, 0, 0)
}

func TestAColleagueIsFirst(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50), quote("Nordflug", 16500, 9, 7))
	accept(b, "12420")
	b.colleague(true, "Nordflug")
	was := b.sent
	b.Advance(page.HoldTime)
	b.RequireText("AeroScan Hanse is closed: the accepted quote is Nordflug, 16,500.00 EUR", "accepted quote is", "● Nordflug", "□ AeroScan Hanse")
	b.stands(api.RecordPendingOperator, "Nordflug", 0, 0, 1)
	if b.sent != was {
		t.Error("sent, though it was decided")
	}
	b.Press("esc")
	b.RequireText("the accepted quote is") // esc was meant for the page
	b.Advance(time.Second)
	b.Press("esc", "i")
	b.RequireText("!", "Not accepted")
	b.Press("enter")
	b.RequireText("accepted AeroScan Hanse for ", "Compared with    Nordflug 16,500.00 EUR", "Outcome          AeroScan Hanse is closed: the accepted")
}

// The colleague decides between the last look and the request.
func TestAColleagueIsFirstByALittle(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50), quote("Nordflug", 16500, 9, 7))
	accept(b, "12420")
	mine := true
	b.line = func(w http.ResponseWriter, _ *http.Request) {
		b.line = nil
		if mine {
			mine = false
			b.colleague(true, "Nordflug")
		}
		apptest.WriteAnswer(w, http.StatusConflict, `{"success":false,"message":"decided","data":{"code":"conflict","requestId":"r"}}`)
	}
	b.Advance(page.HoldTime)
	b.RequireText("AeroScan Hanse is closed: the accepted quote is Nordflug, 16,500.00 EUR", "accepted quote is")
	b.stands(api.RecordPendingOperator, "Nordflug", 0, 0, 1)
}

// cut loses the answer: what was asked is done or not, and nothing comes back.
func (b *bidding) cut(done bool) {
	b.line = func(http.ResponseWriter, *http.Request) {
		b.line = nil
		if done {
			b.colleague(true, "AeroScan Hanse")
		}
		panic(http.ErrAbortHandler)
	}
}

func TestTheAnswerIsLost(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50), quote("Nordflug", 16500, 9, 7))
	b.cut(false)
	accept(b, "12420")
	b.Advance(page.HoldTime)
	b.RequireText("No response, and AeroScan Hanse is still open; sent, not confirmed")
	if b.sent != 1 {
		t.Errorf("sent %d times", b.sent)
	}
	b.stands(api.RecordQuoteReceived, "", 2, 0, 0)

	b.Advance(time.Second)
	b.Press("esc")
	b.cut(true)
	accept(b, "12420")
	b.Advance(page.HoldTime)
	b.RequireText("Accepted AeroScan Hanse, 12,420.00 EUR", "● AeroScan Hanse")
	b.stands(api.RecordPendingOperator, "AeroScan Hanse", 0, 0, 1)
	b.Press("i")
	b.RequireText("1 decision on this machine", "Accepted")
	b.Press("enter")
	b.RequireText("Confirmed; by the order")
	if b.sent != 3 { // the one that was lost at first, the one that was lost once it was done, and what did it
		t.Errorf("sent %d times", b.sent)
	}
}

func TestSeveralAreRejected(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50), quote("Nordflug", 16500, 9, 7), quote("Skyline", 14900, 14, 70))
	b.Press("right", "space", "right", "space")
	b.RequireText("▪ 2 quotes marked; X reject together")
	b.Press("X")
	b.RequireText("Reject 2 quotes", "Skyline   14,900.00 EUR", "Nordflug   16,500.00 EUR")
	b.SeesNot("No quote is left open")
	b.Type("reject")
	b.Press("enter")
	b.Advance(page.HoldTime)
	b.RequireText("Rejected 2 quotes", "Decided quotes")
	b.stands(api.RecordQuoteReceived, "", 1, 2, 0)
	b.Press("v")
	b.RequireText("✗ Skyline", "Rejected", "by you Tue 24 Nov")

	b.Press("X")
	b.RequireText("Reject quote", "No open quotes will be left")
	b.Type("reject")
	b.Press("enter")
	b.Advance(page.HoldTime)
	b.RequireText("Rejected AeroScan Hanse", "In review: ")
	b.stands(api.RecordReviewing, "", 0, 3, 0)
	if b.sent != 3 {
		t.Errorf("sent %d times", b.sent)
	}
	b.Press("esc", "esc")
	b.SeesNot(b.order.OrderCode) // nor in the inbox
}

func TestTermsThatChangedAreNotAccepted(t *testing.T) {
	price := "12420"
	decided := 0
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/quote/") {
			decided++
		}
		quoted(`[{"quoteId":"q-1","quoteName":"AeroScan","deliveryBy":"20 days","finalPrice":"`+price+`","currency":"EUR"}]`)(w, r)
	})
	d.Press("4", "enter", "A")
	d.Type("12420")
	d.Press("enter")
	price = "21420"
	d.Advance(page.HoldTime)
	d.RequireText("AeroScan has changed to 21,420.00 EUR, 20 days; not sent")
	if decided > 0 {
		t.Error("another price was accepted")
	}
}

func TestAReadOnlyProfileDecidesNothing(t *testing.T) {
	d := apptest.OpenAgainst(t, quoted(`[{"quoteId":"q-1","quoteName":"AeroScan","finalPrice":1,"currency":"EUR"}]`), func(o *tui.Options) { o.ReadOnly = true })
	d.Press("4", "enter", "A")
	d.RequireText("accept: read-only mode")
	d.Press("X")
	d.RequireText("reject: read-only mode")
}

func TestTheOrderTellsWhatWasChosenAgainstWhat(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50), quote("Nordflug", 16500, 9, 7))
	b.Press("o")
	b.RequireText("◆ Quotes ready", "◆ AeroScan Hanse", "12,420.00 EUR", "20 days · decide within 2 d 01 h", "cheapest", "c compare and decide")
	b.Press("c")
	b.RequireText("▸AeroScan Hanse", "Nordflug")
	accept(b, "12420")
	b.Press("esc")
	b.Press("C")
	b.RequireText("cancel: still pending: accept AeroScan Hanse")
	b.Advance(page.HoldTime)
	b.RequireText("● AeroScan Hanse", "20 days · Accepted", "□ Nordflug", "9 days · Closed", "+4,080.00  +32.9%",
		"Next: the service assigns an operator to Levee", "◌ Awaiting operator")
	b.SeesNot("operators pending") // the next step says so
	b.Resize(60, 18)
	b.RequireText("● AeroScan Hanse  12,420.00 EUR  20 days  Accepted", "Next: the service assigns an operator to Levee")
	b.Press("2", "c")
	b.RequireText("Orders › ORD-")
}

func TestTheMouseChoosesAQuote(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50), quote("Nordflug", 16500, 9, 7), quote("Skyline", 14900, 14, 70))
	b.RequireText("▸AeroScan Hanse")
	row := strings.Split(b.Screen(), "\n")[4]
	before, _, _ := strings.Cut(row, "Nordflug")
	at := len([]rune(before))
	b.Send(tea.MouseClickMsg{X: at + 2, Y: 8, Button: tea.MouseLeft})
	b.RequireText("▸Nordflug", "−4,080.00 EUR", "−24.7%")
	b.Send(tea.MouseWheelMsg{X: at, Y: 8, Button: tea.MouseWheelUp})
	b.RequireText("▸Skyline")
	b.Send(tea.MouseClickMsg{X: at + 2, Y: 8, Button: tea.MouseLeft})
	b.Send(tea.MouseClickMsg{X: at + 2, Y: 8, Button: tea.MouseLeft})
	b.RequireText("┌ Nordflug ─", "Quote ID")
}

// A service may archive an order and leave its quotes open.
func TestTheQuotesOfAnArchivedOrderNeedNoDecision(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50))
	b.archive = true
	b.Press("2", "r", "/")
	b.Type(b.order.OrderCode)
	b.Press("enter", "enter", "r")
	b.RequireText("□ Archived", "□ AeroScan Hanse", "20 days  Closed")
	b.SeesNot("compare and decide", "decide within")
	b.Press("c")
	b.RequireText("AeroScan Hanse", "Archived · 1 decided", "Archived: read-only")
	b.SeesNot("▸AeroScan Hanse", "1 open", "Cancelled")
}

func TestQuotesThatHaveAllExpiredSayWhatCanBeDone(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 0.02), quote("Nordflug", 11500, 9, 0.01))
	b.SeesNot("No open quotes")
	b.Advance(45 * time.Second)
	b.SeesNot("No open quotes")
	b.Advance(time.Minute)
	b.RequireText("No open quotes. Contact the service for new ones, cancel the order, or order again.")
	b.Resize(140, 40)
	b.Press("esc", "4", "4")
	b.RequireText("expired", "No open quotes.")
}

// A decision without an answer is looked for until it is settled, or a person closes it.
func TestAnUnconfirmedDecisionIsSettledLater(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50), quote("Nordflug", 16500, 9, 7))
	b.cut(false)
	accept(b, "12420")
	b.Advance(page.HoldTime)
	b.Advance(time.Second)
	b.Press("esc", "i")
	b.RequireText("Accepted?", "Sent;", "x close…")
	b.colleague(true, "AeroScan Hanse") // it arrives late
	b.Advance(2*time.Minute - page.HoldTime)
	b.RequireText("Confirmed: accepted AeroScan Hanse for " + b.order.OrderCode + " Elbe levee south, sent 1 m ago")
	b.Press("esc", "i")
	b.RequireText("Accepted ", "Confirmed; ")
	b.Press("x")
	b.RequireText("close: its outcome is known")
}

func TestAnUnconfirmedDecisionIsClosedByAPerson(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50))
	b.cut(false)
	accept(b, "12420")
	b.Advance(page.HoldTime)
	b.Advance(time.Second)
	b.Press("esc", "i", "x")
	b.RequireText("Close entry", "accepted AeroScan Hanse for", "flightdesk stops")
	b.Press("enter")
	b.RequireText("Accepted?", "Closed; ou")
	b.Press("x")
	b.RequireText("close: already closed")
	b.colleague(true, "AeroScan Hanse")
	b.Advance(2 * time.Minute)
	b.SeesNot("Confirmed")
}

func TestAnExpiryIsUrgentWithinADay(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		expiry api.Time
		want   theme.Role
	}{
		"in a week":            {api.TimeOf(now.Add(7 * 24 * time.Hour)), theme.Text},
		"in a day":             {api.TimeOf(now.Add(24 * time.Hour)), theme.Text},
		"in less than a day":   {api.TimeOf(now.Add(24*time.Hour - time.Second)), theme.Attention},
		"in an hour":           {api.TimeOf(now.Add(time.Hour)), theme.Attention},
		"in less than an hour": {api.TimeOf(now.Add(time.Hour - 1)), theme.Bad},
		"now":                  {api.TimeOf(now), theme.Bad},
		"a year ago":           {api.TimeOf(now.AddDate(-1, 0, 0)), theme.Bad},
		"not sent":             {api.Time{}, theme.Text},
		"not read":             {api.Time{Raw: "next week"}, theme.Text},
	} {
		if got := quotes.UrgencyRole(c.expiry, now); got != c.want {
			t.Errorf("%s: role %v, want %v", name, got, c.want)
		}
	}
}

// A decision that is pending is marked in the column of its quote, also if the page is opened again.
func TestThePendingQuoteIsMarked(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50), quote("Nordflug", 16500, 9, 7))
	accept(b, "12420")
	b.RequireText("▸AeroScan Hanse · accepting", "Nordflug · fastest")
	b.Press("esc", "enter")
	b.RequireText("AeroScan Hanse · accepting")
	b.Press("u")
	b.RequireText("AeroScan Hanse · cheapest")
	b.SeesNot("accepting")
}

// After a decision the page still shows the order, and the key that continues.
func TestTheOrderStaysOnThePageAfterADecision(t *testing.T) {
	b := bid(t, quote("AeroScan Hanse", 12420, 20, 50), quote("Nordflug", 16500, 9, 7))
	b.Resize(140, 40)
	accept(b, "12420")
	b.Advance(10 * time.Second)
	b.RequireText("● AeroScan Hanse", "o order", "Deadline", "Sites", "AeroScan Hanse accepted", "AeroScan Hanse: data by")
}

func TestTheNameOfAPendingQuoteStaysWhole(t *testing.T) {
	b := bid(t, quote("Hanseatische Luftbild GmbH", 12420, 20, 50), quote("Nordflug", 12000, 9, 7))
	b.Resize(140, 40)
	b.Press("right")
	b.RequireText("▸Hanseatische Luftbild GmbH\n", "Nordflug · cheapest, fastest")
	accept(b, "12420")
	b.RequireText("▸Hanseatische Luftbild GmbH\n", " accepting", " cheapest, fastest ")
}
