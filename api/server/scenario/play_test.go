package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// stage plays a scenario on the accounts of the demo. Its clock is at the time of the last event.
type stage struct {
	*testing.T
	*Player
	now    time.Time
	log    bytes.Buffer
	faults []string
}

func newStage(t *testing.T, script string) *stage {
	t.Helper()
	s, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	vault, err := s.Vault(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g := &stage{T: t, now: time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)}
	desk := domain.New(domain.ServiceParts{
		Store: s, Files: files.NewMemory(64 << 20), Vault: vault, Now: func() time.Time { return g.now },
	})
	for n := range demodata.Accounts {
		uuid, _ := demodata.SampleRequest(n, g.now)
		if _, err := desk.Accounts.NewAccount(t.Context(), store.Account{UUID: uuid, Currency: "EUR"}); err != nil {
			t.Fatal(err)
		}
	}
	g.Player = &Player{
		Service: desk, Log: slog.New(slog.NewTextHandler(&g.log, nil)), Scenario: g.parse(script),
		SetFault: func(status int, callbacks ops.CallbackFault) {
			g.faults = append(g.faults, strings.TrimSpace(fmt.Sprint(status, " ", callbacks)))
		},
	}
	if err := g.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *stage) parse(script string) *Scenario {
	g.Helper()
	s, err := Parse("test", []byte(script))
	if err != nil {
		g.Fatal(err)
	}
	return s
}

// playEvents plays the next events, each at its time and at most the given number of them. It returns how many
// events it has played, which are fewer if the scenario ends.
func (g *stage) playEvents(most int) int {
	g.Helper()
	for played := range most {
		_, due, ok := g.NextEvent()
		if !ok {
			return played
		}
		g.now = due
		if err := g.PlayNext(g.Context()); err != nil {
			g.Fatal(err)
		}
	}
	return most
}

// order returns the only order with a name.
func (g *stage) order(name string) store.OrderDetail {
	g.Helper()
	all, err := g.Service.Orders.OfAllAccounts(g.Context(), store.OrderFilter{}, store.ListWindow{})
	if err != nil {
		g.Fatal(err)
	}
	of := slices.DeleteFunc(all.Items, func(o store.OwnedOrder) bool { return o.Name != name })
	if len(of) != 1 {
		g.Fatalf("%d orders %q among %d", len(of), name, len(all.Items))
	}
	d, err := g.Service.Orders.Detail(g.Context(), of[0].UUID)
	if err != nil {
		g.Fatal(err)
	}
	return d
}

