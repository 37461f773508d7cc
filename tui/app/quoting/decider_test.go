package quoting_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/quoting"
)

// If the program is killed while it sends a decision, the log has the decision.
func TestDecisionIsInTheLogBeforeItIsSent(t *testing.T) {
	s := &server.Server{Demo: true}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	var whileSent []changes.Change
	service := s.Handler()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			whileSent, _ = changes.OpenLog(path).Entries()
		}
		service.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	client, err := api.NewClient(web.URL+server.PublicPath, api.WithKey(s.Accounts()[0].Key), api.WithLegacyURL(web.URL+server.LegacyPath), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	log := changes.OpenLog(path)
	decider := &quoting.Decider{Client: client, Log: log, Host: "service.example", Now: time.Now}
	for listed, err := range client.Records.All(t.Context(), api.RecordListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		record, err := client.Records.Get(t.Context(), listed.ID)
		if err != nil {
			t.Fatal(err)
		}
		quotes := quoting.NewSet(time.Now(), record)
		if len(quotes.Open) == 0 || quotes.Open[0].IsExpired(time.Now()) {
			continue
		}
		decision := quotes.NewDecision(changes.QuoteRejected, quotes.Open[0])
		if err := decider.Decide(t.Context(), &decision); err != nil {
			t.Fatal(err)
		}
		break
	}
	if len(whileSent) != 1 || whileSent[0].State() != changes.Sent || whileSent[0].IsConfirmed() {
		t.Errorf("while it was sent, the log was %+v", whileSent)
	}
	for name, read := range map[string]*changes.Log{"that wrote it": log, "that is opened later": changes.OpenLog(path)} {
		if entries, err := read.Entries(); err != nil || len(entries) != 1 || !entries[0].IsConfirmed() {
			t.Errorf("the log %s has %+v, %v", name, entries, err)
		}
	}
}

// The outcome of an unconfirmed decision is checked before another decision is sent.
func TestTheOutcomeOfAnEarlierDecisionIsCheckedFirst(t *testing.T) {
	const quote = `{"quoteId":"q-1","quoteName":"One","finalPrice":900,"currency":"EUR"}`
	for name, tt := range map[string]struct {
		found  string // of the order, once the earlier decision is looked for
		shown  int    // number of reads before, which show the quote as open
		decide changes.Kind
		sent   int
		status api.QuoteStatus
		want   string // of the error
	}{
		"it did not arrive": {`"quotes":[` + quote + `]`, 2, changes.QuoteAccepted, 1, api.QuoteOpen, "not today"},
		"it did":            {`"acceptedQuote":` + quote, 2, changes.QuoteAccepted, 0, api.QuoteAccepted, ""},
		"it is shown":       {`"acceptedQuote":` + quote, 1, changes.QuoteAccepted, 0, api.QuoteAccepted, ""},
		"it was another":    {`"acceptedQuote":` + quote, 2, changes.QuoteRejected, 0, api.QuoteAccepted, "was accepted by your earlier decision; not sent"},
		"others decided":    {`"rejectedQuotes":[` + quote + `]`, 2, changes.QuoteAccepted, 0, api.QuoteRejected, "not sent; an earlier decision of "},
		"it is not known":   {"", 2, changes.QuoteAccepted, 0, api.QuoteOpen, "not sent; an earlier decision of "},
	} {
		t.Run(name, func(t *testing.T) {
			reads, posts := 0, 0
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				found := tt.found
				if strings.Contains(r.URL.Path, "/getorder/") {
					if reads++; reads <= tt.shown { // the test reads first, and then the decider
						found = `"quotes":[` + quote + `]`
					}
				} else {
					posts++
					found = ""
				}
				if found == "" {
					w.WriteHeader(http.StatusConflict)
					fmt.Fprint(w, `{"success":false,"message":"not today","data":{"code":"conflict"}}`)
					return
				}
				fmt.Fprintf(w, `{"id":"o-1","orderStatus":"quoteReceived",%s}`, found)
			}))
			t.Cleanup(web.Close)
			client, err := api.NewClient(web.URL, api.WithKey("fd_test_key"), api.WithLegacyURL(web.URL), api.WithBackoff(time.Millisecond))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "decisions.jsonl")
			log := changes.OpenLogWith(path, changes.LookSchedule{
				Wait: func(context.Context, time.Duration) error { return nil },
			})
			m := &quoting.Decider{Client: client, Log: log, Host: "service.example", Now: time.Now}
			record, err := client.Records.Get(t.Context(), "o-1")
			if err != nil {
				t.Fatal(err)
			}
			quotes := quoting.NewSet(time.Now(), record)
			earlier := quotes.NewDecision(changes.QuoteAccepted, quotes.Open[0])
			entry := earlier.Entry(quotes.Open[0])
			entry.Host = m.Host
			entry.MarkSent()
			earlierRun := changes.OpenLog(path)
			if err := earlierRun.AddEntry(entry); err != nil {
				t.Fatal(err)
			}
			decision := quotes.NewDecision(tt.decide, quotes.Open[0])
			err = m.Decide(t.Context(), &decision)
			if status := decision.Offers[0].Status; posts != tt.sent || status != tt.status || (err != nil) != (tt.want != "") {
				t.Errorf("sent %d times, %s, %v", posts, status, err)
			}
			if err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("says %v", err)
			}
		})
	}
}
