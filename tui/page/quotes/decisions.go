package quotes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// DecisionLog is the page of changes sent from this machine, newest first: decisions on
// quotes, orders and endpoints.
type DecisionLog struct {
	*page.List[*changes.Change]
	state page.ListState[*changes.Change]
	asked page.Question
}

// NewDecisions returns the page of the decision log.
func NewDecisions(env *page.Env) *DecisionLog {
	d := &DecisionLog{}
	source := page.ListSource[*changes.Change]{
		State: func() page.ListState[*changes.Change] { return d.state }, Refresh: d.OnShow,
	}
	d.List = page.NewList(page.NewBase(env), source, page.ListOptions[*changes.Change]{
		Title:   "Decision log",
		Example: "decision:accepted",
		One:     "decision",
		Scope:   action.DecisionLog,
		Columns: columns.Decisions(env.Clock.Now),
		ID:      func(e *changes.Change) string { return e.At.String() + e.Describe() },
		Mark: func(e *changes.Change) (mark widget.Cell) {
			if !e.IsConfirmed() {
				mark = widget.Cell{Text: "!", Role: theme.Attention}
			}
			return mark
		},
		Open: d.showEntry,
		Acts: []page.Act[*changes.Change]{{
			ID:  action.CloseEntry,
			Off: closeRefusal,
			Do:  d.confirmClose,
		}},
		Empty: "No decisions yet.\nYour decisions appear here. They stay on this machine.",
	})
	return d
}

// CornerText returns the number of decisions.
func (d *DecisionLog) CornerText() string {
	return format.Count(len(d.state.Rows), "decision") + " on this machine"
}

// OnShow reads the log from disk.
func (d *DecisionLog) OnShow() tea.Cmd {
	log := d.Env.Profile.Decisions
	read := func(context.Context) ([]changes.Change, error) { return log.Entries() }
	return page.AskInBackground(d.Base, &d.asked, read, func(entries []changes.Change, err error) tea.Cmd {
		d.state = page.ListState[*changes.Change]{
			Version: d.state.Version + 1,
			At:      d.Env.Clock.Now(),
			Err:     err,
		}
		for _, e := range slices.Backward(entries) {
			d.state.Rows = append(d.state.Rows, &e)
		}
		d.Sync()
		return nil
	})
}

// Update reads the log again once a change was sent.
func (d *DecisionLog) Update(msg tea.Msg) tea.Cmd {
	if _, sent := msg.(page.SentMsg); sent {
		return d.OnShow()
	}
	return d.List.Update(msg)
}

// closeRefusal returns why an entry cannot be closed, "" if it can.
func closeRefusal(e *changes.Change) string {
	return page.TextIf(!e.IsOpen(), "its outcome is known")
}

// confirmClose opens the dialog that confirms to close an unconfirmed entry.
func (d *DecisionLog) confirmClose(e *changes.Change) tea.Cmd {
	closed, log := *e, d.Env.Profile.Decisions
	closed.Close()
	const means = "It is not confirmed. Once closed, flightdesk stops looking for it."
	return d.Env.AskFirst("Close entry", "close", func() tea.Cmd {
		if err := log.AddEntry(closed); err != nil {
			return page.ShowToast(theme.Bad, err.Error())
		}
		return d.OnShow()
	}, e.Describe(), "", means)
}

// showEntry shows all fields of an entry.
func (d *DecisionLog) showEntry(e *changes.Change) tea.Cmd {
	facts := widget.Facts(columns.RowFacts(columns.Decisions(d.Env.Clock.Now), e, d.Env.Clock.Now()))
	return d.Env.ShowFacts(e.Describe(), termWidth, facts...)
}

// confirmDecision opens the dialog that confirms a decision. It cannot be undone once
// sent, so the user types a word.
func (c *ComparePage) confirmDecision(kind changes.Kind, offers ...*offer) tea.Cmd {
	d := c.Set.NewDecision(kind, offers...)
	title := format.CapitalizeFirst(d.Verb()) + " quote"
	if n := len(offers); n > 1 {
		title = fmt.Sprintf("Reject %d quotes", n)
	}
	lines := d.DescribeLines(c.Env.Clock.Now(), c.Env.Profile.UndoNote("then it is final"))
	send := func() tea.Cmd { return c.sendDecision(d) }
	c.Env.Nav.Overlay(widget.ConfirmTyped(title, lines, d.ConfirmWord(), d.Verb(), send, d.ConfirmAlternatives()...))
	return nil
}

// confirmReject opens the dialog that confirms the rejection of the marked quotes, or
// of the selected one.
func (c *ComparePage) confirmReject(o *offer) tea.Cmd {
	offers := c.markedOffers()
	if len(offers) == 0 {
		offers = []*offer{o}
	}
	return c.confirmDecision(changes.QuoteRejected, offers...)
}

// markedOffers returns the marked quotes that can still be decided.
func (c *ComparePage) markedOffers() []*offer {
	return slices.DeleteFunc(
		c.Set.OpenOffers(c.Env.Clock.Now()),
		func(o *offer) bool { return !c.marked[o.QuoteID] },
	)
}

// sendDecision sends a decision after the time in which it can be undone, unless it
// became void during confirmation.
func (c *ComparePage) sendDecision(d quoting.Decision) tea.Cmd {
	if why := c.Env.Changes.PendingReason(d.Order.ID); why != "" {
		return page.ShowToast(theme.Attention, "Not sent; "+why)
	}
	for _, o := range d.Offers {
		if why := quoting.ChangedReason(d.Kind, o, &c.Set, c.Env.Clock.Now()); why != "" {
			return page.ShowToast(theme.Bad, why)
		}
	}
	if d.Kind == changes.QuoteRejected {
		clear(c.marked)
	}
	m := quoting.Decider{
		Client: c.Env.Profile.Client, Log: c.Env.Profile.Decisions, Host: c.Env.Profile.Host, Account: c.Env.Profile.AccountName(), Now: c.Env.Clock.Now,
	}
	return c.Env.Changes.Defer(page.HeldChange{
		Text: d.Describe(d.Verb()), Done: format.CapitalizeFirst(d.Describe(string(d.Kind))), Of: d.Order.ID,
		Send: func(ctx context.Context) error {
			err := m.Decide(ctx, &d)
			if err != nil { // of several quotes
				err = errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
			}
			return err
		},
	})
}
