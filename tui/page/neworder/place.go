package neworder

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"flightdesk/tui/app/ledger"
	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
)

// orderPlacer returns what places orders of the account.
func (p *NewOrder) orderPlacer() *ordering.Placer {
	return &ordering.Placer{Client: p.Client, Ledger: p.Decisions, Account: p.Account}
}

// placeDialog asks before anything is sent.
func (r *reviewStep) placeDialog() page.Dialog {
	d := r.p.draft
	what := strings.Join(r.counts(), ", ")
	title, once := "Place order", "Quotes follow. Nothing is flown until you accept one."
	if n := len(r.orders); n > 1 {
		title = fmt.Sprintf("Place %s orders", groupDigits(n))
		once = "Orders are placed one by one; placed orders are kept if a later one fails. Quotes follow for each order."
	}
	return &dialog.Question{
		Theme: r.p.Theme,
		Title: title,
		Lines: []string{
			d.FieldValue("orderName"),
			what,
			"For " + d.FieldValue("companyName") + " at " + r.p.Host,
			once,
		},
		Yes:   "place order",
		No:    "back",
		OnYes: func() tea.Cmd { return r.placeNext(false) },
	}
}

// askAlike asks whether the order is placed although there is one like it.
func (r *reviewStep) askAlike(alike *ordering.AlikeError) tea.Cmd {
	r.err = nil
	lines := alike.Orders
	if alike.Err != nil {
		lines = []string{"Could not check for similar orders: " + alike.Err.Error()}
	}
	if more := len(lines) - 4; more > 0 {
		lines = append(lines[:4:4], groupDigits(more)+" more")
	}
	r.p.Overlay(&dialog.TypedConfirmation{
		Theme: r.p.Theme, Title: "Place another order?", Lines: lines,
		Want: "place", Yes: "place", No: "back", OnYes: func() tea.Cmd { return r.placeNext(true) },
	})
	return r.p.noteChange()
}

// placeNext sends the first of the orders that are not placed yet; the others
// follow it. Unless that was confirmed it is not sent if there is one like it.
func (r *reviewStep) placeNext(confirmed bool) tea.Cmd {
	r.err, r.lost, r.refused, r.shown = nil, false, nil, 0
	send := r.p.drafts.PlaceOrder(r.p.draft, r.orders[0], r.p.orderPlacer(), confirmed)
	return page.AskInBackground(r.p.base, &r.placing, send, func(o *ordering.PlacedOrder, err error) tea.Cmd {
		return r.takeResult(o, false, err)
	})
}

// lookForSent looks for the order whose response was lost.
func (r *reviewStep) lookForSent() tea.Cmd {
	r.err = nil
	placer, name := r.p.orderPlacer(), r.p.draft.SentName
	find := func(ctx context.Context) (*ordering.PlacedOrder, error) { return placer.FindPlaced(ctx, name) }
	return page.AskInBackground(r.p.base, &r.placing, find, func(o *ordering.PlacedOrder, err error) tea.Cmd {
		return r.takeResult(o, true, err)
	})
}

// takeResult tells what came of an order that was sent or looked for.
func (r *reviewStep) takeResult(o *ordering.PlacedOrder, looked bool, err error) tea.Cmd {
	if r != r.p.review {
		return nil // another draft was taken up meanwhile
	}
	r.err = err
	switch {
	case r.err != nil && looked: // looking failed; it is as unknown as before
		return nil
	case r.err != nil:
		return r.explainFailure()
	case o == nil:
		r.lost = false
		r.p.draft.NotPlaced()
		return tea.Batch(r.p.noteChange(), page.ShowToast(theme.Good, "Order not found on the service · S to place it"))
	}
	return r.notePlaced(o)
}

// explainFailure sorts out why the order is not placed.
func (r *reviewStep) explainFailure() tea.Cmd {
	var alike *ordering.AlikeError
	var open *ledger.UnconfirmedError
	if errors.As(r.err, &open) {
		r.lost = true
		return nil
	}
	d := r.p.draft
	sites := d.FindSent()
	d.NotPlaced()
	if errors.As(r.err, &alike) {
		return r.askAlike(alike)
	}
	var e *api.Error
	if errors.As(r.err, &e) {
		r.refused, r.at = ordering.FaultsOfService(e.Fields, sites), 0
		r.p.details.serviceErrors(r.refused)
	}
	return r.p.noteChange()
}

// notePlaced notes that an order is there, and sends the next one, unless the
// answer had been lost: then it is for a person to go on.
func (r *reviewStep) notePlaced(s *ordering.PlacedOrder) tea.Cmd {
	d := r.p.draft
	d.ConfirmPlaced(s.Order)
	r.lost = false
	if len(d.IncludedSites()) == 0 {
		return r.finishPlacing(s)
	}
	r.computeRequests()
	said := tea.Batch(
		page.SendMessage(page.PlacedMsg{Order: s.Order}),
		page.ShowToast(theme.Good, fmt.Sprintf("Placed %s, %s of %s",
			s.OrderCode, groupDigits(len(d.Placed)), groupDigits(len(d.Placed)+len(r.orders)))),
	)
	if s.Found {
		return tea.Batch(said, r.p.noteChange())
	}
	return tea.Batch(said, r.placeNext(true))
}

// finishPlacing forgets the draft and shows the order, of several the first and a list
// of them all.
func (r *reviewStep) finishPlacing(s *ordering.PlacedOrder) tea.Cmd {
	p, all := r.p, r.p.draft.Placed
	p.placed = true
	remove := p.drafts.Forget()
	forget := func() tea.Msg {
		if err := remove(); err != nil {
			return page.ToastMsg{Role: theme.Attention, Text: err.Error()}
		}
		return nil
	}
	said, role := "Order "+s.OrderCode+" placed", theme.Good
	switch {
	case len(s.Differences) > 0:
		said, role = said+", but with "+strings.Join(s.Differences, "; "), theme.Attention
	case s.Found:
		said = s.OrderCode + " was already placed"
	}
	show := s.Order
	if len(all) > 1 {
		said = fmt.Sprintf("%s orders placed", groupDigits(len(all)))
		show = &api.Order{OrderCode: all[0].Code, UUID: all[0].UUID, OrderName: all[0].Name}
		p.Overlay(r.placedDialog(all))
	}
	*p.draft = *ordering.NewDraft() // another page on it must not show it as still to come
	return tea.Batch(forget, p.Instead(p.PageLifetime(), p.OrderPage(show)),
		page.SendMessage(page.PlacedMsg{Order: s.Order}), page.ShowToast(role, said))
}

// placedDialog lists the orders that a draft has become.
func (r *reviewStep) placedDialog(all []ordering.PlacedPart) page.Dialog {
	return &dialog.Reader{
		Theme: r.p.Theme,
		Title: fmt.Sprintf("%s orders placed", groupDigits(len(all))),
		Text: func(w int) []string {
			lines := make([]string, len(all))
			for i, o := range all {
				right := format.Count(o.Missions, "mission", "missions")
				lines[i] = r.p.Theme.PaintRaised(theme.Text, layout.FitEnds(layout.Clean(o.Code+"  "+o.Name), right, w))
			}
			return lines
		},
	}
}
