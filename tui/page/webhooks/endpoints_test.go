package webhooks

import (
	"fmt"
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

func TestThePlansOfMissionsThatChangedLastAreRead(t *testing.T) {
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	var missions []*cache.Mission
	for i := range mostFacts + 10 {
		m := &cache.Mission{}
		m.UUID, m.UpdatedAt, m.Status = fmt.Sprint(i), api.TimeOf(day.Add(time.Duration(i)*time.Minute)), api.MissionFlightScheduled
		missions = append(missions, m)
	}
	early := &cache.Mission{}
	early.UpdatedAt, early.Status = api.TimeOf(day.Add(time.Hour)), api.MissionPilotAssigned
	last := lastChanged(append(missions, early), day.Add(time.Second))
	if len(last) != mostFacts || last[0].UUID != fmt.Sprint(mostFacts+9) || last[mostFacts-1].UUID != "10" {
		t.Errorf("%d are read, from %s to %s", len(last), last[0].UUID, last[len(last)-1].UUID)
	}
}
