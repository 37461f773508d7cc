package server

import (
	"net/http"
	"net/mail"
	"regexp"
	"unicode/utf8"

	"flightdesk/api"
	"flightdesk/api/server/domain"
	"flightdesk/api/server/store"
)

// opsDeskRoutes are the operations of the desk on accounts, keys, orders and
// missions.
func (s *Server) opsDeskRoutes() []route {
	const ops = OpsPath
	return []route{
		{http.MethodGet, ops + "/accounts", operations, s.opsAccounts},
		{http.MethodPost, ops + "/accounts", operations, s.opsCreateAccount},
		{http.MethodPatch, ops + "/accounts/{uuid}", operations, s.opsChangeAccount},
		{http.MethodGet, ops + "/accounts/{uuid}/keys", operations, s.opsKeys},
		{http.MethodPost, ops + "/accounts/{uuid}/keys", operations, s.opsIssueKey},
		{http.MethodPost, ops + "/keys/{uuid}/revoke", operations, s.opsRevokeKey},
		{http.MethodGet, ops + "/key-requests", operations, s.opsKeyRequests},
		{http.MethodPost, ops + "/accounts/{uuid}/key-requests", operations, s.opsRequestKey},
		{http.MethodPost, ops + "/key-requests/{uuid}/approve", operations, s.opsApproveKey},
		{http.MethodPost, ops + "/key-requests/{uuid}/decline", operations, s.opsDeclineKey},
		{http.MethodGet, ops + "/orders", operations, s.opsOrders},
		{http.MethodGet, ops + "/orders/{uuid}", operations, s.opsOrder},
		{http.MethodPost, ops + "/missions/{uuid}/assign-operator", operations, s.opsAssign},
		{http.MethodPost, ops + "/missions/{uuid}/schedule", operations, s.opsSchedule},
		{http.MethodPut, ops + "/missions/{uuid}/flight-permission", operations, s.opsPermission},
		{http.MethodPost, ops + "/missions/{uuid}/deliver", operations, s.opsDeliver},
		{http.MethodPost, ops + "/missions/{uuid}/accept-delivery", operations, s.opsAccept},
	}
}

func (s *Server) opsAccounts(x *exchange) (answer, error) {
	const list = "ops/accounts"
	read := func(w store.Window) (domain.Page[store.Account], error) { return s.desk.Accounts(x.r.Context(), w) }
	return answerList(s, x, list, api.DefaultPageLimit, "accounts, newest first", read, wireAccount)
}

func wireAccount(a store.Account) api.Account {
	return api.Account{
		UUID: a.UUID, CompanyName: a.CompanyName, ClientName: a.ClientName, ClientEmail: a.ClientEmail,
		Currency: a.Currency, CreatedAt: api.At(a.Created),
	}
}

func (s *Server) opsCreateAccount(x *exchange) (answer, error) {
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	a := store.Account{Currency: "USD"}
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
	if a, err = s.desk.NewAccount(x.r.Context(), a); err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, message: "account of " + a.CompanyName + " made", data: wireAccount(a)}, nil
}

