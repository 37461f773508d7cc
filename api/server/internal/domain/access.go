package domain

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

const (
	keyPrefix   = "fd_test_"
	keyAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	keyLength   = 43 // base62 characters, enough for 32 bytes
)

// Caller is the account that sends a request, and the permissions of its key.
type Caller struct {
	Account store.Account
	KeyUUID string
	KeyHint string // the key's last four characters
	Scopes  []api.Scope
}

// HasScope reports whether the caller's key has the scope.
func (c *Caller) HasScope(scope api.Scope) bool { return slices.Contains(c.Scopes, scope) }

// Authenticate returns the caller with a key. It looks the key up for every request, so
// that a revoked key is refused from the next request on. For a revoked or expired key it
// returns an [*Error] with the caller in Refused.
func (d Accounts) Authenticate(ctx context.Context, key string) (*Caller, error) {
	if !wellFormedKey(key) {
		return nil, refuseRequest(api.CodeUnauthenticated, "the API key is missing or malformed")
	}
	holder, err := d.Store.KeyByHash(ctx, hashKey(key))
	if errors.Is(err, store.ErrNotFound) {
		return nil, refuseRequest(api.CodeUnauthenticated, "the API key is unknown")
	}
	if err != nil {
		return nil, wrapStoreError(err, "look up API key")
	}
	k := holder.Key
	caller := &Caller{
		Account: holder.Account,
		KeyUUID: k.UUID,
		KeyHint: k.Hint,
		Scopes:  k.Scopes,
	}
	if !k.Revoked.IsZero() {
		return nil, refuseKey(caller, api.CodeKeyRevoked, "was revoked", k.Revoked)
	}
	if !k.Expires.IsZero() && !d.Now().Before(k.Expires) {
		return nil, refuseKey(caller, api.CodeKeyExpired, "expired", k.Expires)
	}
	return caller, nil
}

// refuseKey returns the error for a key that is no longer valid. ended says how the validity
// ended, such as "expired", and at is the time when it ended.
func refuseKey(c *Caller, code api.ErrorCode, ended string, at time.Time) *Error {
	refusal := refuseRequest(code, "the API key ••••%s %s on %s; use another key",
		c.KeyHint, ended, at.UTC().Format(time.DateOnly))
	refusal.Refused = c
	return refusal
}

// KeySpec describes a key to issue.
type KeySpec struct {
	Key         string // from NewKey; if empty, it is generated
	Scopes      []api.Scope
	Description string
	Expires     time.Time // zero if the key never expires
}

// IssueKey issues a key for an account. The key itself is only returned here; the store
// has its hash.
func (d Accounts) IssueKey(
	ctx context.Context, accountUUID string, spec KeySpec,
) (key string, record store.Key, err error) {
	if err := checkScopes(spec.Scopes); err != nil {
		return "", store.Key{}, err
	}
	account, err := d.Find(ctx, accountUUID)
	if err != nil {
		return "", store.Key{}, err
	}
	key, record = d.newKeyRecord(account.ID, spec)
	store.SetAuditSubject(ctx, record.UUID)
	err = d.Store.Write(ctx, func(tx *store.Tx) error { return store.Insert(tx, &record) })
	if err != nil {
		return "", store.Key{}, wrapStoreError(err, "issue API key")
	}
	return key, record, nil
}

// newKeyRecord returns a new key and its record, which is not stored yet.
func (d Accounts) newKeyRecord(accountID int64, spec KeySpec) (key string, record store.Key) {
	key = spec.Key
	if key == "" {
		key = NewKey()
	}
	now := d.Now().Truncate(time.Millisecond)
	_, zone := spec.Expires.Zone()
	return key, store.Key{
		UUID:        newUUID(now),
		AccountID:   accountID,
		Hash:        hashKey(key),
		Hint:        key[len(key)-4:],
		Scopes:      spec.Scopes,
		Description: spec.Description,
		Created:     now,
		Expires:     spec.Expires.Truncate(time.Millisecond),
		ExpiresZone: zone,
	}
}

func checkScopes(scopes []api.Scope) error {
	if len(scopes) == 0 {
		return refuseRequest(api.CodeValidationFailed, "a key needs at least one scope of %v", api.Scopes())
	}
	for _, s := range scopes {
		if !slices.Contains(api.Scopes(), s) {
			return refuseRequest(api.CodeValidationFailed, "%q is not a scope; the scopes are %v",
				s, api.Scopes())
		}
	}
	return nil
}

// RevokeKey revokes a key. Revoking it again changes nothing.
func (d Accounts) RevokeKey(ctx context.Context, uuid string) (store.Key, error) {
	var k store.Key
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		var err error
		k, err = store.ByUUID[store.Key](ctx, tx, uuid)
		if err != nil {
			return refuseMissing(err, "no key %q", uuid)
		}
		if !k.Revoked.IsZero() {
			return nil
		}
		k.Revoked = laterOf(d.Now(), k.Created)
		return store.Update(tx, &k)
	})
	return k, wrapStoreError(err, "revoke API key")
}

// Find returns an account.
func (d Accounts) Find(ctx context.Context, uuid string) (store.Account, error) {
	a, err := store.ByUUID[store.Account](ctx, d.Store, uuid)
	return a, wrapStoreError(refuseMissing(err, "no account %q", uuid), "read account")
}

// NewAccount adds an account and sets its creation time, and its UUID if it has none.
func (d Accounts) NewAccount(ctx context.Context, a store.Account) (store.Account, error) {
	a.Created = d.Now().UTC().Truncate(time.Millisecond)
	if a.UUID == "" {
		a.UUID = newUUID(a.Created)
	}
	store.SetAuditSubject(ctx, a.UUID)
	err := d.Store.Write(ctx, func(tx *store.Tx) error { return store.Insert(tx, &a) })
	return a, wrapStoreError(err, "create account")
}

// NewKey returns a key of 256 random bits in base62 after the prefix.
func NewKey() string {
	key := make([]byte, 0, len(keyPrefix)+keyLength)
	key = append(key, keyPrefix...)
	var random [2 * keyLength]byte
	for {
		_, _ = rand.Read(random[:]) // never fails
		for _, b := range random {
			// Skip the last bytes: 256 is no multiple of 62, so some characters would be more
			// likely than others.
			if b >= 4*62 {
				continue
			}
			key = append(key, keyAlphabet[b%62])
			if len(key) == cap(key) {
				return string(key)
			}
		}
	}
}

func wellFormedKey(key string) bool {
	secret, ok := strings.CutPrefix(key, keyPrefix)
	return ok && len(secret) == keyLength && strings.Trim(secret, keyAlphabet) == ""
}

func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}
