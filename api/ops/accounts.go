package ops

import (
	"context"
	"iter"

	"flightdesk/api"
)

// Account is a client account of the service.
type Account struct {
	UUID        string           `json:"uuid"`
	CompanyName string           `json:"companyName"`
	ClientName  string           `json:"clientName"`
	ClientEmail string           `json:"clientEmail"`
	Currency    string           `json:"currency"` // ISO 4217
	CreatedAt   api.Time         `json:"createdAt"`
	Extra       api.ExtraMembers `json:",embed"`
}

// AccountInput is the request to create an account. Only the company name is required.
type AccountInput struct {
	CompanyName string `json:"companyName" check:"required,name"`
	ClientName  string `json:"clientName,omitzero" check:"label"`
	ClientEmail string `json:"clientEmail,omitzero" check:"email"`
	Currency    string `json:"currency,omitzero" check:"currency"` // USD if empty
}

// AccountChange is a change of an account; nil fields stay unchanged.
type AccountChange struct {
	ClientName  *string `json:"clientName,omitzero" check:"clears,label"`
	ClientEmail *string `json:"clientEmail,omitzero" check:"clears,email"`
	Currency    *string `json:"currency,omitzero" check:"currency"`
}

// List returns one page of all accounts, newest first.
func (s *AccountsService) List(ctx context.Context, opts api.ListOptions) (*api.Page[Account], error) {
	return api.CallPage[Account](ctx, s.c, api.NewOperation("list accounts", "GET accounts"), opts)
}

// Create creates an account.
func (s *AccountsService) Create(ctx context.Context, in AccountInput) (*Account, error) {
	return api.CallOne[Account](ctx, s.c, api.NewOperation("create account", "POST accounts"), in)
}

// Change changes an account.
func (s *AccountsService) Change(ctx context.Context, uuid string, change AccountChange) (*Account, error) {
	return api.CallOne[Account](ctx, s.c, api.NewOperation("change account", "PATCH accounts/{}", uuid), change)
}

// All yields all accounts, newest first. It yields the first error and stops.
func (s *AccountsService) All(ctx context.Context) iter.Seq2[*Account, error] {
	return api.WalkList(ctx, api.MaxPageLimit, s.List)
}
