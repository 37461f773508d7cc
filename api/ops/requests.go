package ops

import (
	"context"
	"iter"

	"flightdesk/api"
)

// LoggedRequest is a request of an account to the public or the v2 API, or of a link to a
// file, and how it was answered. The service keeps them for 30 days, without bodies,
// queries and keys.
type LoggedRequest struct {
	ID         int64            `json:"id"`
	At         api.Time         `json:"at"`
	AccountUID string           `json:"accountUid"` // "" if the key or the link is not known
	KeyUID     string           `json:"keyUid"`     // "" for links and keys that are not known
	KeyHint    string           `json:"keyHint"`    // the key's last four characters
	Method     string           `json:"method"`
	Path       string           `json:"path"`   // without query and the tokens of links
	Status     int              `json:"status"` // of the response; 499 if the client did not wait for it
	Code       api.ErrorCode    `json:"code"`   // "" for a success
	Address    string           `json:"address"`
	DurationMS int64            `json:"durationMs"`
	RequestID  string           `json:"requestId"`
	Extra      api.ExtraMembers `json:",embed"`
}

// NoAccount selects requests whose key or link is not known.
const NoAccount = "none"

// RequestFilter selects requests. Its zero value selects all.
type RequestFilter struct {
	Account   string // UUID, or [NoAccount]
	About     string // order or mission, by code or UUID
	Key       string // UUID
	RequestID string
	Failed    bool // only errors
	NoReads   bool // without requests that read something successfully
	Code      api.ErrorCode
	Since     api.Time
}

// RequestsService has the requests of accounts.
type RequestsService serviceBase

// List returns one page of the requests, newest first.
func (s *RequestsService) List(
	ctx context.Context, f RequestFilter, opts api.ListOptions,
) (*api.Page[LoggedRequest], error) {
	return api.CallPage[LoggedRequest](ctx, s.c, f.listRequests(), opts)
}

// All yields the requests, newest first, page by page. It stops after the first error, which
// it yields.
func (s *RequestsService) All(ctx context.Context, f RequestFilter) iter.Seq2[*LoggedRequest, error] {
	return api.ListAll[LoggedRequest](ctx, s.c, f.listRequests(), api.MaxPageLimit)
}

func (f RequestFilter) listRequests() api.Operation {
	op := api.NewOperation("list requests", "GET requests").
		WithQuery("account", f.Account).
		WithQuery("about", f.About).
		WithQuery("key", f.Key).
		WithQuery("requestId", f.RequestID).
		WithQuery("code", string(f.Code))
	if f.Failed {
		op = op.WithQuery("failed", "true")
	}
	if f.NoReads {
		op = op.WithQuery("reads", "false")
	}
	if !f.Since.IsZero() {
		op = op.WithQuery("since", f.Since.Text())
	}
	return op
}
