package domain

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// Service decides on one store: what concerns orders, missions and so on each
// stands in a field of its own. Make it with [New].
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

// ServiceParts is what the service works with. Its fields are set before the first
// request.
type ServiceParts struct {
	Store *store.Store
	Now   func() time.Time
	Files files.Store // deliveries and permits

	// City suggests the city of a mission from its location, "" where there is
	// none. A nil City suggests nothing.
	City func(kind api.MissionType, location []api.Point) string

	// Vault encrypts the secrets of webhooks.
	Vault *store.Vault

	// InvitationSecret makes the codes of invitations.
	InvitationSecret []byte

	// Sender sends callbacks. With a nil Sender they stay pending.
	Sender Sender

	// Notifier tells clients that orders are complete. With a nil Notifier it
	// stays pending.
	Notifier Notifier
}

type (
	// Accounts has the accounts, their keys and the requests for keys.
	Accounts struct{ *ServiceParts }
	// Orders places, lists and moves orders.
	Orders struct{ *ServiceParts }
	// Records has the order records and the library of the v2 API.
	Records struct{ *ServiceParts }
	// Missions moves missions, with their planning, permission and packages.
	Missions struct{ *ServiceParts }
	// Quotes issues and decides quotes.
	Quotes struct{ *ServiceParts }
	// Callbacks has the endpoints, what was sent to them, and the notices that
	// an order is complete.
	Callbacks struct{ *ServiceParts }
	// Operators has those who use the operations API, and the trail of what they did.
	Operators struct{ *ServiceParts }
	// Invitations has those who may log in to the app over SSH.
	Invitations struct{ *ServiceParts }
	// Upkeep fills, empties and tidies the store, and says what has moved.
	Upkeep struct{ *ServiceParts }
)

// New returns the service that works with p.
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

