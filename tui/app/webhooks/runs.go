package webhooks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

// RunFolder is a folder with a file for each run that has an endpoint. What a
// crash leaves there names an endpoint that nobody listens to. With "" nothing
// is noted.
type RunFolder string

// LeftEndpoint is an endpoint that an earlier run has left, and that is removed now.
type LeftEndpoint struct {
	Endpoint api.WebhookEndpoint
	// Missed are the callbacks that did not get there, as its log has them,
	// oldest first. They are not sent again.
	Missed []api.WebhookDelivery
}

// runFile is such a file. A lock beside it is held as long as the run lasts, on any
// machine or in any container.
type runFile struct {
	BaseURL string `json:"baseUrl"`
	Account string `json:"account,omitempty"` // whose endpoint it is; "" for one that is not told
	Mark    string `json:"mark"`              // the endpoint's description
}

// listenRun is a run that is noted.
type listenRun struct {
	mark string // the endpoint's description
	lock *atomicfile.Lock
}

const markPrefix = "flightdesk listen "

func (d RunFolder) filePath(mark string) string {
	return filepath.Join(string(d), strings.TrimPrefix(mark, markPrefix)+".json")
}

// beginRun notes a run before its endpoint is made, so that one whose answer was
// lost is found, too.
func (d RunFolder) beginRun(baseURL, account string) (run listenRun, err error) {
	run.mark = markPrefix + rand.Text()
	if d == "" {
		return run, nil
	}
	data, err := json.Marshal(runFile{baseURL, account, run.mark})
	if err == nil {
		err = os.MkdirAll(string(d), 0o700)
	}
	if err != nil {
		return run, err
	}
	name := d.filePath(run.mark)
	if run.lock, err = atomicfile.TryLock(name + lockEnding); err != nil {
		return run, err
	}
	return run, os.WriteFile(name, data, 0o600)
}

const lockEnding = ".lock"

// endRun forgets a run.
func (d RunFolder) endRun(run listenRun) error {
	if d == "" {
		return nil
	}
	name := d.filePath(run.mark)
	err := errors.Join(os.Remove(name), run.lock.Unlock())
	_ = os.Remove(name + lockEnding)
	return err
}

// removeLeft removes the endpoints of runs that are over, and returns them with what
// their logs say was missed.
func (d RunFolder) removeLeft(
	ctx context.Context,
	client *api.Client,
	account string,
) (removed []LeftEndpoint, err error) {
	marks := d.endedRuns(client.BaseURL(), account)
	if len(marks) == 0 {
		return nil, nil
	}
	for e, err := range client.Webhooks.All(ctx) {
		if err != nil {
			return removed, err
		}
		if !marks[e.Description] {
			continue
		}
		left := LeftEndpoint{Endpoint: *e}
		if left.Missed, err = missedRows(ctx, client, e.UUID); err != nil {
			return removed, err
		}
		if err := client.Webhooks.Delete(ctx, e.UUID); err != nil && !api.IsStatus(err, http.StatusNotFound) {
			return removed, err
		}
		removed = append(removed, left)
	}
	var errs []error
	for mark := range marks {
		errs = append(errs, d.endRun(listenRun{mark: mark}))
	}
	return removed, errors.Join(errs...)
}

// endedRuns returns the marks of an account's runs on a service that are over.
func (d RunFolder) endedRuns(baseURL, account string) map[string]bool {
	marks := map[string]bool{}
	if d == "" {
		return marks
	}
	files, _ := filepath.Glob(filepath.Join(string(d), "*.json"))
	for _, name := range files {
		var r runFile
		data, err := os.ReadFile(name)
		if err != nil || json.Unmarshal(data, &r) != nil || d.filePath(r.Mark) != name || isLive(name) {
			continue
		}
		if r.BaseURL == baseURL && (r.Account == account || r.Account == "") {
			marks[r.Mark] = true
		}
	}
	return marks
}

// mostMissed is how much of a log is read.
const mostMissed = 10_000

// missedRows returns the callbacks of an endpoint's log that did not get there.
func missedRows(
	ctx context.Context,
	client *api.Client,
	endpoint string,
) (rows []api.WebhookDelivery, err error) {
	read := 0
	for row, err := range client.Webhooks.AllDeliveries(ctx, endpoint) {
		switch {
		case api.IsStatus(err, http.StatusNotFound):
			return rows, nil // it was removed meanwhile
		case err != nil:
			return nil, err
		case !row.Success:
			rows = append(rows, *row)
		}
		if read++; read == mostMissed {
			break
		}
	}
	slices.Reverse(rows)
	return rows, nil
}

