package quotes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

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

// sendDecision schedules a decision to be sent when the time to undo it has passed. It shows
// an error instead if another change of the order is pending or a quote has changed.
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
	return c.Env.Changes.Defer(page.HeldChange{
		Text: decision.Describe(decision.Verb()),
		Done: format.CapitalizeFirst(decision.Describe(string(decision.Kind))),
		Of:   decision.Order.ID,
		Send: func(ctx context.Context) error {
			err := decider.Decide(ctx, &decision)
			return joinErrorLines(err)
		},
	})
}

// changedReason returns why a quote of a decision can no longer be decided as the user saw
// it, or "" if no quote has changed.
func (c *ComparePage) changedReason(decision *quoting.Decision) string {
	for _, o := range decision.Offers {
		if why := quoting.ChangedReason(decision.Kind, o, &c.Set, c.Env.Clock.Now()); why != "" {
			return why
		}
	}
	return ""
}

// newDecider returns the decider of the profile.
func (c *ComparePage) newDecider() *quoting.Decider {
	return &quoting.Decider{
		Client:  c.Env.Profile.Client,
		Log:     c.Env.Profile.ChangeLog,
		Host:    c.Env.Profile.Host,
		Account: c.Env.Profile.AccountName(),
		Now:     c.Env.Clock.Now,
	}
}

// joinErrorLines returns an error whose text is in one line. The error of a decision on several quotes can
// have a line for each quote.
func joinErrorLines(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
}
