package server

import (
	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func (h *operationsHandlers) listKeys(x *exchange, a store.Account) (handlerAnswer, error) {
	list := shownList{"ops/keys/" + a.UUID, api.DefaultPageLimit, "keys of " + a.CompanyName + ", newest first"}
	return answerList(h.handlerBase, x, list, a.ID, wireKey)
}

func wireKey(k store.Key) ops.AccountKey {
	return ops.AccountKey{
		UUID:        k.UUID,
		Hint:        k.Hint,
		Scopes:      k.Scopes,
		Description: k.Description,
		CreatedAt:   api.TimeOf(k.Created.UTC()),
		ExpiresAt:   timeInZone(k.Expires, k.ExpiresZone),
		RevokedAt:   api.TimeOf(k.Revoked.UTC()),
	}
}

// keyBody is the request body that issues a key.
type keyBody struct{ ops.KeyInput }

func (b *keyBody) checkMembers(r *bodyReader) { r.checkFuture("expiresAt", b.ExpiresAt) }

func (h *operationsHandlers) issueKey(x *exchange, a store.Account, in *keyBody) (handlerAnswer, error) {
	return issuedKey(h.domain.Accounts.IssueKey(x.r.Context(), a.UUID, domain.KeySpec{
		Scopes: in.Scopes, Description: in.Description, Expires: in.ExpiresAt.Time,
	}))
}

// issuedKey answers with a new key. No other answer contains the key.
func issuedKey(key string, record store.Key, err error) (handlerAnswer, error) {
	wire := wireKey(record)
	wire.Key = key
	return answerCreated("key issued; it is not shown again", wire, err)
}

func (h *operationsHandlers) revokeKey(x *exchange, k store.Key, _ *noBody) (handlerAnswer, error) {
	k, err := h.domain.Accounts.RevokeKey(x.r.Context(), k.UUID)
	return answerWith("key revoked", wireKey(k), err)
}

func (h *operationsHandlers) listKeyRequests(x *exchange) (handlerAnswer, error) {
	list := shownList{"ops/key-requests", api.DefaultPageLimit, "key requests, newest first"}
	return answerList(h.handlerBase, x, list, 0, wireKeyRequest)
}

func wireKeyRequest(r store.KeyRequest) ops.KeyRequest {
	return ops.KeyRequest{
		UUID:        r.UUID,
		AccountUID:  r.AccountUUID,
		IntendedUse: r.IntendedUse,
		Scopes:      r.Scopes,
		Status:      r.Status,
		Reason:      r.Reason,
		CreatedAt:   api.TimeOf(r.Created.UTC()),
		DecidedAt:   api.TimeOf(r.Decided.UTC()),
	}
}

func (h *operationsHandlers) requestKey(
	x *exchange, a store.Account, in *ops.KeyRequestInput,
) (handlerAnswer, error) {
	request, err := h.domain.Accounts.RequestKey(x.r.Context(), a, in.IntendedUse, in.Scopes)
	return answerCreated("key requested", wireKeyRequest(request), err)
}

func (h *operationsHandlers) approveKey(x *exchange, r store.KeyRequest, _ *noBody) (handlerAnswer, error) {
	return issuedKey(h.domain.Accounts.ApproveKey(x.r.Context(), r.UUID))
}

func (h *operationsHandlers) declineKey(x *exchange, r store.KeyRequest, in *reasonBody) (handlerAnswer, error) {
	r, err := h.domain.Accounts.DeclineKey(x.r.Context(), r.UUID, in.Reason)
	return answerWith("key request declined", wireKeyRequest(r), err)
}
