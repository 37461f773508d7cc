package quotes

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
)

// askAccept asks for the amount before a quote is accepted: it cannot be taken
// back once it is sent.
func (c *Compare) askAccept(o *quoting.Offer) {
	d := c.decision(quoting.Accepted, []*quoting.Offer{o})
	lines := d.Lines(c.Now())
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
	c.Overlay(&dialog.Typed{
		Theme: c.Theme, Title: "Accept quote", Lines: lines, Want: d.ConfirmWord(), Yes: "accept", No: "back",
		OnYes: func() tea.Cmd { return c.send(d) },
	})
}

// askReject asks before the marked quotes, or the chosen one, are rejected.
func (c *Compare) askReject() {
	offers := c.markedOffers()
	if len(offers) == 0 {
		offers = []*quoting.Offer{c.pick()}
	}
	d := c.decision(quoting.Rejected, offers)
	lines := append(d.Lines(c.Now()), "")
	if len(d.Rivals) == 0 {
		lines = append(lines, "No open quotes will be left; the order returns to review.")
	}
	lines = append(lines, "You can undo for 8 s; then it is final.")
	title := "Reject quote"
	if len(offers) > 1 {
		title = fmt.Sprintf("Reject %d quotes", len(offers))
	}
	c.Overlay(&dialog.Typed{
		Theme: c.Theme, Title: title, Lines: lines, Want: "reject", Yes: "reject", No: "back",
		OnYes: func() tea.Cmd {
			clear(c.sheet.marked)
			return c.send(d)
		},
	})
}

// markedOffers are those that are marked and can still be decided.
func (c *Compare) markedOffers() []*quoting.Offer {
	return slices.DeleteFunc(c.sheet.board.Live(c.Now()), func(o *quoting.Offer) bool { return !c.sheet.marked[o.QuoteID] })
}

func (c *Compare) decision(kind quoting.Kind, offers []*quoting.Offer) quoting.Decision {
	return c.sheet.board.NewDecision(kind, c.recordOf(offers[0]), offers...)
}

// recordOf is the order that an offer is for.
func (c *Compare) recordOf(o *quoting.Offer) *api.OrderRecord {
	for _, r := range c.others {
		if r.ID == o.OrderID {
			return r
		}
	}
	return c.record
}

// send holds a decision back for a while, and then has it made, unless it has
// become void while it was asked about.
func (c *Compare) send(d quoting.Decision) tea.Cmd {
	if waits := c.waits(d.Order.ID); waits != "" {
		return page.Toast(theme.Attention, "Not sent; still pending: "+waits)
	}
	for _, o := range d.Offers {
		if why := quoting.Changed(d.Kind, o, &c.sheet.board, c.Now()); why != "" {
			return page.Toast(theme.Bad, why)
		}
	}
	m := quoting.Decider{Client: c.Client, Log: c.Decisions, Host: c.Host, Account: c.Account, Notes: c.sheet.notes, Now: c.Now}
	return c.Defer(page.Pending{
		Text: d.Describe(), Done: format.Sentence(d.DescribeDone()), Of: d.Order.ID,
		Send: func(ctx context.Context) error { return m.Decide(ctx, &d) },
	})
}

// waits is the decision of an order's quotes that is held back or not answered
// yet, "" for none.
func (c *Compare) waits(order string) string {
	if c.PendingFor == nil {
		return ""
	}
	return c.PendingFor(order)
}

// keepNote keeps a note on a quote.
func (c *Compare) keepNote(o *quoting.Offer, text string) tea.Cmd {
	log := c.Decisions
	if log == nil {
		return nil
	}
	d := c.decision(quoting.Note, []*quoting.Offer{o})
	e := d.Entry(o)
	e.At, e.Host, e.Account, e.Note, e.Against = c.Now(), c.Host, c.Account, text, nil
	read := c.notes() // only after the note is written
	return func() tea.Msg {
		if err := log.Add(e); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		if read == nil {
			return nil
		}
		return read()
	}
}

// nameWidth is how many cells the decided quotes' names have.
func (c *Compare) nameWidth() int {
	w := 0
	for _, o := range c.sheet.board.Decided {
		w = max(w, layout.Width(layout.Clean(o.Name())))
	}
	return min(w, 22)
}