// Error is a refusal: the caller's request cannot be granted.
type Error struct {
	Code    api.ErrorCode
	Message string
	Fields  []api.FieldError // of validation_failed
	Refused *Caller          // whose key was refused, if it is known; otherwise nil
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// RefuseFields returns the refusal of a request with faults, of which count were found in
// all. Its message names the first faulty field.
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

// refuseMissing refuses what was looked for where it is not there.
func refuseMissing(err error, format string, args ...any) error {
	if errors.Is(err, store.ErrNotFound) {
		return refuseRequest(api.CodeNotFound, format, args...)
	}
	return err
}

// Find returns the record with a uuid, whoever's it is. Where there is none it refuses
// with the message.
func Find[T any](ctx context.Context, d *Service, uuid, missing string) (T, error) {
	one, err := store.ByUUID[T](ctx, d.Store, uuid)
	return one, wrapStoreError(refuseMissing(err, "%s", missing), "read record")
}

// Page is one page of a list.
type Page[T any] struct {
	Items []T
	More  bool            // there is more in the direction that was asked for
	End   *store.Position // where it goes on
}

// readPage asks read for one item more than the page has, to know whether there
// is more.
func readPage[T any](
	w store.ListWindow, at func(*T) store.Position, read func(store.ListWindow) ([]T, error),
) (Page[T], error) {
	var p Page[T]
	asked := w
	if w.Limit > 0 {
		asked.Limit++
	}
	items, err := read(asked)
	if err != nil {
		return p, err
	}
	from, to, end, more := partOfPage(w, len(items))
	p = Page[T]{Items: items[from:to], More: more}
	if from < to {
		place := at(&items[end])
		p.End = &place
	}
	return p, nil
}

// partOfPage returns which of so many items that were read are on the page, which of
// them it ends with, and whether there is more.
func partOfPage(w store.ListWindow, read int) (from, to, end int, more bool) {
	backwards := w.Before && w.From != nil
	to = read
	more = w.Limit > 0 && read > w.Limit
	if more && backwards {
		from = 1
	} else if more {
		to = w.Limit
	}
	end = to - 1
	if backwards {
		end = from
	}
	// Without a place to start from there is nothing before the first page.
	return from, to, end, more && w.Before == backwards
}

// List returns a page of the list of an owner's records, see [store.List].
func List[T any](ctx context.Context, d *Service, owner int64, w store.ListWindow) (Page[T], error) {
	page, err := readPage(w, store.PlaceOf[T], func(w store.ListWindow) ([]T, error) {
		return store.List[T](ctx, d.Store, owner, w)
	})
	return page, wrapStoreError(err, "list records")
}

// wrapStoreError turns what the store says about itself into a refusal.
func wrapStoreError(err error, doing string) error {
	var refusal *Error
	switch {
	case err == nil || errors.As(err, &refusal):
		return err
	case errors.Is(err, store.ErrFull), errors.Is(err, files.ErrFull):
		return refuseRequest(api.CodeStorageFull,
			"the service's disk is full; nothing was changed, try again later")
	case errors.Is(err, store.ErrText):
		return refuseRequest(api.CodeValidationFailed,
			"a text contains the character U+0000, which cannot be stored; remove it")
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}

// clockSetting keeps how far the clock is ahead, in milliseconds, so that what
// a data folder holds never lies in the future.
const clockSetting = "clock.ahead"

// ClockAhead returns how far an earlier run has moved the service's clock
// forward, up to a limit.
func (d Upkeep) ClockAhead(ctx context.Context, limit time.Duration) (time.Duration, error) {
	text, err := store.Setting(ctx, d.Store, clockSetting)
	if err != nil || text == "" {
		return 0, wrapStoreError(err, "read the clock")
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 || ms > limit.Milliseconds() {
		return 0, fmt.Errorf("invalid duration in %s of the database: %q", clockSetting, text)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// KeepClockAhead keeps how far the service's clock is moved forward, rounded up
// so that after a restart it is not behind what it said.
func (d Upkeep) KeepClockAhead(ctx context.Context, ahead time.Duration) error {
	ms := (ahead + time.Millisecond - 1).Milliseconds()
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.SetSetting(clockSetting, strconv.FormatInt(ms, 10))
	})
	return wrapStoreError(err, "keep the clock")
}

// KeepSecret returns the secret that is kept under a name, encrypted, or keeps
// and returns the one that draft makes: where there is none yet, or isGood
// refuses what there is.
func (d *ServiceParts) KeepSecret(
	ctx context.Context, name string, isGood func(secret string) bool, draft func() (string, error),
) (string, error) {
	name = "secret." + name
	sealed, err := store.Setting(ctx, d.Store, name)
	if err != nil {
		return "", wrapStoreError(err, "read "+name)
	}
	if sealed != "" {
		// One that does not open any more is replaced: nobody can know it.
		if secret, err := d.Vault.Open(name, sealed); err == nil && isGood(secret) {
			return secret, nil
		}
	}
	secret, err := draft()
	if err != nil {
		return "", err
	}
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		// Another process may have made one at the same time.
		now, err := store.Setting(ctx, tx, name)
		if now != "" && now != sealed {
			secret, err = d.Vault.Open(name, now)
			return err
		}
		if err != nil {
			return err
		}
		return tx.SetSetting(name, d.Vault.Seal(name, secret))
	})
	return secret, wrapStoreError(err, "keep "+name)
}

// BeginCounting notes now as the time from which on [Upkeep.Moved] counts, unless a world
// or an earlier call has.
func (d Upkeep) BeginCounting(ctx context.Context) error {
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		if filled, err := store.Setting(ctx, tx, filledSetting); err != nil || filled != "" {
			return err
		}
		return tx.SetSetting(filledSetting, strconv.FormatInt(d.Now().UnixMilli(), 10))
	})
	return wrapStoreError(err, "begin")
}

// RecentMoves is what has moved since the store was filled.
type RecentMoves struct {
	Orders []store.Order // neither ended nor put away, those moved last first
	First  string        // uuid of the first order placed since then; "": none was
	Since  time.Time
}

// RecentlyMoved returns the orders that were placed or moved since the store was
// filled, up to a limit; none where it never was, and nobody has begun.
func (d Upkeep) RecentlyMoved(ctx context.Context, limit int) (m RecentMoves, err error) {
	_, m.Since, err = d.FilledTimes(ctx)
	if err != nil || m.Since.IsZero() {
		return m, err
	}
	m.Orders, m.First, err = d.Store.MovedSince(ctx, m.Since, limit)
	return m, wrapStoreError(err, "list moved orders")
}

