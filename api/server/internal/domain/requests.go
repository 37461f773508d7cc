package domain

import (
	"context"
	"errors"
	"strings"
	"time"

	"flightdesk/api/server/internal/store"
)

// Requests manages the log of the accounts' requests. The people who support the clients search the log for
// the requests about an order or a mission.
type Requests struct{ *ServiceParts }

// Limits of the request log, see [Requests.Drop].
const (
	requestAge  = 30 * 24 * time.Hour
	maxRequests = 500_000
)

// LoggedRequest is a request to record with [Requests.Record]. If the account is unknown,
// Record finds it by the key or the file.
type LoggedRequest struct {
	store.Request
	KeyHash string // hash of the key that was sent, if the account is unknown; otherwise ""
	FileID  int64  // file whose link was used; 0 if none was used
}

// HashKey returns the hash by which an API key is found, or "" if the key is malformed.
func HashKey(key string) string {
	if !wellFormedKey(key) {
		return ""
	}
	return hashKey(key)
}

// Record saves requests. It first sets the account of each request, if the account can be found. It
// then leaves out the requests for which isWanted returns false.
func (d Requests) Record(ctx context.Context, requests []LoggedRequest, isWanted func(*LoggedRequest) bool) error {
	var rows []*store.Request
	for i := range requests {
		r := &requests[i]
		if err := d.addAccount(ctx, r); err != nil {
			return wrapStoreError(err, "look up the account of a request")
		}
		if isWanted(r) {
			rows = append(rows, &r.Request)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	err := d.Store.Write(ctx, func(tx *store.Tx) error { return store.Insert(tx, rows...) })
	return wrapStoreError(err, "record requests")
}

// addAccount sets the account of a request from its key or file.
func (d Requests) addAccount(ctx context.Context, r *LoggedRequest) error {
	if r.AccountID != 0 {
		return nil
	}
	if r.FileID != 0 {
		return d.addOwnerOfFile(ctx, r)
	}
	if r.KeyHash != "" {
		return d.addHolderOfKey(ctx, r)
	}
	return nil
}

// addOwnerOfFile sets the account of a request to the account of the file, and the subject to the
// file's package.
func (d Requests) addOwnerOfFile(ctx context.Context, r *LoggedRequest) error {
	owner, err := d.Store.OwnerOfFile(ctx, r.FileID)
	if err != nil {
		return err
	}
	r.AccountID = owner.AccountID
	r.Subject = owner.PackageUUID
	return nil
}

// addHolderOfKey sets the account and the key of a request from the hash of its key. It changes nothing if the
// key is unknown.
func (d Requests) addHolderOfKey(ctx context.Context, r *LoggedRequest) error {
	holder, err := d.Store.KeyByHash(ctx, r.KeyHash)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	r.AccountID = holder.Account.ID
	r.KeyUUID = holder.Key.UUID
	r.KeyHint = holder.Key.Hint
	return nil
}

// Drop deletes requests that are older than requestAge, and the oldest ones if there are more
// than maxRequests. It returns the number of deleted requests.
func (d Requests) Drop(ctx context.Context) (int, error) {
	dropped, err := d.Store.DropRequests(ctx, d.Now().Add(-requestAge), maxRequests)
	return dropped, wrapStoreError(err, "drop requests")
}

// About limits a filter to the requests about an order or a mission, given by code or
// UUID.
func (d Requests) About(ctx context.Context, f *store.RequestFilter, subject string) error {
	if strings.HasPrefix(subject, "ORD-") {
		order, err := d.Store.OrderByCode(ctx, subject)
		if err != nil {
			return wrapStoreError(refuseMissing(err, "no order %q", subject), "find order")
		}
		f.OrderID = order.ID
		return nil
	}
	if strings.HasPrefix(subject, "MSN-") {
		uuid, err := store.UUIDOf[store.Mission](ctx, d.Store, subject)
		if err != nil {
			return wrapStoreError(refuseMissing(err, "no mission %q", subject), "find mission")
		}
		return d.aboutUUID(ctx, f, uuid)
	}
	return d.aboutUUID(ctx, f, subject)
}

// aboutUUID limits a filter to the requests about the mission or the order with a UUID.
func (d Requests) aboutUUID(ctx context.Context, f *store.RequestFilter, uuid string) error {
	mission, err := store.ByUUID[store.Mission](ctx, d.Store, uuid)
	if err == nil {
		f.MissionID = mission.ID
		return nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return wrapStoreError(err, "find mission")
	}
	order, err := store.ByUUID[store.Order](ctx, d.Store, uuid)
	if err != nil {
		return wrapStoreError(refuseMissing(err, "no order or mission %q", uuid), "find order")
	}
	f.OrderID = order.ID
	return nil
}

// List returns a page of the requests that a filter selects, newest first.
func (d Requests) List(ctx context.Context, f store.RequestFilter, w store.ListWindow) (Page[store.Request], error) {
	page, err := readPage(w, store.PlaceOf[store.Request], func(w store.ListWindow) ([]store.Request, error) {
		return d.Store.Requests(ctx, f, w)
	})
	return page, wrapStoreError(err, "list requests")
}
