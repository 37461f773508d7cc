package feed

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// MaxKept is how many events are kept; the oldest ones leave first.
const MaxKept = 5_000

// Heard is an event that was received.
type Heard struct {
	At       time.Time `json:"at"`       // when it came, by the service's clock
	Endpoint string    `json:"endpoint"` // the id of the one that it came to
	Event    api.Event `json:"event"`

	Repeats int `json:"-"` // how often it came again in this run, and was dropped
}

// Log is the events that were received, each once. It may be used by several
// goroutines at once.
type Log struct {
	path string

	disk   sync.Mutex // for the file; taken before mu, never while that is held
	loaded bool
	lines  int // of the file, as far as this program knows

	mu      sync.Mutex // for what is in memory: views wait for it
	heard   []Heard    // oldest first
	at      map[string]int
	running map[string]bool
	version int
}

// Open returns the log in a file, which need not exist; "" keeps it in memory.
// The file is read when it is first asked for something.
func Open(path string) *Log {
	return &Log{path: path, at: map[string]int{}, running: map[string]bool{}}
}

// Load reads the file, unless that was done. Lines that are no events are left
// out; they are nothing that could be done something about.
func (l *Log) Load() error {
	l.disk.Lock()
	defer l.disk.Unlock()
	return l.load()
}

func (l *Log) load() error {
	if l.loaded || l.path == "" {
		return nil
	}
	events, lines, err := l.read()
	if err != nil {
		return fmt.Errorf("read received events: %w", err)
	}
	l.mu.Lock()
	for i := range events {
		l.keep(events[i])
	}
	l.mu.Unlock()
	l.loaded, l.lines = true, lines
	return l.shorten()
}

// read returns the events in the file, and how many lines it has.
func (l *Log) read() (events []Heard, n int, err error) {
	content, err := os.ReadFile(l.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, err
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, len(content)+1)
	for ; lines.Scan(); n++ {
		var h Heard
		if json.Unmarshal(lines.Bytes(), &h) == nil && h.Event.ID != "" {
			events = append(events, h)
		}
	}
	return events, n, nil
}

// keep puts an event at the end, in memory; mu is held.
func (l *Log) keep(h Heard) {
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

// Add keeps an event, on disk before it returns.
func (l *Log) Add(h Heard) error {
	l.disk.Lock()
	defer l.disk.Unlock()
	if err := l.load(); err != nil && !l.loaded {
		return err
	}
	if _, known := l.Get(h.Event.ID); known {
		return nil
	}
	if l.path != "" {
		if err := l.append(h); err != nil {
			return fmt.Errorf("keep received event: %w", err)
		}
		l.lines++
		_ = l.shorten() // the event is kept all the same, and the next one tries again
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep(h)
	return nil
}

func (l *Log) append(h Heard) (err error) {
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// A line that a crash cut short must not swallow this one.
	if info, err := f.Stat(); err != nil {
		return err
	} else if size := info.Size(); size > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	_, err = f.Write(append(line, '\n'))
	return err
}

// shorten leaves the newest events in a file that has grown long. They are
// taken from the file: another program may have added some since it was read.
func (l *Log) shorten() error {
	if l.lines <= 2*MaxKept {
		return nil
	}
	if err := l.rewrite(); err != nil {
		return fmt.Errorf("shorten received events: %w", err)
	}
	return nil
}

func (l *Log) rewrite() error {
	events, _, err := l.read()
	if err != nil {
		return err
	}
	events = events[max(0, len(events)-MaxKept):]
	var b bytes.Buffer
	for i := range events {
		line, err := json.Marshal(events[i])
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	temp, err := os.CreateTemp(filepath.Dir(l.path), filepath.Base(l.path)+".*.part")
	if err != nil {
		return err
	}
	_, err = temp.Write(b.Bytes())
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), l.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	l.lines = len(events)
	return nil
}

// All are the events, the oldest first.
func (l *Log) All() []Heard {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.heard)
}

// Of are the events that came to an endpoint, the oldest first.
func (l *Log) Of(endpoint string) (events []api.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.heard {
		if l.heard[i].Endpoint == endpoint {
			events = append(events, l.heard[i].Event)
		}
	}
	return events
}

// Get is an event by its id.
func (l *Log) Get(id string) (h Heard, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok := l.at[id]
	if ok {
		h = l.heard[i]
	}
	return h, ok
}

// Version changes with every event and every repeat.
func (l *Log) Version() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// Begin makes the log an [api.Seen]: what it has is not handed over again, also
// not after a restart.
func (l *Log) Begin(_ context.Context, id string, _ time.Time) (api.SeenState, error) {
	l.disk.Lock()
	err := l.load()
	loaded := l.loaded
	l.disk.Unlock()
	if err != nil && !loaded {
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
func (l *Log) End(_ context.Context, id string, _ bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, id)
	return nil
}
