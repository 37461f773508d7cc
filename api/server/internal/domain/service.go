package domain

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// Service groups the operations of the service by subject. Create it with [New].
type Service struct {
	*ServiceParts
	Accounts  Accounts
	Orders    Orders
	Records   Records
	Missions  Missions
	Quotes    Quotes
	Callbacks Callbacks
	Operators Operators
	Upkeep    Upkeep

	Invitations Invitations
	Requests    Requests
}

// ServiceParts are the dependencies of the service. Its fields are set before the first
// request.
type ServiceParts struct {
	Store *store.Store
	Now   func() time.Time
	Files files.Store // deliveries and permits

	// City suggests the city of a mission from its location, or returns "". If it is nil,
	// missions get no city.
	City func(kind api.MissionType, location []api.Point) string

	// Vault encrypts the secrets of webhooks.
	Vault *store.Vault

	// InvitationSecret is the secret from which the codes of invitations are derived.
	InvitationSecret []byte

	// Sender sends callbacks. If it is nil, they stay pending.
	Sender Sender

	// Notifier notifies clients of complete orders. If it is nil, notices stay pending.
	Notifier Notifier
}

type (
	// Accounts manages accounts, their keys, and requests for keys.
	Accounts struct{ *ServiceParts }
	// Orders places, lists and changes orders.
	Orders struct{ *ServiceParts }
	// Records returns orders and the data library for the v2 API.
	Records struct{ *ServiceParts }
	// Missions changes missions, with their planning, permissions and packages.
	Missions struct{ *ServiceParts }
	// Quotes is for issuing, accepting and rejecting quotes.
	Quotes struct{ *ServiceParts }
	// Callbacks manages endpoints, callbacks, and notices of complete orders.
	Callbacks struct{ *ServiceParts }
	// Operators manages the users of the operations API and their audit trail.
	Operators struct{ *ServiceParts }
	// Invitations manages the users who may log in to the app over SSH.
	Invitations struct{ *ServiceParts }
	// Upkeep fills, resets and cleans up the store, and reports which orders have changed.
	Upkeep struct{ *ServiceParts }
)

// New returns the service with its dependencies.
func New(p ServiceParts) *Service {
	d := &p
	return &Service{
		d,
		Accounts{d},
		Orders{d},
		Records{d},
		Missions{d},
		Quotes{d},
		Callbacks{d},
		Operators{d},
		Upkeep{d},
		Invitations{d},
		Requests{d},
	}
}

