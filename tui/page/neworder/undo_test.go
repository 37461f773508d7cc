package neworder_test

import (
	"testing"

	"flightdesk/tui/apptest"
)

func TestARemovedSiteIsRestored(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "j", "k")
	before := d.Screen()
	d.Press("j", "delete")
	d.RequireText("4 sites", "· u to undo")
	d.Press("u")
	d.RequireText("5 sites", "Undone: removed ")
	d.Press("k")
	if after := d.Screen(); after != before {
		t.Errorf("after the undo the screen is\n%s\nand was\n%s", after, before)
	}
	d.Press("ctrl+a", "u")
	d.RequireText("Undone: ")
	d.Press("k")
	if after := d.Screen(); after != before {
		t.Errorf("after the undo of all in or out the screen is\n%s", after)
	}
	d.Press("delete", "ctrl+x", "enter", "esc", "u")
	d.RequireText("Cannot undo: removed ")
}
