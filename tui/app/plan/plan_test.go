package plan_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/plan"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func on(day, hour int) api.Time {
	return api.TimeOf(time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC))
}

func TestACalendarEscapesFoldsAndKeepsIdentities(t *testing.T) {
	order := &api.Order{UUID: "o-1", OrderCode: "ORD-1", OrderName: "Levee; \u202enorth, 2\u009b\r\nBEGIN:VEVENT", Status: api.OrderFlyingDateSet, Deadline: on(30, 0)}
	long := strings.Repeat("Küste ", 20)
	missions := []*cache.Mission{
		{Mission: api.Mission{UUID: "m-1", MissionName: long, MissionCode: "MSN-1", FlightDate: on(26, 8), Country: "Germany"}, Order: order, Centre: &api.Point{Lat: 53.5, Lng: 9}},
		{Mission: api.Mission{UUID: "m-2", MissionName: "No date"}, Order: order},
	}
	var b strings.Builder
	source := plan.Source{Missions: missions, Now: noon}
	if err := plan.WriteCalendar(&b, source.Events(), noon, "desk.example", format.Units{}); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, line := range strings.Split(strings.TrimSuffix(got, "\r\n"), "\r\n") {
		if len(line) > 75 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("a line of %d bytes: %q", len(line), line)
		}
	}
	whole := strings.ReplaceAll(got, "\r\n ", "")
	for _, want := range []string{
		"UID:flight-m-1@desk.example", "DTSTART:20261126T080000Z", "GEO:53.500000;9.000000", "SUMMARY:Flight: " + long,
		"UID:deadline-o-1@desk.example", "DTSTART;VALUE=DATE:20261130", `SUMMARY:Due: ORD-1 Levee\; north\, 2\nBEGIN:VEVENT`,
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("no %q in\n%s", want, whole)
		}
	}
	if n := strings.Count(got, "\r\nBEGIN:VEVENT"); n != 2 || strings.Contains(whole, "m-2") {
		t.Errorf("%d events:\n%s", n, got)
	}
}

func TestAPlanHasDeadlinesExpiriesFlightsAndDeliveries(t *testing.T) {
	order := &api.Order{UUID: "o-1", OrderCode: "ORD-1", OrderName: "Levee", Status: api.OrderFlyingDateSet, Deadline: on(30, 0)}
	bare := &api.Order{UUID: "o-2", OrderCode: "ORD-2", OrderName: "No missions", Status: api.OrderBiddingWithQuote, Deadline: on(28, 15)}
	done := &api.Order{UUID: "o-3", OrderCode: "ORD-3", Status: api.OrderCompleted, Deadline: on(27, 0)}
	flown := &cache.Mission{Mission: api.Mission{UUID: "m-1", MissionName: "Km 3", MissionCode: "MSN-1", FlightDate: on(26, 8)}, Order: order}
	ended := &cache.Mission{Mission: api.Mission{UUID: "m-2", MissionName: "Old", Status: api.MissionCancelled, FlightDate: on(25, 8)}, Order: done}
	record := &api.OrderRecord{ID: "o-2", OrderCode: "ORD-2", Quotes: []api.Quote{
		{QuoteID: "q-1", QuoteName: "Standard", ExpiryDate: on(28, 9)},
		{QuoteID: "q-2", QuoteName: "Expired", ExpiryDate: on(23, 9)},
	}}
	source := plan.Source{
		Orders:   []*api.Order{bare, order, done},
		Missions: []*cache.Mission{flown, ended},
		Quotes:   []*quoting.QuotedOrder{quoting.NewQuotedOrder(record, noon)},
		Packages: func(uuid string) []api.DeliveryPackage {
			if uuid != "m-1" {
				return nil
			}
			return []api.DeliveryPackage{{UUID: "p-1", CreatedAt: on(27, 10)}}
		},
		Now: noon,
	}
	for _, code := range []string{"ORD-8", "ORD-9"} { // orders without an ID
		source.Orders = append(source.Orders, &api.Order{OrderCode: code, Status: api.OrderPendingOperator, Deadline: on(30, 0)})
	}
	events := source.Events()
	var got []string
	for i := range events {
		e := &events[i]
		got = append(got, e.Day.Format("2 ")+e.Kind.Name()+" "+e.Code()+" "+e.Name())
	}
	want := []string{
		"25 flight  Old", "26 flight MSN-1 Km 3", "27 delivery MSN-1 Km 3",
		"28 expiry ORD-2 Standard", "28 deadline ORD-2 No missions", "30 deadline ORD-1 Levee", "30 deadline ORD-8 ", "30 deadline ORD-9 ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the plan is\n%q, not\n%q", got, want)
	}
	if text := plan.DescribeCounts(events); text != "4 deadlines, 1 expiry, 1 flight, 1 delivery, 1 cancelled flight" {
		t.Errorf("counted as %q", text)
	}
	var b strings.Builder
	if err := plan.WriteCalendar(&b, events, noon, "host", format.Units{}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"SUMMARY:Quote expires: Standard\\, ORD-2", "UID:expiry-o-2-q-1@host", "SUMMARY:Data delivered: Km 3",
		"UID:delivery-p-1@host", "STATUS:CANCELLED", "DTSTART;VALUE=DATE:20261130",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("%q is not in\n%s", line, b.String())
		}
	}
}

