package changes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flightdesk/tui/app/changes"
)

func entry(kind changes.Kind, quote string) changes.Change {
	return changes.Change{
		At: time.Date(2026, 11, 24, 9, 42, 0, 0, time.UTC), Kind: kind, Host: "api.example", OrderID: "o-1", OrderName: "Elbe levee",
		Quote: changes.QuoteSubject{ID: quote, Name: "AeroScan", Price: "12,420.00 EUR", Days: "20 days"},
	}
}

func TestTheLedgerIsReadAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "decisions.jsonl")
	log := changes.OpenLog(path)
	for _, e := range []changes.Change{entry(changes.QuoteRejected, "q-1"), entry(changes.QuoteAccepted, "q-2")} {
		if err := log.AddEntry(e); err != nil {
			t.Fatal(err)
		}
	}
	again := changes.OpenLog(path)
	entries, err := again.Entries()
	if err != nil || len(entries) != 2 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	if e := again.LastDecision("api.example", "q-1"); e == nil || e.Kind != changes.QuoteRejected {
		t.Errorf("q-1 is %+v", e)
	}
	if again.LastDecision("other.example", "q-1") != nil {
		t.Error("another service has the same quote")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}

func TestNotesOfEarlierVersionsAreSkipped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	log := changes.OpenLog(path)
	for _, kind := range []changes.Kind{changes.QuoteRejected, "note"} {
		if err := log.AddEntry(entry(kind, "q-1")); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := changes.OpenLog(path).Entries()
	if err != nil || len(entries) != 1 || entries[0].Kind != changes.QuoteRejected {
		t.Errorf("%+v, %v", entries, err)
	}
	if e := log.LastDecision("api.example", "q-1"); e == nil || e.Kind != changes.QuoteRejected {
		t.Errorf("the last decision is %+v", e)
	}
}

func TestAnIncompleteLineLosesNoOtherLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	if err := changes.OpenLog(path).AddEntry(entry(changes.QuoteRejected, "q-1")); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(content, content[:20]...), 0o600); err != nil {
		t.Fatal(err)
	}
	log := changes.OpenLog(path)
	if err := log.AddEntry(entry(changes.QuoteAccepted, "q-2")); err != nil {
		t.Fatal(err)
	}
	entries, err := changes.OpenLog(path).Entries()
	if len(entries) != 2 || err == nil || !strings.Contains(err.Error(), "unreadable lines skipped: 1") {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

func TestANilLogHasTheUsualSchedule(t *testing.T) {
	var none *changes.Log
	if got := none.LookSchedule(); got.Pauses != nil || got.Wait != nil {
		t.Errorf("got %+v", got)
	}
}