// newUUID returns a UUID of version 7: it begins with the time, so that ids
// made one after the other lie together in an index.
func newUUID(at time.Time) string {
	var u [16]byte
	_, _ = rand.Read(u[:]) // never fails
	return FormUUID(at, u)
}

// FormUUID makes a UUID of version 7 of a time and 16 random bytes.
func FormUUID(at time.Time, u [16]byte) string {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
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

// scenarioSetting keeps how far a scenario is.
const scenarioSetting = "scenario"

// Scenario returns the stored progress of a scenario, "" for none.
func (d Upkeep) Scenario(ctx context.Context) (string, error) {
	text, err := store.Setting(ctx, d.Store, scenarioSetting)
	return text, wrapStoreError(err, "read the scenario")
}

// KeepScenario keeps how far a scenario is.
func (d Upkeep) KeepScenario(ctx context.Context, state string) error {
	err := d.Store.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting(scenarioSetting, state) })
	return wrapStoreError(err, "keep the scenario")
}

// Snapshots returns the kept states of the whole world, the newest first.
func (d Upkeep) Snapshots() ([]store.Snapshot, error) {
	all, err := d.Store.Snapshots()
	return all, wrapStoreError(err, "list snapshots")
}

// TakeSnapshot keeps the whole world, accounts, keys and clock included.
func (d Upkeep) TakeSnapshot(ctx context.Context, name string) (store.Snapshot, error) {
	taken, err := d.Store.TakeSnapshot(ctx, name)
	return taken, wrapStoreError(err, "take a snapshot")
}

// RestoreSnapshot brings the whole world back as it was. It returns the places
// of files that nothing names any more, to be tidied up.
func (d Upkeep) RestoreSnapshot(ctx context.Context, name string) (s store.Snapshot, unnamed []string, err error) {
	var webhooks []int64
	var places []string
	err = d.Store.Write(ctx, func(tx *store.Tx) (err error) {
		webhooks, err = tx.WebhookIDs()
		if err == nil {
			places, err = tx.FilePlaces()
		}
		return err
	})
	if err == nil {
		s, err = d.Store.RestoreSnapshot(ctx, name)
	}
	if errors.Is(err, store.ErrNotFound) {
		return s, nil, refuseRequest(api.CodeNotFound, "no snapshot %q", name)
	}
	if err == nil {
		d.forgetEndpoints(webhooks)
		unnamed, err = d.Store.UnreferencedFiles(ctx, places)
	}
	return s, unnamed, wrapStoreError(err, "restore a snapshot")
}

// straysAtOnce is how many files are looked at together.
const straysAtOnce = 512

// ErrManyStrays is that most of the files are in no record: more likely is that the
// database is not theirs.
var ErrManyStrays = errors.New("most files are not in the database, so none was deleted")

// DropStrays removes the files that an earlier run kept, but that no move has
// taken: it ended between the two. It returns those that it has removed.
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

// findStrays returns the files that no record names, if they are not the most.
func (d Upkeep) findStrays(ctx context.Context) (strays []string, err error) {
	var places []string
	seen := 0
	look := func() error {
		some, err := d.Store.UnreferencedFiles(ctx, places)
		strays = append(strays, some...)
		seen += len(places)
		places = places[:0]
		return err
	}
	for file, err := range d.Files.All(ctx) {
		if err != nil {
			return nil, fmt.Errorf("list files: %w", err)
		}
		if !file.Old {
			continue
		}
		places = append(places, file.Key)
		if len(places) < straysAtOnce {
			continue
		}
		if err := look(); err != nil {
			return nil, fmt.Errorf("look for stray files: %w", err)
		}
	}
	if err := look(); err != nil {
		return nil, fmt.Errorf("look for stray files: %w", err)
	}
	if 2*len(strays) > seen {
		return nil, fmt.Errorf("%w: %d of %d", ErrManyStrays, len(strays), seen)
	}
	return strays, nil
}
