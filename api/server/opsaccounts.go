package server

import (
	"cmp"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

func (h *operationsHandlers) listAccounts(x *exchange) (handlerAnswer, error) {
	list := shownList{"ops/accounts", api.DefaultPageLimit, "accounts, newest first"}
	return answerList(h.handlerBase, x, list, 0, wireAccount)
}

func wireAccount(a store.Account) ops.Account {
	return ops.Account{
		UUID:        a.UUID,
		CompanyName: a.CompanyName,
		ClientName:  a.ClientName,
		ClientEmail: a.ClientEmail,
		Currency:    a.Currency,
		CreatedAt:   api.TimeOf(a.Created),
	}
}

// defaultCurrency is the currency of an account if none is given.
const defaultCurrency = "USD"

func (h *operationsHandlers) createAccount(x *exchange, in *ops.AccountInput) (handlerAnswer, error) {
	a, err := h.domain.Accounts.NewAccount(x.r.Context(), store.Account{
		CompanyName: in.CompanyName,
		ClientName:  in.ClientName,
		ClientEmail: in.ClientEmail,
		Currency:    cmp.Or(in.Currency, defaultCurrency),
	})
	return answerCreated("account of "+a.CompanyName+" created", wireAccount(a), err)
}

func (h *operationsHandlers) findAccount(x *exchange) (store.Account, error) {
	return h.domain.Accounts.Find(x.r.Context(), x.uuid())
}

func (h *operationsHandlers) changeAccount(
	x *exchange, a store.Account, in *ops.AccountChange,
) (handlerAnswer, error) {
	a, err := h.domain.Accounts.Change(x.r.Context(), a.UUID, *in)
	return answerWith("account of "+a.CompanyName, wireAccount(a), err)
}
