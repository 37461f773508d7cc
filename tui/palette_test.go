package tui_test

import (
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestOrdersAndMissionsAreFoundFromAnywhere(t *testing.T) {
	views := filepath.Join(t.TempDir(), "views.json")
	d := apptest.Open(t, 100, 30, func(o *tui.Options) { o.Views = views })
	for code, title := range map[string]string{"MSN-300544": "MSN-300544", "ord-100219": "ORD-100219"} {
		d.Press("6", ":")
		d.Type(code)
		d.Sees("1 of ", title)
		d.Press("enter")
		d.Sees(title)
		d.SeesNot("esc back")
		d.Press("esc")
	}
	d.Press(":")
	d.Type("tarfaya")
	if n := strings.Count(d.Screen(), "ORD-100219  Tarfaya"); n != 1 {
		t.Errorf("the order is offered %d times:\n%s", n, d.Screen())
	}
	d.Press("enter")
	d.Close()

	again := apptest.Open(t, 100, 30, func(o *tui.Options) { o.Views = views })
	again.Press(":")
	again.Sees("▸ ORD-100219  Tarfaya")
}
