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

// RunFolder is a folder with a file for each run of the program that has registered an endpoint. After a
// crash the file shows which endpoint must be removed. With the folder "", nothing is recorded.
type RunFolder string

// LeftEndpoint is an endpoint that a crashed run left behind and that was removed now.
type LeftEndpoint struct {
	Endpoint api.WebhookEndpoint
	// Missed are the callbacks that failed according to the endpoint's log, oldest first. The
	// service does not send them again.
	Missed []api.WebhookDelivery
}

// runFile is the content of the file of a run. While the run lasts, the program holds a lock file next to
// this file, so that no other program removes its endpoint. The lock also works for other machines and
// containers that share the folder.
type runFile struct {
	BaseURL string `json:"baseUrl"`
	Account string `json:"account,omitempty"` // owner of the endpoint, or "" if unknown
	Mark    string `json:"mark"`              // description of the endpoint
}

// listenRun is the current run of the program, recorded in a [RunFolder].
type listenRun struct {
	mark string // description of the endpoint
	lock *atomicfile.Lock
}

const markPrefix = "flightdesk listen "

func (d RunFolder) filePath(mark string) string {
	return filepath.Join(string(d), strings.TrimPrefix(mark, markPrefix)+".json")
}

// beginRun records a run before its endpoint is registered, so that the endpoint is found
// even if the response is lost.
func (d RunFolder) beginRun(baseURL, account string) (listenRun, error) {
	run := listenRun{mark: markPrefix + rand.Text()}
	if d == "" {
		return run, nil
	}
	data, err := json.Marshal(runFile{BaseURL: baseURL, Account: account, Mark: run.mark})
	if err != nil {
		return run, err
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return run, err
	}
	name := d.filePath(run.mark)
	lock, err := atomicfile.TryLock(name + lockEnding)
	if err != nil {
		return run, err
	}
	run.lock = lock
	return run, os.WriteFile(name, data, 0o600)
}

const lockEnding = ".lock"

// endRun removes the file and the lock of a run.
func (d RunFolder) endRun(run listenRun) error {
	if d == "" {
		return nil
	}
	name := d.filePath(run.mark)
	err := errors.Join(os.Remove(name), run.lock.Unlock())
	_ = os.Remove(name + lockEnding)
	return err
}

// removeLeft removes the endpoints of runs that have ended without removing them. It returns these
// endpoints with the callbacks that they missed.
func (d RunFolder) removeLeft(ctx context.Context, client *api.Client, account string) ([]LeftEndpoint, error) {
	marks := d.endedRuns(client.BaseURL(), account)
	if len(marks) == 0 {
		return nil, nil
	}
	removed, err := removeMarked(ctx, client, marks)
	if err != nil {
		return removed, err // the records of the runs stay, so that the next run tries again
	}
	var errs []error
	for mark := range marks { // a run that ended before its endpoint was registered has no endpoint
		errs = append(errs, d.endRun(listenRun{mark: mark})) // nobody has the lock of an ended run
	}
	return removed, errors.Join(errs...)
}

// removeMarked removes the endpoints that have one of the marks as their description. It returns the removed
// endpoints, even if it also returns an error.
func removeMarked(ctx context.Context, client *api.Client, marks map[string]bool) ([]LeftEndpoint, error) {
	var removed []LeftEndpoint
	for e, err := range client.Webhooks.All(ctx) {
		if err != nil {
			return removed, err
		}
		if !marks[e.Description] {
			continue
		}
		missed, err := missedRows(ctx, client, e.UUID)
		if err != nil {
			return removed, err
		}
		err = client.Webhooks.Delete(ctx, e.UUID)
		if err != nil && !api.IsStatus(err, http.StatusNotFound) {
			return removed, err
		}
		removed = append(removed, LeftEndpoint{Endpoint: *e, Missed: missed})
	}
	return removed, nil
}

// endedRuns returns the marks of the recorded runs of an account that have ended, so that their endpoints
// can be removed. The mark of a run is the description of its endpoint.
func (d RunFolder) endedRuns(baseURL, account string) map[string]bool {
	marks := map[string]bool{}
	if d == "" {
		return marks
	}
	files, _ := filepath.Glob(filepath.Join(string(d), "*.json"))
	for _, name := range files {
		run, ok := d.readRun(name)
		if !ok || isLive(name) {
			continue
		}
		isOfAccount := run.Account == account || run.Account == ""
		if isOfAccount && run.BaseURL == baseURL {
			marks[run.Mark] = true
		}
	}
	return marks
}

// readRun reads the file of a run. It returns false if the file is invalid or has the name of another
// run.
func (d RunFolder) readRun(name string) (run runFile, ok bool) {
	data, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(data, &run) != nil {
		return runFile{}, false
	}
	return run, d.filePath(run.Mark) == name
}

// maxLogRows is the maximum number of rows of an endpoint's log that are read.
const maxLogRows = 10_000

// missedRows returns the failed callbacks in an endpoint's log, oldest first. If the endpoint is deleted
// while its log is read, it returns the failed callbacks that were read until then, newest first.
func missedRows(ctx context.Context, client *api.Client, endpoint string) ([]api.WebhookDelivery, error) {
	var rows []api.WebhookDelivery
	read := 0
	for row, err := range client.Webhooks.AllDeliveries(ctx, endpoint) {
		if api.IsStatus(err, http.StatusNotFound) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		if !row.Success {
			rows = append(rows, *row)
		}
		read++
		if read == maxLogRows {
			break
		}
	}
	slices.Reverse(rows)
	return rows, nil
}

