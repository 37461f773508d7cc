package tui_test

import (
	"strings"
	"testing"

	"flightdesk/tui/apptest"
)

func TestJumpLabelActivatesItsPart(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	before := d.Screen()
	d.Press(";")
	rows := strings.Split(d.Screen(), "\n")
	// The names of the first two orders have two lines.
	if !strings.HasPrefix(rows[5], "a▸ ORD-100249") || !strings.HasPrefix(rows[9], "d  ORD-100239") {
		t.Fatalf("the rows have no labels:\n%s", d.Screen())
	}
	d.Press("d")
	d.RequireText("▸ ORD-100239")
	d.Press(";", "esc")
	// The lines below the rows are about the selected order.
	aboveFoot := func(screen string) string {
		rows := strings.NewReplacer("▸ ORD-100239", "  ORD-100239", "▸ ORD-100249", "  ORD-100249").Replace(screen)
		return strings.Join(strings.Split(rows, "\n")[:22], "\n")
	}
	if after := aboveFoot(d.Screen()); after != aboveFoot(before) {
		t.Errorf("another key leaves labels:\n%s", after)
	}
	d.Press(";")
	foot := strings.Split(d.Screen(), "\n")[29]
	at := strings.Index(strings.Split(before, "\n")[29], "n new order") - 1
	d.Press(foot[at : at+1]) // the label before the n
	d.RequireText("Orders › New order")
}

func TestResizingRemovesJumpLabels(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press(";")
	d.Resize(80, 24)
	d.Press("j")
	d.RequireText("▸ ORD-100246") // j is a key again
	d.Resize(140, 40)
	d.Press("enter", ";")
	d.RequireText("a▸ MSN-")
}