// Error is the reason why a request is refused.
type Error struct {
	Code    api.ErrorCode
	Message string
	Fields  []api.FieldError // only with validation_failed
	Refused *Caller          // owner of the refused key; nil if unknown
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// RefuseFields returns the error for a request with faulty fields. count is the number of faults
// found; faults can contain fewer. The message names the first faulty field.
func RefuseFields(faults []api.FieldError, count int) *Error {
	refusal := refuseRequest(api.CodeValidationFailed, "%s: %s", faults[0].Field, faults[0].Message)
	if count > 1 {
		refusal.Message += fmt.Sprintf(", and %d more", count-1)
	}
	if count > len(faults) {
		refusal.Message += fmt.Sprintf("; the first %d are listed", len(faults))
	}
	refusal.Fields = faults
	return refusal
}

func refuseRequest(code api.ErrorCode, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// refuseMissing replaces [store.ErrNotFound] by a not_found error with the given message for the
// client. It returns other errors unchanged.
func refuseMissing(err error, format string, args ...any) error {
	if errors.Is(err, store.ErrNotFound) {
		return refuseRequest(api.CodeNotFound, format, args...)
	}
	return err
}

// Find returns the record of type T with the given UUID, which can belong to any account. notFound
// is the message of the error if there is no such record.
func Find[T any](ctx context.Context, d *Service, uuid, notFound string) (T, error) {
	record, err := store.ByUUID[T](ctx, d.Store, uuid)
	return record, wrapStoreError(refuseMissing(err, "%s", notFound), "read record")
}

// Page is a page of a list.
type Page[T any] struct {
	Items []T
	More  bool            // there are more items in the requested direction
	End   *store.Position // position after which the next page begins; nil if the page is empty
}

// readPage reads the page of a list that the window w selects. It reads one item more than the
// page contains, to find out whether there are more items.
func readPage[T any](
	w store.ListWindow, positionOf func(*T) store.Position, read func(store.ListWindow) ([]T, error),
) (Page[T], error) {
	extended := w
	if w.Limit > 0 {
		extended.Limit++
	}
	items, err := read(extended)
	if err != nil {
		return Page[T]{}, err
	}
	hasMore := w.Limit > 0 && len(items) > w.Limit
	if w.Before && w.From != nil {
		return backwardPage(items, hasMore, positionOf), nil
	}
	page := forwardPage(items, hasMore, w.Limit, positionOf)
	if w.Before { // without a position, the page is the first of the list, and nothing is before it
		page.More = false
	}
	return page, nil
}

// backwardPage returns a page of items that were read backwards from a position. If hasMore is
// true, it drops the first item, which was read only to find out whether there are more items.
// End is the position of the page's first item, because the next page is before it.
func backwardPage[T any](items []T, hasMore bool, positionOf func(*T) store.Position) Page[T] {
	if hasMore {
		items = items[1:]
	}
	page := Page[T]{Items: items, More: hasMore}
	if len(items) > 0 {
		end := positionOf(&items[0])
		page.End = &end
	}
	return page
}

// forwardPage returns a page of items that were read forwards. If hasMore is true, it drops the
// item after the first limit items, which was read only to find out whether there are more items.
// End is the position of the page's last item.
func forwardPage[T any](items []T, hasMore bool, limit int, positionOf func(*T) store.Position) Page[T] {
	if hasMore {
		items = items[:limit]
	}
	page := Page[T]{Items: items, More: hasMore}
	if len(items) > 0 {
		end := positionOf(&items[len(items)-1])
		page.End = &end
	}
	return page
}

// List returns a page of the list of an owner's records. See [store.List].
func List[T any](ctx context.Context, d *Service, owner int64, w store.ListWindow) (Page[T], error) {
	page, err := readPage(w, store.PlaceOf[T], func(w store.ListWindow) ([]T, error) {
		return store.List[T](ctx, d.Store, owner, w)
	})
	return page, wrapStoreError(err, "list records")
}

// wrapStoreError converts an error of the store. If the client can react to it, for instance to a
// full disk, it becomes an [*Error]. Other errors get the prefix doing, such as "list orders". A
// nil error and an [*Error] are returned unchanged.
func wrapStoreError(err error, doing string) error {
	var refusal *Error
	if err == nil || errors.As(err, &refusal) {
		return err
	}
	if errors.Is(err, store.ErrFull) || errors.Is(err, files.ErrFull) {
		return refuseRequest(api.CodeStorageFull,
			"the service's disk is full; nothing was changed, try again later")
	}
	if errors.Is(err, store.ErrText) {
		return refuseRequest(api.CodeValidationFailed,
			"a text contains the character U+0000, which cannot be stored; remove it")
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// clockSetting is the setting that stores by how many milliseconds the clock is ahead. The next
// start restores the clock, because the times of stored records would otherwise be in the future.
const clockSetting = "clock.ahead"

// ClockAhead returns by how much an earlier run advanced the service's clock. It returns
// an error if that is more than the limit.
func (d Upkeep) ClockAhead(ctx context.Context, limit time.Duration) (time.Duration, error) {
	text, err := store.Setting(ctx, d.Store, clockSetting)
	if err != nil {
		return 0, wrapStoreError(err, "read the clock")
	}
	if text == "" {
		return 0, nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 || ms > limit.Milliseconds() {
		return 0, fmt.Errorf("invalid duration in %s of the database: %q", clockSetting, text)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// SaveClockAhead saves by how much the service's clock is advanced. It rounds up, so that
// the clock is not set back by a restart.
func (d Upkeep) SaveClockAhead(ctx context.Context, ahead time.Duration) error {
	ms := (ahead + time.Millisecond - 1).Milliseconds()
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.SetSetting(clockSetting, strconv.FormatInt(ms, 10))
	})
	return wrapStoreError(err, "keep the clock")
}

// LoadOrCreateSecret returns the secret that is stored under a name. If there is none, or
// isUsable returns false for it, LoadOrCreateSecret creates and stores a new one. Secrets are
// stored encrypted.
func (d *ServiceParts) LoadOrCreateSecret(
	ctx context.Context, name string, isUsable func(secret string) bool, create func() (string, error),
) (string, error) {
	name = "secret." + name
	sealed, err := store.Setting(ctx, d.Store, name)
	if err != nil {
		return "", wrapStoreError(err, "read "+name)
	}
	if sealed != "" {
		// A secret that cannot be decrypted is replaced, because nobody can know it.
		secret, err := d.Vault.Open(name, sealed)
		if err == nil && isUsable(secret) {
			return secret, nil
		}
	}
	secret, err := create()
	if err != nil {
		return "", err
	}
	return d.replaceSecret(ctx, name, sealed, secret)
}

// replaceSecret saves a secret under a name, and returns it. old is the encrypted value that it
// replaces. If another process has replaced the value in the meantime, replaceSecret saves
// nothing and returns the secret of that process.
func (d *ServiceParts) replaceSecret(ctx context.Context, name, old, secret string) (string, error) {
	var current string
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		sealed, err := store.Setting(ctx, tx, name)
		if err != nil {
			return err
		}
		if sealed != "" && sealed != old {
			current, err = d.Vault.Open(name, sealed)
			return err
		}
		current = secret
		return tx.SetSetting(name, d.Vault.Seal(name, secret))
	})
	if err != nil {
		return "", wrapStoreError(err, "keep "+name)
	}
	return current, nil
}

// BeginRecentMoves makes [Upkeep.RecentlyMoved] report the changes of orders from now on. It does
// nothing if the store was filled or BeginRecentMoves was called before, because RecentlyMoved
// then already reports changes.
func (d Upkeep) BeginRecentMoves(ctx context.Context) error {
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		filled, err := store.Setting(ctx, tx, filledSetting)
		if err != nil {
			return err
		}
		if filled != "" {
			return nil
		}
		return tx.SetSetting(filledSetting, strconv.FormatInt(d.Now().UnixMilli(), 10))
	})
	return wrapStoreError(err, "begin")
}

// RecentMoves describes what has changed since the store was filled.
type RecentMoves struct {
	Orders []store.Order // open, active or completed, latest change first
	First  string        // UUID of the first order placed after Since; empty if none was placed
	Since  time.Time     // when the store was filled or BeginRecentMoves was called; zero if neither has happened
}

// RecentlyMoved returns up to limit orders that were placed or changed since the store
// was filled or [Upkeep.BeginRecentMoves] was called. It returns none if neither has
// happened.
func (d Upkeep) RecentlyMoved(ctx context.Context, limit int) (m RecentMoves, err error) {
	_, m.Since, err = d.FilledTimes(ctx)
	if err != nil {
		return m, err
	}
	if m.Since.IsZero() {
		return m, nil
	}
	m.Orders, m.First, err = d.Store.MovedSince(ctx, m.Since, limit)
	return m, wrapStoreError(err, "list moved orders")
}

// newUUID returns a UUID of version 7. It begins with the time, so that rows created one
// after the other are adjacent in an index.
func newUUID(now time.Time) string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	return FormUUID(now, random)
}

