package inspect

import (
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/page"
	"flightdesk/tui/widget"
)

// newAccountRequests returns the page with an account's requests from the service's log. wanted is the ID of
// the request to select, or "". filter is the initial filter of the page.
func newAccountRequests(env *page.Env, account, wanted, filter string) page.Page {
	cols := columns.LoggedRequests()
	source := page.CachedSource(env.Profile.Cache.Operations.Sent, account)
	p := page.NewList(page.NewBase(env), source, page.ListOptions[*ops.LoggedRequest]{
		Title:    "Requests",
		Name:     "account-requests",
		Example:  "error:key_revoked or http:>=400",
		Singular: "request",
		Scope:    action.AccountRequests,
		Order:    page.RowOrder{Column: "at", Descending: true},
		Columns:  columns.AbbreviatePaths(columns.LoggedRequests()),
		ID:       cache.RequestID,
		Problems: page.RowProblems[*ops.LoggedRequest]{
			Has:  func(r *ops.LoggedRequest) bool { return r.Status >= 400 },
			None: "No failed requests in the log.",
		},
		Details: func(r *ops.LoggedRequest) page.RowDetails {
			return page.RowDetails{
				Title: r.Method + " " + r.Path,
				Facts: widget.Facts(columns.RowFacts(cols, r, env.Clock.Now())),
			}
		},
		Empty: "No requests in the log of the last 30 days.",
	})
	p.Wanted = wanted
	p.ApplyFilter(filter)
	return p
}
