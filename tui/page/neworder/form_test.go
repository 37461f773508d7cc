package neworder_test

import (
	"testing"

	"flightdesk/tui/apptest"
)

func TestADayOfAnOrderIsChosenFromTheCalendar(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]", "tab", "tab", "tab", "tab", "tab", "tab") // to the start
	d.Sees("▸  Start", "↓ calendar")
	d.Press("down")
	d.Sees("December 2026", "Mo Tu We Th Fr Sa Su", "enter take", "pgdown month after")
	d.Press("pgdown", "esc")
	d.SeesNot("January 2027")
	d.Sees("in 2 weeks", "[3 Order]")
	d.Press("down", "right", "down", "enter")
	d.Sees("2026-12-16", "→ Wed 16 Dec 2026")
	d.SeesNot("Mo Tu We")
	d.Press("down", "right")
	d.Type("in 9 days")
	d.Sees("→ Thu 3 Dec 2026")
	d.SeesNot("Mo Tu We")
	d.Press("tab")
	d.Sees("▸  Deadline")
}