func TestEventsChangeTheService(t *testing.T) {
	g := newStage(t, `0s place levee "Elbe levee" due 1h
0s describe levee "km 3 to 9"
1h issue-quote levee Economy price 1388.43 expires 2d
1h issue-quote levee Own
1h issue-quote levee Express
2h reject-quote levee Economy
3h accept-quote levee Express
4h assign-operator levee "Bo Flieger"
5h record-permit levee granted
6h schedule-flight levee in 2d note "wind"
3d deliver levee
4d accept-delivery levee
4d place roof Roof
4d issue-quote roof Only
4d accept-quote roof Only
4d assign-operator roof Bo
4d record-permit roof notRequired
4d end-order roof "the roof is gone"
5d place barn Barn
5d end-order barn "too far"
6d place hall Hall
6d cancel-order hall
6d note "that was it"
`)
	begun := g.now
	if n := g.playEvents(100); n != 23 || g.log.Len() > 0 {
		t.Fatalf("%d events: %s", n, &g.log)
	}
	if done, failed := g.Progress(); done != 23 || failed != "" {
		t.Errorf("%d are done, and %q", done, failed)
	}
	levee := g.order("Elbe levee")
	roof := g.order("Roof")
	barn := g.order("Barn")
	hall := g.order("Hall")
	if at := begun.Add(time.Hour); !levee.Order.Deadline.Equal(at) || levee.Order.StartDate.After(at) || !levee.Order.Created.Equal(begun) {
		t.Errorf("placed as %+v", levee.Order)
	}
	if roof.Order.Deadline.Before(begun.Add(5*24*time.Hour)) || !roof.Order.StartDate.After(begun.Add(4*24*time.Hour)) {
		t.Errorf("a usual deadline is %v, start %v", roof.Order.Deadline, roof.Order.StartDate)
	}
	if levee.Extras.Details == nil || levee.Extras.Details.Description != "km 3 to 9" {
		t.Errorf("described as %+v", levee.Extras.Details)
	}
	var quotes []string
	for _, q := range levee.Extras.Quotes {
		quotes = append(quotes, fmt.Sprint(q.Name, " ", q.Status, " ", q.Expires.Sub(begun)))
		if (q.Price == 1388.43) != (q.Name == "Economy") || q.Price <= 0 || (q.Description == "") != (q.Name == "Own") {
			t.Errorf("issued as %+v", q)
		}
	}
	if want := []string{"Economy rejected 49h0m0s", "Own closed 337h0m0s", "Express accepted 337h0m0s"}; !slices.Equal(quotes, want) {
		t.Errorf("the quotes are %q", quotes)
	}
	m := levee.Missions[0]
	if levee.Order.Status != api.OrderCompleted || m.Status != api.MissionCompleted || *m.OperatorName != "Bo Flieger" {
		t.Errorf("%s with %+v", levee.Order.Status, m)
	}
	if p := levee.Planning[m.ID]; len(p) != 1 || p[0].FlightDate.Sub(begun) != 54*time.Hour || *p[0].Note != "wind" || p[0].ScheduledBy == nil {
		t.Errorf("planned as %+v", p)
	}
	if p := levee.Packages[m.ID]; len(p) != 1 || p[0].FileCount == 0 || p[0].Status != api.DeliveryAccepted {
		t.Errorf("delivered as %+v", p)
	}
	if p := levee.Permissions[m.ID]; p.Status != api.PermissionGranted || p.Authority == nil || !strings.HasSuffix(*p.Authority, m.Country) {
		t.Errorf("permitted as %+v", p)
	}
	if p := roof.Permissions[roof.Missions[0].ID]; p.Status != api.PermissionNotRequired || p.Authority != nil {
		t.Errorf("no permission is kept as %+v", p)
	}
	if roof.Order.Status != api.OrderNotFeasible || *roof.Order.RejectionReason != "the roof is gone" ||
		barn.Order.Status != api.OrderRejected || *barn.Order.RejectionReason != "too far" || hall.Order.Status != api.OrderCancelled {
		t.Errorf("ended as %+v, %+v, %+v", roof.Order, barn.Order, hall.Order)
	}
	sites := []string{m.LocationLabel, roof.Missions[0].LocationLabel, barn.Missions[0].LocationLabel, hall.Missions[0].LocationLabel}
	slices.Sort(sites)
	if len(slices.Compact(sites)) != 4 || !g.IsOwn(hall.Order.UUID) || g.IsOwn(m.UUID) {
		t.Errorf("the sites are %q", sites)
	}
}

