package ops

import (
	"context"
	"iter"

	"flightdesk/api"
)

// LoggedRequest is a request of an account to one of the client interfaces or to the link of a
// file, with the result. The service keeps requests for 30 days, without bodies, queries and keys.
type LoggedRequest struct {
	ID         int64            `json:"id"`
	At         api.Time         `json:"at"`
	AccountUID string           `json:"accountUid"` // "" if the key or link is unknown
	KeyUID     string           `json:"keyUid"`     // "" for links and unknown keys
	KeyHint    string           `json:"keyHint"`    // last four characters of the key
	Method     string           `json:"method"`
	Path       string           `json:"path"`   // without the query and the tokens of links
	Status     int              `json:"status"` // HTTP status of the response; 499 if the client disconnected before it
	Code       api.ErrorCode    `json:"code"`   // "" for success
	Address    string           `json:"address"`
	DurationMS int64            `json:"durationMs"`
	RequestID  string           `json:"requestId"`
	Extra      api.ExtraMembers `json:",embed"`
}

// NoAccount selects requests with an unknown key or link.
const NoAccount = "none"

// RequestFilter selects requests. The zero value selects all.
type RequestFilter struct {
	Account   string // UUID, or [NoAccount]
	About     string // order or mission, by its code or UUID
	Key       string // UUID
	RequestID string
	Failed    bool // errors only
	NoReads   bool // without requests that read something successfully
	Code      api.ErrorCode
	Since     api.Time
}

// RequestsService reads the log of requests.
type RequestsService serviceBase

// List returns one page of the requests, newest first.
func (s *RequestsService) List(
	ctx context.Context, f RequestFilter, opts api.ListOptions,
) (*api.Page[LoggedRequest], error) {
	return api.CallPage[LoggedRequest](ctx, s.c, f.listRequests(), opts)
}

// All yields the selected requests, newest first. It yields the first error and stops.
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
