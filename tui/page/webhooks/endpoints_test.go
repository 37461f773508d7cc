package webhooks

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/feed"
	"flightdesk/tui/page"
)

// all runs a command and those that it is made of.
func all(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if batch, is := cmd().(tea.BatchMsg); is {
		for _, each := range batch {
			all(each)
		}
	}
}

func TestWhatCameInEarlierRunsIsReadWithTheEndpoints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "received.jsonl")
	if err := feed.Open(path).Add(feed.Heard{Endpoint: "e-1", Event: api.Event{ID: "d-1"}}); err != nil {
		t.Fatal(err)
	}
	client, err := api.NewClient("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	received := feed.Open(path)
	env := &page.Env{Service: page.Service{Client: client, Cache: cache.New(client, client.Now), Feed: feed.New(feed.Options{Client: client, Log: received})}}
	all(newBook(page.NewBase(env)).refresh(false))
	if events := received.Of("e-1"); len(events) != 1 {
		t.Errorf("%d events are known", len(events))
	}
}

func TestTheFactsOfMissionsThatChangedLastStay(t *testing.T) {
	b := newBook(page.Base{})
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	want := func(id string, minute int) {
		m := &cache.Mission{}
		m.UUID, m.UpdatedAt = id, api.At(day.Add(time.Duration(minute)*time.Minute))
		b.wanted = append(b.wanted, m)
	}
	for i := range mostFacts {
		b.facts[fmt.Sprint(i)] = &facts{updated: day.Add(time.Duration(i+10) * time.Minute)}
	}
	want("new", 1000)
	want("0", 999) // has changed since
	want("old", 1)
	b.bound()
	if len(b.wanted) != 2 || b.wanted[0].UUID != "new" || b.wanted[1].UUID != "0" {
		t.Errorf("%d are read", len(b.wanted))
	}
	if b.facts["0"] == nil || b.facts["1"] != nil || b.facts["2"] == nil || len(b.facts) != mostFacts-1 {
		t.Errorf("%d facts are kept, of the changed one %v, of the oldest %v", len(b.facts), b.facts["0"], b.facts["1"])
	}
}
