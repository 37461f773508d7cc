package neworder_test

import (
	"testing"
	"time"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

// In the west, a day begins on the next day of UTC's calendar.
func TestTypedDatesAreTheSameDaysEverywhereInLosAngeles(t *testing.T) {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	d, _ := apptest.OpenOperations(t, 140, 44, func(o *tui.Options) {
		now := o.Now
		o.Now = func() time.Time { return now().In(zone) }
	})
	seesOnlyTheDeadline := func(place string, texts ...string) {
		t.Helper()
		t.Log(place)
		d.RequireText(texts...)
		d.SeesNot("29 Dec", "31 Dec", "2026-12-29", "2026-12-31")
	}
	d.Press("2", "n")
	d.Type("elbe")
	d.Press("enter", "]")
	d.Type("wat")
	d.Press("tab")
	d.Type("1 dec")
	d.Press("tab")
	d.Type("30 dec")
	seesOnlyTheDeadline("form", "→ Tue 1 Dec 2026", "→ Wed 30 Dec 2026", "Tue 1 Dec → Wed 30 Dec 2026, 30 days")
	d.Press("ctrl+s")
	seesOnlyTheDeadline("review", "Tue 1 Dec 2026 → Wed 30 Dec 2026")
	d.Press("S", "enter")
	order := d.NewestOrder()
	seesOnlyTheDeadline("order", order.OrderCode, "30 Dec")
	if got := order.Deadline.Format(time.DateTime + " -0700"); got != "2026-12-30 23:59:59 -0800" {
		t.Errorf("the service has the deadline %s", got)
	}
	if got := order.StartDate.Format(time.DateTime + " -0700"); got != "2026-12-01 00:00:00 -0800" {
		t.Errorf("the service has the start %s", got)
	}
	d.Press("v")
	seesOnlyTheDeadline("record", "Wed 30 Dec")
	d.Press("9", "/")
	d.Type(order.OrderCode)
	d.Press("enter", "enter")
	seesOnlyTheDeadline("service side", order.OrderCode, "30 Dec")
}
