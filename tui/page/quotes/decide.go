package quotes

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/decisions"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
)

// decision is quotes of one order that are to be decided in one way.
type decision struct {
	kind   decisions.Kind
	order  *api.OrderRecord
	offers []*offer
	rivals []*offer // the other open quotes
}

// mostNamed is how many quotes a question names: what follows has to be read,
// too, in the lowest window.
const mostNamed = 4

// askAccept asks for the amount before a quote is accepted: it cannot be taken
// back once it is sent.
func (c *Compare) askAccept(o *offer) {
	d := c.decision(decisions.Accepted, []*offer{o})
	lines := d.lines(c.Now())
	if place := d.place(c.Now()); place != "" {
		lines = append(lines, place)
	}
	lines = append(lines, "")
	switch n := len(d.rivals); n {
	case 0:
	case 1:
		lines = append(lines, "Closes the other quote.")
	default:
		lines = append(lines, fmt.Sprintf("Closes the %d other quotes.", n))
	}
	lines = append(lines, "Operators start. There is no way back once it is sent; you have 8 s to undo.")
	c.Overlay(&dialog.Typed{
		Theme: c.Theme, Title: "Accept quote", Lines: lines, Want: d.word(), Yes: "accept", No: "keep it open",
		OnYes: func() tea.Cmd { return c.send(d) },
	})
}

// askReject asks before the marked quotes, or the chosen one, are rejected.
func (c *Compare) askReject() {
	offers := c.markedOffers()
	if len(offers) == 0 {
		offers = []*offer{c.pick()}
	}
	d := c.decision(decisions.Rejected, offers)
	lines := append(d.lines(c.Now()), "")
	if len(d.rivals) == 0 {
		lines = append(lines, "No quote is left open then; the order goes back to the service for review.")
	}
	lines = append(lines, "There is no way back once it is sent; you have 8 s to undo.")
	title := "Reject quote"
	if len(offers) > 1 {
		title = fmt.Sprintf("Reject %d quotes", len(offers))
	}
	c.Overlay(&dialog.Typed{
		Theme: c.Theme, Title: title, Lines: lines, Want: "reject", Yes: "reject", No: "keep it open",
		OnYes: func() tea.Cmd {
			clear(c.sheet.marked)
			return c.send(d)
		},
	})
}

// markedOffers are those that are marked and can still be decided.
func (c *Compare) markedOffers() []*offer {
	return slices.DeleteFunc(c.sheet.board.live(c.Now()), func(o *offer) bool { return !c.sheet.marked[o.QuoteID] })
}

func (c *Compare) decision(kind decisions.Kind, offers []*offer) decision {
	d := decision{kind: kind, order: c.recordOf(offers[0]), offers: offers}
	for _, o := range c.sheet.board.open {
		if o.order == offers[0].order && !slices.Contains(offers, o) {
			d.rivals = append(d.rivals, o)
		}
	}
	return d
}

// recordOf is the order that an offer is for.
func (c *Compare) recordOf(o *offer) *api.OrderRecord {
	for _, r := range c.others {
		if r.ID == o.order {
			return r
		}
	}
	return c.record
}

// lines name order, quotes and amounts.
func (d *decision) lines(now time.Time) []string {
	lines := []string{strings.TrimSpace(name(d.order) + "  " + d.order.OrderName)}
	for i, o := range d.offers {
		if i == mostNamed && len(d.offers) > mostNamed+1 {
			lines = append(lines, fmt.Sprintf("and %d more", len(d.offers)-i))
			break
		}
		lines = append(lines, strings.Join([]string{o.name(), finalText(o), o.DeliveryBy.String()}, "   "))
	}
	if o := d.offers[0]; len(d.offers) == 1 && o.ExpiryDate.IsRead() {
		lines = append(lines, "Expires in "+format.Left(o.ExpiryDate.Time, now, false)+".")
	}
	return lines
}

// place says how dear the chosen quote is among those that could be chosen in
// its place, "" where that cannot be compared.
func (d *decision) place(now time.Time) string {
	o := d.offers[0]
	var cheapest *offer
	for _, r := range d.rivals {
		if _, ok := r.price(); ok && alike(r, o) && !r.IsExpired(now) && (cheapest == nil || r.FinalPrice.Amount < cheapest.FinalPrice.Amount) {
			cheapest = r
		}
	}
	if cheapest == nil {
		return ""
	}
	by, share, ok := difference(o, cheapest, (*offer).price)
	switch {
	case !ok:
		return ""
	case by > 0:
		return fmt.Sprintf("%s %s (%s) against the cheapest, %s.", format.MoneyChange(by, o.Currency), o.Currency, format.Percent(share), cheapest.name())
	default:
		return "No other open quote in " + o.Currency + " is cheaper."
	}
}

// word is what has to be typed to accept: the amount without its cents, or the
// order's name where there is no amount.
func (d *decision) word() string {
	if price, ok := d.offers[0].price(); ok {
		return strconv.FormatFloat(float64(int64(price)), 'f', -1, 64)
	}
	return name(d.order)
}