// FormUUID returns a UUID of version 7 that consists of the time t and the random bytes u.
func FormUUID(t time.Time, u [16]byte) string {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(t.UnixMilli()))
	copy(u[:6], ms[2:])
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	text := make([]byte, 36)
	hex.Encode(text, u[:4])
	hex.Encode(text[9:], u[4:6])
	hex.Encode(text[14:], u[6:8])
	hex.Encode(text[19:], u[8:10])
	hex.Encode(text[24:], u[10:])
	for _, i := range [...]int{8, 13, 18, 23} {
		text[i] = '-'
	}
	return string(text)
}

// scenarioSetting is the setting with the progress of a scenario.
const scenarioSetting = "scenario"

// Scenario returns the saved progress of a scenario, or "".
func (d Upkeep) Scenario(ctx context.Context) (string, error) {
	text, err := store.Setting(ctx, d.Store, scenarioSetting)
	return text, wrapStoreError(err, "read the scenario")
}

// SaveScenario saves the progress of a scenario.
func (d Upkeep) SaveScenario(ctx context.Context, state string) error {
	err := d.Store.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting(scenarioSetting, state) })
	return wrapStoreError(err, "keep the scenario")
}

// Snapshots returns the saved snapshots of the whole state of the service, newest first.
func (d Upkeep) Snapshots() ([]store.Snapshot, error) {
	all, err := d.Store.Snapshots()
	return all, wrapStoreError(err, "list snapshots")
}

