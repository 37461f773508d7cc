package demodata

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ledongthuc/pdf"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// of returns the orders of each account.
func of(w domain.SeedWorld) map[string][]domain.PastOrder {
	all := map[string][]domain.PastOrder{}
	for _, o := range w.Orders {
		all[o.AccountUUID] = append(all[o.AccountUUID], o)
	}
	return all
}

func TestTheWorldIsTheSameForTheSameTime(t *testing.T) {
	w := BuildWorld(noon, noon, WorldOptions{})
	if !reflect.DeepEqual(w, BuildWorld(noon, noon, WorldOptions{})) {
		t.Error("two worlds of one moment differ")
	}
	later := BuildWorld(noon.Add(50*day), noon, WorldOptions{})
	for i, o := range later.Orders {
		before := w.Orders[i]
		if o.UUID != before.UUID || o.Request.Order.OrderName != before.Request.Order.OrderName || o.Created.Sub(before.Created) != 50*day {
			t.Errorf("%s %s of %v was %s of %v", o.UUID, o.Request.Order.OrderName, o.Created, before.UUID, before.Created)
		}
		for j, m := range o.Missions {
			if m.UUID != before.Missions[j].UUID {
				t.Errorf("a mission of %s was %s", m.UUID, before.Missions[j].UUID)
			}
		}
	}
}

func TestEveryAccountHasOrdersInEveryStatus(t *testing.T) {
	for account, orders := range of(BuildWorld(noon, noon, WorldOptions{})) {
		if n := len(orders); n < 15 || n > 40 {
			t.Errorf("%s has %d orders", account, n)
		}
		var have []api.OrderStatus
		for _, o := range orders {
			have = append(have, o.Status)
		}
		for _, status := range api.OrderStatuses() {
			if !slices.Contains(have, status) {
				t.Errorf("no order of %s is %s", account, status)
			}
		}
	}
}

func TestNothingInTheWorldIsInTheFuture(t *testing.T) {
	w := BuildWorld(noon, noon, WorldOptions{})
	for _, o := range w.Orders {
		name := o.Request.Order.OrderName
		last := o.Created
		check := func(what string, at time.Time) {
			if at.Before(o.Created) || !at.Before(noon) {
				t.Errorf("%s, %s: %v, placed at %v", name, what, at, o.Created)
			}
		}
		for _, q := range o.Quotes {
			check("quote", q.Created)
		}
		for _, m := range o.Missions {
			check("mission", m.Updated)
			if m.Updated.After(last) {
				last = m.Updated
			}
			for _, p := range m.Planning {
				check("planning", p.Created)
			}
			if m.Permission != nil {
				check("permission", m.Permission.Updated)
			}
		}
		check("order", o.Updated)
		if o.Updated.Before(last) {
			t.Errorf("%s was changed at %v, a mission of it at %v", name, o.Updated, last)
		}
	}
}

func TestQuotesAgreeWithTheirOrder(t *testing.T) {
	var soon, late, expired, reasoned, silent int
	for _, o := range BuildWorld(noon, noon, WorldOptions{}).Orders {
		count := map[api.QuoteStatus]int{}
		for _, q := range o.Quotes {
			count[q.Status]++
			if (q.Status == api.QuoteOpen) != q.Decided.IsZero() || !q.Decided.IsZero() && q.Decided.Before(q.Created) || q.Decided.After(o.Updated) {
				t.Errorf("%s: a quote is %s at %v, order changed %v", o.Request.Order.OrderName, q.Status, q.Decided, o.Updated)
			}
			if q.Status == api.QuoteAccepted && !q.Decided.Before(q.Expires) {
				t.Errorf("%s: accepted at %v, expired %v", o.Request.Order.OrderName, q.Decided, q.Expires)
			}
			switch left := q.Expires.Sub(noon); {
			case q.Status != api.QuoteOpen:
			case left <= 0:
				expired++
			case left < day:
				soon++
			default:
				late++
			}
			if q.Discount > 0 && q.DiscountReason != nil {
				reasoned++
			} else if q.Discount > 0 {
				silent++
			}
		}
		stage := (demoOrder{Status: o.Status, Before: api.OrderStatus(text(o.StatusBefore))}).orderStage()
		accepted := 0
		open := 0
		switch stage {
		case api.OrderBiddingWithQuote:
			open = count[api.QuoteOpen]
		case api.OrderPendingOperator, api.OrderOperatorAssigned, api.OrderFlyingDateSet, api.OrderCompleted, api.OrderNotFeasible:
			accepted = 1
		}
		if count[api.QuoteAccepted] != accepted || count[api.QuoteOpen] != open {
			t.Errorf("%s is %s with quotes %v", o.Request.Order.OrderName, o.Status, count)
		}
	}
	if soon == 0 || late == 0 || expired == 0 || reasoned == 0 || silent == 0 {
		t.Errorf("%d quotes expire soon, %d later, %d have; %d discounts with a reason, %d without", soon, late, expired, reasoned, silent)
	}
}

