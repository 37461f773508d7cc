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
	asked page.Request
}

// NewDecisions returns the page of the decision log.
func NewDecisions(env *page.Env) *DecisionLog {
	d := &DecisionLog{}
	source := page.ListSource[*changes.Change]{
		State: func() page.ListState[*changes.Change] { return d.state }, Refresh: d.OnShow,
	}
	d.List = page.NewList(page.NewBase(env), source, page.ListOptions[*changes.Change]{
		Title:    "Decision log",
		Example:  "decision:accepted",
		Singular: "decision",
		Order:    page.RowOrder{Column: "at", Descending: true},
		Scope:    action.DecisionLog,
		Columns:  columns.Decisions(),
		ID:       func(e *changes.Change) string { return e.At.String() + e.Describe() },
		Mark: func(e *changes.Change) (mark widget.Cell) {
			if !e.IsConfirmed() {
				mark = widget.Cell{Text: "!", Role: theme.Attention}
			}
			return mark
		},
		Open: d.showEntry,
		Actions: []page.Action[*changes.Change]{{
			ID:          action.CloseEntry,
			WhyDisabled: closeRefusal,
			Do:          d.confirmClose,
		}},
		Empty: "No decisions yet.\nYour decisions appear here. They stay on this machine.",
	})
	return d
}

// CornerText returns the number of decisions, or "" if the log could not be read.
func (d *DecisionLog) CornerText() string {
	if d.state.At.IsZero() || d.state.Err != nil {
		return ""
	}
	return format.Count(len(d.state.Rows), "decision") + " on this machine"
}

// OnShow loads the log from disk.
func (d *DecisionLog) OnShow() tea.Cmd {
	log := d.Env.Profile.ChangeLog
	read := func(context.Context) ([]changes.Change, error) { return log.Entries() }
	return page.RunInBackground(d.Base, &d.asked, read, d.showEntries)
}

// showEntries lists the entries of the log, which are sorted by time, newest first.
func (d *DecisionLog) showEntries(entries []changes.Change, err error) tea.Cmd {
	d.state = page.ListState[*changes.Change]{
		Version: d.state.Version + 1,
		At:      d.Env.Clock.Now(),
		Err:     err,
	}
	for _, entry := range slices.Backward(entries) {
		d.state.Rows = append(d.state.Rows, &entry)
	}
	d.Sync()
	return nil
}

// Update reloads the log after a change was sent.
func (d *DecisionLog) Update(msg tea.Msg) tea.Cmd {
	if _, sent := msg.(page.SentMsg); sent {
		return d.OnShow()
	}
	return d.List.Update(msg)
}

// closeRefusal returns why the user cannot close an entry, or "" if it is possible. Only entries whose outcome
// is not known yet can be closed. A closed entry keeps the outcome "unknown", and the app stops looking for the
// outcome.
func closeRefusal(e *changes.Change) string {
	if e.State() == changes.Unknown {
		return "already closed"
	}
	return page.TextIf(!e.IsOpen(), "its outcome is known")
}

// confirmClose asks the user to confirm that an entry is closed.
func (d *DecisionLog) confirmClose(e *changes.Change) tea.Cmd {
	const means = "It is not confirmed. Once closed, flightdesk stops looking for it."
	closeEntry := func() tea.Cmd { return d.closeEntry(*e) }
	return d.Env.Confirm("Close entry", "close", closeEntry, e.Describe(), "", means)
}

// closeEntry closes an entry in the log on disk and reloads the log.
func (d *DecisionLog) closeEntry(entry changes.Change) tea.Cmd {
	entry.Close()
	if err := d.Env.Profile.ChangeLog.AddEntry(entry); err != nil {
		return page.ShowToast(theme.Bad, err.Error())
	}
	return d.OnShow()
}

// showEntry shows all fields of an entry.
func (d *DecisionLog) showEntry(e *changes.Change) tea.Cmd {
	facts := widget.Facts(columns.RowFacts(columns.Decisions(), e, d.Env.Clock.Now()))
	return d.Env.ShowFacts(e.Describe(), termWidth, facts...)
}

