package changes

import (
	"fmt"
	"slices"
	"sync"

	"flightdesk/config/atomicfile"
)

// LogFile is the name of the log in the state folder. Earlier versions logged only decisions on quotes.
// The name is unchanged so that their logs are still read.
const LogFile = "decisions.jsonl"

// Log is the log of the changes that a user has sent, oldest first. Several running programs can share the log file.
// A Log is safe for concurrent use.
//
// The log keeps the entries in memory. [Log.Refresh], [Log.Entries] and [Log.AddEntry] read what was added
// to the file. The other functions do no I/O: they search the entries that were read, so call Refresh first.
type Log struct {
	path     string
	file     *atomicfile.Log[Change]
	schedule LookSchedule

	mu      sync.Mutex
	entries []Change
	bad     int // unreadable lines
}

// OpenLog returns the log in a file, which need not exist; "" keeps the log in memory. OpenLog does not read
// the file.
func OpenLog(path string) *Log { return OpenLogWith(path, LookSchedule{}) }

// OpenLogWith is OpenLog for a log that looks for lost changes with the given schedule.
func OpenLogWith(path string, schedule LookSchedule) *Log {
	return &Log{
		path:     path,
		file:     atomicfile.NewLog[Change](path, 0),
		schedule: schedule,
	}
}

// LookSchedule returns when the log looks for a change whose response was lost. A nil log has the default
// schedule.
func (l *Log) LookSchedule() LookSchedule {
	if l == nil {
		return LookSchedule{}
	}
	return l.schedule
}

// Entries returns all entries, oldest first. Unreadable lines are left out; the error has
// their number.
func (l *Log) Entries() ([]Change, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.loadEntries()
	if err == nil && l.bad > 0 {
		err = fmt.Errorf("%s: unreadable lines skipped: %d", l.path, l.bad)
	}
	return slices.Clone(l.entries), err
}

// Refresh reads the entries that other programs have added to the file.
func (l *Log) Refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loadEntries()
}

func (l *Log) loadEntries() error {
	unread, err := l.file.Read()
	if err != nil {
		return fmt.Errorf("read the log of changes: %w", err)
	}
	if unread.All {
		l.entries = nil
		l.bad = 0
	}
	for _, e := range unread.Values {
		if e.Kind == quoteNote {
			continue
		}
		e.Outcome = e.Outcome.withState()
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
		return fmt.Errorf("save the change: %w", err)
	}
	return l.loadEntries()
}

// LastDecision returns the last decision on a quote, or nil if the log has none.
func (l *Log) LastDecision(host, quoteID string) *Change {
	return l.FindLast(func(e *Change) bool { return e.Host == host && e.Quote.ID == quoteID })
}

// OpenEntries returns the changes of an account whose outcome is not known yet. hosts are the host names
// of the account's service.
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
