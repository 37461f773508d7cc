package webhooks

import (
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/webhooks"
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
	if err := webhooks.OpenLog(path).AddEvent(webhooks.ReceivedEvent{Endpoint: "e-1", Event: api.Event{ID: "d-1"}}); err != nil {
		t.Fatal(err)
	}
	client, err := api.NewClient("http://127.0.0.1:1", api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	received := webhooks.OpenLog(path)
	env := &page.Env{Clock: page.AppClock{Now: time.Now}, Profile: page.ProfileService{ProfileOptions: page.ProfileOptions{Client: client}, Cache: cache.New(client, client.Now), Feed: webhooks.NewFeed(webhooks.FeedOptions{ReceivingAccount: webhooks.ReceivingAccount{Client: client}, Log: received})}}
	all(newEndpointBook(page.NewBase(env)).readLocal())
	if events := received.EventsOf("e-1"); len(events) != 1 {
		t.Errorf("%d events are known", len(events))
	}
}