// isLive reports whether a recorded run may still be running. name is the path of its file. It returns
// true if the lock cannot be checked.
func isLive(name string) bool {
	lock, err := atomicfile.TryLock(name + lockEnding)
	if err != nil {
		return true
	}
	_ = lock.Unlock()
	return false
}

// MaxKept is the maximum number of events in an [EventLog]. The oldest events are removed first.
const MaxKept = 5_000

// ReceivedEvent is an event that this program received in a callback.
type ReceivedEvent struct {
	At       time.Time `json:"at"`       // when the event arrived, by the clock of the service
	Endpoint string    `json:"endpoint"` // ID of the receiving endpoint
	Event    api.Event `json:"event"`

	Repeats int `json:"-"` // how often the event was received again since the program started
}

// EventLog stores received events, each once, in a file that several programs may share. It is safe for
// concurrent use.
type EventLog struct {
	file    *atomicfile.Log[ReceivedEvent]
	loading sync.Mutex // held from reading the file until its events are in memory

	mu      sync.Mutex      // never held while the file is accessed, because drawing waits for it
	events  []ReceivedEvent // oldest first
	indexes map[string]int  // indexes in events by event ID
	running map[string]bool // IDs of events that are being handled
	version int
	loaded  bool  // the file was read at least once
	loadErr error // error of the last attempt to read the file
}

// OpenLog returns the log in a file, which need not exist; "" keeps events in memory. The
// file is read on first use.
func OpenLog(path string) *EventLog {
	return &EventLog{
		file:    atomicfile.NewLog[ReceivedEvent](path, MaxKept),
		indexes: map[string]int{},
		running: map[string]bool{},
	}
}

// LoadNew reads the events that any program added to the file since the last call. Invalid
// lines are ignored.
func (l *EventLog) LoadNew() error {
	l.loading.Lock()
	defer l.loading.Unlock()
	unread, err := l.file.Read()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.setLoadState(l.loaded, fmt.Errorf("read received events: %w", err))
		return l.loadErr
	}
	l.setLoadState(true, nil)
	for i := range unread.Values {
		if unread.Values[i].Event.ID != "" {
			l.appendInMemory(unread.Values[i])
		}
	}
	return nil
}

// setLoadState records the result of reading the file. The caller holds mu.
func (l *EventLog) setLoadState(loaded bool, err error) {
	isSame := l.loaded == loaded && fmt.Sprint(l.loadErr) == fmt.Sprint(err)
	if !isSame {
		l.version++
	}
	l.loaded = loaded
	l.loadErr = err
}

// LoadState returns whether the file was read at least once. err is the error of the last attempt to read
// it.
func (l *EventLog) LoadState() (loaded bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loaded, l.loadErr
}

// appendInMemory appends an event in memory, unless it is there already. The caller holds mu.
func (l *EventLog) appendInMemory(h ReceivedEvent) {
	if _, known := l.indexes[h.Event.ID]; known {
		return
	}
	l.events = append(l.events, h)
	if len(l.events) > MaxKept+MaxKept/10 {
		l.events = slices.Clone(l.events[len(l.events)-MaxKept:])
		clear(l.indexes)
		for i := range l.events {
			l.indexes[l.events[i].Event.ID] = i
		}
	}
	l.indexes[h.Event.ID] = len(l.events) - 1
	l.version++
}

// AddEvent stores an event, which is on disk when AddEvent returns.
func (l *EventLog) AddEvent(h ReceivedEvent) error {
	if _, known := l.EventByID(h.Event.ID); known {
		return nil
	}
	if err := l.file.Append(h); err != nil {
		return fmt.Errorf("store received event: %w", err)
	}
	return l.LoadNew()
}

// AllEvents returns the events, oldest first.
func (l *EventLog) AllEvents() []ReceivedEvent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events)
}

// EventsOf returns the events that an endpoint received, oldest first.
func (l *EventLog) EventsOf(endpoint string) []ReceivedEvent {
	return slices.DeleteFunc(l.AllEvents(), func(h ReceivedEvent) bool { return h.Endpoint != endpoint })
}

// EventByID returns the event with the given ID. ok is false if there is none.
func (l *EventLog) EventByID(id string) (event ReceivedEvent, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok := l.indexes[id]
	if !ok {
		return ReceivedEvent{}, false
	}
	return l.events[i], true
}

// Version returns a number that changes when an event is added or received again, or when the result of
// [EventLog.LoadState] changes.
func (l *EventLog) Version() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// Begin implements [api.SeenStore]. Stored events count as handled, even after a restart, so they are not
// handled again.
func (l *EventLog) Begin(_ context.Context, id string, _ time.Time) (api.SeenState, error) {
	if err := l.LoadNew(); err != nil {
		return api.SeenNew, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i, known := l.indexes[id]; known {
		l.events[i].Repeats++
		l.version++
		return api.SeenHandled, nil
	}
	if l.running[id] {
		return api.SeenRunning, nil
	}
	l.running[id] = true
	return api.SeenNew, nil
}

// End implements [api.SeenStore]. The event is no longer being handled.
func (l *EventLog) End(_ context.Context, id string, _ bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, id)
	return nil
}
