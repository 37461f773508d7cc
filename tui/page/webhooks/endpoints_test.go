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

// runAll runs a command and the commands it is a batch of.
func runAll(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if batch, is := cmd().(tea.BatchMsg); is {
		for _, each := range batch {
			runAll(each)
		}
	}
}

func TestEventsOfEarlierRunsAreLoadedWithTheEndpoints(t *testing.T) {
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
	runAll(newEndpointTracker(page.NewBase(env)).readLocal())
	if events := received.EventsOf("e-1"); len(events) != 1 {
		t.Errorf("%d events are loaded, want 1", len(events))
	}
}

func TestTheHealthOfAnEndpointIsThatOfItsLastFinishedCallback(t *testing.T) {
	delivered := api.WebhookDelivery{Success: true}
	failed := api.WebhookDelivery{Error: new("timeout")}
	pending := api.WebhookDelivery{Error: new(api.CallbackPending)}
	success := "success"
	for _, tt := range []struct {
		lastStatus *string
		log        []api.WebhookDelivery
		want       string
	}{
		{nil, nil, "– Unused"},
		{nil, []api.WebhookDelivery{pending}, "◌ Sending"},
		{&success, nil, "✓ Delivering"}, // the service no longer has the log
		{&success, []api.WebhookDelivery{pending}, "✓ Delivering"},
		{&success, []api.WebhookDelivery{pending, failed, delivered}, "✗ Failing"},
		{nil, []api.WebhookDelivery{pending, delivered, failed}, "✓ Delivering"},
	} {
		e := &endpoint{}
		e.LastStatus = tt.lastStatus
		e.Log = tt.log
		if got := e.healthCell().Text; got != tt.want {
			t.Errorf("status %v with %d callbacks is %q, want %q", tt.lastStatus, len(tt.log), got, tt.want)
		}
	}
}
