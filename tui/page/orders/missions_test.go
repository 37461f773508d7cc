package orders

import (
	"errors"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/plan"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func on(day, hour int) api.Time {
	return api.TimeOf(time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC))
}

func TestAPermissionThatDoesNotFitTheFlight(t *testing.T) {
	p := &api.FlightPermission{Status: api.PermissionGranted, ValidFrom: on(10, 0), ValidTo: on(20, 0)}
	for day, want := range map[int]string{9: "before", 15: "", 21: "after"} {
		if got := permissionProblem(p, on(day, 12).Time); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("a flight on the %d.: %q", day, got)
		}
	}
	if permissionProblem(nil, noon) != "" || permissionProblem(p, time.Time{}) != "" {
		t.Error("what is not known is wrong")
	}
}

func TestOnlyAnUrgentDecisionHasTheColourOfUrgency(t *testing.T) {
	b := &groupBuilder{now: noon}
	for expiryDay, want := range map[int]theme.Role{25: theme.Attention, 28: theme.Accent} {
		record := &api.OrderRecord{ID: "o-1", Quotes: []api.Quote{{QuoteID: "q-1", ExpiryDate: on(expiryDay, 9)}}}
		item := b.decisionItem(quoting.NewQuotedOrder(record, noon))
		if item.Glyph != "◆" || item.Role != want {
			t.Errorf("a quote that expires on the %d. has %s in role %v, want %v", expiryDay, item.Glyph, item.Role, want)
		}
	}
}

func TestAnOrderWithQuotesHasOneColourInAllGroupsOfHome(t *testing.T) {
	order := &api.Order{UUID: "o-1", Status: api.OrderBiddingWithQuote}
	env := testEnv()
	env.SetQuoted(map[string]format.QuoteState{"o-1": format.QuotesReady})
	b := &groupBuilder{env: env, now: noon, decisionRoles: map[string]theme.Role{"o-1": theme.Accent}}
	if item := b.orderItem(order); item.Glyph != "◆" || item.Role != theme.Accent {
		t.Errorf("%s in role %v, want ◆ in role %v", item.Glyph, item.Role, theme.Accent)
	}
}

func TestTheClientOfAViewedAccountChecksItsData(t *testing.T) {
	missions := []api.Mission{{MissionName: "Levee", Status: api.MissionDataDelivered}}
	env := &page.Env{}
	if text := checkStep(env, missions).Text; text != "you check the data of Levee (V); the service records the acceptance" {
		t.Errorf("in the own account: %q", text)
	}
	env.Profile.Viewed = true
	if text := checkStep(env, missions).Text; text != "the client checks the data of Levee; the service records the acceptance" {
		t.Errorf("in the account of a client: %q", text)
	}
}

func TestTheServiceAcceptsDataThatTheUserHasChecked(t *testing.T) {
	env := testEnv()
	env.Profile.Downloads = deliveries.NewDownloads(fetch.Options{}, session.OpenUIState(""))
	m := &mission{
		Mission: api.Mission{
			MissionCode: "MSN-1", MissionName: "Levee", Status: api.MissionDataDelivered, UpdatedAt: on(20, 9),
		},
		Order: &api.Order{UUID: "o-1", Status: api.OrderFlyingDateSet, Missions: make([]api.Mission, 1)},
	}
	m.Order.Missions[0] = m.Mission
	check := func(day, problems int) {
		report := &checking.Report{CheckedAt: on(day, 9).Time}
		report.Missions = []checking.MissionResult{{Mission: "MSN-1", Problems: problems, At: on(day, 9).Time}}
		env.Profile.Downloads.Checks.Add(report)
	}
	requireStep := func(name, missionText, orderText string) {
		t.Helper()
		if text := missionStep(env, m, nil).Text; text != missionText {
			t.Errorf("%s: the next step of the mission is %q, want %q", name, text, missionText)
		}
		if text := orderStep(env, m.Order).Text; text != orderText {
			t.Errorf("%s: the next step of the order is %q, want %q", name, text, orderText)
		}
	}
	const records = "the service records the acceptance"
	unchecked := "you check the data (V); " + records
	uncheckedOf := "you check the data of Levee (V); " + records
	requireStep("not checked", unchecked, uncheckedOf)
	check(19, 0)
	requireStep("checked before the delivery", unchecked, uncheckedOf)
	check(21, 2)
	requireStep("checked with problems",
		"you report 2 problems in the data to the service",
		"you report 2 problems in the data of Levee to the service")
	check(22, 0)
	requireStep("checked", records, records+" of Levee")
}

func TestHomeSaysWhoseTurnItIsWithDeliveredData(t *testing.T) {
	for _, test := range []struct {
		unchecked, checked int
		want               string
	}{
		{0, 0, ""},
		{1, 0, "1 delivery to check"},
		{0, 2, "2 deliveries checked, not accepted yet"},
		{3, 2, "3 deliveries to check, 2 checked"},
	} {
		if text := describeDeliveries(test.unchecked, test.checked); text != test.want {
			t.Errorf("%d unchecked and %d checked: %q, want %q", test.unchecked, test.checked, text, test.want)
		}
	}
}

func TestTheNextStepOfAMissionIsOnlyKnownWithTheStatusOfItsOrder(t *testing.T) {
	env := &page.Env{}
	for order, want := range map[api.OrderStatus]string{
		api.OrderPendingOperator:  "the service assigns an operator",
		api.OrderBiddingWithQuote: "", // the quotes are not loaded
		api.OrderArchived:         "",
		"orderCanceled":           "", // not known to this version
		"":                        "",
	} {
		m := &mission{Mission: api.Mission{Status: api.MissionAwaitingPilot}, Order: &api.Order{Status: order}}
		if text := missionStep(env, m, nil).Text; text != want {
			t.Errorf("in an order with the status %q the next step is %q, want %q", order, text, want)
		}
	}
}