func TestTheEventsOfADayAreListedByTime(t *testing.T) {
	order := &api.Order{UUID: "o-1", OrderName: "Whole day", Status: api.OrderFlyingDateSet, Deadline: on(28, 0)}
	early := &cache.Mission{Mission: api.Mission{UUID: "m-1", MissionName: "Early flight", FlightDate: on(28, 8)}, Order: order}
	late := &cache.Mission{Mission: api.Mission{UUID: "m-2", MissionName: "Late flight", FlightDate: on(28, 15)}, Order: order}
	record := &api.OrderRecord{ID: "o-2", Quotes: []api.Quote{{QuoteID: "q-1", QuoteName: "Quote", ExpiryDate: on(28, 9)}}}
	source := plan.Source{
		Missions: []*cache.Mission{late, early},
		Quotes:   []*quoting.QuotedOrder{quoting.NewQuotedOrder(record, noon)},
		Now:      noon,
	}
	var got []string
	for _, e := range source.Events() {
		got = append(got, e.Name())
	}
	want := []string{"Whole day", "Early flight", "Quote", "Late flight"}
	if !slices.Equal(got, want) {
		t.Errorf("the day is %q, not %q", got, want)
	}
}

func TestAFlightHasTheStatusOfAnOrderWithoutAnAcceptedQuote(t *testing.T) {
	order := &api.Order{UUID: "o-1", OrderCode: "ORD-1", Status: api.OrderBiddingWithQuote}
	awaiting := api.Mission{UUID: "m-1", MissionCode: "MSN-1", Status: api.MissionAwaitingPilot, FlightDate: on(26, 8)}
	source := plan.Source{Missions: []*cache.Mission{{Mission: awaiting, Order: order}}, Now: noon}
	calendar := func() string {
		var b strings.Builder
		if err := plan.WriteCalendar(&b, source.Events(), noon, "host", format.Units{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := calendar(); !strings.Contains(got, `Status: In review`) {
		t.Errorf("without quotes:\n%s", got)
	}
	record := &api.OrderRecord{ID: "o-1", Quotes: []api.Quote{{QuoteID: "q-1", ExpiryDate: on(30, 0)}}}
	source.Quotes = []*quoting.QuotedOrder{quoting.NewQuotedOrder(record, noon)}
	if got := calendar(); !strings.Contains(got, `Status: Quotes ready`) {
		t.Errorf("with a quote:\n%s", got)
	}
}
