package ordering

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

// EntryKind is what an entry is about.
type EntryKind string

// The kinds of entry.
const (
	EntryAccepted EntryKind = "accepted" // a quote
	EntryRejected EntryKind = "rejected" // a quote
	EntryPlaced   EntryKind = "placed"   // an order
)

// quoteNote is the kind of the notes on quotes that earlier versions logged; they are
// skipped.
const quoteNote EntryKind = "note"

// LedgerEntry is one change that was sent.
type LedgerEntry struct {
	At        time.Time `json:"at"`
	Kind      EntryKind `json:"kind"`
	Host      string    `json:"host"` // of the service
	Account   string    `json:"account"`
	OrderID   string    `json:"orderId"`
	OrderName string    `json:"orderName"`
	QuoteID   string    `json:"quoteId"`
	QuoteName string    `json:"quoteName"`
	Price     string    `json:"price"`             // text that was shown, with the currency
	Days      string    `json:"days"`              // text that was shown
	Against   []string  `json:"against,omitempty"` // the other open quotes, name and price
	Outcome   string    `json:"outcome,omitempty"` // [Confirmed] with details, [Unanswered], or why the change failed

	Key    string          `json:"key,omitempty"`    // idempotency key of an order
	Digest string          `json:"digest,omitempty"` // of the order's request
	Order  *api.OrderInput `json:"order,omitempty"`  // the order that the user confirmed
	Sites  int             `json:"sites,omitempty"`  // number of its sites
	Shape  uint64          `json:"shape,omitempty"`  // sum of the shape hashes of its sites
	Known  []string        `json:"known,omitempty"`  // IDs of orders or endpoints that existed before

	KnownUnread bool `json:"knownUnread,omitempty"` // Known is incomplete: the list could not be loaded

	Draft      string         `json:"draft,omitempty"`      // ID of the draft of the order
	DraftSites map[int]uint64 `json:"draftSites,omitempty"` // fingerprints of the draft's sites in the order, by site ID

	EndpointID string `json:"endpointId,omitempty"`
	Address    string `json:"address,omitempty"` // of an endpoint
}

// IsQuote reports whether the entry is about a quote.
func (e *LedgerEntry) IsQuote() bool { return e.QuoteID != "" }

// IsConfirmed reports whether the service has confirmed the change.
func (e *LedgerEntry) IsConfirmed() bool { return strings.HasPrefix(e.Outcome, Confirmed) }

// Unanswered is the outcome of a change that was sent and not seen on the service yet.
const Unanswered = "sent; outcome unknown"

// IsOpen reports whether the outcome of the change is unknown.
func (e *LedgerEntry) IsOpen() bool { return e.Outcome == Unanswered }

// OrderLabel returns the known code and name of the order.
func (e *LedgerEntry) OrderLabel() string {
	if e.IsQuote() {
		return e.OrderName // has the code
	}
	return strings.TrimSpace(e.OrderID + " " + e.OrderName)
}

// Describe returns a summary such as "accepted AeroScan for ORD-7".
func (e *LedgerEntry) Describe() string {
	if e.IsQuote() {
		return fmt.Sprintf("%s %s for %s", e.Kind, e.QuoteName, e.OrderLabel())
	}
	return string(e.Kind) + " " + cmp.Or(e.Address, e.OrderLabel())
}

// subject identifies what an entry changes.
func (e *LedgerEntry) subject() string {
	return cmp.Or(e.Key, e.QuoteID, e.EndpointID, e.Address, e.OrderID)
}

// isOutcomeOf reports whether e is the outcome of the change in the open entry sent.
func (e *LedgerEntry) isOutcomeOf(sent *LedgerEntry) bool {
	return sent.IsOpen() && sent.Host == e.Host && sent.Kind == e.Kind && sent.subject() == e.subject()
}

// Ledger is the log of the changes that any program has sent, in order. It is safe for
// concurrent use.
type Ledger struct {
	path string
	file *atomicfile.Log[LedgerEntry]

	mu      sync.Mutex
	entries []LedgerEntry
	bad     int // unreadable lines

	Wait func(context.Context, time.Duration) error // waits between two attempts to find a change; tests replace it
}

// OpenLedger returns the ledger in a file, which need not exist; "" keeps it in memory.
// The file is read on first use.
func OpenLedger(path string) *Ledger {
	return &Ledger{
		path: path,
		file: atomicfile.NewLog[LedgerEntry](path, 0),
		Wait: WaitFor,
	}
}

// Entries returns all entries, oldest first. Unreadable lines are left out; the error has
// their number.
func (l *Ledger) Entries() ([]LedgerEntry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.loadEntries()
	if err == nil && l.bad > 0 {
		err = fmt.Errorf("%s: %d unreadable lines skipped", l.path, l.bad)
	}
	return slices.Clone(l.entries), err
}

// Refresh reads what other programs added.
func (l *Ledger) Refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loadEntries()
}

func (l *Ledger) loadEntries() error {
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
		l.entries = slices.DeleteFunc(l.entries, func(sent LedgerEntry) bool { return e.isOutcomeOf(&sent) })
		l.entries = append(l.entries, e)
	}
	l.bad += unread.Bad
	return nil
}