// isLive reports whether the run of a file is going on. It may be where its lock cannot
// be tried.
func isLive(name string) bool {
	lock, err := atomicfile.TryLock(name + lockEnding)
	if err != nil {
		return true
	}
	_ = lock.Unlock()
	return false
}

// MaxKept is how many events are kept; the oldest ones leave first.
const MaxKept = 5_000

// ReceivedEvent is an event that was received.
type ReceivedEvent struct {
	At       time.Time `json:"at"`       // when it came, by the service's clock
	Endpoint string    `json:"endpoint"` // the id of the one that it came to
	Event    api.Event `json:"event"`

	Repeats int `json:"-"` // how often it came again in this run, and was dropped
}

// EventLog is the events that were received, each once, by any program that keeps
// them in the same file. It is safe for concurrent use.
type EventLog struct {
	file    *atomicfile.Log[ReceivedEvent]
	loading sync.Mutex // from reading the file until its events are in memory

	mu      sync.Mutex      // never held while the file is read or written: views wait for it
	heard   []ReceivedEvent // oldest first
	at      map[string]int
	running map[string]bool
	version int
}

// OpenLog returns the log in a file, which need not exist; "" keeps it in memory.
// The file is read when it is first asked for something.
func OpenLog(path string) *EventLog {
	return &EventLog{
		file:    atomicfile.NewLog[ReceivedEvent](path, MaxKept),
		at:      map[string]int{},
		running: map[string]bool{},
	}
}

// LoadNew reads the events that were added to the file since it was last read, by
// this program or another. Lines that are not events are left out.
func (l *EventLog) LoadNew() error {
	l.loading.Lock()
	defer l.loading.Unlock()
	unread, err := l.file.Read()
	if err != nil {
		return fmt.Errorf("read received events: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range unread.Values {
		if unread.Values[i].Event.ID != "" {
			l.keepInMemory(unread.Values[i])
		}
	}
	return nil
}

// keepInMemory puts an event at the end, in memory; mu is held.
func (l *EventLog) keepInMemory(h ReceivedEvent) {
	if _, known := l.at[h.Event.ID]; known {
		return
	}
	l.heard = append(l.heard, h)
	if len(l.heard) > MaxKept+MaxKept/10 {
		l.heard = slices.Clone(l.heard[len(l.heard)-MaxKept:])
		clear(l.at)
		for i := range l.heard {
			l.at[l.heard[i].Event.ID] = i
		}
	}
	l.at[h.Event.ID] = len(l.heard) - 1
	l.version++
}

// AddEvent keeps an event, on disk before it returns.
func (l *EventLog) AddEvent(h ReceivedEvent) error {
	if _, known := l.EventByID(h.Event.ID); known {
		return nil
	}
	if err := l.file.Append(h); err != nil {
		return fmt.Errorf("store received event: %w", err)
	}
	return l.LoadNew()
}

// AllEvents returns the events, the oldest first.
func (l *EventLog) AllEvents() []ReceivedEvent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.heard)
}

// EventsOf returns the events that came to an endpoint, the oldest first.
func (l *EventLog) EventsOf(endpoint string) []ReceivedEvent {
	return slices.DeleteFunc(l.AllEvents(), func(h ReceivedEvent) bool { return h.Endpoint != endpoint })
}

// EventByID returns an event by its id.
func (l *EventLog) EventByID(id string) (h ReceivedEvent, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok := l.at[id]
	if ok {
		h = l.heard[i]
	}
	return h, ok
}

// Version changes with every event and every repeat.
func (l *EventLog) Version() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// Begin makes the log an [api.Seen]: what it has is not handed over again, also
// not after a restart.
func (l *EventLog) Begin(_ context.Context, id string, _ time.Time) (api.SeenState, error) {
	if err := l.LoadNew(); err != nil {
		return api.SeenNew, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i, known := l.at[id]; known {
		l.heard[i].Repeats++
		l.version++
		return api.SeenHandled, nil
	}
	if l.running[id] {
		return api.SeenRunning, nil
	}
	l.running[id] = true
	return api.SeenNew, nil
}

// End notes that an event was handled, or is new again.
func (l *EventLog) End(_ context.Context, id string, _ bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, id)
	return nil
}
