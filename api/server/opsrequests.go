package server

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
	if account := query.Get("account"); account == ops.NoAccount {
		f.Unknown = true
	} else if account != "" {
		found, err := h.domain.Accounts.Find(ctx, account)
		if err != nil {
			return f, err
		}
		f.AccountID = found.ID
	}
	if subject := query.Get("about"); subject != "" {
		if err := h.domain.Requests.About(ctx, &f, subject); err != nil { // adds the subject to f
			return f, err
		}
	}
	return f, nil
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

// find answers with the records that a text from a support ticket may refer to.
func (h *operationsHandlers) find(x *exchange) (handlerAnswer, error) {
	h.requests.flush(x.r.Context())
	found, err := h.findText(x.r.Context(), x.r.URL.Query().Get("q"))
	if err != nil {
		return handlerAnswer{}, err
	}
	page := api.Page[ops.Found]{Items: make([]ops.Found, len(found))}
	for i, f := range found {
		page.Items[i] = ops.Found{
			Kind:        f.Kind,
			UUID:        f.UUID,
			Name:        f.Name,
			AccountUID:  f.AccountUUID,
			CompanyName: f.Company,
			OrderCode:   f.OrderCode,
			MissionCode: f.MissionCode,
		}
	}
	return handlerAnswer{message: "exact matches first", data: page}, nil
}

// findText searches for a text. If the text looks like an address of this service, it searches for
// what the address is about. If that finds nothing, it searches for the address, which can be the
// address of an endpoint.
func (h *operationsHandlers) findText(ctx context.Context, text string) ([]store.Found, error) {
	subject, err := h.textOfAddress(ctx, text)
	if err != nil {
		return nil, err
	}
	if subject != text && utf8.RuneCountInString(subject) >= domain.MinSearch {
		found, err := h.domain.Requests.Find(ctx, subject)
		isTooLong := utf8.RuneCountInString(text) > domain.MaxSearch // such as a link with a long name
		if err != nil || len(found) > 0 || isTooLong {
			return found, err
		}
	}
	return h.domain.Requests.Find(ctx, text)
}

// textOfAddress returns what to search for if a text is an address of this service: the file of a
// link, or the code or UUID in the path of a request. It returns other texts unchanged, and "" for a
// link without a file.
func (h *operationsHandlers) textOfAddress(ctx context.Context, text string) (string, error) {
	address, err := url.Parse(strings.TrimSpace(text))
	if err != nil || address.Host == "" {
		return text, nil
	}
	if link, isLink := strings.CutPrefix(address.Path, filesPath); isLink {
		token, name, _ := strings.Cut(link, "/")
		return h.fileOfLink(ctx, token, name)
	}
	isRequest := func(api string) bool { return strings.HasPrefix(address.Path, api+"/") }
	if !slices.ContainsFunc([]string{PublicPath, LegacyPath, OpsPath}, isRequest) {
		return text, nil
	}
	for _, part := range slices.Backward(strings.Split(address.Path, "/")) {
		if domain.IsCodeOrUUID(part) {
			return part, nil
		}
	}
	return text, nil
}

// fileOfLink returns the UUID of the file that a link is for, also if the link has expired. For a
// link that was altered, or whose file was deleted, it returns the name in the link.
func (h *operationsHandlers) fileOfLink(ctx context.Context, token, name string) (string, error) {
	id, err := h.links.verifyLink(token, name, h.now())
	if err != nil && !errors.Is(err, errLinkExpired) {
		return name, nil
	}
	uuid, err := h.domain.Missions.FileUUID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return name, nil
	}
	return uuid, err
}