// decidedLine tells of a decided quote.
func (c *Compare) decidedLine(o *quoting.Offer, w int) string {
	th := c.Theme
	st := standing(o.Status)
	line := " " + layout.Text(th.Style(st.role), st.glyph+" "+layout.Left(layout.Clean(o.Name()), c.nameWidth())) + "  " +
		layout.Text(th.Style(theme.Text), layout.Right(o.PriceText(), max(13, c.sheet.money))) + "  " +
		layout.Text(th.Style(theme.Muted), layout.Left(o.DeliveryBy.String(), 8)+"  ") +
		layout.Text(th.Style(st.role), layout.Clean(labels.Quote(o.Status, false).Label))
	by := ""
	if c.Decisions != nil {
		if e, ok := c.Decisions.Of(c.Host, o.QuoteID); ok && string(e.Kind) == string(o.Status) {
			by = " by you " + format.Moment(e.At, c.Now())
		}
	}
	line += layout.Text(th.Style(theme.Muted), by)
	if note := c.sheet.notes[o.QuoteID]; note != "" {
		line += layout.Text(th.Style(theme.Muted), "  note: “"+note+"”")
	}
	return layout.Cut(line, w)
}

type look struct {
	glyph string
	role  theme.Role
}

func standing(s api.QuoteStatus) look {
	switch s {
	case api.QuoteAccepted:
		return look{"●", theme.Good}
	case api.QuoteRejected:
		return look{"✗", theme.Muted}
	case api.QuoteClosed:
		return look{"⊖", theme.Muted}
	case api.QuoteOpen:
		return look{"◆", theme.Attention}
	default:
		return look{"?", theme.Text}
	}
}

// decided are the decided quotes below the open ones: folded, or a line each.
func (c *Compare) decided(w int) []string {
	done := c.sheet.board.Decided
	if len(done) == 0 {
		return nil
	}
	th := c.Theme
	if !c.whole {
		return []string{layout.Text(th.Style(theme.Muted), " ▸ "+format.Count(len(done), "decided quote", "decided quotes")+"  ") + layout.Text(th.Key, "v") + layout.Text(th.Style(theme.Muted), " show")}
	}
	lines := []string{layout.Text(th.Style(theme.Muted), " ▾ "+format.Count(len(done), "decided quote", "decided quotes"))}
	for _, o := range done[:min(len(done), c.height)] { // more have no room
		lines = append(lines, c.decidedLine(o, w))
	}
	return lines
}

// story tells of an order without open quotes: what was chosen against what,
// and what follows.
func (c *Compare) story(w int) []string {
	th := c.Theme
	lines := []string{""}
	if len(c.sheet.board.Decided) == 0 {
		return append(lines, layout.Text(th.Style(theme.Text), " No quotes yet."),
			layout.Text(th.Style(theme.Muted), " Quotes appear here and in Quotes after the service has reviewed the order."))
	}
	winner := c.record.AcceptedQuote
	room := max(1, c.height-4)
	for i, o := range c.sheet.board.Decided {
		if i == room && len(c.sheet.board.Decided) > room {
			lines = append(lines, layout.Text(th.Style(theme.Muted), fmt.Sprintf("   and %d more · E to export all", len(c.sheet.board.Decided)-i)))
			break
		}
		line := c.decidedLine(o, w)
		if winner != nil && o.Status != api.QuoteAccepted && o.Currency == winner.Currency {
			if by, share, ok := quoting.Difference(o, &quoting.Offer{Quote: *winner}, (*quoting.Offer).Price); ok {
				line = layout.Cut(line+layout.Text(th.Style(theme.Muted), "  "+format.MoneyChange(by, o.Currency)+" "+format.Percent(share)), w)
			}
		}
		lines = append(lines, line)
	}
	return append(lines, "", layout.Text(th.Style(theme.Text), " "+next(c.record.State())))
}

// next says what follows in a status.
func next(s api.RecordStatus) string {
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
		return labels.Record(s).Label + ": no further steps."
	default:
		return labels.Record(s).Label + "."
	}
}
