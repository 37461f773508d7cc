package quoting_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/app/quoting"
)

// Who kills the program while a decision is on its way finds it in the log.
func TestDecisionIsInTheLogBeforeItIsSent(t *testing.T) {
	s := &server.Server{Demo: true}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	var whileSent []ledger.Entry
	service := s.Handler()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			whileSent, _ = ledger.Open(path).Entries()
		}
		service.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	client, err := api.NewClient(web.URL+server.PublicPath, api.WithKey(s.Accounts()[0].Key), api.WithLegacyURL(web.URL+server.LegacyPath))
	if err != nil {
		t.Fatal(err)
	}
	log := ledger.Open(path)
	decider := &quoting.Decider{Client: client, Log: log, Host: "service.example", Now: time.Now}
	for listed, err := range client.Records.All(t.Context(), api.RecordListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		record, err := client.Records.Get(t.Context(), listed.ID)
		if err != nil {
			t.Fatal(err)
		}
		quotes := quoting.NewSet(record, time.Now())
		if len(quotes.Open) == 0 || quotes.Open[0].IsExpired(time.Now()) {
			continue
		}
		decision := quotes.NewDecision(ledger.Rejected, record, quotes.Open[0])
		if err := decider.Decide(t.Context(), &decision); err != nil {
			t.Fatal(err)
		}
		break
	}
	if len(whileSent) != 1 || !strings.HasPrefix(whileSent[0].Outcome, "sent") || whileSent[0].IsConfirmed() {
		t.Errorf("while it was sent, the log was %+v", whileSent)
	}
	for name, read := range map[string]*ledger.Ledger{"that wrote it": log, "that is opened later": ledger.Open(path)} {
		if entries, err := read.Entries(); err != nil || len(entries) != 1 || !entries[0].IsConfirmed() {
			t.Errorf("the log %s has %+v, %v", name, entries, err)
		}
	}
}