// confirmDecision opens the dialog in which the user confirms a decision on offers. The user
// types a word, because a decision is final once it is sent.
func (c *ComparePage) confirmDecision(kind changes.Kind, offers ...*offer) tea.Cmd {
	decision := c.Set.NewDecision(kind, offers...)
	title := format.CapitalizeFirst(decision.Verb()) + " quote"
	if n := len(offers); n > 1 {
		title = fmt.Sprintf("Reject %d quotes", n)
	}
	undoNote := c.Env.Profile.UndoNote("then it is final")
	lines := decision.DescribeLines(c.Env.Clock.Now(), undoNote)
	send := func() tea.Cmd { return c.sendDecision(decision) }
	dialog := widget.ConfirmTyped(
		title, lines, decision.ConfirmWord(), decision.Verb(), send, decision.ConfirmAlternatives()...)
	dialog.AtFoot = true
	c.Env.Nav.Overlay(dialog)
	return nil
}

// confirmReject opens the dialog that confirms the rejection of the marked quotes, or of the
// selected quote if no quote is marked.
func (c *ComparePage) confirmReject(selected *offer) tea.Cmd {
	offers := c.markedOffers()
	if len(offers) == 0 {
		offers = []*offer{selected}
	}
	return c.confirmDecision(changes.QuoteRejected, offers...)
}

// markedOffers returns the marked quotes that are open and have not expired.
func (c *ComparePage) markedOffers() []*offer {
	var marked []*offer
	for _, o := range c.Set.OpenOffers(c.Env.Clock.Now()) {
		if c.sheet.marked[o.QuoteID] {
			marked = append(marked, o)
		}
	}
	return marked
}

// sendDecision schedules a decision, which is sent when the time to undo it has passed. If another change of the
// order is pending, or a quote has changed, it shows an error instead.
func (c *ComparePage) sendDecision(decision quoting.Decision) tea.Cmd {
	if why := c.Env.Changes.PendingReason(decision.Order.ID); why != "" {
		return page.ShowToast(theme.Attention, "Not sent; "+why)
	}
	if why := c.changedReason(&decision); why != "" {
		return page.ShowToast(theme.Bad, why)
	}
	if decision.Kind == changes.QuoteRejected {
		clear(c.sheet.marked)
	}
	decider := c.newDecider()
	var quoteIDs []string
	for _, o := range decision.Offers {
		quoteIDs = append(quoteIDs, o.QuoteID)
	}
	return c.Env.Changes.Defer(page.HeldChange{
		Text:  decision.Describe(decision.Verb()),
		Done:  format.CapitalizeFirst(decision.Describe(string(decision.Kind))),
		Of:    decision.Order.ID,
		Parts: quoteIDs,
		Send: func(ctx context.Context) error {
			err := decider.Decide(ctx, &decision)
			return joinErrorLines(err)
		},
	})
}

// changedReason returns why a decision can no longer be sent because one of its quotes has changed since the user
// saw it. It returns "" if no quote has changed.
func (c *ComparePage) changedReason(decision *quoting.Decision) string {
	for _, o := range decision.Offers {
		if why := quoting.ChangedReason(decision.Kind, o, &c.Set, c.Env.Clock.Now()); why != "" {
			return why
		}
	}
	return ""
}

// newDecider returns a Decider that sends decisions for the profile's account. The Decider logs each decision
// before it is sent.
func (c *ComparePage) newDecider() *quoting.Decider {
	return &quoting.Decider{
		Client:  c.Env.Profile.Client,
		Log:     c.Env.Profile.ChangeLog,
		Host:    c.Env.Profile.Host,
		Account: c.Env.Profile.AccountName(),
		Now:     c.Env.Clock.Now,
	}
}

// joinErrorLines returns an error with the same text in one line. The error of a decision on several quotes can
// have a line for each quote.
func joinErrorLines(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
}
