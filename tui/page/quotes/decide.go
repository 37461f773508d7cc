package quotes

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
)

// confirmAccept opens the dialog that confirms an acceptance. It cannot be undone once
// sent, so the user types the amount.
func (c *ComparePage) confirmAccept(o *quoting.Offer) {
	d := c.makeDecision(ledger.Accepted, []*quoting.Offer{o})
	lines := d.DescribeLines(c.Now())
	if place := d.ComparePrice(c.Now()); place != "" {
		lines = append(lines, place)
	}
	lines = append(lines, "")
	switch n := len(d.Rivals); n {
	case 0:
	case 1:
		lines = append(lines, "Closes the other quote.")
	default:
		lines = append(lines, fmt.Sprintf("Closes the %d other quotes.", n))
	}
	lines = append(lines, "Accepting starts the work. You can undo for 8 s; then it is final.")
	c.Overlay(&dialog.TypedConfirmation{
		Theme: c.Theme, Title: "Accept quote", Lines: lines, Want: d.ConfirmWord(), Yes: "accept", No: "back",
		OnYes: func() tea.Cmd { return c.sendDecision(d) },
	})
}

// confirmReject opens the dialog that confirms the rejection of the marked quotes, or
// of the selected one.
func (c *ComparePage) confirmReject() {
	offers := c.markedOffers()
	if len(offers) == 0 {
		offers = []*quoting.Offer{c.selectedQuote()}
	}
	d := c.makeDecision(ledger.Rejected, offers)
	lines := append(d.DescribeLines(c.Now()), "")
	if len(d.Rivals) == 0 {
		lines = append(lines, "No open quotes will be left; the order returns to review.")
	}
	lines = append(lines, "You can undo for 8 s; then it is final.")
	title := "Reject quote"
	if len(offers) > 1 {
		title = fmt.Sprintf("Reject %d quotes", len(offers))
	}
	c.Overlay(&dialog.TypedConfirmation{
		Theme: c.Theme, Title: title, Lines: lines, Want: "reject", Yes: "reject", No: "back",
		OnYes: func() tea.Cmd {
			clear(c.sheet.marked)
			return c.sendDecision(d)
		},
	})
}

// markedOffers returns the marked quotes that can still be decided.
func (c *ComparePage) markedOffers() []*quoting.Offer {
	return slices.DeleteFunc(
		c.sheet.board.OpenOffers(c.Now()),
		func(o *quoting.Offer) bool { return !c.sheet.marked[o.QuoteID] },
	)
}

func (c *ComparePage) makeDecision(kind ledger.EntryKind, offers []*quoting.Offer) quoting.Decision {
	return c.sheet.board.NewDecision(kind, c.recordOf(offers[0]), offers...)
}

// recordOf returns the order that an offer belongs to.
func (c *ComparePage) recordOf(o *quoting.Offer) *api.OrderRecord {
	for _, r := range c.others {
		if r.ID == o.OrderID {
			return r
		}
	}
	return c.record
}

// sendDecision sends a decision after the time in which it can be undone, unless it
// became void during confirmation.
func (c *ComparePage) sendDecision(d quoting.Decision) tea.Cmd {
	if waits := c.pendingDecision(d.Order.ID); waits != "" {
		return page.ShowToast(theme.Attention, "Not sent; still pending: "+waits)
	}
	for _, o := range d.Offers {
		if why := quoting.ChangedReason(d.Kind, o, &c.sheet.board, c.Now()); why != "" {
			return page.ShowToast(theme.Bad, why)
		}
	}
	m := quoting.Decider{
		Client:  c.Client,
		Log:     c.Decisions,
		Host:    c.Host,
		Account: c.Account,
		Notes:   c.sheet.notes,
		Now:     c.Now,
	}
	return c.Defer(page.HeldChange{
		Text: d.Describe(), Done: format.CapitalizeFirst(d.DescribeDone()), Of: d.Order.ID,
		Send: func(ctx context.Context) error { return m.Decide(ctx, &d) },
	})
}

// pendingDecision returns the order's decision that is not sent or not answered yet, ""
// if there is none.
func (c *ComparePage) pendingDecision(order string) string {
	if c.PendingFor == nil {
		return ""
	}
	return c.PendingFor(order)
}

