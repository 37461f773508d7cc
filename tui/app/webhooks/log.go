package webhooks

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

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
