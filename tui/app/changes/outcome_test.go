package changes_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"flightdesk/tui/app/changes"
)

func TestTheReasonOfAFailureDoesNotDecideItsState(t *testing.T) {
	for _, reason := range []string{"", "confirmed addresses only", "sent; outcome unknown", "closed; outcome unknown"} {
		path := filepath.Join(t.TempDir(), "decisions.jsonl")
		attempt := &changes.Attempt{Change: entry(changes.QuoteAccepted, "q-1")}
		attempt.Send = func(context.Context) (changes.Outcome, error) {
			return changes.Outcome{}, errors.New(reason)
		}
		if err := changes.OpenLog(path).SendOnce(t.Context(), attempt); err == nil || err.Error() != reason {
			t.Errorf("%q: the error is %v", reason, err)
		}
		entries, err := changes.OpenLog(path).Entries()
		if err != nil || len(entries) != 1 || entries[0].State() != changes.Failed {
			t.Fatalf("%q: the log has %+v, %v", reason, entries, err)
		}
		if text := entries[0].Outcome.Text; !strings.HasPrefix(text, "failed") {
			t.Errorf("%q: earlier versions read the state from %q", reason, text)
		}
	}
}

func TestTheOutcomeOfAResponseIsLogged(t *testing.T) {
	log := changes.OpenLog("")
	attempt := &changes.Attempt{Change: entry(changes.QuoteAccepted, "q-1")}
	attempt.Send = func(context.Context) (changes.Outcome, error) {
		return changes.NewConfirmed("another price"), errors.New("another price")
	}
	if err := log.SendOnce(t.Context(), attempt); err == nil {
		t.Error("the error of the response is lost")
	}
	entries, err := log.Entries()
	if err != nil || len(entries) != 1 || entries[0].Outcome != changes.NewConfirmed("another price") {
		t.Errorf("the log has %+v, %v", entries, err)
	}
}

func TestEntriesOfEarlierVersionsHaveTheStateOfTheirText(t *testing.T) {
	for outcome, state := range map[string]changes.State{
		``:                                   changes.Held,
		`,"outcome":"sent; outcome unknown"`: changes.Sent,
		`,"outcome":"confirmed"`:             changes.Confirmed,
		`,"outcome":"confirmed; found on the service"`:  changes.Confirmed,
		`,"outcome":"closed; outcome unknown"`:          changes.Unknown,
		`,"outcome":"not today: the quote has expired"`: changes.Failed,
	} {
		path := filepath.Join(t.TempDir(), "decisions.jsonl")
		line := `{"at":"2026-11-24T09:42:00Z","kind":"accepted","host":"api.example","account":"ACME","orderId":"o-1",` +
			`"orderName":"Elbe levee","quoteId":"q-1","quoteName":"AeroScan","price":"12.00 EUR","days":"20 days",` +
			`"against":["Alto 13.00 EUR"],"key":"k-1","sites":2,"endpointId":"e-1"` + outcome + "}\n"
		if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		entries, err := changes.OpenLog(path).Entries()
		if err != nil || len(entries) != 1 {
			t.Fatalf("%s: %+v, %v", outcome, entries, err)
		}
		e := entries[0]
		if e.State() != state {
			t.Errorf("%s is %q, want %q", outcome, e.State(), state)
		}
		if e.Quote.ID != "q-1" || e.Quote.Against[0] != "Alto 13.00 EUR" || e.Request.Key != "k-1" || e.Request.Sites != 2 || e.Endpoint.ID != "e-1" {
			t.Errorf("read as %+v", e)
		}
	}
}

// Earlier versions read the members of one object and the text of the outcome.
func TestEarlierVersionsCanReadAnEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	e := entry(changes.QuoteAccepted, "q-1")
	e.Request.Key = "k-1"
	e.Endpoint.Address = "https://hooks.example/in"
	e.Confirm("found on the service")
	if err := changes.OpenLog(path).AddEntry(e); err != nil {
		t.Fatal(err)
	}
	line, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(line, &members); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"kind":    "accepted",
		"quoteId": "q-1",
		"price":   "12,420.00 EUR",
		"key":     "k-1",
		"address": "https://hooks.example/in",
		"outcome": "confirmed; found on the service",
		"state":   "confirmed",
	} {
		if members[name] != want {
			t.Errorf("%s is %v, want %q", name, members[name], want)
		}
	}
}
