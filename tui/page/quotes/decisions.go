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
	"flightdesk/tui/layout"
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
	page.Base
	entries []quoting.Entry
	err     error
	asked   page.Question
	list    *listpage.List
}

// NewDecisions returns the page.
func NewDecisions(env *page.Env) *Decisions {
	d := &Decisions{Base: page.NewBase(env)}
	d.list = listpage.New(d.Base, "decisions", "decision:accepted", columns.Specs(d.columns())...)
	return d
}

// Title is the page's name.
func (d *Decisions) Title() string { return "Decisions" }

// Corner counts them.
func (d *Decisions) Corner() string {
	return format.Count(len(d.entries), "decision", "decisions") + " on this machine"
}

type logAnswer = page.Answer[[]quoting.Entry]

// Start reads the log.
func (d *Decisions) Start() tea.Cmd {
	log := d.Decisions
	if log == nil {
		return nil
	}
	return page.Ask(d.Base, &d.asked, func(context.Context) ([]quoting.Entry, error) { return log.Entries() })
}

// Update takes the answer.
func (d *Decisions) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case logAnswer:
		if !msg.Take() {
			return nil
		}
		d.err = msg.Err
		d.entries = slices.DeleteFunc(slices.Clone(msg.Value), func(e quoting.Entry) bool { return e.Kind == quoting.Note })
		slices.Reverse(d.entries)
		d.rows()
	case page.SentMsg:
		return d.Start()
	default:
		cmd, _ := d.list.Update(msg)
		return cmd
	}
	return nil
}

func (d *Decisions) rows() {
	entries := d.entries
	d.list.Grid.Set(table.Source{
		Len:  len(entries),
		ID:   func(i int) string { return entries[i].At.String() + entries[i].QuoteID },
		Cell: columns.Cells(d.columns(), func(i int) *quoting.Entry { return &entries[i] }),
		Look: func(i int) (table.Cell, bool) {
			if !entries[i].Confirmed() {
				return table.Cell{Text: "!", Role: theme.Attention}, false
			}
			return table.Cell{}, false
		},
	})
}

// columns are the columns of a decision.
func (d *Decisions) columns() []columns.Column[quoting.Entry] {
	words := func(of func(*quoting.Entry) string) func(*quoting.Entry) columns.Cell {
		return func(e *quoting.Entry) columns.Cell { return columns.TextOr(of(e)) }
	}
	return []columns.Column[quoting.Entry]{
		{Spec: columns.Spec{Title: "When", Name: "at", Width: 16}, Value: words(func(e *quoting.Entry) string {
			return e.At.In(d.Now().Location()).Format("2006-01-02 15:04")
		})},
		{Spec: columns.Spec{Title: "Decision", Name: "decision", Width: 12}, Value: did},
		{Spec: columns.Spec{Title: "Order", Name: "order", Width: 12, Fill: 1}, Value: words(func(e *quoting.Entry) string { return e.OrderName })},
		{Spec: columns.Spec{Title: "Quote", Name: "quote", Width: 14, Fill: 1, Drop: 1}, Value: words(func(e *quoting.Entry) string { return e.QuoteName })},
		{Spec: columns.Spec{Title: "Price", Name: "price", Width: 14, Right: true, Drop: 2}, Value: words(func(e *quoting.Entry) string { return e.Price })},
		{Spec: columns.Spec{Title: "Delivery", Name: "delivery", Width: 8, Right: true, Drop: 5}, Value: words(func(e *quoting.Entry) string { return e.Days })},
		{Spec: columns.Spec{Title: "Note", Name: "note", Width: 10, Fill: 1, Drop: 3}, Value: words(func(e *quoting.Entry) string { return e.Note })},
		{Spec: columns.Spec{Title: "Outcome", Name: "outcome", Width: 10, Fill: 1, Drop: 4}, Value: words(func(e *quoting.Entry) string { return e.Outcome })},
		{Spec: columns.Spec{Title: "Against", Name: "against", Width: 16, Off: true, Drop: 6}, Value: words(func(e *quoting.Entry) string { return strings.Join(e.Against, "; ") })},
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

// read shows an entry whole.
func (d *Decisions) read() {
	i, ok := d.list.Grid.Current()
	if !ok {
		return
	}
	e := &d.entries[i]
	facts := []widget.Fact{
		widget.Text("order", e.OrderName),
		widget.Text("quote", e.QuoteName),
		widget.Text("price", e.Price),
		widget.Text("delivery", e.Days),
		widget.Text("against", strings.Join(e.Against, "; ")),
		widget.Text("note", e.Note),
		widget.Text("outcome", e.Outcome),
		widget.Text("at", e.At.Format(time.RFC3339)),
		widget.Text("account", e.Account),
		widget.Text("service", e.Host),
		widget.Text("order id", e.OrderID),
		widget.Text("quote id", e.QuoteID),
	}
	d.Overlay(&dialog.Reader{Theme: d.Theme, Title: did(e).Text + " " + e.QuoteName, Text: func(w int) []string {
		return widget.BoxFacts(d.Theme, termWidth, w, facts...)
	}})
}

// Scopes are those of a list.
func (d *Decisions) Scopes() []action.Scope { return d.list.Scopes(action.DecisionLog) }

// Typing is while the filter is typed.
func (d *Decisions) Typing() bool { return d.list.Typing() }

// Cursor stands in the filter while that is typed.
func (d *Decisions) Cursor() *tea.Cursor { return d.list.Cursor() }

// Back clears the filter first.
func (d *Decisions) Back() bool { return d.list.Clear() }

// Disabled says what cannot be done without rows.
func (d *Decisions) Disabled(id action.ID) string {
	if _, ok := d.list.Grid.Current(); id == action.Open && !ok {
		return "there is no decision"
	}
	return d.list.Disabled(id)
}

// Do performs an action.
func (d *Decisions) Do(id action.ID) tea.Cmd {
	if id == action.Open {
		d.read()
		return nil
	}
	cmd, _ := d.list.Do(id)
	return cmd
}

// Mouse selects a row, and shows it whole with a second click.
func (d *Decisions) Mouse(m page.Mouse) tea.Cmd {
	if d.list.Mouse(m) && m.Double {
		d.read()
	}
	return nil
}

// View draws the log.
func (d *Decisions) View(w, h int) string {
	th := d.Theme
	var foot []string
	if d.err != nil {
		foot = page.Problem(th, d.err, "", "", w)
	}
	if len(d.entries) == 0 {
		lines := []string{
			"", layout.Text(th.Style(theme.Text), " Nothing was decided from here yet."), "",
			layout.Text(th.Style(theme.Muted), " What you accept or reject is listed here, with your notes. It stays on this machine."),
		}
		return layout.Box(append(lines, foot...), w, h)
	}
	return d.list.View(w, h, true, foot...)
}