// Each account that plays the scenario plays all of it. Other accounts of the trainer are
// ignored.
func TestEachAccountPlaysTheScenario(t *testing.T) {
	g := newStage(t, "0s note A\n")
	var accounts []string
	for n := range 2 {
		uuid, _ := demodata.SampleRequest(n+1, g.now)
		accounts = append(accounts, uuid)
	}
	script := g.parse("1h place a A\n2h place b B\n3h issue-quote a Q\n4h accept-quote a Q\n5h place-orders 2 over 2h\n5h endpoint warehouse answers 200\n")
	if err := g.Begin(t.Context(), script, accounts); err != nil {
		t.Fatal(err)
	}
	first := script.Events[0]
	if g.OrderCode(first) != "" || !g.DueTime(first).Equal(g.now.Add(time.Hour)) || g.Playing() != script {
		t.Errorf("before it begins: %q, %v", g.OrderCode(first), g.DueTime(first))
	}
	if n := g.playEvents(100); n != 7 || g.log.Len() > 0 {
		t.Fatalf("%d events: %s", n, &g.log)
	}
	for i, uuid := range accounts {
		a, err := g.Service.Accounts.Find(t.Context(), uuid)
		if err != nil {
			t.Fatal(err)
		}
		of, err := g.Service.Orders.OfAllAccounts(t.Context(), store.OrderFilter{AccountID: a.ID}, store.ListWindow{})
		hooks, herr := domain.List[store.Webhook](t.Context(), g.Service, a.ID, store.ListWindow{})
		if err := errors.Join(err, herr); err != nil || len(of.Items) != 4 || len(hooks.Items) != 1 {
			t.Fatalf("account %d has %d orders, %d endpoints, %v", i, len(of.Items), len(hooks.Items), err)
		}
		if b := of.Items[2]; b.Name != "B" || of.Items[3].Status != api.OrderPendingOperator {
			t.Errorf("account %d has %+v", i, of.Items)
		}
		if own := g.OrderCode(first) == of.Items[3].Code; own != (i == 0) {
			t.Errorf("the order's code is %s", g.OrderCode(first))
		}
	}
}

