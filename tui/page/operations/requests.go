package operations

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/form"
	"flightdesk/tui/widget/table"
)

// keyRequests decides requests for API keys.
type keyRequests struct{ *operationsPage }

// newKeyRequestList returns the list of requests for API keys, which clients make in
// the dashboard.
func newKeyRequestList(d *operationsPage) *listPane[api.KeyRequest] {
	l := keyRequests{d}
	r := newListPane(
		d,
		listpage.Cached(d.Cache, d.world.cache.Requests, cache.Account),
		listpage.Options[api.KeyRequest]{
			Name:        "key-requests",
			Example:     "status:pending or scopes:files",
			One:         "request",
			Many:        "requests",
			Scope:       action.OpsRequests,
			Columns:     keyRequestColumns(d),
			ID:          func(r *api.KeyRequest) string { return r.UUID },
			Look:        func(r *api.KeyRequest) (table.Cell, bool) { return table.Cell{}, r.Status != api.KeyRequestPending },
			Stamp:       func(r *api.KeyRequest) string { return string(r.Status) },
			SplitDetail: linesBeside(l.renderRequest),
			Open:        showDetails(d, "Key request", l.renderRequest),
			Empty: [2]string{
				"No key requests.",
				"Clients request keys in the dashboard. Press n to simulate one.",
			},
			Acts: []listpage.Act[api.KeyRequest]{
				{ID: action.ApproveRequest, Off: decisionRefusal, Do: l.approveRequest},
				{ID: action.DeclineRequest, Off: decisionRefusal, Do: l.declineRequest},
				{ID: action.PlayRequest, Any: true, Off: l.playRefusal, Do: l.playRequest},
			},
		},
		func(*api.KeyRequest) inspectSubject { return inspectSubject{} },
	)
	r.Detail.Least(50, 54)
	return r
}

// decisionRefusal returns why a request cannot be decided, "" if it can.
func decisionRefusal(q *api.KeyRequest) string {
	if q.Status == api.KeyRequestPending {
		return ""
	}
	return "the request is already " + strings.ToLower(labels.KeyRequest(q.Status).Label)
}

func (l keyRequests) playRefusal(*api.KeyRequest) string {
	if len(l.world.knownAccounts()) == 0 {
		return "no accounts"
	}
	return ""
}

// keyRequestColumns returns the columns of key requests, with the scopes counted if all
// are requested.
func keyRequestColumns(d *operationsPage) []columns.Column[api.KeyRequest] {
	return columns.WithValue(
		columns.ScreenColumns(columns.KeyRequests(d.world.companyName)),
		"scopes",
		func(q *api.KeyRequest) columns.Cell { return columns.TextCell(scopeText(q.Scopes)) },
	)
}

// renderRequest renders all details of a request.
func (l keyRequests) renderRequest(q *api.KeyRequest, w int) []string {
	now := l.Now()
	word := labels.KeyRequest(q.Status)
	lines := []string{
		" " + l.Theme.PaintTitle(l.world.companyName(q.AccountUID)),
		" " + l.Theme.PaintRole(word.Role, word.Glyph+" "+word.Label) +
			l.Theme.PaintMuted(", requested "+format.Ago(q.CreatedAt.Time, now)),
		"",
	}
	lines = append(lines, l.Theme.PaintLines(theme.Text, " ", "“"+q.IntendedUse+"”", w-3)...)
	lines = append(lines, "", l.Theme.PaintTitle(" Scopes"))
	for _, s := range q.Scopes {
		lines = append(lines, "   "+l.Theme.PaintText(layout.FitLeft(string(s), 16))+
			l.Theme.PaintMuted(allows[s]))
	}
	if !q.DecidedAt.IsZero() {
		lines = append(
			append(lines, ""),
			l.renderFacts(w, widget.Text("Decided", format.Moment(q.DecidedAt.Time, now)))...)
	}
	if q.Reason != nil && *q.Reason != "" {
		lines = append(lines, l.renderFacts(w, widget.Text("Reason", *q.Reason))...)
	}
	for i := range lines {
		lines[i] = layout.CutLine(lines[i], w)
	}
	return lines
}

// approveRequest opens the dialog that approves a request and issues the key.
func (l keyRequests) approveRequest(q *api.KeyRequest) tea.Cmd {
	company := l.world.companyName(q.AccountUID)
	return confirmCommand(l.operationsPage, "Approve request", "approve request", commands.ApproveRequest(), q.UUID, []string{
		company + ": “" + q.IntendedUse + "”", "Scopes: " + scopeText(q.Scopes),
	}, func(key *api.AccountKey) requestResult {
		return requestResult{said: "Request approved: " + company, then: l.showKey(company, key)}
	})
}

func (l keyRequests) declineRequest(q *api.KeyRequest) tea.Cmd {
	company := l.world.companyName(q.AccountUID)
	dialog := &requestForm{
		title: "Decline request",
		yes:   "decline",
		lines: []string{company + ": “" + q.IntendedUse + "”"},
	}
	return l.acts.openForm(
		fillIn(l.operationsPage, dialog, commands.DeclineRequest(new(string)), q.UUID, func(*api.KeyRequest) requestResult {
			return requestResult{said: "Request declined: " + company}
		}),
	)
}

// playRequest opens the form that requests a key on behalf of a client.
func (l keyRequests) playRequest(*api.KeyRequest) tea.Cmd {
	who := &form.Field{ID: "account", Label: "Client", Kind: form.Choice}
	companies := map[string]string{}
	for _, a := range l.world.knownAccounts() {
		companies[a.UUID] = a.CompanyName
		who.Options = append(
			who.Options,
			form.Option{
				Value: a.UUID,
				Label: layout.CutLine(layout.Clean(a.CompanyName), 30),
				Help:  "requests the key",
				Quiet: true,
			},
		)
	}
	first := l.world.knownAccounts()[0].UUID
	for _, a := range l.world.knownAccounts() {
		if a.CompanyName == l.Company {
			first = a.UUID
		}
	}
	c := commands.RequestKey(&api.KeyRequestInput{Scopes: []api.Scope{api.ScopeOrdersRead, api.ScopeFilesRead}})
	q := fillIn(l.operationsPage, &requestForm{title: "Simulate key request", yes: "request key"}, c, "", nil, who)
	q.form.Fields = append([]*form.Field{who}, q.form.Fields[:len(c.Fields)]...)
	who.Set(first)
	q.form.FocusField("intendedUse")
	q.send = func(ctx context.Context) (requestResult, error) {
		_, err := c.Run(ctx, l.Ops, who.Value())
		return requestResult{said: companies[who.Value()] + " requested a key"}, err
	}
	return l.acts.openForm(q)
}
