package quotes

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/table"
)

// Decisions is the page of what was decided from this machine, the newest
// first.
type Decisions struct {
	*listpage.Page[quoting.Entry]
	state listpage.State[quoting.Entry]
	asked page.Question
}

// NewDecisions returns the page.
func NewDecisions(env *page.Env) *Decisions {
	d := &Decisions{}
	source := listpage.Source[quoting.Entry]{State: func() listpage.State[quoting.Entry] { return d.state }}
	d.Page = listpage.NewPage(page.NewBase(env), source, listpage.Options[quoting.Entry]{
		Title: "Decision log", Name: "decisions", Example: "decision:accepted", One: "decision", Many: "decisions", Scope: action.DecisionLog,
		Columns: decisions(env.Now),
		ID:      func(e *quoting.Entry) string { return e.At.String() + e.QuoteID },
		Look: func(e *quoting.Entry) (mark table.Cell, muted bool) {
			if !e.Confirmed() {
				mark = table.Cell{Text: "!", Role: theme.Attention}
			}
			return mark, false
		},
		Open:  d.show,
		Empty: [2]string{"No decisions yet.", "Your decisions and notes appear here. They stay on this machine."},
	})
	return d
}

// Corner counts them.
func (d *Decisions) Corner() string {
	return format.Count(len(d.state.Rows), "decision", "decisions") + " on this machine"
}

type logAnswer = page.Answer[[]quoting.Entry]

// Start reads the log.
func (d *Decisions) Start() tea.Cmd {
	log := d.Decisions
	if log == nil {
		d.state.At = d.Now()
		return nil
	}
	return page.Ask(d.Base, &d.asked, func(context.Context) ([]quoting.Entry, error) { return log.Entries() })
}

// Update takes the answer.
func (d *Decisions) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case logAnswer:
		if msg.Take() {
			entries := slices.DeleteFunc(slices.Clone(msg.Value), func(e quoting.Entry) bool { return e.Kind == quoting.Note })
			slices.Reverse(entries)
			d.state = listpage.State[quoting.Entry]{Rows: listpage.Pointers(entries), Version: d.state.Version + 1, At: d.Now(), Err: msg.Err}
		}
	case page.SentMsg:
		return d.Start()
	}
	return d.Page.Update(msg)
}

// decisions are the columns of a decision.
func decisions(now func() time.Time) []columns.Column[quoting.Entry] {
	words := func(of func(*quoting.Entry) string) func(*quoting.Entry) columns.Cell {
		return func(e *quoting.Entry) columns.Cell { return columns.TextOr(of(e)) }
	}
	return []columns.Column[quoting.Entry]{
		{Spec: columns.Spec{Title: "When", Name: "at", Width: 16}, Value: words(func(e *quoting.Entry) string {
			return e.At.In(now().Location()).Format("2006-01-02 15:04")
		})},
		{Spec: columns.Spec{Title: "Decision", Name: "decision", Width: 12}, Value: did},
		{Spec: columns.Spec{Title: "Order", Name: "order", Width: 12, Fill: 1}, Value: words(func(e *quoting.Entry) string { return e.OrderName })},
		{Spec: columns.Spec{Title: "Quote", Name: "quote", Width: 14, Fill: 1, Drop: 1}, Value: words(func(e *quoting.Entry) string { return e.QuoteName })},
		{Spec: columns.Spec{Title: "Price", Name: "price", Width: 14, Right: true, Drop: 2}, Value: words(func(e *quoting.Entry) string { return e.Price })},
		{Spec: columns.Spec{Title: "Delivery", Name: "delivery", Width: 8, Right: true, Drop: 5}, Value: words(func(e *quoting.Entry) string { return e.Days })},
		{Spec: columns.Spec{Title: "Note", Name: "note", Width: 10, Fill: 1, Drop: 3}, Value: words(func(e *quoting.Entry) string { return e.Note })},
		{Spec: columns.Spec{Title: "Outcome", Name: "outcome", Width: 10, Fill: 1, Drop: 4}, Value: words(func(e *quoting.Entry) string { return e.Outcome })},
		{Spec: columns.Spec{Title: "Against", Name: "Compared with", Width: 16, Off: true, Drop: 6}, Value: words(func(e *quoting.Entry) string { return strings.Join(e.Against, "; ") })},
		{Spec: columns.Spec{Title: "Service", Name: "service", Width: 16, Off: true, Drop: 7}, Value: words(func(e *quoting.Entry) string { return e.Host })},
	}
}

// did is what was decided, or tried.
func did(e *quoting.Entry) table.Cell {
	switch {
	case !e.Confirmed():
		return table.Cell{Text: strings.TrimSuffix(string(e.Kind), "ed") + " tried", Role: theme.Attention}
	case e.Kind == quoting.Accepted:
		return table.Cell{Text: string(e.Kind), Role: theme.Good}
	default:
		return table.Cell{Text: string(e.Kind)}
	}
}

// show shows an entry whole.
func (d *Decisions) show(e *quoting.Entry) tea.Cmd {
	facts := []widget.Fact{
		widget.Text("order", e.OrderName),
		widget.Text("quote", e.QuoteName),
		widget.Text("price", e.Price),
		widget.Text("delivery", e.Days),
		widget.Text("Compared with", strings.Join(e.Against, "; ")),
		widget.Text("note", e.Note),
		widget.Text("outcome", e.Outcome),
		widget.Text("at", e.At.Format(time.RFC3339)),
		widget.Text("account", e.Account),
		widget.Text("service", e.Host),
		widget.Text("order id", e.OrderID),
		widget.Text("Quote ID", e.QuoteID),
	}
	d.Overlay(&dialog.Reader{Theme: d.Theme, Title: did(e).Text + " " + e.QuoteName, Text: func(w int) []string {
		return widget.BoxFacts(d.Theme, termWidth, w, facts...)
	}})
	return nil
}
