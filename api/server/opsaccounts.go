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

func (h *operations) listAccounts(x *exchange) (answer, error) {
	const list = "ops/accounts"
	read := func(w store.Window) (domain.Page[store.Account], error) {
		return h.domain.Accounts.List(x.r.Context(), w)
	}
	return answerList(h.base, x, list, api.DefaultPageLimit, "accounts, newest first", read, wireAccount)
}

func wireAccount(a store.Account) api.Account {
	return api.Account{
		UUID: a.UUID, CompanyName: a.CompanyName, ClientName: a.ClientName, ClientEmail: a.ClientEmail,
		Currency: a.Currency, CreatedAt: api.At(a.Created),
	}
}

// defaultCurrency is an account's where nothing else is said.
const defaultCurrency = "USD"

func (h *operations) createAccount(x *exchange) (answer, error) {
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	a := store.Account{Currency: defaultCurrency}
	err = readJSON(body, nil, func(r *reader) error {
		return r.objectWith(
			[]member{{"companyName", func() error { return r.name(&a.CompanyName) }}},
			[]member{
				{"clientName", func() error { return r.plain(api.MaxNameLength, &a.ClientName) }},
				{"clientEmail", func() error { return r.email(&a.ClientEmail) }},
				{"currency", func() error { return r.currency(&a.Currency) }},
			},
		)
	})
	if err != nil {
		return answer{}, err
	}
	if a, err = h.domain.Accounts.New(x.r.Context(), a); err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, message: "account of " + a.CompanyName + " created", data: wireAccount(a)}, nil
}

