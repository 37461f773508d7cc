package decisions

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// Kind is what an entry is about.
type Kind string

// The kinds of entry.
const (
	Note     Kind = "note" // made while looking, with no decision
	Accepted Kind = "accepted"
	Rejected Kind = "rejected"
)

// Entry is a decision of a quote, or a note on one.
type Entry struct {
	At        time.Time `json:"at"`
	Kind      Kind      `json:"kind"`
	Host      string    `json:"host"` // of the service
	Account   string    `json:"account"`
	OrderID   string    `json:"orderId"`
	OrderName string    `json:"orderName"`
	QuoteID   string    `json:"quoteId"`
	QuoteName string    `json:"quoteName"`
	Price     string    `json:"price"`             // as it was shown, with its currency
	Days      string    `json:"days"`              // as it was shown
	Against   []string  `json:"against,omitempty"` // the other open quotes, name and price
	Note      string    `json:"note,omitempty"`
	Outcome   string    `json:"outcome,omitempty"` // what came of it: confirmed, and how, or why not
}

// Confirmed reports whether the service has it as it was decided.
func (e *Entry) Confirmed() bool { return strings.HasPrefix(e.Outcome, "confirmed") }

// Log is the entries in the order in which they were made. It may be used by
// several goroutines at once.
type Log struct {
	path string

	mu      sync.Mutex
	read    bool
	entries []Entry
}

// Open returns the log in a file, which need not exist; "" keeps it in memory.
// The file is read when it is first asked for something.
func Open(path string) *Log { return &Log{path: path} }

// Entries returns all entries, the oldest first. Lines that are none are left
// out; err tells how many.
func (l *Log) Entries() ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.load()
	return slices.Clone(l.entries), err
}

func (l *Log) load() error {
	if l.read || l.path == "" {
		return nil
	}
	content, err := os.ReadFile(l.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read decisions: %w", err)
	}
	l.read = true
	damaged := 0
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, len(content)+1)
	for lines.Scan() {
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			damaged++
			continue
		}
		l.entries = append(l.entries, e)
	}
	if damaged > 0 {
		return fmt.Errorf("%s: %d lines are no decisions and are left out", l.path, damaged)
	}
	return nil
}

// Add puts an entry at the end, on disk before it returns.
func (l *Log) Add(e Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.load(); err != nil && !l.read {
		return err
	}
	if l.path != "" {
		if err := l.append(e); err != nil {
			return fmt.Errorf("keep decision: %w", err)
		}
	}
	l.entries = append(l.entries, e)
	return nil
}

func (l *Log) append(e Entry) (err error) {
	line, err := json.Marshal(e)
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
	if whole, err := endsWhole(f); err != nil {
		return err
	} else if !whole {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return err
	}
	return f.Sync()
}

// endsWhole reports whether a file is empty or ends with a line's end.
func endsWhole(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return true, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return last[0] == '\n', err
}

// Notes returns the last note on each quote of a service, by quote id. A note
// that was emptied is left out.
func (l *Log) Notes(host string) map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	notes := map[string]string{}
	for _, e := range l.entries {
		switch {
		case e.Host != host || e.Note == "" && e.Kind != Note:
		case e.Note == "":
			delete(notes, e.QuoteID)
		default:
			notes[e.QuoteID] = e.Note
		}
	}
	return notes
}

// Of returns the last decision of a quote, false where this program made none.
func (l *Log) Of(host, quoteID string) (Entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range slices.Backward(l.entries) {
		if e.Host == host && e.QuoteID == quoteID && e.Kind != Note {
			return e, true
		}
	}
	return Entry{}, false
}
