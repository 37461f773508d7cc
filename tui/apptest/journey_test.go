package apptest_test

import (
	"regexp"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/tuitest"
)

// An order is placed, its quote accepted, its files fetched and its way
// followed at a service that answers oddly in ten ways at once.
func TestAnOrderLivesAtTheOddestService(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	_, origin := w.before(t, Oddest())
	key, client, desk := w.quoted.key, w.quoted.client, check(w.server.Ops())(t)
	does := func(want string, args ...string) string {
		t.Helper()
		text, done := command(t, origin, key, args...)
		if !done || !strings.Contains(flat(text), want) {
			t.Fatalf("%q lacks %q:\n%s", args, want, text)
		}
		return text
	}

	placed := does("placed ORD-", "place", placeable(t), "--order", orderFile(t))
	code := regexp.MustCompile(`ORD-\d+`).FindString(placed)
	order := check(client.Orders.Get(ctx, code))(t)
	mission := order.Missions[0]
	does(code, "list", "orders")

	quote := check(desk.Quotes.Issue(ctx, order.UUID, ops.QuoteInput{
		QuoteName: "Economy", DeliveryBy: 20, PriceBeforeDiscount: 1388.43, ExpiryDate: api.TimeOf(tuitest.Clock.AddDate(0, 0, 14)),
	}))(t)
	does("1,388.43 EUR", "list", "quotes")
	d := app(t, origin, key)
	d.Press("4")
	d.RequireText(code, "1,388.43")
	d.Close()
	does("accepted", "quote", "accept", code, quote.QuoteID, "--yes")
	if r := check(client.Records.Get(ctx, order.UUID))(t); r.AcceptedQuote == nil || r.AcceptedQuote.QuoteID != quote.QuoteID {
		t.Fatalf("the accepted quote is %+v", r.AcceptedQuote)
	}

	check(desk.Missions.AssignOperator(ctx, mission.UUID, "Nordwind Drones"))(t)
	check(desk.Missions.Schedule(
		ctx, mission.UUID, ops.FlightInput{FlightDate: api.TimeOf(tuitest.Clock.AddDate(0, 0, 9))},
	))(t)
	does("Nordwind Drones", "mission", "show", mission.MissionCode)
	check(desk.Missions.GenerateDelivery(ctx, mission.UUID))(t)
	does("downloaded 4 files", "fetch", code, "--to", ".")

	shown := does("Completed", "order", "show", code)
	if !strings.Contains(shown, "crew") || !strings.Contains(shown, "Ida") {
		t.Errorf("what the service says beside is not shown:\n%s", shown)
	}
	d = app(t, origin, key)
	d.RequireText(code, "Completed")
	d.Press("5")
	d.RequireText("orthomosaic.tif")
	d.Close()
}
