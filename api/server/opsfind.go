package server

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// find searches for a text, for example a text that was copied from a support ticket. It answers
// with the records that the text may refer to.
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

// findText searches for a text. If the text is an address of this service, it searches for the
// record that the address names. If there is none, it searches for the whole address, which can be
// the URL of an endpoint.
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

// textOfAddress returns the text to search for if a user searches for an address of this service.
// For a link to a file, it returns the result of fileOfLink. For the address of a request, it
// returns the code or UUID in the path. It returns other texts unchanged.
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
