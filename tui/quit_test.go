package tui_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/apptest"
)

func TestQuittingDemoListsLostDrafts(t *testing.T) {
	d := apptest.Open(t, 60, 18, func(o *tui.Options) { o.Drafts = t.TempDir() })
	d.Press("n")
	d.Type("elbe")
	d.Press("enter")
	d.Press("ctrl+c")
	d.RequireText(
		"Quit", "Draft elbe_levee.kml (5 sites)", "is not placed.",
		"The demo deletes drafts on exit", "esc back",
	)
	d.Press("esc")
	if d.Quit {
		t.Fatal("esc leaves the app")
	}
	d.Press("ctrl+c", "enter")
	if !d.Quit {
		t.Error("the app is still there")
	}
}

func TestQuitDoesNotAskIfDraftsAreSaved(t *testing.T) {
	d := apptest.Open(t, 80, 24, func(o *tui.Options) { o.Drafts, o.Profile, o.ServerMode = t.TempDir(), "acme", false })
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "ctrl+c")
	if !d.Quit {
		t.Errorf("quitting asks:\n%s", d.Screen())
	}
}

func TestQuittingUnusedDemoDoesNotAsk(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("q")
	if !d.Quit {
		t.Errorf("quitting asks:\n%s", d.Screen())
	}
}

func TestQuitCopiesUnsavableDraft(t *testing.T) {
	drafts := filepath.Join(t.TempDir(), "drafts")
	if err := os.WriteFile(drafts, nil, 0o600); err != nil { // in the place of the folder
		t.Fatal(err)
	}
	d := apptest.Open(t, 100, 24, func(o *tui.Options) { o.Drafts, o.Profile, o.ServerMode = drafts, "acme", false })
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "q")
	d.RequireText("The draft could not be saved: not a directory.", "Saved a copy: ~/surveys/draft-", "esc back")
	if d.Quit {
		t.Fatal("the app is gone")
	}
	d.Press("esc")
	copies, _ := filepath.Glob(filepath.Join(d.Options.Folder, "draft-*.json"))
	if len(copies) != 1 || !regexp.MustCompile(`/draft-[0-9]+\.json$`).MatchString(copies[0]) {
		t.Fatalf("copies %q", copies)
	}
	if err := os.Remove(drafts); err != nil {
		t.Fatal(err)
	}
	d.Press("q")
	if !d.Quit {
		t.Errorf("quitting asks though the folder is back:\n%s", d.Screen())
	}

	moved := filepath.Join(drafts, filepath.Base(copies[0]))
	if err := os.Rename(copies[0], moved); err != nil {
		t.Fatal(err)
	}
	stored := ordering.NewDrafts(drafts).ListStored()()
	if len(stored) != 2 || stored[0].Sites != 5 || stored[1].Sites != 5 {
		t.Errorf("stored drafts %+v", stored)
	}
}