// TakeSnapshot saves the whole state of the service, including accounts, keys and the
// clock.
func (d Upkeep) TakeSnapshot(ctx context.Context, name string) (store.Snapshot, error) {
	taken, err := d.Store.TakeSnapshot(ctx, name)
	return taken, wrapStoreError(err, "take a snapshot")
}

// RestoreSnapshot restores the whole state of the service. It returns the file-store keys
// of the files that are no longer referenced.
func (d Upkeep) RestoreSnapshot(
	ctx context.Context, name string,
) (s store.Snapshot, unreferenced []string, err error) {
	const doing = "restore a snapshot"
	var old ResetLeftovers
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		var err error
		old, err = listLeftovers(tx)
		return err
	})
	if err != nil {
		return s, nil, wrapStoreError(err, doing)
	}
	s, err = d.Store.RestoreSnapshot(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return s, nil, refuseRequest(api.CodeNotFound, "no snapshot %q", name)
	}
	if err != nil {
		return s, nil, wrapStoreError(err, doing)
	}
	d.cancelEndpoints(old.Webhooks)
	unreferenced, err = d.Store.UnreferencedFiles(ctx, old.Places)
	return s, unreferenced, wrapStoreError(err, doing)
}

// strayBatchSize is the number of files looked up at once.
const strayBatchSize = 512

// ErrManyStrays is returned if most files are not in the database. Then the database
// probably belongs to other files.
var ErrManyStrays = errors.New("most files are not in the database, so none was deleted")

// DropStrays deletes the files that no database record refers to, and returns their keys. A file
// has no record if the service stopped after it had stored the file, but before it added the
// record.
func (d Upkeep) DropStrays(ctx context.Context) ([]string, error) {
	strays, err := d.findStrays(ctx)
	if err != nil {
		return nil, err
	}
	for i, place := range strays {
		if err := d.Files.Remove(ctx, place); err != nil {
			return strays[:i], fmt.Errorf("drop stray files: %w", err)
		}
	}
	return strays, nil
}

// findStrays returns the keys of the files that no record refers to, or ErrManyStrays.
func (d Upkeep) findStrays(ctx context.Context) ([]string, error) {
	var strays []string
	checked := 0
	for batch, err := range d.listOldFiles(ctx) {
		if err != nil {
			return nil, fmt.Errorf("list files: %w", err)
		}
		unreferenced, err := d.Store.UnreferencedFiles(ctx, batch)
		if err != nil {
			return nil, fmt.Errorf("look for stray files: %w", err)
		}
		strays = append(strays, unreferenced...)
		checked += len(batch)
	}
	if 2*len(strays) > checked { // more than half of the files
		return nil, fmt.Errorf("%w: %d of %d", ErrManyStrays, len(strays), checked)
	}
	return strays, nil
}

// listOldFiles returns the keys of the files in batches of up to strayBatchSize. It leaves out
// new files, because a process may still have to add their records. A batch is valid until the
// next one.
func (d Upkeep) listOldFiles(ctx context.Context) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		batch := make([]string, 0, strayBatchSize)
		for file, err := range d.Files.All(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !file.Old {
				continue
			}
			batch = append(batch, file.Key)
			if len(batch) < strayBatchSize {
				continue
			}
			if !yield(batch, nil) {
				return
			}
			batch = batch[:0]
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}
