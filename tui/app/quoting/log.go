package quoting

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"flightdesk/config/atomicfile"
)

// EntryKind is what an entry is about.
type EntryKind string

// The kinds of entry.
const (
	Note     EntryKind = "note" // made while looking, with no decision
	Accepted EntryKind = "accepted"
	Rejected EntryKind = "rejected"
)

// LogEntry is a decision of a quote, or a note on one.
type LogEntry struct {
	At        time.Time `json:"at"`
	Kind      EntryKind `json:"kind"`
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
	Outcome   string    `json:"outcome,omitempty"` // what came of it: confirmed, and how, why not, or that it was sent
}

// IsConfirmed reports whether the service has it as it was decided.
func (e *LogEntry) IsConfirmed() bool { return strings.HasPrefix(e.Outcome, "confirmed") }

// unanswered is the outcome of a decision that is being sent. It stays where the
// program ended before the answer came.
const unanswered = "sent; outcome unknown"

// isOutcomeOf reports whether e is what came of the decision that sent is.
func (e *LogEntry) isOutcomeOf(sent *LogEntry) bool {
	return sent.Outcome == unanswered && sent.Host == e.Host && sent.QuoteID == e.QuoteID && sent.Kind == e.Kind
}

// DecisionLog is the entries in the order in which they were made, by any program. It
// is safe for concurrent use.
type DecisionLog struct {
	path string
	file *atomicfile.Log[LogEntry]

	mu      sync.Mutex
	entries []LogEntry
	bad     int // lines that are not entries
}

// OpenLog returns the log in a file, which need not exist; "" keeps it in memory.
// The file is read when it is first asked for something.
func OpenLog(path string) *DecisionLog {
	return &DecisionLog{path: path, file: atomicfile.NewLog[LogEntry](path, 0)}
}

// Entries returns all entries, the oldest first. Lines that are not entries are
// left out; the error says how many.
func (l *DecisionLog) Entries() ([]LogEntry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.loadEntries(); err != nil {
		return slices.Clone(l.entries), err
	}
	var err error
	if l.bad > 0 {
		err = fmt.Errorf("%s: %d unreadable lines skipped", l.path, l.bad)
	}
	return slices.Clone(l.entries), err
}

func (l *DecisionLog) loadEntries() error {
	unread, err := l.file.Read()
	if err != nil {
		return fmt.Errorf("read decisions: %w", err)
	}
	if unread.All {
		l.entries, l.bad = nil, 0
	}
	for _, e := range unread.Values {
		l.entries = slices.DeleteFunc(l.entries, func(sent LogEntry) bool { return e.isOutcomeOf(&sent) })
		l.entries = append(l.entries, e)
	}
	l.bad += unread.Bad
	return nil
}

// AddEntry puts an entry at the end, on disk before it returns.
func (l *DecisionLog) AddEntry(e LogEntry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.file.Append(e); err != nil {
		return fmt.Errorf("save decision: %w", err)
	}
	return l.loadEntries()
}

// LastNotes returns the last note on each quote of a service, by quote id. A note
// that was emptied is left out.
func (l *DecisionLog) LastNotes(host string) map[string]string {
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

// LastDecision returns the last decision of a quote, false where this program made none.
func (l *DecisionLog) LastDecision(host, quoteID string) (LogEntry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range slices.Backward(l.entries) {
		if e.Host == host && e.QuoteID == quoteID && e.Kind != Note {
			return e, true
		}
	}
	return LogEntry{}, false
}
