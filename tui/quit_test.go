package tui_test

import (
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestQuittingTheDemoSaysWhichDraftIsLost(t *testing.T) {
	d := apptest.Open(t, 60, 18, func(o *tui.Options) { o.Drafts = t.TempDir() })
	d.Press("n")
	d.Type("elbe")
	d.Press("enter")
	d.Press("ctrl+c")
	d.RequireText("Quit", "Draft elbe_levee.kml (5 sites)", "is not placed.", "The demo deletes drafts and downloads on exit", "esc back")
	d.Press("esc")
	if d.Quit {
		t.Fatal("esc leaves the app")
	}
	d.Press("ctrl+c", "enter")
	if !d.Quit {
		t.Error("the app is still there")
	}
}

func TestQuittingAsksNothingWhereDraftsAreKept(t *testing.T) {
	d := apptest.Open(t, 80, 24, func(o *tui.Options) { o.Drafts, o.Profile, o.ServerMode = t.TempDir(), "acme", false })
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "ctrl+c")
	if !d.Quit {
		t.Errorf("quitting asks:\n%s", d.Screen())
	}
}

func TestQuittingTheDemoWithNothingMadeAsksNothing(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("q")
	if !d.Quit {
		t.Errorf("quitting asks:\n%s", d.Screen())
	}
}
