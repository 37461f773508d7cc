package demodata_test

import (
	"context"
	"fmt"
	"log/slog"
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

// world is a service with a simulator, on a clock that tests set.
type world struct {
	t      *testing.T
	now    time.Time
	desk   *domain.Service
	sim    *demodata.Simulator
	caller *domain.Caller
	seed   string // an order that was placed before
}

func newWorld(t *testing.T, speed float64) *world {
	t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &world{t: t, now: time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)}
	w.desk = domain.New(domain.ServiceParts{Store: s, Files: files.NewMemory(64 << 20), Now: func() time.Time { return w.now }})
	account, err := w.desk.Accounts.NewAccount(ctx, store.Account{CompanyName: "Alice AG", Currency: "EUR"})
	if err != nil {
		t.Fatal(err)
	}
	w.caller = &domain.Caller{Account: account, Scopes: api.Scopes()}
	w.seed = w.place("of before", 1).UUID
	w.now = w.now.Add(time.Minute)
	if err := w.desk.Upkeep.BeginRecentMoves(ctx); err != nil {
		t.Fatal(err)
	}
	w.sim = demodata.NewSimulator(w.desk, slog.New(slog.DiscardHandler), speed, 0)
	return w
}

func (w *world) place(name string, missions int) store.Order {
	w.t.Helper()
	at := api.TimeOf(w.now.AddDate(0, 0, 7))
	req := api.CreateOrderRequest{Order: api.OrderInput{
		CompanyName: "Alice AG", OrderName: name, OrderType: api.MultiLocation, Sensors: []api.Sensor{"rgbSensor"},
		Deliverables: []api.Deliverable{"digitalTerrainModel"}, MissionObjective: "mapAndSurvey", IndustryAssetType: "forest",
		StartDate: at, Deadline: at,
	}}
	for i := range missions {
		req.Missions = append(req.Missions, api.MissionInput{
			MissionName: fmt.Sprint("Site ", i), MissionType: api.MissionArea, Country: "Germany", LocationLabel: "Forest", AreaSize: 4e4,
			LocationMap: []api.Point{{Lat: 50, Lng: 7}, {Lat: 50, Lng: 7.003}, {Lat: 50.002, Lng: 7.003}},
		})
	}
	o, err := w.desk.Orders.Place(context.Background(), w.caller, domain.OrderPlacement{Request: req})
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

func (w *world) dossier(uuid string) store.OrderDetail {
	w.t.Helper()
	d, err := w.desk.Orders.Detail(context.Background(), uuid)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// step advances the clock to the next step and runs it. It returns false if no step follows within an
// hour of the simulation.
func (w *world) step() bool {
	w.t.Helper()
	steps, err := w.sim.Steps(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	if len(steps) == 0 || steps[0].At.Sub(w.now) > time.Hour {
		return false
	}
	if steps[0].At.After(w.now) {
		if took, err := w.sim.Next(context.Background(), true); took != nil || err != nil {
			w.t.Errorf("took %+v, %v before it is due", took, err)
		}
		w.now = steps[0].At
	}
	if _, err := w.sim.Next(context.Background(), true); err != nil {
		w.t.Fatal(err)
	}
	return true
}

func (w *world) accept(uuid string) {
	w.t.Helper()
	quotes := w.dossier(uuid).Extras.Quotes
	if _, err := w.desk.Quotes.Decide(context.Background(), w.caller, quotes[len(quotes)-1].UUID, api.QuoteAccepted); err != nil {
		w.t.Fatal(err)
	}
}

// life places an order, runs the simulator to the end of the order, and returns the order.
func (w *world) life(name string) store.OrderDetail {
	w.t.Helper()
	placed := w.place(name, 2)
	began := w.now
	for w.step() {
	}
	d := w.dossier(placed.UUID)
	if n, took := len(d.Extras.Quotes), w.now.Sub(began); n < 2 || n > 4 || took < 4*time.Second || took > 10*time.Second {
		w.t.Errorf("%s has %d quotes after %v", name, n, took)
	}
	w.accept(placed.UUID)
	began = w.now
	for w.dossier(placed.UUID).Order.Status != api.OrderCompleted && w.step() {
	}
	if took := w.now.Sub(began); took > 2*time.Minute {
		w.t.Errorf("%s took %v to its data", name, took)
	}
	for w.step() {
	}
	return w.dossier(placed.UUID)
}

func TestTheSimulatorCompletesAnOrder(t *testing.T) {
	w := newWorld(t, ops.DemoSpeed)
	d := w.life("first")
	if d.Order.Status != api.OrderCompleted || w.sim.State().LastError != "" {
		t.Fatalf("%s, %+v", d.Order.Status, w.sim.State())
	}
	for _, m := range d.Missions {
		p := d.Permissions[m.ID]
		if m.Status != api.MissionCompleted || m.OperatorName == nil || len(d.Planning[m.ID]) != 1 || p.Status != api.PermissionGranted ||
			p.PermitID == nil || len(d.Packages[m.ID]) != 1 || d.Packages[m.ID][0].FileCount < 2 {
			t.Errorf("%+v %+v %+v %+v", m, d.Planning[m.ID], p, d.Packages[m.ID])
		}
		if flown := m.FlightDate; flown.After(d.Packages[m.ID][0].Created) || flown.Before(p.ValidFrom) || flown.After(p.ValidTo) {
			t.Errorf("flown at %v, delivered %v", flown, d.Packages[m.ID][0].Created)
		}
	}
	for i, q := range d.Extras.Quotes {
		if i > 0 && (q.Days >= d.Extras.Quotes[i-1].Days || q.Price <= d.Extras.Quotes[i-1].Price || !q.Expires.Before(d.Extras.Quotes[i-1].Expires)) {
			t.Errorf("%+v after %+v", q, d.Extras.Quotes[i-1])
		}
	}
	if before := w.dossier(w.seed); len(before.Extras.Quotes) != 0 || before.Order.Status != api.OrderBiddingWithQuote {
		t.Errorf("an order of before was moved: %+v", before.Order)
	}
}

func TestOnlyLaterOrdersHaveMishaps(t *testing.T) {
	w := newWorld(t, ops.DemoSpeed)
	moved := 0
	failed := 0
	for i := range 12 {
		d := w.life(fmt.Sprint("order ", i))
		switch d.Order.Status {
		case api.OrderCompleted:
		case api.OrderNotFeasible:
			failed++
		default:
			t.Errorf("order %d ended as %s", i, d.Order.Status)
		}
		for _, planning := range d.Planning {
			if len(planning) > 1 {
				moved++
				if i == 0 || planning[0].Status != api.ScheduleRescheduled || planning[0].Note == nil {
					t.Errorf("order %d: %+v", i, planning[0])
				}
			}
		}
		if i == 0 && failed > 0 {
			t.Error("the first order was not feasible")
		}
	}
	if moved == 0 || moved > 12 || failed > 2 {
		t.Errorf("%d flights were moved, %d orders not feasible", moved, failed)
	}
}

func TestTheSimulatorIsDeterministic(t *testing.T) {
	run := func() (log []string) {
		w := newWorld(t, ops.DemoSpeed)
		began := w.now
		placed := w.place("again", 3)
		for i := range 40 {
			if i == 6 {
				w.accept(placed.UUID)
			}
			steps, err := w.sim.Steps(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if len(steps) > 0 {
				log = append(log, steps[0].Does+" "+steps[0].At.Sub(began).String())
			}
			w.step()
		}
		return log
	}
	first := run()
	second := run()
	if !slices.Equal(first, second) || len(first) < 20 {
		t.Errorf("%s\nand then\n%s", strings.Join(first, "\n"), strings.Join(second, "\n"))
	}
}

func TestACheaperQuoteFollowsOnceIfNoneIsAccepted(t *testing.T) {
	w := newWorld(t, ops.DemoSpeed)
	placed := w.place("choosy", 1)
	ctx := context.Background()
	reject := func() {
		for _, q := range w.dossier(placed.UUID).Extras.Quotes {
			if q.Status == api.QuoteOpen {
				if _, err := w.desk.Quotes.Decide(ctx, w.caller, q.UUID, api.QuoteRejected); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for w.step() {
	}
	n := len(w.dossier(placed.UUID).Extras.Quotes)
	reject()
	for w.step() {
	}
	quotes := w.dossier(placed.UUID).Extras.Quotes
	if len(quotes) != n+1 || quotes[n].FinalPrice >= quotes[0].Price || quotes[n].DiscountReason == nil || quotes[n].Status != api.QuoteOpen {
		t.Fatalf("%+v", quotes)
	}
	reject()
	if w.step() || len(w.dossier(placed.UUID).Extras.Quotes) != n+1 {
		t.Error("it goes on after the cheaper quote was rejected")
	}
}

func TestStepsRunWhilePausedAndBeforeTheyAreDue(t *testing.T) {
	w := newWorld(t, 1) // in real time
	ctx := context.Background()
	placed := w.place("stepped", 1)
	paused := true
	w.sim.Set(&paused, nil, ops.DemoSpeed)
	if s := w.sim.State(); !s.Paused || s.Speed != 1 {
		t.Errorf("%+v", s)
	}
	if took, err := w.sim.Next(ctx, false); err != nil || took == nil || took.Does != demodata.IssueQuote {
		t.Fatalf("%+v, %v", took, err)
	}
	w.accept(placed.UUID)
	var did []string
	for range 20 {
		took, err := w.sim.Next(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		if took == nil {
			break
		}
		did = append(did, took.Does)
	}
	want := []string{
		demodata.AssignOperator, demodata.RequestPermission, demodata.ScheduleFlight, demodata.GrantPermission, demodata.Deliver,
		demodata.AcceptDelivery,
	}
	if d := w.dossier(placed.UUID); !slices.Equal(did, want) || d.Missions[0].FlightDate.After(w.now) || w.sim.State().Done != 7 {
		t.Errorf("%v, flown at %v of %v, %+v", did, d.Missions[0].FlightDate, w.now, w.sim.State())
	}
}

func TestEndedOrdersAreNotChanged(t *testing.T) {
	w := newWorld(t, ops.DemoSpeed)
	placed := w.place("cancelled", 1)
	for w.step() {
	}
	w.accept(placed.UUID)
	w.step()
	if _, _, err := w.desk.Orders.Cancel(context.Background(), w.caller, placed.UUID); err != nil {
		t.Fatal(err)
	}
	if steps, err := w.sim.Steps(context.Background()); err != nil || len(steps) != 0 {
		t.Errorf("%+v, %v", steps, err)
	}
}

func TestAChangedDemoOrderContinues(t *testing.T) {
	w := newWorld(t, ops.DemoSpeed)
	if _, err := w.desk.Quotes.Issue(context.Background(), w.seed, ops.QuoteInput{QuoteName: "By hand", DeliveryBy: 9, PriceBeforeDiscount: 100, ExpiryDate: api.TimeOf(w.now.AddDate(0, 0, 9))}); err != nil {
		t.Fatal(err)
	}
	w.accept(w.seed)
	for w.step() {
	}
	if d := w.dossier(w.seed); d.Order.Status != api.OrderCompleted || d.Missions[0].Status != api.MissionCompleted {
		t.Errorf("%s, %+v", d.Order.Status, w.sim.State())
	}
}

func TestTheErrorOfAStepIsClearedByTheNextStep(t *testing.T) {
	w := newWorld(t, ops.DemoSpeed)
	placed := w.place("too large for the store", 1)
	for w.step() {
	}
	w.accept(placed.UUID)
	w.sim.FileSize = 100 << 20 // the store has 64 MiB
	for w.sim.State().LastError == "" {
		steps, err := w.sim.Steps(t.Context())
		if err != nil || len(steps) == 0 {
			t.Fatalf("no step has failed: %v", err)
		}
		w.now = steps[0].At
		_, _ = w.sim.Next(t.Context(), true) // the state has the error
	}
	w.sim.FileSize = 0
	w.now = w.now.Add(time.Hour)
	if _, err := w.sim.Next(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if state := w.sim.State(); state.LastError != "" {
		t.Errorf("after a successful step, the simulator still has the error %q", state.LastError)
	}
}
