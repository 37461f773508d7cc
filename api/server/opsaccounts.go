package server

import (
	"net/http"
	"net/mail"
	"regexp"
	"unicode/utf8"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func (h *operationsHandlers) listAccounts(x *exchange) (handlerAnswer, error) {
	const list = "ops/accounts"
	read := func(w store.ListWindow) (domain.Page[store.Account], error) {
		return h.domain.Accounts.List(x.r.Context(), w)
	}
	return answerList(h.handlerBase, x, list, api.DefaultPageLimit, "accounts, newest first", read, wireAccount)
}

func wireAccount(a store.Account) api.Account {
	return api.Account{
		UUID: a.UUID, CompanyName: a.CompanyName, ClientName: a.ClientName, ClientEmail: a.ClientEmail,
		Currency: a.Currency, CreatedAt: api.TimeOf(a.Created),
	}
}

// defaultCurrency is an account's where nothing else is said.
const defaultCurrency = "USD"

func (h *operationsHandlers) createAccount(x *exchange) (handlerAnswer, error) {
	body, err := x.readBody()
	if err != nil {
		return handlerAnswer{}, err
	}
	a := store.Account{Currency: defaultCurrency}
	err = readJSON(body, nil, func(r *bodyReader) error {
		return r.objectWith(
			[]bodyMember{{"companyName", func() error { return r.readName(&a.CompanyName) }}},
			[]bodyMember{
				{"clientName", func() error { return r.readPlain(api.MaxNameLength, &a.ClientName) }},
				{"clientEmail", func() error { return r.readEmail(&a.ClientEmail) }},
				{"currency", func() error { return r.readCurrency(&a.Currency) }},
			},
		)
	})
	if err != nil {
		return handlerAnswer{}, err
	}
	if a, err = h.domain.Accounts.NewAccount(x.r.Context(), a); err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{status: http.StatusCreated, message: "account of " + a.CompanyName + " created", data: wireAccount(a)}, nil
}

func (h *operationsHandlers) changeAccount(x *exchange) (handlerAnswer, error) {
	account, err := h.domain.Accounts.Find(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	body, err := x.readBody()
	if err != nil {
		return handlerAnswer{}, err
	}
	var c domain.AccountChange
	err = readJSON(body, nil, func(r *bodyReader) error {
		return r.readPatch([]bodyMember{
			{"clientName", func() error { return r.readPlain(api.MaxNameLength, ensureValue(&c.ClientName)) }},
			{"clientEmail", func() error { return r.readEmail(ensureValue(&c.ClientEmail)) }},
			{"currency", func() error { return r.readCurrency(ensureValue(&c.Currency)) }},
		}, []func(){
			func() { ensureValue(&c.ClientName) },
			func() { ensureValue(&c.ClientEmail) },
			func() { *ensureValue(&c.Currency) = defaultCurrency },
		})
	})
	if err != nil {
		return handlerAnswer{}, err
	}
	if account, err = h.domain.Accounts.Change(x.r.Context(), account.UUID, c); err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{message: "account of " + account.CompanyName, data: wireAccount(account)}, nil
}

// ensureValue puts a new zero value where there is none.
func ensureValue[T any](p **T) *T {
	*p = new(T)
	return *p
}

func (h *operationsHandlers) listKeys(x *exchange) (handlerAnswer, error) {
	account, err := h.domain.Accounts.Find(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	list := "ops/keys/" + account.UUID
	read := func(w store.ListWindow) (domain.Page[store.Key], error) {
		return h.domain.Accounts.Keys(x.r.Context(), account, w)
	}
	return answerList(h.handlerBase, x, list, api.DefaultPageLimit, "keys of "+account.CompanyName+", newest first", read, wireKey)
}

func wireKey(k store.Key) api.AccountKey {
	return api.AccountKey{
		UUID: k.UUID, Hint: k.Hint, Scopes: k.Scopes, Description: k.Description, CreatedAt: api.TimeOf(k.Created.UTC()),
		ExpiresAt: api.TimeOf(k.Expires.UTC()), RevokedAt: api.TimeOf(k.Revoked.UTC()),
	}
}

func (h *operationsHandlers) issueKey(x *exchange) (handlerAnswer, error) {
	account, err := h.domain.Accounts.Find(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	body, err := x.readBody()
	if err != nil {
		return handlerAnswer{}, err
	}
	var spec domain.KeySpec
	var expires api.Time
	err = readJSON(body, nil, func(r *bodyReader) error {
		err := r.objectWith(
			[]bodyMember{{"scopes", func() error { return r.readScopes(&spec.Scopes) }}},
			[]bodyMember{
				{"description", func() error { return r.readPlain(api.MaxTextLength, &spec.Description) }},
				{"expiresAt", func() error { return r.readDate(&expires) }},
			},
		)
		if !expires.IsZero() && !expires.After(h.now()) {
			r.faultAt("expiresAt", "is in the past")
		}
		return err
	})
	if err != nil {
		return handlerAnswer{}, err
	}
	spec.Expires = expires.Time
	key, record, err := h.domain.Accounts.IssueKey(x.r.Context(), account.UUID, spec)
	if err != nil {
		return handlerAnswer{}, err
	}
	return issuedKey(key, record), nil
}

// issuedKey returns the one answer that has a key in it.
func issuedKey(key string, record store.Key) handlerAnswer {
	wire := wireKey(record)
	wire.Key = key
	return handlerAnswer{status: http.StatusCreated, message: "key issued; it is not shown again", data: wire}
}

func (h *operationsHandlers) revokeKey(x *exchange) (handlerAnswer, error) {
	uuid := x.r.PathValue("uuid")
	if _, err := h.domain.Accounts.Key(x.r.Context(), uuid); err != nil {
		return handlerAnswer{}, err
	}
	if err := x.readNothing(); err != nil {
		return handlerAnswer{}, err
	}
	if err := h.domain.Accounts.RevokeKey(x.r.Context(), uuid); err != nil {
		return handlerAnswer{}, err
	}
	k, err := h.domain.Accounts.Key(x.r.Context(), uuid)
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{message: "key revoked", data: wireKey(k)}, nil
}

func (h *operationsHandlers) listKeyRequests(x *exchange) (handlerAnswer, error) {
	const list = "ops/key-requests"
	read := func(w store.ListWindow) (domain.Page[store.KeyRequest], error) {
		return h.domain.Accounts.KeyRequests(x.r.Context(), w)
	}
	return answerList(h.handlerBase, x, list, api.DefaultPageLimit, "key requests, newest first", read, wireKeyRequest)
}

func wireKeyRequest(r store.KeyRequest) api.KeyRequest {
	return api.KeyRequest{
		UUID: r.UUID, AccountUID: r.AccountUUID, IntendedUse: r.IntendedUse, Scopes: r.Scopes, Status: r.Status,
		Reason: r.Reason, CreatedAt: api.TimeOf(r.Created.UTC()), DecidedAt: api.TimeOf(r.Decided.UTC()),
	}
}

func (h *operationsHandlers) requestKey(x *exchange) (handlerAnswer, error) {
	account, err := h.domain.Accounts.Find(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	body, err := x.readBody()
	if err != nil {
		return handlerAnswer{}, err
	}
	var use string
	var scopes []api.Scope
	err = readJSON(body, nil, func(r *bodyReader) error {
		return r.readObject(
			bodyMember{"intendedUse", func() error { return r.readText(api.MaxTextLength, &use) }},
			bodyMember{"scopes", func() error { return r.readScopes(&scopes) }},
		)
	})
	if err != nil {
		return handlerAnswer{}, err
	}
	request, err := h.domain.Accounts.RequestKey(x.r.Context(), account, use, scopes)
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{status: http.StatusCreated, message: "key requested", data: wireKeyRequest(request)}, nil
}

func (h *operationsHandlers) approveKey(x *exchange) (handlerAnswer, error) {
	if _, err := h.domain.Accounts.KeyRequest(x.r.Context(), x.r.PathValue("uuid")); err != nil {
		return handlerAnswer{}, err
	}
	if err := x.readNothing(); err != nil {
		return handlerAnswer{}, err
	}
	key, record, err := h.domain.Accounts.ApproveKey(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	return issuedKey(key, record), nil
}

func (h *operationsHandlers) declineKey(x *exchange) (handlerAnswer, error) {
	if _, err := h.domain.Accounts.KeyRequest(x.r.Context(), x.r.PathValue("uuid")); err != nil {
		return handlerAnswer{}, err
	}
	reason, err := x.readReason()
	if err != nil {
		return handlerAnswer{}, err
	}
	request, err := h.domain.Accounts.DeclineKey(x.r.Context(), x.r.PathValue("uuid"), reason)
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{message: "key request declined", data: wireKeyRequest(request)}, nil
}

// readScopes reads the scopes of a key: one or more.
func (r *bodyReader) readScopes(into *[]api.Scope) error {
	n, err := readChoices(r, api.Scopes(), into)
	if n == 0 && err == nil {
		r.noteFault("needs at least one scope")
	}
	return err
}

// readPlain reads a text of up to limit characters that may be empty.
func (r *bodyReader) readPlain(limit int, into *string) error {
	ok, err := r.expectKind('"')
	if !ok {
		return err
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	*into = token.String()
	if n := utf8.RuneCountInString(*into); n > limit {
		r.noteFault("is %d characters long; the limit is %d", n, limit)
	}
	return nil
}

// readEmail reads an address without a name, or nothing.
func (r *bodyReader) readEmail(into *string) error {
	if err := r.readPlain(api.MaxNameLength, into); err != nil || *into == "" {
		return err
	}
	if a, err := mail.ParseAddress(*into); err != nil || a.Address != *into {
		r.noteFault("is not an e-mail address")
	}
	return nil
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// readCurrency reads a code of ISO 4217.
func (r *bodyReader) readCurrency(into *string) error {
	if err := r.readPlain(api.MaxNameLength, into); err != nil {
		return err
	}
	if !currencyCode.MatchString(*into) {
		r.noteFault("must be a currency code of three capital letters, as in EUR")
	}
	return nil
}
