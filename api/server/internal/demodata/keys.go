package demodata

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// addKeys adds an account's requests for keys and its keys. The hashes of the keys are
// random, so nobody can use the keys.
func (m *worldMaker) addKeys(w *domain.SeedWorld, a demoAccount) {
	expired := m.makeKey(m.daysAgo(420), "API trial", api.ScopeOrdersRead)
	expired.Expires = m.daysAgo(330)
	revoked := m.makeKey(m.daysAgo(150), "former colleague's laptop", api.Scopes()...)
	revoked.Revoked = m.daysAgo(61)
	granted := m.makeKey(m.daysAgo(33), a.ApprovedUse, api.ScopeOrdersRead, api.ScopeFilesRead)
	for _, key := range []store.Key{expired, revoked, granted} {
		w.Keys = append(w.Keys, domain.PastKey{AccountUUID: a.UUID, Key: key})
	}

	declined := m.makeKeyRequest(m.daysAgo(47), "student's script, all scopes", api.Scopes()...)
	reason := "request only the scopes the script needs"
	declined.Status = ops.KeyRequestDeclined
	declined.Reason = &reason
	declined.Decided = m.daysAgo(46)
	approved := m.makeKeyRequest(m.daysAgo(34), a.ApprovedUse, api.ScopeOrdersRead, api.ScopeFilesRead)
	approved.Status = ops.KeyRequestApproved
	approved.Decided = m.daysAgo(33)
	pending := m.makeKeyRequest(
		m.daysAgo(0.3), a.PendingUse, api.ScopeOrdersRead, api.ScopeWebhooksRead, api.ScopeWebhooksWrite)
	w.KeyRequests = append(w.KeyRequests,
		domain.PastKeyRequest{AccountUUID: a.UUID, KeyRequest: declined},
		domain.PastKeyRequest{AccountUUID: a.UUID, KeyRequest: approved, KeyUUID: granted.UUID},
		domain.PastKeyRequest{AccountUUID: a.UUID, KeyRequest: pending},
	)
}

// makeKey returns a key whose hash and hint are random. The hint of a key is its last four
// characters.
func (m *worldMaker) makeKey(created time.Time, description string, scopes ...api.Scope) store.Key {
	hash := sha256.Sum256(m.randomBytes())
	return store.Key{
		UUID:        m.newUUID(created),
		Hash:        hex.EncodeToString(hash[:]),
		Hint:        keyHint(m.randomBytes()),
		Scopes:      scopes,
		Description: description,
		Created:     created,
	}
}

// makeKeyRequest returns a pending request for a key.
func (m *worldMaker) makeKeyRequest(created time.Time, use string, scopes ...api.Scope) store.KeyRequest {
	return store.KeyRequest{
		UUID:        m.newUUID(created),
		IntendedUse: use,
		Scopes:      scopes,
		Status:      ops.KeyRequestPending,
		Created:     created,
	}
}

// keyHint returns random characters like the last four of a key.
func keyHint(random []byte) string {
	const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz"
	hint := make([]byte, 4)
	for i := range hint {
		hint[i] = letters[int(random[i])%len(letters)]
	}
	return string(hint)
}
