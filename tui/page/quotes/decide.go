package quotes

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
)

// confirmDecision opens the dialog that confirms a decision. It cannot be undone once
// sent, so the user types a word.
func (c *ComparePage) confirmDecision(kind ledger.EntryKind, title string, offers ...*offer) tea.Cmd {
	d := c.sheet.Set.NewDecision(kind, c.recordOf(offers[0]), offers...)
	lines := d.DescribeLines(c.Now(), c.UndoNote("then it is final"))
	send := func() tea.Cmd { return c.sendDecision(d) }
	c.Overlay(dialog.ConfirmTyped(title, lines, d.ConfirmWord(), d.Verb(), send))
	return nil
}

// confirmReject opens the dialog that confirms the rejection of the marked quotes, or
// of the selected one.
func (c *ComparePage) confirmReject(o *offer) tea.Cmd {
	if offers := c.markedOffers(); len(offers) > 1 {
		return c.confirmDecision(ledger.Rejected, fmt.Sprintf("Reject %d quotes", len(offers)), offers...)
	} else if len(offers) == 1 {
		o = offers[0]
	}
	return c.confirmDecision(ledger.Rejected, "Reject quote", o)
}

// markedOffers returns the marked quotes that can still be decided.
func (c *ComparePage) markedOffers() []*offer {
	return slices.DeleteFunc(
		c.sheet.Set.OpenOffers(c.Now()),
		func(o *offer) bool { return !c.sheet.marked[o.QuoteID] },
	)
}

// recordOf returns the order that an offer belongs to.
func (c *ComparePage) recordOf(o *offer) *api.OrderRecord {
	for _, r := range c.others {
		if r.ID == o.OrderID {
			return r
		}
	}
	return c.sheet.Order
}

// sendDecision sends a decision after the time in which it can be undone, unless it
// became void during confirmation.
func (c *ComparePage) sendDecision(d quoting.Decision) tea.Cmd {
	if why := c.PendingReason(d.Order.ID); why != "" {
		return page.ShowToast(theme.Attention, "Not sent; "+why)
	}
	for _, o := range d.Offers {
		if why := quoting.ChangedReason(d.Kind, o, &c.sheet.Set, c.Now()); why != "" {
			return page.ShowToast(theme.Bad, why)
		}
	}
	if d.Kind == ledger.Rejected {
		clear(c.sheet.marked)
	}
	m := quoting.Decider{
		Client: c.Client, Log: c.Decisions, Host: c.Host, Account: c.Account, Notes: c.sheet.Notes, Now: c.Now,
	}
	return c.Defer(page.HeldChange{
		Text: d.Describe(d.Verb()), Done: format.CapitalizeFirst(d.Describe(string(d.Kind))), Of: d.Order.ID,
		Send: func(ctx context.Context) error { return m.Decide(ctx, &d) },
	})
}

// saveNote saves a note on a quote.
func (c *ComparePage) saveNote(o *offer, text string) tea.Cmd {
	log := c.Decisions
	if log == nil {
		return nil
	}
	d := c.sheet.Set.NewDecision(ledger.Note, c.recordOf(o), o)
	e := d.Entry(o)
	e.At, e.Host, e.Account, e.Note, e.Against = c.Now(), c.Host, c.Account, text, nil
	read := c.readNotes() // must follow the write
	return func() tea.Msg {
		if err := log.AddEntry(e); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		if read == nil {
			return nil
		}
		return read()
	}
}
