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

// keyRequestList are those for API keys, which clients make in the dashboard.
type keyRequestList struct{ *listPane[api.KeyRequest] }

func newKeyRequestList(d *operationsPage) *keyRequestList {
	r := &keyRequestList{}
	r.listPane = newListPane(d, listpage.Cached(d.Cache, d.world.cache.Requests, cache.Account), listpage.Options[api.KeyRequest]{
		Name: "key-requests", Example: "status:pending or scopes:files", One: "request", Many: "requests", Scope: action.OpsRequests,
		Columns:     keyRequestColumns(d),
		ID:          func(r *api.KeyRequest) string { return r.UUID },
		Look:        func(r *api.KeyRequest) (table.Cell, bool) { return table.Cell{}, r.Status != api.KeyRequestPending },
		Stamp:       func(r *api.KeyRequest) string { return string(r.Status) },
		SplitDetail: linesBeside(r.renderRequest),
		Open:        showDetails(d, "Key request", r.renderRequest),
		Empty:       [2]string{"No key requests.", "Clients request keys in the dashboard. Press n to simulate one."},
	})
	r.Detail.Least(50, 54)
	return r
}

// keyRequestColumns returns the columns of a request; scopes are counted where it
// asks for all of them.
func keyRequestColumns(d *operationsPage) []columns.Column[api.KeyRequest] {
	return columns.WithValue(columns.ScreenColumns(columns.KeyRequests(d.world.companyName)), "scopes", func(q *api.KeyRequest) columns.Cell { return columns.TextCell(scopeText(q.Scopes)) })
}

// renderRequest returns a request whole.
func (r *keyRequestList) renderRequest(q *api.KeyRequest, w int) []string {
	d, now := r.d, r.d.Now()
	word := labels.KeyRequest(q.Status)
	lines := []string{
		" " + layout.CleanText(d.Theme.Title, d.world.companyName(q.AccountUID)),
		" " + layout.CleanText(d.Theme.Style(word.Role), word.Glyph+" "+word.Label) + layout.CleanText(d.Theme.Style(theme.Muted), ", requested "+format.Ago(q.CreatedAt.Time, now)),
		"",
	}
	for _, l := range layout.Wrap("“"+q.IntendedUse+"”", w-3) {
		lines = append(lines, " "+layout.CleanText(d.Theme.Style(theme.Text), l))
	}
	lines = append(lines, "", layout.CleanText(d.Theme.Title, " Scopes"))
	for _, s := range q.Scopes {
		lines = append(lines, "   "+layout.CleanText(d.Theme.Style(theme.Text), layout.FitLeft(string(s), 16))+
			layout.CleanText(d.Theme.Style(theme.Muted), allows[s]))
	}
	if !q.DecidedAt.IsZero() {
		lines = append(append(lines, ""), d.renderFacts(w, widget.Text("Decided", format.Moment(q.DecidedAt.Time, now)))...)
	}
	if q.Reason != nil && *q.Reason != "" {
		lines = append(lines, d.renderFacts(w, widget.Text("Reason", *q.Reason))...)
	}
	for i := range lines {
		lines[i] = layout.CutLine(lines[i], w)
	}
	return lines
}

func (r *keyRequestList) DisabledReason(id action.ID) string {
	switch id {
	case action.ApproveRequest, action.DeclineRequest, action.PlayRequest:
		q := r.Current()
		switch {
		case id == action.PlayRequest && len(r.d.world.knownAccounts()) == 0:
			return "no accounts"
		case id == action.PlayRequest:
			return ""
		case q == nil:
			return "no request"
		case q.Status != api.KeyRequestPending:
			return "the request is already " + strings.ToLower(labels.KeyRequest(q.Status).Label)
		}
	}
	return r.listPane.DisabledReason(id)
}

func (r *keyRequestList) HandleAction(id action.ID) tea.Cmd {
	d := r.d
	switch id {
	case action.ApproveRequest:
		d.approveAsk(r.Current())
	case action.DeclineRequest:
		d.acts.openForm(d.declineAsk(r.Current()))
	case action.PlayRequest:
		d.acts.openForm(d.playAsk())
	default:
		return r.listPane.HandleAction(id)
	}
	return nil
}

// approveAsk makes the key that is asked for.
func (d *operationsPage) approveAsk(q *api.KeyRequest) {
	company := d.world.companyName(q.AccountUID)
	confirmCommand(d, "Approve request", "approve request", commands.ApproveRequest(), q.UUID, []string{
		company + ": “" + q.IntendedUse + "”", "Scopes: " + scopeText(q.Scopes),
	}, func(key *api.AccountKey) requestResult {
		return requestResult{said: "Request approved: " + company, then: d.showKey(company, key)}
	})
}

func (d *operationsPage) declineAsk(q *api.KeyRequest) *requestForm {
	company := d.world.companyName(q.AccountUID)
	dialog := &requestForm{title: "Decline request", yes: "decline", lines: []string{company + ": “" + q.IntendedUse + "”"}}
	return fillIn(d, dialog, commands.DeclineRequest(new(string)), q.UUID, func(*api.KeyRequest) requestResult {
		return requestResult{said: "Request declined: " + company}
	})
}

// playAsk asks for a key as a client does in the dashboard.
func (d *operationsPage) playAsk() *requestForm {
	who := &form.Field{ID: "account", Label: "Client", Kind: form.Choice}
	companies := map[string]string{}
	for _, a := range d.world.knownAccounts() {
		companies[a.UUID] = a.CompanyName
		who.Options = append(who.Options, form.Option{Value: a.UUID, Label: layout.CutLine(layout.Clean(a.CompanyName), 30), Help: "requests the key", Quiet: true})
	}
	first := d.world.knownAccounts()[0].UUID
	for _, a := range d.world.knownAccounts() {
		if a.CompanyName == d.Company {
			first = a.UUID
		}
	}
	c := commands.RequestKey(&api.KeyRequestInput{Scopes: []api.Scope{api.ScopeOrdersRead, api.ScopeFilesRead}})
	q := fillIn(d, &requestForm{title: "Simulate key request", yes: "request key"}, c, "", nil, who)
	q.form.Fields = append([]*form.Field{who}, q.form.Fields[:len(c.Fields)]...)
	who.Set(first)
	q.form.FocusField("intendedUse")
	q.send = func(ctx context.Context) (requestResult, error) {
		_, err := c.Run(ctx, d.Ops, who.Value())
		return requestResult{said: companies[who.Value()] + " requested a key"}, err
	}
	return q
}
