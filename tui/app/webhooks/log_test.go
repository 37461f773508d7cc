package webhooks_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/webhooks"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// heard returns an event of a mission that was received the given number of minutes after noon.
func heard(id, mission string, status api.MissionStatus, minute int) webhooks.ReceivedEvent {
	e := api.Event{ID: id, Event: api.EventFlightScheduled, Timestamp: api.TimeOf(noon)}
	e.Data.Mission = api.EventMission{UUID: mission, MissionCode: "MSN-" + mission, Status: status}
	return webhooks.ReceivedEvent{At: noon.Add(time.Duration(minute) * time.Minute), Endpoint: "e-1", Event: e}
}

func TestEventsAreStoredOnceAcrossRestarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "received.jsonl")
	l := webhooks.OpenLog(path)
	for _, h := range []webhooks.ReceivedEvent{heard("1", "a", "", 0), heard("2", "a", "", 1), heard("1", "a", "", 2)} {
		if err := l.AddEvent(h); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("{\"at\":\"2026\nnothing\n{\"at"); err != nil { // damage, and a line that a crash has cut short
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	again := webhooks.OpenLog(path)
	if state, err := again.Begin(t.Context(), "2", noon); state != api.SeenHandled || err != nil {
		t.Errorf("after a restart an event is %v, %v", state, err)
	}
	if err := again.AddEvent(heard("3", "a", "", 3)); err != nil {
		t.Fatal(err)
	}
	third := webhooks.OpenLog(path)
	if err := third.LoadNew(); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, h := range third.AllEvents() {
		ids = append(ids, h.Event.ID)
	}
	if got := strings.Join(ids, " "); got != "1 2 3" {
		t.Errorf("kept %s", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}

func TestDuplicatesAreCountedAndDropped(t *testing.T) {
	l := webhooks.OpenLog("")
	if state, _ := l.Begin(t.Context(), "1", noon); state != api.SeenNew {
		t.Errorf("a new one is %v", state)
	}
	if state, _ := l.Begin(t.Context(), "1", noon); state != api.SeenRunning {
		t.Errorf("one that is being handled is %v", state)
	}
	if err := l.End(t.Context(), "1", false); err != nil {
		t.Fatal(err)
	}
	if state, _ := l.Begin(t.Context(), "1", noon); state != api.SeenNew {
		t.Errorf("one that could not be handled is %v", state)
	}
	if err := l.AddEvent(heard("1", "a", "", 0)); err != nil {
		t.Fatal(err)
	}
	before := l.Version()
	if state, _ := l.Begin(t.Context(), "1", noon); state != api.SeenHandled {
		t.Errorf("one that was handled is %v", state)
	}
	if h, ok := l.EventByID("1"); !ok || h.Repeats != 1 || l.Version() == before {
		t.Errorf("kept as %+v", h)
	}
	if _, ok := l.EventByID("2"); ok || len(l.EventsOf("e-1")) != 1 || len(l.EventsOf("e-2")) != 0 {
		t.Error("the log has what it was not told")
	}
}

func TestTheOldestEventsAreRemovedFromTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "received.jsonl")
	var b strings.Builder
	for i := range 2*webhooks.MaxKept + 10 {
		fmt.Fprintf(&b, "{\"at\":\"2026-11-24T12:00:00Z\",\"endpoint\":\"e\",\"event\":{\"id\":\"%d\",\"event\":\"x\"}}\n", i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	l := webhooks.OpenLog(path)
	if err := l.LoadNew(); err != nil {
		t.Fatal(err)
	}
	last := fmt.Sprint(2*webhooks.MaxKept + 9)
	if n := len(l.AllEvents()); n < webhooks.MaxKept || n > webhooks.MaxKept+webhooks.MaxKept/10 {
		t.Errorf("%d are kept", n)
	}
	if _, ok := l.EventByID(last); !ok {
		t.Error("the newest has left")
	}
	if _, ok := l.EventByID("0"); ok {
		t.Error("the oldest is there")
	}
	content, err := os.ReadFile(path)
	if err != nil || strings.Count(string(content), "\n") != len(l.AllEvents()) || !strings.Contains(string(content), `"`+last+`"`) {
		t.Errorf("the file has %d lines, %v", strings.Count(string(content), "\n"), err)
	}
}

func TestAFileThatGrowsWhileItIsWrittenIsShortened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "received.jsonl")
	line := func(i int) string {
		return fmt.Sprintf("{\"endpoint\":\"e\",\"event\":{\"id\":\"%d\",\"event\":\"x\"}}\n", i)
	}
	var b strings.Builder
	for i := range 2*webhooks.MaxKept - 1 {
		b.WriteString(line(i))
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	l := webhooks.OpenLog(path)
	if err := l.AddEvent(heard("a", "a", "", 0)); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(line(1_000_000)); err != nil { // by another program
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.AddEvent(heard("b", "a", "", 0)); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if n := strings.Count(string(content), "\n"); err != nil || n != webhooks.MaxKept {
		t.Errorf("the file has %d lines, %v", n, err)
	}
	for _, id := range []string{`"a"`, `"1000000"`, `"b"`} {
		if !strings.Contains(string(content), `"id":`+id) {
			t.Errorf("%s is lost", id)
		}
	}
}

func TestAnUnreadableFileIsReported(t *testing.T) {
	l := webhooks.OpenLog(t.TempDir()) // a folder
	if err := l.AddEvent(heard("1", "a", "", 0)); err == nil || len(l.AllEvents()) != 0 {
		t.Errorf("added, %v", err)
	}
	if _, err := l.Begin(t.Context(), "1", noon); err == nil {
		t.Error("an event is taken that cannot be kept")
	}
}

func TestEventsAreSortedByTheStatusOfTheirMission(t *testing.T) {
	rows := webhooks.SortFeed([]webhooks.ReceivedEvent{
		heard("b-data", "b", api.MissionDataDelivered, 0),
		heard("a-data", "a", api.MissionDataDelivered, 1),
		heard("a-pilot", "a", api.MissionPilotAssigned, 2),
		heard("a-odd", "a", "onTheMoon", 3),
		heard("a-flight", "a", api.MissionFlightScheduled, 4),
		heard("c-done", "c", api.MissionCompleted, 5),
	})
	var got []string
	for _, r := range rows {
		text := r.Event.ID
		if r.Late {
			text += "!"
		}
		got = append(got, text)
	}
	if want := "c-done a-data a-flight! a-pilot! a-odd b-data"; strings.Join(got, " ") != want {
		t.Errorf("they stand as %s, want %s", strings.Join(got, " "), want)
	}
}

// If two programs receive events for one profile, all acknowledged events are on disk.
func TestTwoProgramsLoseNoAcknowledgedEvent(t *testing.T) {
	const events, senders = 10_000, 200
	path := filepath.Join(t.TempDir(), "received.jsonl")
	var receivers []*api.Receiver
	for range 2 {
		l := webhooks.OpenLog(path)
		receivers = append(receivers, &api.Receiver{
			Secret: "whsec", Seen: l, Now: func() time.Time { return noon },
			Handle: func(_ context.Context, e *api.Event) error {
				return l.AddEvent(webhooks.ReceivedEvent{At: noon, Endpoint: "e-1", Event: *e})
			},
		})
	}
	var all sync.WaitGroup
	for s := range senders {
		all.Go(func() {
			for i := s; i < events; i += senders {
				body := fmt.Sprintf(`{"id":"%d","event":"mission.flightScheduled","timestamp":"2026-11-24T12:00:00Z","data":{}}`, i)
				r, err := api.NewCallback(t.Context(), "https://receiver.example/", "whsec", []byte(body))
				if err != nil {
					t.Error(err)
					return
				}
				w := httptest.NewRecorder()
				receivers[i%2].ServeHTTP(w, r)
				if w.Code != http.StatusNoContent {
					t.Errorf("event %d is answered %d", i, w.Code)
					return
				}
			}
		})
	}
	all.Wait()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]int{}
	for _, id := range regexp.MustCompile(`"id":"\d+"`).FindAllString(string(content), -1) {
		kept[id]++
	}
	for i := range events {
		if n := kept[fmt.Sprintf(`"id":"%d"`, i)]; n != 1 {
			t.Fatalf("event %d is in the file %d times", i, n)
		}
	}
}

func TestAnEventThatCannotBeStoredIsNotAcknowledged(t *testing.T) {
	l := webhooks.OpenLog(t.TempDir()) // a folder: nothing can be written
	v := &api.Receiver{
		Secret: "whsec", Now: func() time.Time { return noon },
		Handle: func(_ context.Context, e *api.Event) error {
			return l.AddEvent(webhooks.ReceivedEvent{At: noon, Event: *e})
		},
	}
	r, err := api.NewCallback(t.Context(), "https://receiver.example/", "whsec", []byte(`{"id":"1","event":"x","timestamp":"2026-11-24T12:00:00Z","data":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	v.ServeHTTP(w, r)
	if w.Code != http.StatusInternalServerError || len(l.AllEvents()) != 0 {
		t.Errorf("answered %d with %d events kept", w.Code, len(l.AllEvents()))
	}
}

func TestALogKnowsWhetherItsFileWasRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "received.jsonl")
	if err := os.Mkdir(path, 0o700); err != nil { // a folder cannot be read as a file
		t.Fatal(err)
	}
	log := webhooks.OpenLog(path)
	if loaded, err := log.LoadState(); loaded || err != nil {
		t.Errorf("before it is read: loaded %v, %v", loaded, err)
	}
	version := log.Version()
	if log.LoadNew() == nil {
		t.Fatal("a folder was read as a log")
	}
	if loaded, err := log.LoadState(); loaded || err == nil || log.Version() == version {
		t.Errorf("after a failure: loaded %v, %v, version %d and then %d", loaded, err, version, log.Version())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := log.LoadNew(); err != nil {
		t.Fatal(err)
	}
	if loaded, err := log.LoadState(); !loaded || err != nil {
		t.Errorf("after it is read: loaded %v, %v", loaded, err)
	}
}
