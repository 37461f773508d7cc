package server

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// listRequests answers with the requests of accounts. Queued requests are written to the
// log first.
func (h *operationsHandlers) listRequests(x *exchange) (handlerAnswer, error) {
	query := x.r.URL.Query()
	filter, err := h.requestFilter(x.r.Context(), query)
	if err != nil {
		return handlerAnswer{}, err
	}
	h.requests.flush(x.r.Context())
	name := "ops/requests"
	for _, member := range requestQuery {
		name += "/" + query.Get(member)
	}
	list := shownList{name, api.DefaultPageLimit, "requests of accounts, newest first"}
	read := func(ctx context.Context, w store.ListWindow) (domain.Page[store.Request], error) {
		return h.domain.Requests.List(ctx, filter, w)
	}
	return answerPage(h.handlerBase, x, list, read, wireRequest)
}

// requestQuery are the parameters that select requests.
var requestQuery = []string{"account", "about", "key", "requestId", "failed", "reads", "code", "since"}

// requestFilter reads the parameters that select requests.
func (h *operationsHandlers) requestFilter(ctx context.Context, query url.Values) (f store.RequestFilter, err error) {
	f.KeyUUID = strings.ToLower(query.Get("key"))
	f.RequestID = query.Get("requestId")
	f.Code = query.Get("code")
	f.Failed, err = readFlag(query, "failed", false)
	if err != nil {
		return f, err
	}
	includesReads, err := readFlag(query, "reads", true)
	if err != nil {
		return f, err
	}
	f.NoReads = !includesReads
	if text := query.Get("since"); text != "" {
		since, ok := parseDate(text)
		if !ok {
			return f, invalidMember("since", "is not a date-time with offset like 2026-05-01T08:00:00+02:00")
		}
		f.Since = since
	}
	if err := h.selectAccount(ctx, &f, query.Get("account")); err != nil {
		return f, err
	}
	if subject := query.Get("about"); subject != "" {
		if err := h.domain.Requests.About(ctx, &f, subject); err != nil { // adds the subject to f
			return f, err
		}
	}
	return f, nil
}

// selectAccount makes a filter select the requests of an account, or the requests of no known account if the
// name is [ops.NoAccount]. The name "" selects the requests of all accounts.
func (h *operationsHandlers) selectAccount(ctx context.Context, f *store.RequestFilter, name string) error {
	switch name {
	case "":
		return nil
	case ops.NoAccount:
		f.Unknown = true
		return nil
	}
	account, err := h.domain.Accounts.Find(ctx, name)
	if err != nil {
		return err
	}
	f.AccountID = account.ID
	return nil
}

// readFlag reads a query parameter that is true or false.
func readFlag(query url.Values, name string, defaultValue bool) (bool, error) {
	text := query.Get(name)
	if text == "" {
		return defaultValue, nil
	}
	flag, err := strconv.ParseBool(text)
	if err != nil {
		return false, invalidMember(name, "must be true or false")
	}
	return flag, nil
}

func wireRequest(r store.Request) ops.LoggedRequest {
	wire := ops.LoggedRequest{
		ID:         r.ID,
		At:         api.TimeOf(r.Created),
		KeyUID:     r.KeyUUID,
		KeyHint:    r.KeyHint,
		Method:     r.Method,
		Path:       r.Path,
		Status:     r.Status,
		Code:       api.ErrorCode(r.Code),
		Address:    r.Address,
		DurationMS: r.Took.Milliseconds(),
		RequestID:  r.RequestID,
	}
	if r.AccountUUID != nil {
		wire.AccountUID = *r.AccountUUID
	}
	return wire
}
