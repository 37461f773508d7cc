package changes

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"flightdesk/config/atomicfile"
	"flightdesk/tui/format"
)

// Log is the log of the changes that the programs of a person have sent, oldest first. It is
// safe for concurrent use.
type Log struct {
	path string
	file *atomicfile.Log[Change]

	mu      sync.Mutex
	entries []Change
	bad     int // unreadable lines

	Wait func(context.Context, time.Duration) error // waits between two attempts to find a change; tests replace it
}

// OpenLog returns the log in a file, which need not exist; "" keeps it in memory. The file is
// read on first use.
func OpenLog(path string) *Log {
	return &Log{
		path: path,
		file: atomicfile.NewLog[Change](path, 0),
		Wait: WaitFor,
	}
}

// Entries returns all entries, oldest first. Unreadable lines are left out; the error has
// their number.
func (l *Log) Entries() ([]Change, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.loadEntries()
	if err == nil && l.bad > 0 {
		err = fmt.Errorf("%s: %s skipped", l.path, format.Count(l.bad, "unreadable line"))
	}
	return slices.Clone(l.entries), err
}

// Refresh reads what other programs added.
func (l *Log) Refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loadEntries()
}

func (l *Log) loadEntries() error {
	unread, err := l.file.Read()
	if err != nil {
		return fmt.Errorf("read decisions: %w", err)
	}
	if unread.All {
		l.entries = nil
		l.bad = 0
	}
	for _, e := range unread.Values {
		if e.Kind == quoteNote {
			continue
		}
		l.entries = slices.DeleteFunc(l.entries, func(sent Change) bool { return e.isOutcomeOf(&sent) })
		l.entries = append(l.entries, e)
	}
	l.bad += unread.Bad
	return nil
}

// AddEntry appends an entry. The entry is on disk when AddEntry returns.
func (l *Log) AddEntry(e Change) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.file.Append(e); err != nil {
		return fmt.Errorf("save decision: %w", err)
	}
	return l.loadEntries()
}

// LastDecision returns the last decision on a quote, or nil if the log has none.
func (l *Log) LastDecision(host, quoteID string) *Change {
	return l.FindLast(func(e *Change) bool { return e.Host == host && e.QuoteID == quoteID })
}

// OpenEntries returns the open changes of an account. hosts are the host names of its service.
func (l *Log) OpenEntries(account string, hosts ...string) []Change {
	return l.FindAll(func(e *Change) bool {
		return e.IsOpen() && slices.Contains(hosts, e.Host) && e.Account == account
	})
}

// FindLast returns the last matching entry, or nil.
func (l *Log) FindLast(matches func(*Change) bool) *Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range slices.Backward(l.entries) {
		if matches(&e) {
			return &e
		}
	}
	return nil
}

// FindAll returns the matching entries, oldest first.
func (l *Log) FindAll(matches func(*Change) bool) []Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []Change
	for i := range l.entries {
		if matches(&l.entries[i]) {
			found = append(found, l.entries[i])
		}
	}
	return found
}