func TestACancelledMissionHasNoNextStep(t *testing.T) {
	env := &page.Env{}
	env.SetQuoted(map[string]format.QuoteState{"o-1": format.QuotesReady})
	order := &api.Order{UUID: "o-1", Status: api.OrderBiddingWithQuote}
	waiting := &mission{Mission: api.Mission{Status: api.MissionAwaitingPilot}, Order: order}
	if text := missionStep(env, waiting, nil).Text; text != "you decide on the quotes" {
		t.Errorf("a mission that is not cancelled: %q", text)
	}
	cancelled := &mission{Mission: api.Mission{Status: api.MissionCancelled}, Order: order}
	if step := missionStep(env, cancelled, nil); step.Text != "" {
		t.Errorf("the next step of a cancelled mission is %q", step.Text)
	}
}

func TestTheDayOfTheAssignmentNeedsALogSinceTheMissionWasCreated(t *testing.T) {
	assignment := api.WebhookDelivery{Event: api.EventOperatorAssigned, MissionUID: "m-1", CreatedAt: on(20, 9)}
	p := &MissionPage{hasLogs: true, mission: &mission{Mission: api.Mission{UUID: "m-1", CreatedAt: on(10, 9)}}}
	p.Env = &page.Env{Clock: page.AppClock{Now: func() time.Time { return noon }}}
	for name, c := range map[string]struct {
		created api.Time
		isCut   bool
		want    time.Time
	}{
		"complete log":                 {on(1, 9), false, on(20, 9).Time},
		"log without its oldest rows":  {on(1, 9), true, time.Time{}},
		"endpoint that was added late": {on(15, 9), false, time.Time{}},
	} {
		p.facts.Endpoints = []*timeline.Endpoint{{
			WebhookEndpoint: api.WebhookEndpoint{CreatedAt: c.created},
			Log:             []api.WebhookDelivery{assignment},
			IsCut:           c.isCut,
		}}
		if got := p.assignedAt(); !got.Equal(c.want) {
			t.Errorf("%s: assigned at %v, want %v", name, got, c.want)
		}
	}
}

func TestTheLineForMoreDraftsOpensThem(t *testing.T) {
	b := &groupBuilder{now: noon, drafts: []ordering.StoredDraft{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	items := b.draftGroup().Cut(1).Items
	if len(items) != 2 || items[1].Open == nil {
		t.Errorf("the lines are %+v", items)
	}
}

func TestAMonthWalksItsDays(t *testing.T) {
	m := monthView{env: &page.Env{Clock: page.AppClock{Now: func() time.Time { return noon }}}, day: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)}
	m.handleAction("month-after")
	if m.day.Format(time.DateOnly) != "2026-02-28" || format.FirstMonday(m.day).Format(time.DateOnly) != "2026-01-26" {
		t.Errorf("a month after: %v, in weeks from %v", m.day, format.FirstMonday(m.day))
	}
	m.handleAction("day-after")
	m.handleAction("week-before")
	if m.day.Format(time.DateOnly) != "2026-02-22" {
		t.Errorf("a day on and a week back: %v", m.day)
	}
	if m.handleAction("open") {
		t.Error("open is the month's")
	}
	m.day = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	flight := func(hour int, id string) *cache.Mission {
		return &cache.Mission{Mission: api.Mission{UUID: id, FlightDate: api.TimeOf(m.day.Add(time.Duration(hour) * time.Hour))}, Order: &api.Order{}}
	}
	source := plan.Source{
		Missions: []*cache.Mission{flight(14, "late"), flight(8, "early"), flight(30, "next day")},
		Now:      noon,
	}
	m.setEvents(source.Events(), source.Missions)
	if m.currentMission().UUID != "early" {
		t.Errorf("the first flight is %s", m.currentMission().UUID)
	}
	m.handleAction("next-of-day")
	if m.currentMission().UUID != "late" {
		t.Errorf("the next flight is %s", m.currentMission().UUID)
	}
	m.handleAction("next-of-day")
	if m.currentMission().UUID != "early" {
		t.Errorf("after the last comes %s", m.currentMission().UUID)
	}
}

func TestNoMissionIsNoneOnlyIfAllAreLoaded(t *testing.T) {
	orders := make([]api.Order, 3)
	failed := errors.New("offline")
	tests := map[string]struct {
		view         cache.CacheView
		text, extent string
	}{
		"all":           {cache.CacheView{Listed: true, Read: 3}, "No changes.", "0 missions"},
		"loading":       {cache.CacheView{Listed: true, Read: 1}, "Loading missions…", "Loading orders, 1 of 3…"},
		"list failed":   {cache.CacheView{Read: 1, Err: failed}, "Unknown; not all orders could be loaded.", "1 of 3+ orders loaded"},
		"not reloaded":  {cache.CacheView{Listed: true, Read: 1, Err: failed}, "Unknown; not all missions could be loaded.", "1 of 3 orders loaded"},
		"some left out": {cache.CacheView{Listed: true, Read: 1, Left: 2}, "No changes; missions of 2 orders are not loaded.", "1 of 3 orders loaded"},
		"older orders":  {cache.CacheView{Listed: true, Read: 3, More: true}, "No changes; older orders are not loaded.", "3 of 3+ orders loaded"},
	}
	for name, test := range tests {
		test.view.Orders = orders
		if got := unlessLoading(&test.view, "No changes."); got != test.text {
			t.Errorf("%s: %q", name, got)
		}
		if got := loadExtent(&test.view); got != test.extent {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := missingText(&cache.CacheView{Fault: failed}); got != "Not all missions could be reloaded" {
		t.Errorf("%q", got)
	}
}