func (h *operations) changeAccount(x *exchange) (answer, error) {
	account, err := h.domain.Accounts.Find(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	var c domain.AccountChange
	err = readJSON(body, nil, func(r *reader) error {
		return r.patch([]member{
			{"clientName", func() error { return r.plain(api.MaxNameLength, made(&c.ClientName)) }},
			{"clientEmail", func() error { return r.email(made(&c.ClientEmail)) }},
			{"currency", func() error { return r.currency(made(&c.Currency)) }},
		}, []func(){
			func() { made(&c.ClientName) },
			func() { made(&c.ClientEmail) },
			func() { *made(&c.Currency) = defaultCurrency },
		})
	})
	if err != nil {
		return answer{}, err
	}
	if account, err = h.domain.Accounts.Change(x.r.Context(), account.UUID, c); err != nil {
		return answer{}, err
	}
	return answer{message: "account of " + account.CompanyName, data: wireAccount(account)}, nil
}

// made puts a new zero value where there is none.
func made[T any](p **T) *T {
	*p = new(T)
	return *p
}

func (h *operations) listKeys(x *exchange) (answer, error) {
	account, err := h.domain.Accounts.Find(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	list := "ops/keys/" + account.UUID
	read := func(w store.Window) (domain.Page[store.Key], error) {
		return h.domain.Accounts.Keys(x.r.Context(), account, w)
	}
	return answerList(h.base, x, list, api.DefaultPageLimit, "keys of "+account.CompanyName+", newest first", read, wireKey)
}

func wireKey(k store.Key) api.AccountKey {
	return api.AccountKey{
		UUID: k.UUID, Hint: k.Hint, Scopes: k.Scopes, Description: k.Description, CreatedAt: api.At(k.Created.UTC()),
		ExpiresAt: api.At(k.Expires.UTC()), RevokedAt: api.At(k.Revoked.UTC()),
	}
}

func (h *operations) issueKey(x *exchange) (answer, error) {
	account, err := h.domain.Accounts.Find(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	var spec domain.KeySpec
	var expires api.Time
	err = readJSON(body, nil, func(r *reader) error {
		err := r.objectWith(
			[]member{{"scopes", func() error { return r.scopes(&spec.Scopes) }}},
			[]member{
				{"description", func() error { return r.plain(api.MaxTextLength, &spec.Description) }},
				{"expiresAt", func() error { return r.date(&expires) }},
			},
		)
		if !expires.IsZero() && !expires.After(h.now()) {
			r.faultAt("expiresAt", "is in the past")
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	spec.Expires = expires.Time
	key, record, err := h.domain.Accounts.IssueKey(x.r.Context(), account.UUID, spec)
	if err != nil {
		return answer{}, err
	}
	return issuedKey(key, record), nil
}

// issuedKey is the one answer that has a key in it.
func issuedKey(key string, record store.Key) answer {
	wire := wireKey(record)
	wire.Key = key
	return answer{status: http.StatusCreated, message: "key issued; it is not shown again", data: wire}
}

func (h *operations) revokeKey(x *exchange) (answer, error) {
	uuid := x.r.PathValue("uuid")
	if _, err := h.domain.Accounts.Key(x.r.Context(), uuid); err != nil {
		return answer{}, err
	}
	if err := x.readNothing(); err != nil {
		return answer{}, err
	}
	if err := h.domain.Accounts.RevokeKey(x.r.Context(), uuid); err != nil {
		return answer{}, err
	}
	k, err := h.domain.Accounts.Key(x.r.Context(), uuid)
	if err != nil {
		return answer{}, err
	}
	return answer{message: "key revoked", data: wireKey(k)}, nil
}

func (h *operations) listKeyRequests(x *exchange) (answer, error) {
	const list = "ops/key-requests"
	read := func(w store.Window) (domain.Page[store.KeyRequest], error) {
		return h.domain.Accounts.KeyRequests(x.r.Context(), w)
	}
	return answerList(h.base, x, list, api.DefaultPageLimit, "key requests, newest first", read, wireKeyRequest)
}

func wireKeyRequest(r store.KeyRequest) api.KeyRequest {
	return api.KeyRequest{
		UUID: r.UUID, AccountUID: r.AccountUUID, IntendedUse: r.IntendedUse, Scopes: r.Scopes, Status: r.Status,
		Reason: r.Reason, CreatedAt: api.At(r.Created.UTC()), DecidedAt: api.At(r.Decided.UTC()),
	}
}

func (h *operations) requestKey(x *exchange) (answer, error) {
	account, err := h.domain.Accounts.Find(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	var use string
	var scopes []api.Scope
	err = readJSON(body, nil, func(r *reader) error {
		return r.object(
			member{"intendedUse", func() error { return r.text(api.MaxTextLength, &use) }},
			member{"scopes", func() error { return r.scopes(&scopes) }},
		)
	})
	if err != nil {
		return answer{}, err
	}
	request, err := h.domain.Accounts.RequestKey(x.r.Context(), account, use, scopes)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, message: "key requested", data: wireKeyRequest(request)}, nil
}

func (h *operations) approveKey(x *exchange) (answer, error) {
	if _, err := h.domain.Accounts.KeyRequest(x.r.Context(), x.r.PathValue("uuid")); err != nil {
		return answer{}, err
	}
	if err := x.readNothing(); err != nil {
		return answer{}, err
	}
	key, record, err := h.domain.Accounts.ApproveKey(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	return issuedKey(key, record), nil
}

func (h *operations) declineKey(x *exchange) (answer, error) {
	if _, err := h.domain.Accounts.KeyRequest(x.r.Context(), x.r.PathValue("uuid")); err != nil {
		return answer{}, err
	}
	reason, err := x.readReason()
	if err != nil {
		return answer{}, err
	}
	request, err := h.domain.Accounts.DeclineKey(x.r.Context(), x.r.PathValue("uuid"), reason)
	if err != nil {
		return answer{}, err
	}
	return answer{message: "key request declined", data: wireKeyRequest(request)}, nil
}

// scopes reads the scopes of a key: one or more.
func (r *reader) scopes(into *[]api.Scope) error {
	n, err := choices(r, api.Scopes(), into)
	if n == 0 && err == nil {
		r.fault("needs at least one scope")
	}
	return err
}

// plain reads a text of up to limit characters that may be empty.
func (r *reader) plain(limit int, into *string) error {
	ok, err := r.expect('"')
	if !ok {
		return err
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	*into = token.String()
	if n := utf8.RuneCountInString(*into); n > limit {
		r.fault("is %d characters long; the limit is %d", n, limit)
	}
	return nil
}

// email reads an address without a name, or nothing.
func (r *reader) email(into *string) error {
	if err := r.plain(api.MaxNameLength, into); err != nil || *into == "" {
		return err
	}
	if a, err := mail.ParseAddress(*into); err != nil || a.Address != *into {
		r.fault("is not an e-mail address")
	}
	return nil
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// currency reads a code of ISO 4217.
func (r *reader) currency(into *string) error {
	if err := r.plain(api.MaxNameLength, into); err != nil {
		return err
	}
	if !currencyCode.MatchString(*into) {
		r.fault("must be a currency code of three capital letters, as in EUR")
	}
	return nil
}
