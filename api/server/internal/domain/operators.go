package domain

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

const operatorPrefix = "fd_op_"

// Authenticate returns the operator with a key. It looks the key up for every request, so
// that a revoked key is refused from the next request on.
func (d Operators) Authenticate(ctx context.Context, key string) (store.Operator, error) {
	denied := refuseRequest(api.CodeUnauthenticated, "the operations key is missing, wrong or revoked")
	if !strings.HasPrefix(key, operatorPrefix) {
		return store.Operator{}, denied
	}
	hash := hashKey(key)
	o, err := d.Store.OperatorByHash(ctx, hash)
	if errors.Is(err, store.ErrNotFound) {
		return o, denied
	}
	if err != nil {
		return o, wrapStoreError(err, "look up operations key")
	}
	isCurrent := o.Hash == hash || d.Now().Before(o.OldUntil)
	if !o.Revoked.IsZero() || !isCurrent {
		return o, denied
	}
	return o, nil
}

// ChangesOf returns a page of the changes made to an order through the operations API,
// newest first.
func (d Operators) ChangesOf(ctx context.Context, o store.Order, w store.ListWindow) (Page[store.AuditEntry], error) {
	page, err := readPage(w, store.PlaceOf[store.AuditEntry], func(w store.ListWindow) ([]store.AuditEntry, error) {
		return d.Store.ChangesOfOrder(ctx, o.ID, w)
	})
	return page, wrapStoreError(err, "list changes")
}

// Record saves the audit entry of a request that has changed nothing else in the store.
func (d Operators) Record(ctx context.Context, e *store.AuditEntry) error {
	err := d.Store.Write(store.Audited(ctx, e), func(*store.Tx) error { return nil })
	return wrapStoreError(err, "record audit")
}

// Add adds an operator with a new key. The key itself is only returned here.
func (d Operators) Add(ctx context.Context, name string, role ops.Role) (key string, o store.Operator, err error) {
	now := d.Now().UTC().Truncate(time.Millisecond)
	o = store.Operator{UUID: newUUID(now), Name: name, Role: role, Created: now}
	key = setNewKey(&o)
	store.SetAuditSubject(ctx, o.UUID)
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		names, err := tx.OperatorNames()
		if err != nil {
			return err
		}
		if err := checkNameFree(name, names); err != nil {
			return err
		}
		return store.Insert(tx, &o)
	})
	return key, o, wrapStoreError(err, "add user")
}

// checkNameFree returns an error if a name looks like the name of another operator, or like the
// name of the operations key in the audit trail.
func checkNameFree(name string, taken []string) error {
	if canonicalName(name) == canonicalName(ops.OperationsKey) {
		return refuseRequest(api.CodeConflict,
			"%q is the name of the operations key in the audit trail; use another name", name)
	}
	for _, other := range taken {
		if canonicalName(name) == canonicalName(other) {
			return refuseRequest(api.CodeConflict,
				"there is a user %q; rotate its key, or revoke it first", other)
		}
	}
	return nil
}

// canonicalName returns the same text for names that look the same: upper and lower case,
// composed characters and characters of other widths make no difference.
func canonicalName(name string) string {
	return strings.ToLower(norm.NFKC.String(name))
}

// Rotate gives an operator a new key. The previous key stays valid for the overlap.
func (d Operators) Rotate(
	ctx context.Context, uuid string, overlap time.Duration,
) (key string, o store.Operator, err error) {
	o, err = d.changeOperator(ctx, uuid, func(o *store.Operator) error {
		if !o.Revoked.IsZero() {
			return refuseRequest(api.CodeConflict, "the user %s is revoked; add a new one", o.Name)
		}
		o.OldHash = o.Hash
		o.OldUntil = time.Time{}
		if overlap > 0 {
			o.OldUntil = d.Now().UTC().Add(overlap).Truncate(time.Millisecond)
		}
		key = setNewKey(o)
		return nil
	})
	return key, o, wrapStoreError(err, "rotate key")
}

// Revoke revokes the keys of an operator. Revoking again changes nothing.
func (d Operators) Revoke(ctx context.Context, uuid string) (store.Operator, error) {
	o, err := d.changeOperator(ctx, uuid, func(o *store.Operator) error {
		if o.Revoked.IsZero() {
			o.Revoked = laterOf(d.Now(), o.Created)
			o.OldUntil = time.Time{}
		}
		return nil
	})
	return o, wrapStoreError(err, "revoke user")
}

// changeOperator changes a user of the operations API and saves the user.
func (d Operators) changeOperator(
	ctx context.Context, uuid string, change func(*store.Operator) error,
) (store.Operator, error) {
	var o store.Operator
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		var err error
		o, err = store.ByUUID[store.Operator](ctx, tx, uuid)
		if err != nil {
			return refuseMissing(err, "user not found")
		}
		if err := change(&o); err != nil {
			return err
		}
		return store.Update(tx, &o)
	})
	return o, err
}

// setNewKey generates a key for an operator and sets its hash and its last characters.
func setNewKey(o *store.Operator) string {
	key := operatorPrefix + rand.Text()
	o.Hash = hashKey(key)
	o.Hint = key[len(key)-4:]
	return key
}

// FindActive returns the operator with a UUID, or an error if the operator is revoked.
func (d Operators) FindActive(ctx context.Context, uuid string) (store.Operator, error) {
	o, err := store.ByUUID[store.Operator](ctx, d.Store, uuid)
	if err != nil {
		return store.Operator{}, refuseUnknownUser(err)
	}
	return checkActive(o)
}

// FindNamed returns the operator with a name, or an error if the operator is revoked.
func (d Operators) FindNamed(ctx context.Context, name string) (store.Operator, error) {
	o, err := d.Store.OperatorNamed(ctx, name)
	if err != nil {
		return store.Operator{}, refuseUnknownUser(err)
	}
	return checkActive(o)
}

var errUnknownUser = refuseRequest(api.CodeUnauthenticated, "unknown or revoked user")

// refuseUnknownUser returns the error for a failed lookup of an operator. err is the error of the
// store.
func refuseUnknownUser(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return errUnknownUser
	}
	return wrapStoreError(err, "look up user")
}

// checkActive returns the operator, or an error if the operator is revoked.
func checkActive(o store.Operator) (store.Operator, error) {
	if !o.Revoked.IsZero() {
		return store.Operator{}, errUnknownUser
	}
	return o, nil
}
