package ops

import (
	"context"
	"iter"

	"flightdesk/api"
)

// AccountKey is an API key of an account. Only the response that issues a key contains Key.
type AccountKey struct {
	UUID        string           `json:"uuid"`
	Key         string           `json:"key,omitzero"`
	Hint        string           `json:"hint"` // last four characters of the key
	Scopes      []api.Scope      `json:"scopes"`
	Description string           `json:"description"`
	CreatedAt   api.Time         `json:"createdAt"`
	ExpiresAt   api.Time         `json:"expiresAt"` // zero if it never expires
	RevokedAt   api.Time         `json:"revokedAt"` // zero unless revoked
	Extra       api.ExtraMembers `json:",embed"`
}

// KeyInput is the request to issue a key.
type KeyInput struct {
	Scopes      []api.Scope `json:"scopes" check:"required"`
	Description string      `json:"description,omitzero" check:"remark"`
	ExpiresAt   api.Time    `json:"expiresAt,omitzero" check:"optional"` // zero if it never expires
}

// KeyRequestStatus is the status of a request for an API key.
type KeyRequestStatus string

// The statuses of a request for an API key.
const (
	KeyRequestPending  KeyRequestStatus = "pending"
	KeyRequestApproved KeyRequestStatus = "approved"
	KeyRequestDeclined KeyRequestStatus = "declined"
)

// KeyRequestStatuses lists the statuses of a request for an API key.
func KeyRequestStatuses() []KeyRequestStatus {
	return []KeyRequestStatus{KeyRequestPending, KeyRequestApproved, KeyRequestDeclined}
}

// KeyRequest is an account's request for an API key.
type KeyRequest struct {
	UUID        string           `json:"uuid"`
	AccountUID  string           `json:"accountUid"`
	IntendedUse string           `json:"intendedUse"`
	Scopes      []api.Scope      `json:"scopes"`
	Status      KeyRequestStatus `json:"status"`
	Reason      *string          `json:"reason"` // reason for declining
	CreatedAt   api.Time         `json:"createdAt"`
	DecidedAt   api.Time         `json:"decidedAt"`
	Extra       api.ExtraMembers `json:",embed"`
}

// KeyRequestInput is the request of an account for an API key.
type KeyRequestInput struct {
	IntendedUse string      `json:"intendedUse" check:"required,text"`
	Scopes      []api.Scope `json:"scopes" check:"required"`
}

// List returns one page of an account's keys, newest first. Key is empty.
func (s *KeysService) List(ctx context.Context, accountUUID string, opts api.ListOptions) (*api.Page[AccountKey], error) {
	return api.CallPage[AccountKey](ctx, s.c, api.NewOperation("list keys", "GET accounts/{}/keys", accountUUID), opts)
}

// Issue issues a key for an account. Only this response contains the key.
func (s *KeysService) Issue(ctx context.Context, accountUUID string, in KeyInput) (*AccountKey, error) {
	return api.CallOne[AccountKey](ctx, s.c, api.NewOperation("issue key", "POST accounts/{}/keys", accountUUID), in)
}

// Revoke revokes a key at once. Repeating it changes nothing.
func (s *KeysService) Revoke(ctx context.Context, keyUUID string) (*AccountKey, error) {
	return api.CallOne[AccountKey](ctx, s.c, api.NewOperation("revoke key", "POST keys/{}/revoke", keyUUID).Repeatable(), nil)
}

// Requests returns one page of all requests for keys, newest first.
func (s *KeysService) Requests(ctx context.Context, opts api.ListOptions) (*api.Page[KeyRequest], error) {
	return api.CallPage[KeyRequest](ctx, s.c, api.NewOperation("list key requests", "GET key-requests"), opts)
}

// Request creates a request for a key.
func (s *KeysService) Request(ctx context.Context, accountUUID string, in KeyRequestInput) (*KeyRequest, error) {
	op := api.NewOperation("request key", "POST accounts/{}/key-requests", accountUUID)
	return api.CallOne[KeyRequest](ctx, s.c, op, in)
}

// Approve approves a request and issues its key. Only this response contains the key.
func (s *KeysService) Approve(ctx context.Context, requestUUID string) (*AccountKey, error) {
	op := api.NewOperation("approve key", "POST key-requests/{}/approve", requestUUID)
	return api.CallOne[AccountKey](ctx, s.c, op, nil)
}

// Decline declines a request.
func (s *KeysService) Decline(ctx context.Context, requestUUID, reason string) (*KeyRequest, error) {
	op := api.NewOperation("decline key", "POST key-requests/{}/decline", requestUUID)
	return api.CallOne[KeyRequest](ctx, s.c, op, map[string]string{"reason": reason})
}

// All yields an account's keys, newest first. It yields the first error and stops.
func (s *KeysService) All(ctx context.Context, accountUUID string) iter.Seq2[*AccountKey, error] {
	op := api.NewOperation("list keys", "GET accounts/{}/keys", accountUUID)
	return api.ListAll[AccountKey](ctx, s.c, op, api.MaxPageLimit)
}

// AllRequests yields all requests for keys, newest first. It yields the first error and stops.
func (s *KeysService) AllRequests(ctx context.Context) iter.Seq2[*KeyRequest, error] {
	return api.WalkList(ctx, api.MaxPageLimit, s.Requests)
}
