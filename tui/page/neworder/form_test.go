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
	d.RequireText("▸  Start", "↓ calendar")
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
	d.RequireText("▸  Deadline")
}

func TestOnePairOfKeysStepsOnEveryStepOfTheNewOrder(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "ctrl+s")
	d.RequireText("[3 Details]")
	d.Press("tab", "tab", "tab", "tab", "tab")
	d.Type("oil")
	d.RequireText("✓ Oil and gas")
	d.Press("tab", "tab", "tab") // past the last field
	d.RequireText("[3 Details]", "▸  Company")
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
	d.Press("]")
	d.RequireText("needs a letter or digit")
}