func TestAFailedEventIsLoggedAndSkipped(t *testing.T) {
	g := newStage(t, "0s place a A\n0s place b B\n1h issue-quote a Q expires 1h\n1h30m accept-quote a Q\n2h describe a D\n3h note C\n")
	g.playEvents(3)
	if _, _, err := g.Service.Orders.Reject(t.Context(), nil, g.order("A").Order.UUID, "full"); err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := g.PlayNext(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("a player that is stopped: %v", err)
	}
	if done, failed := g.Progress(); done != 3 || failed != "" {
		t.Errorf("%d are done, and %q", done, failed)
	}
	if n := g.playEvents(100); n != 3 {
		t.Errorf("%d more events", n)
	}
	done, failed := g.Progress()
	if done != 6 || !strings.HasPrefix(failed, "line 4: accept-quote a Q: ") || !strings.HasSuffix(failed, "rejected; its quotes can no longer be decided") {
		t.Errorf("%d are done, and %q", done, failed)
	}
	if text := g.log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "line=4") {
		t.Errorf("logged: %s", text)
	}
	if err := g.PlayNext(t.Context()); err != nil {
		t.Errorf("after the last: %v", err)
	}
	for what, event := range map[string]Event{
		"its order was not placed": {args: eventArguments{order: "c"}, play: describeOrder},
		`has no quote "X"`:         {args: eventArguments{order: "b", text: "X"}, play: decideQuote(api.QuoteAccepted)},
	} {
		if err := g.playEvent(t.Context(), event, ""); err == nil || !strings.HasSuffix(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAScenarioContinuesAfterARestart(t *testing.T) {
	const script = "0s place a A\n1h place b B\n"
	g := newStage(t, script)
	g.playEvents(1)
	begun := g.now
	g.now = g.now.Add(30 * time.Minute)
	again := func(s *Scenario) *Player {
		t.Helper()
		p := &Player{Service: g.Service, Log: g.Log, Scenario: s}
		if err := p.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := again(g.parse(script))
	if e, at, ok := p.NextEvent(); !ok || e.Order != "b" || !at.Equal(begun.Add(time.Hour)) || p.OrderCode(p.Scenario.Events[0]) == "" {
		t.Errorf("it goes on with %+v at %v", e, at)
	}
	if p := again(nil); p.Playing() != nil {
		t.Errorf("a file that is not given plays %v", p.Playing())
	}
	other := g.parse("0s note C\n")
	other.Name = "other"
	for name, s := range map[string]*Scenario{"another one": other, "a shorter one": g.parse("0s place a A\n")} {
		g.playEvents(2)
		p := again(s)
		if done, _ := p.Progress(); done != 0 || !p.DueTime(s.Events[0]).Equal(g.now) {
			t.Errorf("%s goes on at %d", name, done)
		}
		if err := g.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	built, err := Load("late-flight")
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Begin(t.Context(), built, nil); err != nil {
		t.Fatal(err)
	}
	g.playEvents(2)
	if p := again(nil); p.Playing() == nil || p.Playing().Name != "late-flight" {
		t.Errorf("of the built-in one %v is played", p.Playing())
	} else if done, _ := p.Progress(); done != 2 {
		t.Errorf("the built-in one goes on at %d", done)
	}
	if err := g.Begin(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := g.NextEvent(); ok || again(nil).Playing() != nil {
		t.Error("what has ended is played")
	}
}

func TestFaultsAreSetAndCleared(t *testing.T) {
	g := newStage(t, "0s callbacks drop\n1h callbacks normal\n2h service answers 503\n3h service answers 200\n")
	g.playEvents(100)
	if !slices.Equal(g.faults, []string{"0 drop", "0", "503", "0"}) {
		t.Errorf("set were %q", g.faults)
	}
}

// next is a transport that responds with 299 and records that it is closed.
type next struct{ closed bool }

func (n *next) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 299, Body: http.NoBody}, nil
}

func (n *next) CloseIdleConnections() { n.closed = true }

func TestEndpointsAnswerByTheTimeOfTheCallback(t *testing.T) {
	g := newStage(t, "0s endpoint warehouse answers 200\n1h endpoint warehouse answers 500\n2h endpoint warehouse answers 200\n2h endpoint other answers 404\n")
	begun := g.now
	g.playEvents(100)
	account, _ := demodata.SampleRequest(0, g.now)
	a, err := g.Service.Accounts.Find(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := domain.List[store.Webhook](t.Context(), g.Service, a.ID, store.ListWindow{})
	if err != nil || len(hooks.Items) != 2 || hooks.Items[1].URL != "https://warehouse.invalid/callbacks" || hooks.Items[1].Description == "" {
		t.Fatalf("registered %+v, %v", hooks.Items, err)
	}
	below := &next{}
	tr := g.Transport(below)
	for _, c := range []struct {
		host, at string
		want     int
	}{
		{"warehouse", begun.Format(time.RFC3339), 200},
		{"warehouse", begun.Add(-time.Hour).Format(time.RFC3339), 200},
		{"warehouse", begun.Add(time.Hour - time.Second).Format(time.RFC3339), 200},
		{"warehouse", begun.Add(time.Hour).Format(time.RFC3339), 500},
		{"warehouse", begun.Add(2 * time.Hour).Format(time.RFC3339), 200},
		{"other", "", 404},
		{"elsewhere", "", 299},
	} {
		body := "{}"
		if c.at != "" {
			body = `{"timestamp":"` + c.at + `"}`
		}
		r, err := http.NewRequest(http.MethodPost, "https://"+c.host+".invalid/callbacks", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(r)
		if err != nil || resp.StatusCode != c.want {
			t.Fatalf("%s at %s: %+v, %v", c.host, c.at, resp, err)
		}
		if text, err := io.ReadAll(resp.Body); err != nil || c.want != 299 && string(text) != http.StatusText(c.want) {
			t.Errorf("%s at %s says %q, %v", c.host, c.at, text, err)
		}
	}
	r, err := http.NewRequest(http.MethodPost, "https://other.invalid/callbacks", strings.NewReader("{"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.RoundTrip(r); err == nil {
		t.Error("half a callback is answered")
	}
	tr.(*scenarioTransport).CloseIdleConnections()
	if !below.closed {
		t.Error("the connections below stay open")
	}
}