// AddEntry appends an entry. The entry is on disk when AddEntry returns.
func (l *Ledger) AddEntry(e LedgerEntry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.file.Append(e); err != nil {
		return fmt.Errorf("save decision: %w", err)
	}
	return l.loadEntries()
}

// LastDecision returns the last decision on a quote, or nil if there is none in the ledger.
func (l *Ledger) LastDecision(host, quoteID string) *LedgerEntry {
	return l.FindLast(func(e *LedgerEntry) bool { return e.Host == host && e.QuoteID == quoteID })
}

// OpenEntries returns the changes of an account with an unknown outcome on a service with
// one of the host names.
func (l *Ledger) OpenEntries(account string, hosts ...string) []LedgerEntry {
	return l.FindAll(func(e *LedgerEntry) bool {
		return e.IsOpen() && slices.Contains(hosts, e.Host) && e.Account == account
	})
}

// FindLast returns the last matching entry, or nil.
func (l *Ledger) FindLast(matches func(*LedgerEntry) bool) *LedgerEntry {
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
func (l *Ledger) FindAll(matches func(*LedgerEntry) bool) (found []LedgerEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.entries {
		if matches(&l.entries[i]) {
			found = append(found, l.entries[i])
		}
	}
	return found
}

// Change is a change that is sent once. Look recognises it on the service.
type Change struct {
	LedgerEntry
	Send func(context.Context) error // may set the outcome
	Look LookFunc
}

// LookFunc looks on the service for the outcome of a change. If settled is true, the error
// says how the outcome differs from the change; otherwise the error says why looking
// failed.
type LookFunc func(context.Context) (settled bool, err error)

// UnconfirmedError is returned for a change that was sent but not found on the service
// yet.
type UnconfirmedError struct{ Err error }

func (e *UnconfirmedError) Error() string {
	if api.IsStatus(e.Err, http.StatusAccepted) {
		return "the service is still working on it (HTTP 202); sent, not confirmed"
	}
	return e.Err.Error() + "; sent, not confirmed"
}

// Unwrap returns why there is no confirmation.
func (e *UnconfirmedError) Unwrap() error { return e.Err }

// SendOnce records the change, sends it once and records the outcome. If the response does not
// give the outcome, SendOnce looks for the change on the service. If it is not there, the error is
// an [*UnconfirmedError] and the entry stays open.
func (l *Ledger) SendOnce(ctx context.Context, c *Change) error {
	c.Outcome = Unanswered
	if err := l.AddEntry(c.LedgerEntry); err != nil {
		return err
	}
	err := c.Send(ctx)
	if c.Outcome == Unanswered {
		isRejected := err != nil && !api.MaybeApplied(err) && ctx.Err() == nil
		if err != nil && !isRejected {
			return l.lookForLost(ctx, c, err)
		}
		c.Outcome = Confirmed
		if isRejected {
			c.Outcome = err.Error()
		}
	}
	_ = l.AddEntry(c.LedgerEntry) // if this fails, the entry stays open and is resolved later
	return err
}

// lookForLost looks for a change whose response was lost with an error.
func (l *Ledger) lookForLost(ctx context.Context, c *Change, lost error) error {
	settled, err := l.LookForChange(ctx, c, true)
	if !settled {
		return &UnconfirmedError{lost}
	}
	return err
}

// LookPauses are the pauses between looking for a change, because lists of the service can
// lag behind. Tests shorten them.
var LookPauses = []time.Duration{time.Second, 3 * time.Second, 10 * time.Second}

// LookForChange looks for an open change on the service, once or several times, and records the
// outcome when it is settled. The error is that of the last attempt.
func (l *Ledger) LookForChange(ctx context.Context, c *Change, several bool) (settled bool, err error) {
	var pauses []time.Duration
	if several {
		pauses = LookPauses
	}
	settled, err = LookRepeatedly(ctx, c.Look, pauses, l.Wait)
	if !settled {
		return false, err
	}
	if err != nil {
		c.Outcome = err.Error()
	} else {
		c.Outcome = Confirmed + "; the response was lost"
	}
	_ = l.AddEntry(c.LedgerEntry) // if this fails, the entry stays open and is resolved later
	return true, err
}

// LookRepeatedly looks for a change until it is settled, with the given pauses. The error
// is that of the last attempt. If ctx ends, it looks once more for a few seconds.
func LookRepeatedly(
	ctx context.Context, look LookFunc, pauses []time.Duration, wait func(context.Context, time.Duration) error,
) (settled bool, err error) {
	for i := 0; ; i++ {
		late, cancel := ReadBackContext(ctx)
		settled, err = look(late)
		cancel()
		if settled || i == len(pauses) || wait(ctx, pauses[i]) != nil {
			return settled, err
		}
	}
}

// Confirmed is the beginning of the outcome of a change that is on the service.
const Confirmed = "confirmed"

const readBackTimeout = 5 * time.Second

// ReadBackContext returns the context for checking the outcome of a change: ctx, or one
// that lasts a few seconds if ctx has ended.
func ReadBackContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), readBackTimeout)
}

// WaitFor waits for d, or returns the error of ctx if that ends first.
func WaitFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
