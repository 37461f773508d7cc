package neworder_test

import (
	"testing"

	"flightdesk/tui/apptest"
)

func TestASiteThatWasDroppedComesBack(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter")
	before := d.Screen()
	d.Press("j", "delete")
	d.Sees("4 found", "· u brings it back")
	d.Press("u")
	d.Sees("5 found", "undone: dropped ")
	d.Press("k")
	if after := d.Screen(); after != before {
		t.Errorf("after the undo the screen is\n%s\nand was\n%s", after, before)
	}
	d.Press("ctrl+a", "u")
	d.Sees("undone: took all sites in or out")
	d.Press("k")
	if after := d.Screen(); after != before {
		t.Errorf("after the undo of all in or out the screen is\n%s", after)
	}
	d.Press("delete", "ctrl+x", "enter", "esc", "u")
	d.Sees("too late to undo: dropped ")
}