// saveNote saves a note on a quote.
func (c *ComparePage) saveNote(o *quoting.Offer, text string) tea.Cmd {
	log := c.Decisions
	if log == nil {
		return nil
	}
	d := c.makeDecision(ledger.Note, []*quoting.Offer{o})
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

// nameWidth returns the width of the decided quotes' names.
func (c *ComparePage) nameWidth() int {
	w := 0
	for _, o := range c.sheet.board.Decided {
		w = max(w, layout.Width(layout.Clean(o.DisplayName())))
	}
	return min(w, 22)
}

// decidedLine renders a decided quote in one line.
func (c *ComparePage) decidedLine(o *quoting.Offer, w int) string {
	th := c.Theme
	st := labels.QuoteLabel(o.Status, false)
	line := " " + th.PaintRole(st.Role, st.Glyph+" "+layout.FitLeft(layout.Clean(o.DisplayName()), c.nameWidth())) +
		"  " + th.PaintText(layout.FitRight(o.PriceText(), max(13, c.sheet.money))) + "  " +
		th.PaintMuted(layout.FitLeft(o.DeliveryBy.String(), 8)+"  ") + th.PaintRole(st.Role, st.Label)
	by := ""
	if c.Decisions != nil {
		if e := c.Decisions.LastDecision(c.Host, o.QuoteID); e != nil && string(e.Kind) == string(o.Status) {
			by = " by you " + format.Moment(e.At, c.Now())
		}
	}
	line += th.PaintMuted(by)
	if note := c.sheet.notes[o.QuoteID]; note != "" {
		line += th.PaintMuted("  note: “" + note + "”")
	}
	return layout.CutLine(line, w)
}

// renderDecided renders the decided quotes, one per line, or their number while folded.
func (c *ComparePage) renderDecided(w int) []string {
	done := c.sheet.board.Decided
	if len(done) == 0 {
		return nil
	}
	th, count := c.Theme, format.Count(len(done), "decided quote", "decided quotes")
	if !c.whole {
		return []string{th.PaintMuted(" ▸ "+count+"  ") + th.PaintHint("v", "show")}
	}
	lines := []string{th.PaintMuted(" ▾ " + count)}
	for _, o := range done[:min(len(done), c.height)] { // more cannot fit
		lines = append(lines, c.decidedLine(o, w))
	}
	return lines
}

// renderStory renders an order without open quotes: which quote was accepted over which
// others, and the next step.
func (c *ComparePage) renderStory(w int) []string {
	th := c.Theme
	lines := []string{""}
	if len(c.sheet.board.Decided) == 0 {
		return append(lines, th.PaintText(" No quotes yet."),
			th.PaintMuted(" Quotes appear here and in Quotes after the service has reviewed the order."))
	}
	winner := c.record.AcceptedQuote
	room := max(1, c.height-4)
	for i, o := range c.sheet.board.Decided {
		if i == room && len(c.sheet.board.Decided) > room {
			lines = append(
				lines,
				th.PaintMuted(fmt.Sprintf("   and %d more · E to export all", len(c.sheet.board.Decided)-i)),
			)
			break
		}
		line := c.decidedLine(o, w)
		if winner != nil && o.Status != api.QuoteAccepted && o.Currency == winner.Currency {
			if by, share, ok := quoting.Difference(o, &quoting.Offer{Quote: *winner}, (*quoting.Offer).Price); ok {
				line = layout.CutLine(
					line+th.PaintMuted("  "+format.MoneyChange(by, o.Currency)+" "+format.Percent(share)),
					w,
				)
			}
		}
		lines = append(lines, line)
	}
	return append(lines, "", th.PaintText(" "+nextStepText(c.record.StageStatus())))
}

// nextStepText returns what follows a status.
func nextStepText(s api.RecordStatus) string {
	switch s {
	case api.RecordReviewing:
		return "Next: the service reviews the order again and may send new quotes."
	case api.RecordPendingOperator:
		return "Next: an operator is assigned to each mission."
	case api.RecordOperatorAssigned:
		return "Next: the operator sets the flight dates."
	case api.RecordFlyingDateSet:
		return "Next: flights, then data."
	case api.RecordCompleted:
		return "All data delivered."
	case api.RecordNotFeasible, api.RecordRejected, api.RecordCancelled, api.RecordDeleted:
		return labels.RecordLabel(s).Label + ": no further steps."
	default:
		return labels.RecordLabel(s).Label + "."
	}
}