func text[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

func TestFasterQuotesCostMore(t *testing.T) {
	for _, o := range BuildWorld(noon, noon, WorldOptions{}).Orders {
		for i := 1; i < len(o.Quotes); i++ {
			slow := o.Quotes[i-1]
			fast := o.Quotes[i]
			if slow.Days <= fast.Days || slow.Price >= fast.Price || fast.Discount > 0 {
				t.Errorf("%s: %d days for %v, %d for %v", o.Request.Order.OrderName, slow.Days, slow.Price, fast.Days, fast.Price)
			}
		}
	}
}

func TestPlanningEndsWithTheFlightDate(t *testing.T) {
	for account, orders := range of(BuildWorld(noon, noon, WorldOptions{})) {
		moved := 0
		for _, o := range orders {
			for _, m := range o.Missions {
				if len(m.Planning) == 0 {
					if !m.FlightDate.IsZero() {
						t.Errorf("%s flies at %v without a plan", o.Request.Order.OrderName, m.FlightDate)
					}
					continue
				}
				if last := m.Planning[len(m.Planning)-1]; !last.FlightDate.Equal(m.FlightDate) {
					t.Errorf("%s flies at %v, by plan at %v", o.Request.Order.OrderName, m.FlightDate, last.FlightDate)
				}
				for i, p := range m.Planning {
					if i > 0 && p.Created.Before(m.Planning[i-1].Created) || p.Created.After(p.FlightDate) && p.Status != api.ScheduleCancelled {
						t.Errorf("%s: version %d of %v for %v", o.Request.Order.OrderName, i+1, p.Created, p.FlightDate)
					}
					if p.Status == api.ScheduleRescheduled && p.Note != nil {
						moved++
					}
				}
			}
		}
		if moved == 0 {
			t.Errorf("no flight of %s was moved", account)
		}
	}
}

func TestEveryAccountHasPermissionsOfEveryKind(t *testing.T) {
	for account, orders := range of(BuildWorld(noon, noon, WorldOptions{})) {
		var have []api.PermissionStatus
		for _, o := range orders {
			for i, m := range o.Missions {
				p := m.Permission
				if p == nil {
					continue
				}
				have = append(have, p.Status)
				if p.Status == api.PermissionGranted && (m.FlightDate.Before(p.ValidFrom) || m.FlightDate.After(p.ValidTo)) {
					t.Errorf("%s flies at %v, permitted from %v to %v", o.Request.Order.OrderName, m.FlightDate, p.ValidFrom, p.ValidTo)
				}
				if country := o.Request.Missions[i].Country; p.Status != api.PermissionNotRequired && *p.Authority == "" {
					t.Errorf("nobody permits flights in %s", country)
				}
			}
		}
		for _, status := range api.PermissionStatuses() {
			if !slices.Contains(have, status) {
				t.Errorf("%s has no permission that is %s", account, status)
			}
		}
	}
}

func TestTheLogsOfEndpointsHaveFailures(t *testing.T) {
	w := BuildWorld(noon, noon, WorldOptions{})
	reasons := map[string]int{}
	accounts := map[string]int{}
	for _, e := range w.Webhooks {
		accounts[e.AccountUUID]++
		if !strings.HasPrefix(e.URL, "https://") || !strings.Contains(e.URL, ".invalid/") {
			t.Errorf("an endpoint at %s", e.URL)
		}
		for i, d := range e.Log {
			if d.Created.Before(e.Created) || i > 0 && d.Created.Before(e.Log[i-1].Created) || !slices.Contains(e.Events, d.Event) {
				t.Errorf("%s was sent %s at %v", e.URL, d.Event, d.Created)
			}
			reasons[d.Error]++
		}
		if len(e.Log) == 0 || e.LastStatus == nil {
			t.Errorf("%s was sent nothing", e.URL)
		}
	}
	for _, reason := range []string{"", "HTTP 500", "no response within 5 s", store.DeliveryStopped, "unknown host name"} {
		if reasons[reason] == 0 {
			t.Errorf("no delivery ended with %q: %v", reason, reasons)
		}
	}
	if len(accounts) != 3 {
		t.Errorf("endpoints by account: %v", accounts)
	}
}

// A flight was scheduled without a callback, so that there is a missing callback to find.
func TestTheDemoHasOneMissingCallback(t *testing.T) {
	w := BuildWorld(noon, noon, WorldOptions{})
	missing := 0
	for _, e := range w.Webhooks {
		sent := map[string]bool{}
		for _, d := range e.Log {
			sent[string(d.Event)+d.MissionUUID+d.Created.String()] = true
		}
		for _, happened := range eventsOf(w.Orders, e.AccountUUID) {
			if !happened.at.Before(e.Created) && slices.Contains(e.Events, happened.name) && !sent[string(happened.name)+happened.mission+happened.at.String()] {
				missing++
			}
		}
	}
	if missing != 1 {
		t.Errorf("%d events were never sent", missing)
	}
}

func TestEveryAccountHasRequestsForKeys(t *testing.T) {
	w := BuildWorld(noon, noon, WorldOptions{})
	for _, a := range w.Accounts {
		var have []ops.KeyRequestStatus
		for _, r := range w.KeyRequests {
			if r.AccountUUID == a.UUID {
				have = append(have, r.Status)
			}
		}
		for _, status := range ops.KeyRequestStatuses() {
			if !slices.Contains(have, status) {
				t.Errorf("%s has no request that is %s", a.CompanyName, status)
			}
		}
	}
}

func TestDeliveredMissionsHavePackages(t *testing.T) {
	w := BuildWorld(noon, noon, WorldOptions{})
	again := 0
	for _, o := range w.Orders {
		for i, m := range o.Missions {
			delivered := m.Status == api.MissionDataDelivered || m.Status == api.MissionCompleted
			if delivered != (len(m.Packages) > 0) {
				t.Errorf("%s: a mission is %s with %d packages", o.Request.Order.OrderName, m.Status, len(m.Packages))
			}
			again += max(0, len(m.Packages)-1)
			for j, p := range m.Packages {
				if (p.Status == api.DeliveryAccepted) != (m.Status == api.MissionCompleted) || p.Created.Before(m.FlightDate) ||
					p.Created.After(m.Updated) || j > 0 && p.Created.Before(m.Packages[j-1].Created) {
					t.Errorf("%s, %s: package of %v is %s, flown %v, %s since %v",
						o.Request.Order.OrderName, o.Request.Missions[i].MissionName, p.Created, p.Status, m.FlightDate, m.Status, m.Updated)
				}
				if len(p.Files) == 0 {
					t.Errorf("a package of %s is empty", o.Request.Order.OrderName)
				}
				for _, f := range p.Files {
					if f.Size <= 0 || !slices.Contains(o.Request.Order.Deliverables, f.Kind) {
						t.Errorf("%s has %+v", o.Request.Order.OrderName, f)
					}
				}
			}
		}
	}
	if again < 3 {
		t.Errorf("%d packages are second ones", again)
	}
	for _, d := range w.Datasets {
		if len(d.Files) < 2 || d.DateCompleted == "" || len(d.LocationMap) < 3 || len(d.Categories) == 0 || len(d.SDGGoals) == 0 {
			t.Errorf("%+v", d)
		}
	}
}

func TestPermitsAreDocuments(t *testing.T) {
	reference := "UAS-1/4 (a\\b)"
	p := permit{
		ops.PermissionInput{
			Authority: "Bezirksregierung Łódź", Reference: reference, ValidFrom: api.TimeOf(noon), ValidTo: api.TimeOf(noon.Add(day)),
		},
		"蘇花公路 – Süd", "x", "Jørgen Aasen",
	}
	content := p.pdf()
	r, err := pdf.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil || r.NumPage() != 1 || p.name() != "permit-UAS-1-4 (a\\b).pdf" {
		t.Fatalf("%s: %v", p.name(), err)
	}
	text, err := r.Page(1).GetPlainText(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{reference, "Bezirksregierung ?ód?", "???? – Süd", "Jørgen Aasen", "14 March 2026", "permits nothing"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}

func TestAddingManyOrdersReportsProgress(t *testing.T) {
	var told []int
	w := BuildWorld(noon, noon, WorldOptions{Orders: 2500, Added: func(n int) { told = append(told, n) }})
	count := 0
	for range w.Bulk {
		count++
	}
	if count != 2500 || !slices.Equal(told, []int{1000, 2000}) {
		t.Errorf("%d orders, told of %d", count, told)
	}
}

// People who open the demo see the first account.
func TestTheFirstAccountHasExamplesOfEverything(t *testing.T) {
	w := BuildWorld(noon, noon, WorldOptions{})
	files := map[api.Deliverable]bool{}
	products := map[api.Deliverable]bool{}
	var otherMap, taken, failed, mailed, expected, undecided bool
	for _, o := range of(w)[demoAccounts()[0].UUID] {
		for _, d := range o.Request.Order.Deliverables {
			products[d] = true
		}
		for _, m := range o.Missions {
			for _, p := range m.Packages {
				for _, f := range p.Files {
					files[f.Kind] = true
				}
			}
		}
		otherMap = otherMap || o.Details != nil && o.Details.OtherMapType != ""
		if n := o.Notify; n != nil {
			expected = expected || len(n.Notices) == 0 && n.Webhook != ""
			for _, sent := range n.Notices {
				taken = taken || sent.Kind == store.NoticeWebhook && sent.Success
				failed = failed || sent.Kind == store.NoticeWebhook && !sent.Success && sent.Error != nil
				mailed = mailed || sent.Kind == store.NoticeEmail && sent.Success && sent.Letter.OrderName == o.Request.Order.OrderName
			}
		}
		rejected := false
		expired := false
		for _, q := range o.Quotes {
			rejected = rejected || q.Status == api.QuoteRejected
			expired = expired || q.Status == api.QuoteOpen && !q.Expires.After(noon)
		}
		undecided = undecided || rejected && expired && o.Status == api.OrderBiddingWithQuote
	}
	for _, d := range api.Deliverables() {
		if !products[d] || !files[d] {
			t.Errorf("%s: ordered %t, delivered %t", d, products[d], files[d])
		}
	}
	if !otherMap || !taken || !failed || !mailed || !expected || !undecided {
		t.Errorf("another map %t; notices taken %t, failed %t, mailed %t, still to come %t; rejected and expired quotes %t", otherMap, taken, failed, mailed, expected, undecided)
	}
	for _, d := range w.Datasets {
		for _, f := range d.Files {
			files[f.Kind] = true
		}
	}
	for _, d := range api.DeliveryProducts() {
		if !files[d] {
			t.Errorf("there is no file of %s", d)
		}
	}
}
