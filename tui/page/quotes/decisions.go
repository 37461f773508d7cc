package quotes

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/table"
)

// DecisionLog is the page of changes sent from this machine, newest first: decisions on
// quotes, orders and endpoints.
type DecisionLog struct {
	*listpage.Page[ledger.Entry]
	state listpage.State[ledger.Entry]
	asked page.Question
}

// NewDecisions returns the page of the decision log.
func NewDecisions(env *page.Env) *DecisionLog {
	d := &DecisionLog{}
	source := listpage.Source[ledger.Entry]{State: func() listpage.State[ledger.Entry] { return d.state }}
	d.Page = listpage.NewPage(page.NewBase(env), source, listpage.Options[ledger.Entry]{
		Title:   "Decision log",
		Name:    "decisions",
		Example: "decision:accepted",
		One:     "decision",
		Many:    "decisions",
		Scope:   action.DecisionLog,
		Columns: decisionColumns(env.Now),
		ID:      func(e *ledger.Entry) string { return e.At.String() + e.Describe() },
		Look: func(e *ledger.Entry) (mark table.Cell, muted bool) {
			if !e.IsConfirmed() {
				mark = table.Cell{Text: "!", Role: theme.Attention}
			}
			return mark, false
		},
		Open:  d.showEntry,
		Acts:  []listpage.Act[ledger.Entry]{{ID: action.CloseEntry, Off: closeRefusal, Do: d.confirmClose}},
		Empty: [2]string{"No decisions yet.", "Your decisions and notes appear here. They stay on this machine."},
	})
	return d
}

// CornerText returns the number of decisions.
func (d *DecisionLog) CornerText() string {
	return format.Count(len(d.state.Rows), "decision", "decisions") + " on this machine"
}

type logAnswer = page.QuestionAnswer[[]ledger.Entry]

// OnShow reads the log from disk.
func (d *DecisionLog) OnShow() tea.Cmd {
	log := d.Decisions
	if log == nil {
		d.state.At = d.Now()
		return nil
	}
	return page.AskInBackground(
		d.Base,
		&d.asked,
		func(context.Context) ([]ledger.Entry, error) { return log.Entries() },
	)
}

// Update handles the log that was read.
func (d *DecisionLog) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case logAnswer:
		if msg.TakeAnswer() {
			entries := slices.DeleteFunc(
				slices.Clone(msg.Value),
				func(e ledger.Entry) bool { return e.Kind == ledger.Note },
			)
			slices.Reverse(entries)
			d.state = listpage.State[ledger.Entry]{
				Rows:    listpage.Pointers(entries),
				Version: d.state.Version + 1,
				At:      d.Now(),
				Err:     msg.Err,
			}
		}
	case page.SentMsg:
		return d.OnShow()
	}
	return d.Page.Update(msg)
}

// decisionColumns returns the columns of the decision log.
func decisionColumns(now func() time.Time) []columns.Column[ledger.Entry] {
	words := func(of func(*ledger.Entry) string) func(*ledger.Entry) columns.Cell {
		return func(e *ledger.Entry) columns.Cell { return columns.TextOr(of(e)) }
	}
	return []columns.Column[ledger.Entry]{
		{
			ColumnSpec: columns.ColumnSpec{Title: "When", Name: "at", Width: 16},
			Value: words(func(e *ledger.Entry) string {
				return e.At.In(now().Location()).Format("2006-01-02 15:04")
			}),
		},
		{ColumnSpec: columns.ColumnSpec{Title: "Decision", Name: "decision", Width: 12}, Value: decisionCell},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Order", Name: "order", Width: 12, Fill: 1},
			Value:      words((*ledger.Entry).OrderLabel),
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Quote", Name: "quote", Width: 14, Fill: 1, Drop: 1},
			Value:      words(func(e *ledger.Entry) string { return cmp.Or(e.QuoteName, e.Address) }),
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Price", Name: "price", Width: 14, Right: true, Drop: 2},
			Value:      words(func(e *ledger.Entry) string { return e.Price }),
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Delivery", Name: "delivery", Width: 8, Right: true, Drop: 5},
			Value:      words(func(e *ledger.Entry) string { return e.Days }),
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Note", Name: "note", Width: 10, Fill: 1, Drop: 3},
			Value:      words(func(e *ledger.Entry) string { return e.Note }),
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Outcome", Name: "outcome", Width: 10, Fill: 1, Drop: 4},
			Value:      words(func(e *ledger.Entry) string { return e.Outcome }),
		},
		{
			ColumnSpec: columns.ColumnSpec{
				Title: "Against",
				Full:  "Compared with",
				Name:  "against",
				Width: 16,
				Off:   true,
				Drop:  6,
			},
			Value: words(func(e *ledger.Entry) string { return strings.Join(e.Against, "; ") }),
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Service", Name: "service", Width: 16, Off: true, Drop: 7},
			Value:      words(func(e *ledger.Entry) string { return e.Host }),
		},
	}
}

// decisionCell returns the kind of an entry, marked if it is not confirmed.
func decisionCell(e *ledger.Entry) table.Cell {
	switch {
	case strings.HasSuffix(e.Outcome, "outcome unknown"):
		return table.Cell{Text: string(e.Kind) + "?", Role: theme.Attention}
	case !e.IsConfirmed():
		return table.Cell{Text: "not " + string(e.Kind), Role: theme.Attention}
	case e.Kind == ledger.Accepted:
		return table.Cell{Text: string(e.Kind), Role: theme.Good}
	default:
		return table.Cell{Text: string(e.Kind)}
	}
}

// closeRefusal returns why an entry cannot be closed, "" if it can.
func closeRefusal(e *ledger.Entry) string {
	if e.IsOpen() {
		return ""
	}
	return "its outcome is known"
}

// confirmClose opens the dialog that confirms to close an unconfirmed entry.
func (d *DecisionLog) confirmClose(e *ledger.Entry) tea.Cmd {
	closed, log := *e, d.Decisions
	closed.Outcome = "closed; outcome unknown"
	lines := []string{e.Describe(), "", "It is not confirmed. Once closed, flightdesk stops looking for it."}
	d.Overlay(&dialog.Question{
		Theme: d.Theme, Title: "Close entry", Lines: lines, Yes: "close", No: "back",
		OnYes: func() tea.Cmd {
			if err := log.AddEntry(closed); err != nil {
				return page.ShowToast(theme.Bad, err.Error())
			}
			return d.OnShow()
		},
	})
	return nil
}

// showEntry shows all fields of an entry.
func (d *DecisionLog) showEntry(e *ledger.Entry) tea.Cmd {
	facts := append(widget.Facts(columns.RowFacts(decisionColumns(d.Now), e, d.Now())),
		widget.Text("Time", e.At.Format(time.RFC3339)), widget.Text("Account", e.Account),
		widget.Text("Order ID", e.OrderID), widget.Text("Quote ID", e.QuoteID))
	d.Overlay(
		&dialog.Reader{Theme: d.Theme, Title: e.Describe(), Text: func(w int) []string {
			return widget.BoxFacts(d.Theme, termWidth, w, facts...)
		}},
	)
	return nil
}