// what is decided, as in "accept of AeroScan, 12,420.00 EUR, for ORD-100241".
func (d *decision) what() string {
	verb := map[decisions.Kind]string{decisions.Accepted: "accept of ", decisions.Rejected: "reject of "}[d.kind]
	if len(d.offers) > 1 {
		return fmt.Sprintf("%s%d quotes for %s", verb, len(d.offers), name(d.order))
	}
	return fmt.Sprintf("%s%s, %s, for %s", verb, d.offers[0].name(), finalText(d.offers[0]), name(d.order))
}

func (d *decision) done() string {
	if len(d.offers) > 1 {
		return fmt.Sprintf("%s %d quotes for %s", d.kind, len(d.offers), name(d.order))
	}
	return fmt.Sprintf("%s %s, %s, for %s", d.kind, d.offers[0].name(), finalText(d.offers[0]), name(d.order))
}

// send holds a decision back for a while, and then has it made, unless it has
// become void while it was asked about.
func (c *Compare) send(d decision) tea.Cmd {
	if waits := c.waits(d.order.ID); waits != "" {
		return page.Toast(theme.Attention, "not sent: "+waits+" comes first")
	}
	for _, o := range d.offers {
		if why := changed(d.kind, o, &c.sheet.board, c.Now()); why != "" {
			return page.Toast(theme.Bad, why)
		}
	}
	m := maker{client: c.Client, log: c.Decisions, host: c.Host, account: c.Company, notes: c.sheet.notes, now: c.Now}
	return c.Defer(page.Pending{
		Text: d.what(), Done: d.done(), Of: d.order.ID,
		Send: func(ctx context.Context) error { return m.make(ctx, &d) },
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

func (d *decision) entry(o *offer) decisions.Entry {
	e := decisions.Entry{
		Kind: d.kind, OrderID: d.order.ID, OrderName: strings.TrimSpace(name(d.order) + " " + d.order.OrderName),
		QuoteID: o.QuoteID, QuoteName: o.name(), Price: finalText(o), Days: o.DeliveryBy.String(),
	}
	for _, r := range d.rivals {
		e.Against = append(e.Against, r.name()+" "+finalText(r))
	}
	return e
}

// keepNote keeps a note on a quote.
func (c *Compare) keepNote(o *offer, text string) tea.Cmd {
	log := c.Decisions
	if log == nil {
		return nil
	}
	d := c.decision(decisions.Note, []*offer{o})
	e := d.entry(o)
	e.At, e.Host, e.Account, e.Note, e.Against = c.Now(), c.Host, c.Company, text, nil
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
	for _, o := range c.sheet.board.decided {
		w = max(w, layout.Width(layout.Clean(o.name())))
	}
	return min(w, 22)
}

// decidedLine tells of a decided quote.
func (c *Compare) decidedLine(o *offer, w int) string {
	th := c.Theme
	st := standing(o.stands)
	line := " " + layout.Text(th.Style(st.role), st.glyph+" "+layout.Left(layout.Clean(o.name()), c.nameWidth())) + "  " +
		layout.Text(th.Style(theme.Text), layout.Right(finalText(o), max(13, c.sheet.money))) + "  " +
		layout.Text(th.Style(theme.Muted), layout.Left(o.DeliveryBy.String(), 8)+"  ") +
		layout.Text(th.Style(st.role), string(o.stands))
	by := ""
	if c.Decisions != nil {
		if e, ok := c.Decisions.Of(c.Host, o.QuoteID); ok && string(e.Kind) == string(o.stands) {
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
	done := c.sheet.board.decided
	if len(done) == 0 {
		return nil
	}
	th := c.Theme
	if !c.whole {
		return []string{layout.Text(th.Style(theme.Muted), " ▸ "+format.Count(len(done), "decided quote", "decided quotes")+"  ") + layout.Text(th.Key, "v") + layout.Text(th.Style(theme.Muted), " shows them")}
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
	if len(c.sheet.board.decided) == 0 {
		return append(lines, layout.Text(th.Style(theme.Text), " No quote yet."),
			layout.Text(th.Style(theme.Muted), " The service reviews the order first; its quotes appear here and in the inbox."))
	}
	winner := c.record.AcceptedQuote
	room := max(1, c.height-4)
	for i, o := range c.sheet.board.decided {
		if i == room && len(c.sheet.board.decided) > room {
			lines = append(lines, layout.Text(th.Style(theme.Muted), fmt.Sprintf("   and %d more; E writes them all to a file", len(c.sheet.board.decided)-i)))
			break
		}
		line := c.decidedLine(o, w)
		if winner != nil && o.stands != api.QuoteAccepted && o.Currency == winner.Currency {
			if by, share, ok := difference(o, &offer{Quote: *winner}, (*offer).price); ok {
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
		return "Next: the service reviews the order again, and new quotes may come."
	case api.RecordPendingOperator:
		return "Next: an operator is assigned to each mission."
	case api.RecordOperatorAssigned:
		return "Next: the operator chooses the day of the flight."
	case api.RecordFlyingDateSet:
		return "Next: the flight, and then the data."
	case api.RecordCompleted:
		return "The data is delivered."
	case api.RecordNotFeasible, api.RecordRejected, api.RecordCancelled, api.RecordDeleted:
		return "The order has ended: " + string(s) + "."
	default:
		return "The order is " + string(s) + "."
	}
}
