package domain

import (
	"context"
	"errors"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// Change changes an account. Existing orders and quotes do not change.
func (d Accounts) Change(ctx context.Context, uuid string, c ops.AccountChange) (store.Account, error) {
	var a store.Account
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		var err error
		a, err = store.ByUUID[store.Account](ctx, tx, uuid)
		if err != nil {
			return refuseMissing(err, "no account %q", uuid)
		}
		if c.ClientName != nil {
			a.ClientName = *c.ClientName
		}
		if c.ClientEmail != nil {
			a.ClientEmail = *c.ClientEmail
		}
		if c.Currency != nil {
			a.Currency = *c.Currency
		}
		return store.Update(tx, &a)
	})
	return a, wrapStoreError(err, "change account")
}

// RequestKey saves a request of an account for a key.
func (d Accounts) RequestKey(
	ctx context.Context, a store.Account, intendedUse string, scopes []api.Scope,
) (store.KeyRequest, error) {
	now := d.Now().UTC().Truncate(time.Millisecond) // the precision of the store
	r := store.KeyRequest{
		UUID:        newUUID(now),
		AccountID:   a.ID,
		AccountUUID: a.UUID,
		IntendedUse: intendedUse,
		Scopes:      scopes,
		Status:      ops.KeyRequestPending,
		Created:     now,
	}
	store.SetAuditSubject(ctx, r.UUID)
	err := d.Store.Write(ctx, func(tx *store.Tx) error { return store.Insert(tx, &r) })
	return r, wrapStoreError(err, "request key")
}

// ApproveKey issues the requested key. The key itself is only returned here.
func (d Accounts) ApproveKey(ctx context.Context, uuid string) (key string, record store.Key, err error) {
	_, err = d.decideKey(ctx, uuid, func(tx *store.Tx, r *store.KeyRequest) error {
		key, record = d.newKeyRecord(r.AccountID, KeySpec{Scopes: r.Scopes, Description: r.IntendedUse})
		store.SetAuditSubject(ctx, record.UUID)
		if err := store.Insert(tx, &record); err != nil {
			return err
		}
		r.Status = ops.KeyRequestApproved
		r.KeyID = &record.ID
		return nil
	})
	if err != nil {
		return "", store.Key{}, wrapStoreError(err, "approve key")
	}
	return key, record, nil
}

// DeclineKey declines a request for a key.
func (d Accounts) DeclineKey(ctx context.Context, uuid, reason string) (store.KeyRequest, error) {
	r, err := d.decideKey(ctx, uuid, func(_ *store.Tx, r *store.KeyRequest) error {
		r.Status = ops.KeyRequestDeclined
		r.Reason = &reason
		return nil
	})
	return r, wrapStoreError(err, "decline key")
}

// decideKey decides a pending request for a key and saves the request.
func (d Accounts) decideKey(
	ctx context.Context, uuid string, decide func(*store.Tx, *store.KeyRequest) error,
) (store.KeyRequest, error) {
	var r store.KeyRequest
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		var err error
		r, err = store.ByUUID[store.KeyRequest](ctx, tx, uuid)
		if err != nil {
			return refuseMissing(err, "key request not found")
		}
		if r.Status != ops.KeyRequestPending {
			return refuseRequest(api.CodeConflict, "the request is already %s", r.Status)
		}
		r.Decided = laterOf(d.Now(), r.Created)
		if err := decide(tx, &r); err != nil {
			return err
		}
		return store.Update(tx, &r)
	})
	return r, err
}

// OfAllAccounts returns a page of the orders of all accounts, newest first. For each order it
// counts the quotes that are not decided yet.
func (d Orders) OfAllAccounts(
	ctx context.Context, f store.OrderFilter, w store.ListWindow,
) (Page[store.OwnedOrder], error) {
	page, err := readPage(w, (*store.OwnedOrder).Position, func(w store.ListWindow) ([]store.OwnedOrder, error) {
		return d.Store.AllOrders(ctx, f, w, d.Now())
	})
	return page, wrapStoreError(err, "list orders")
}

// UUIDOf returns the UUID of the order with the code.
func (d Orders) UUIDOf(ctx context.Context, code string) (string, error) {
	uuid, err := store.UUIDOf[store.Order](ctx, d.Store, code)
	return uuid, wrapStoreError(refuseMissing(err, noOrder), "read order")
}

// CodeOf returns the code of the order with the UUID. The order can belong to any account.
func (d Orders) CodeOf(ctx context.Context, uuid string) (string, error) {
	code, err := store.CodeOf[store.Order](ctx, d.Store, uuid)
	return code, wrapStoreError(refuseMissing(err, noOrder), "read order")
}

// CodeOf returns the code of the mission with the UUID. The mission can belong to any account.
func (d Missions) CodeOf(ctx context.Context, uuid string) (string, error) {
	code, err := store.CodeOf[store.Mission](ctx, d.Store, uuid)
	return code, wrapStoreError(refuseMissing(err, noMission), "read mission")
}

// UUIDOfMission returns the UUID of the order that the mission with the code belongs to.
func (d Orders) UUIDOfMission(ctx context.Context, code string) (string, error) {
	uuid, err := Missions(d).UUIDOf(ctx, code)
	if err != nil {
		return "", err
	}
	o, _, err := d.Store.MissionByUUID(ctx, uuid)
	return o.UUID, wrapStoreError(err, "read order")
}

// UUIDOf returns the UUID of the mission with the code.
func (d Missions) UUIDOf(ctx context.Context, code string) (string, error) {
	uuid, err := store.UUIDOf[store.Mission](ctx, d.Store, code)
	return uuid, wrapStoreError(refuseMissing(err, noMission), "read mission")
}

// Detail returns everything about an order. uuid is the UUID of the order, or of one of its
// missions.
func (d Orders) Detail(ctx context.Context, uuid string) (store.OrderDetail, error) {
	detail, err := d.Store.OrderDetail(ctx, uuid)
	if errors.Is(err, store.ErrNotFound) {
		order, _, missionErr := d.Store.MissionByUUID(ctx, uuid)
		if missionErr == nil {
			detail, err = d.Store.OrderDetail(ctx, order.UUID)
		}
	}
	return detail, wrapStoreError(refuseMissing(err, noOrder), "read order")
}
