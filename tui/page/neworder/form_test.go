package neworder_test

import (
	"testing"

	"flightdesk/tui/apptest"
)

func TestADayOfAnOrderIsChosenFromTheCalendar(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]", "tab") // to the start
	d.RequireText(" ▸ Start", "↓ calendar")
	d.Press("down")
	d.RequireText("December 2026", "Mo Tu We Th Fr Sa Su", "enter select", "pgdown month")
	d.Press("pgdown", "esc")
	d.SeesNot("January 2027")
	d.RequireText("in 2 weeks", "[3 Details]")
	d.Press("down", "right", "down", "enter")
	d.RequireText("2026-12-16", "→ Wed 16 Dec 2026")
	d.SeesNot("Mo Tu We")
	d.Press("down", "right")
	d.Type("in 9 days")
	d.RequireText("→ Thu 3 Dec 2026")
	d.SeesNot("Mo Tu We")
	d.Press("tab")
	d.RequireText(" ▸ Deadline")
}

func TestTheSameKeysChangeTheStepOnEveryStep(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "ctrl+s")
	d.RequireText("[3 Details]")
	d.Type("oil")
	d.RequireText("✓ Oil and gas")
	d.Press("tab", "tab", "tab") // past the last field
	d.RequireText("[3 Details]", " ▸ Company")
	d.Press("ctrl+s")
	d.RequireText("[4 Review]")
	for _, step := range []string{"[3 Details]", "[2 Sites]", "[1 Files]"} {
		d.Press("ctrl+b")
		d.RequireText(step)
	}
	for _, step := range []string{"[2 Sites]", "[3 Details]"} {
		d.Press("ctrl+s")
		d.RequireText(step)
	}
	d.Press("ctrl+u", "]")
	d.RequireText("needs a letter or digit")
}

func TestDetailsFocusTheFirstMissingField(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]")
	d.RequireText(" ▸ Asset type")
	d.Type("oil")
	d.Press("ctrl+s", "ctrl+b") // nothing is missing any more
	d.Type("xyz")
	d.RequireText("Company      Nordlicht Windkraft GmbH", "Order name   elbe levee", "Start        in 2 weeks")
}

func TestPastDatesAreShownAndConfirmed(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	before := d.NewestOrder().OrderCode
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]")
	d.Type("oil")
	d.Press("tab")
	d.Type("1 Dec 2020")
	d.RequireText("→ Tue 1 Dec 2020, past", "Start Tue 1 Dec 2020 is in the past", "Tue 1 Dec 2020 → Tue")
	d.Press("tab")
	d.Type("1 Jan 2021")
	d.Press("ctrl+s")
	d.RequireText("Start Tue 1 Dec 2020 is in the past", "Deadline Fri 1 Jan 2021 is in the past")
	d.Press("S", "enter")
	d.RequireText("Place an order with past dates?", "Type past to confirm")
	if o := d.NewestOrder(); o.OrderCode != before {
		t.Fatalf("%s was placed without a confirmation", o.OrderCode)
	}
	d.Type("past")
	d.Press("enter")
	if o := d.NewestOrder(); o.Deadline.Format("2006-01-02 15:04:05") != "2021-01-01 23:59:59" {
		t.Errorf("the deadline is %s", o.Deadline)
	}
}

func TestAnOrderThatIsDueTodayIsNotPast(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]")
	d.Type("oil")
	d.Press("tab")
	d.Type("today")
	d.Press("tab")
	d.Type("today")
	d.RequireText("Tue 24 Nov → Tue 24 Nov 2026, 1 day")
	d.SeesNot("in the past")
	d.Press("ctrl+s", "S", "enter")
	d.RequireText("due today")
	d.SeesNot("Overdue")
}

func TestTheDetailsShowNoNamesOfTheAPI(t *testing.T) {
	for _, width := range []int{80, 120} {
		d := apptest.Open(t, width, 36)
		d.Press("n")
		d.Type("elbe")
		d.Press("enter", "]")
		d.Press("right")
		d.RequireText(" ▸ Asset type", "masts and antennas · ←→ select")
		d.SeesNot("industryAssetType", "telecom")
	}
}

func TestTheDetailsSayHowManyFieldsAreMissing(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]")
	d.RequireText("Next: Review", "! 1 field missing")
	d.Press("ctrl+s")
	d.RequireText("Asset type ! is required; select one")
}
