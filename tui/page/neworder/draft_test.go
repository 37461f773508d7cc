package neworder_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestADraftSurvivesItsPageAndARestart(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 100, 30, keep)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "space", "]", "shift+tab", "shift+tab", "shift+tab", "shift+tab")
	d.Press("ctrl+u")
	d.Type("Levee 2027")
	d.Press("esc")
	d.RequireText("Draft saved")
	d.Press("n")
	d.RequireText("[3 Details]", "Levee 2027", "3 sites")
	d.Close()

	again := apptest.Open(t, 100, 30, keep)
	again.Press("n")
	again.RequireText("Draft Levee 2027 resumed, 5 sites", "[3 Details]", "Levee 2027", "3 sites")
	again.Type("o")
	again.Press("ctrl+s", "S", "enter")
	if o := again.NewestOrder(); o.OrderName != "Levee 2027" || len(o.Missions) != 3 || o.Missions[0].MissionName != "Levee km 4" {
		t.Errorf("%+v", o)
	}
	again.Press("esc", "n")
	again.RequireText("[1 Files]")
	again.SeesNot("draft of")
}

// Leaving the list of files with esc is saved as a change of the draft, as any other way to another step.
func TestLeavingTheFilesWithEscIsSaved(t *testing.T) {
	drafts := t.TempDir()
	d := apptest.Open(t, 100, 30, func(o *tui.Options) { o.Drafts = drafts })
	stored := func() string {
		t.Helper()
		d.Advance(5 * time.Second) // longer than the delay after which a draft is saved
		files, err := filepath.Glob(filepath.Join(drafts, "*.json"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%d drafts: %v", len(files), err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	d.Press("n")
	d.Type("elbe")
	d.Press("enter")
	d.RequireText("[2 Sites]")
	inSites := stored()
	d.Press("a")
	d.RequireText("[1 Files]")
	inFiles := stored()
	d.Press("esc")
	d.RequireText("[2 Sites]")
	if again := stored(); inSites == inFiles || again != inSites {
		t.Errorf("the stored draft is\n%s\nand was\n%s\nin the same step before", again, inSites)
	}
}

func TestTheLastKeysAreSavedOnExit(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 100, 30, keep)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "ctrl+u")
	d.Type("Typed last")
	d.Close() // before the draft is saved automatically

	again := apptest.Open(t, 100, 30, keep)
	again.Press("n")
	again.RequireText("Typed last")
	again.Type("o")
	again.Press("ctrl+s", "S")
	again.Hold()
	again.Press("enter") // nothing is sent before the program ends
	again.Close()
	again.Release()

	third := apptest.Open(t, 100, 30, keep)
	third.Press("n")
	third.RequireText("[4 Review]", "Typed last", "✓ Ready to place")
	if o := third.NewestOrder(); o.OrderName == "Typed last" {
		t.Errorf("%s was placed by a program that had ended", o.OrderCode)
	}
}

func TestAnUnreadableDraftIsSetAside(t *testing.T) {
	drafts := t.TempDir()
	d := apptest.Open(t, 100, 30, func(o *tui.Options) { o.Drafts = drafts })
	d.Options.Folder = drafts
	d.WriteFile("new-order.json", "{broken")
	d.Press("n")
	d.RequireText("Could not read the draft; saved as", "[1 Files]")
}

// placing reports whether a request places an order.
func placing(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == "/orders" }

func TestAnOrderIsOnDiskBeforeItIsSent(t *testing.T) {
	drafts := t.TempDir()
	seen := atomic.Bool{}
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if placing(r) {
			data, err := os.ReadFile(filepath.Join(drafts, "ledger.jsonl"))
			seen.Store(err == nil && strings.Contains(string(data), `"key":"`+r.Header.Get("Idempotency-Key")+`"`))
		}
		apptest.WriteAnswer(w, 200, apptest.OrderList())
	}, func(o *tui.Options) { o.Drafts, o.ChangesFile = drafts, filepath.Join(drafts, "ledger.jsonl") })
	d.ToReview("elbe")
	d.Press("S", "enter")
	if !seen.Load() {
		t.Error("the request is out before the draft says so")
	}
	if err := os.RemoveAll(drafts); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(drafts, nil, 0o600); err != nil { // a file instead of a folder
		t.Fatal(err)
	}
	seen.Store(false)
	full := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		seen.Store(seen.Load() || placing(r))
		apptest.WriteAnswer(w, 200, apptest.OrderList())
	}, func(o *tui.Options) { o.Drafts = drafts })
	full.ToReview("elbe")
	full.Press("S", "enter")
	full.RequireText("Save draft: ", "r retry")
	if seen.Load() {
		t.Error("it is sent although it could not be written down")
	}
}

func TestEditsSurviveReloadingTheFile(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("sites.csv", "name,lat,lng\nA,48.4,11.7\nB,48.5,11.8\nC,48.6,11.9\n")
	d.Press("n")
	d.Type("sites")
	d.Press("enter", "e", "ctrl+u")
	d.Type("Renamed")
	d.Press("enter", "delete", "space") // A is renamed and removed; B is excluded
	d.RequireText("2 sites, 1 included")
	d.Press("e", "ctrl+u")
	d.Type("Site C")
	d.Press("tab", "tab", "ctrl+u")
	d.Type("Bavaria")
	d.Press("enter", "x")
	d.RequireText("2 sites, 1 included", "Site C", "Bavaria", "–   B")
	d.Press("x")
	d.RequireText("2 sites, 1 included", "Site C", "Bavaria")
	d.Press("[")
	d.Type("sites")
	d.Press("enter")
	d.RequireText("3 sites", "Site C") // opening the file again restores the removed site
}

func TestADraftKeepsSuggestedFixes(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 100, 30, keep)
	d.Press("n")
	d.Type("masts")
	d.Press("enter")
	d.RequireText("3 sites, 2 included")
	d.Close()
	again := apptest.Open(t, 100, 30, keep)
	again.Press("n", "!", "f")
	again.RequireText("3 sites, 3 included", "Australia")
}

func TestADraftIsDeleted(t *testing.T) {
	drafts := t.TempDir()
	d := apptest.Open(t, 100, 30, func(o *tui.Options) { o.Drafts = drafts })
	d.Press("n")
	d.Press("ctrl+x")
	d.RequireText("delete draft: the draft has no sites")
	d.Type("elbe")
	d.Press("enter")
	d.Advance(time.Second)
	d.Press("ctrl+x")
	d.RequireText("Delete draft", "5 sites from elbe_levee.kml")
	d.Press("enter")
	d.RequireText("[1 Files]", "Draft deleted")
	if left, err := filepath.Glob(filepath.Join(drafts, "*.json")); err != nil || len(left) != 0 {
		t.Errorf("left on disk: %v, %v", left, err)
	}
	d.Press("esc", "n")
	d.SeesNot("5 sites from", "resumed")
}