func (s *Server) opsChangeAccount(x *exchange) (answer, error) {
	account, err := s.desk.Account(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	var c domain.AccountChange
	err = readJSON(body, nil, func(r *reader) error {
		return r.objectWith(nil, []member{
			{"clientName", func() error { return r.plain(api.MaxNameLength, made(&c.ClientName)) }},
			{"clientEmail", func() error { return r.email(made(&c.ClientEmail)) }},
			{"currency", func() error { return r.currency(made(&c.Currency)) }},
		})
	})
	if err != nil {
		return answer{}, err
	}
	if account, err = s.desk.ChangeAccount(x.r.Context(), account.UUID, c); err != nil {
		return answer{}, err
	}
	return answer{message: "account of " + account.CompanyName, data: wireAccount(account)}, nil
}

// made puts a new zero value where there is none.
func made[T any](p **T) *T {
	*p = new(T)
	return *p
}

func (s *Server) opsKeys(x *exchange) (answer, error) {
	account, err := s.desk.Account(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	list := "ops/keys/" + account.UUID
	read := func(w store.Window) (domain.Page[store.Key], error) { return s.desk.Keys(x.r.Context(), account, w) }
	return answerList(s, x, list, api.DefaultPageLimit, "keys of "+account.CompanyName+", newest first", read, wireKey)
}

func wireKey(k store.Key) api.AccountKey {
	return api.AccountKey{
		UUID: k.UUID, Hint: k.Hint, Scopes: k.Scopes, Description: k.Description, CreatedAt: api.At(k.Created.UTC()),
		ExpiresAt: api.At(k.Expires.UTC()), RevokedAt: api.At(k.Revoked.UTC()),
	}
}

func (s *Server) opsIssueKey(x *exchange) (answer, error) {
	account, err := s.desk.Account(x.r.Context(), x.r.PathValue("uuid"))
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
		if !expires.IsZero() && !expires.After(s.Now()) {
			r.faultAt("expiresAt", "lies in the past")
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	spec.Expires = expires.Time
	key, record, err := s.desk.IssueKey(x.r.Context(), account.UUID, spec)
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

func (s *Server) opsRevokeKey(x *exchange) (answer, error) {
	uuid := x.r.PathValue("uuid")
	if _, err := s.desk.Key(x.r.Context(), uuid); err != nil {
		return answer{}, err
	}
	if err := x.readNothing(); err != nil {
		return answer{}, err
	}
	if err := s.desk.RevokeKey(x.r.Context(), uuid); err != nil {
		return answer{}, err
	}
	k, err := s.desk.Key(x.r.Context(), uuid)
	if err != nil {
		return answer{}, err
	}
	return answer{message: "key revoked", data: wireKey(k)}, nil
}

func (s *Server) opsKeyRequests(x *exchange) (answer, error) {
	const list = "ops/key-requests"
	read := func(w store.Window) (domain.Page[store.KeyRequest], error) {
		return s.desk.KeyRequests(x.r.Context(), w)
	}
	return answerList(s, x, list, api.DefaultPageLimit, "key requests, newest first", read, wireKeyRequest)
}

func wireKeyRequest(r store.KeyRequest) api.KeyRequest {
	return api.KeyRequest{
		UUID: r.UUID, AccountUID: r.AccountUUID, IntendedUse: r.IntendedUse, Scopes: r.Scopes, Status: r.Status,
		Reason: r.Reason, CreatedAt: api.At(r.Created.UTC()), DecidedAt: api.At(r.Decided.UTC()),
	}
}

func (s *Server) opsRequestKey(x *exchange) (answer, error) {
	account, err := s.desk.Account(x.r.Context(), x.r.PathValue("uuid"))
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
	request, err := s.desk.RequestKey(x.r.Context(), account, use, scopes)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, message: "key requested", data: wireKeyRequest(request)}, nil
}

func (s *Server) opsApproveKey(x *exchange) (answer, error) {
	if _, err := s.desk.KeyRequest(x.r.Context(), x.r.PathValue("uuid")); err != nil {
		return answer{}, err
	}
	if err := x.readNothing(); err != nil {
		return answer{}, err
	}
	key, record, err := s.desk.ApproveKey(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	return issuedKey(key, record), nil
}

func (s *Server) opsDeclineKey(x *exchange) (answer, error) {
	if _, err := s.desk.KeyRequest(x.r.Context(), x.r.PathValue("uuid")); err != nil {
		return answer{}, err
	}
	reason, err := x.readReason()
	if err != nil {
		return answer{}, err
	}
	request, err := s.desk.DeclineKey(x.r.Context(), x.r.PathValue("uuid"), reason)
	if err != nil {
		return answer{}, err
	}
	return answer{message: "key request declined", data: wireKeyRequest(request)}, nil
}

// scopes reads the scopes of a key: one or more.
func (r *reader) scopes(into *[]api.Scope) error {
	n, err := choices(r, api.Scopes(), into)
	if n == 0 && err == nil {
		r.fault("needs one scope or more")
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
		r.fault("is no e-mail address")
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
