package neworder

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// askToPlace asks before anything is sent.
func (r *reviewStep) askToPlace() tea.Cmd {
	d := r.draft
	title, once := "Place order", "Quotes follow. Nothing is flown until you accept one."
	if n := len(r.orders); n > 1 {
		title = "Place " + groupDigits(n) + " orders"
		once = "Orders are placed one by one; placed orders are kept if a later one fails. Quotes follow for each order."
	}
	return r.AskFirst(
		title,
		"place order",
		func() tea.Cmd { return r.placeNext(false) },
		d.FieldValue("orderName"),
		strings.Join(r.counts(), ", "),
		"For "+d.FieldValue("companyName")+" at "+r.Host,
		once,
	)
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
	again := func() tea.Cmd { return r.placeNext(true) }
	r.Overlay(widget.ConfirmTyped("Place another order?", lines, "place", "place", again))
	return r.p.noteChange()
}

// placeNext sends the first of the orders that are not placed yet; the others
// follow it. Unless that was confirmed it is not sent if there is one like it.
func (r *reviewStep) placeNext(confirmed bool) tea.Cmd {
	r.refused, r.shown = nil, 0
	return r.askOutcome(false, r.p.drafts.PlaceOrder(r.draft, r.orders[0], r.OrderPlacer(), confirmed))
}

// lookForSent looks for the order whose response was lost.
func (r *reviewStep) lookForSent() tea.Cmd {
	placer, name := r.OrderPlacer(), r.draft.SentName
	return r.askOutcome(
		true,
		func(ctx context.Context) (*ordering.PlacedOrder, error) { return placer.FindPlaced(ctx, name) },
	)
}

// askOutcome has an order sent or looked for, and tells what came of it.
func (r *reviewStep) askOutcome(looked bool, ask func(context.Context) (*ordering.PlacedOrder, error)) tea.Cmd {
	r.err = nil
	return page.AskInBackground(r.p.base, &r.placing, ask, func(o *ordering.PlacedOrder, err error) tea.Cmd {
		r.err = err
		switch another := r != r.p.review; {
		case another, err != nil && looked: // the draft was changed meanwhile, or it is as unknown as before
			return nil
		case err != nil:
			return r.explainFailure()
		case o == nil:
			r.draft.NotPlaced()
			return tea.Batch(
				r.p.noteChange(),
				page.ShowToast(theme.Good, "Order not found on the service · S to place it"),
			)
		}
		return r.notePlaced(o)
	})
}

// explainFailure sorts out why the order is not placed.
func (r *reviewStep) explainFailure() tea.Cmd {
	if _, isOpen := errors.AsType[*ordering.UnconfirmedError](r.err); isOpen {
		return nil
	}
	sites := r.draft.FindSent()
	r.draft.NotPlaced()
	if alike, ok := errors.AsType[*ordering.AlikeError](r.err); ok {
		return r.askAlike(alike)
	}
	if e, ok := errors.AsType[*api.Error](r.err); ok {
		r.refused, r.at = ordering.FaultsOfService(e.Fields, sites), 0
		r.p.details.serviceErrors(r.refused)
	}
	return r.p.noteChange()
}

// notePlaced notes that an order is there, and sends the next one, unless the
// answer had been lost: then it is for a person to go on.
func (r *reviewStep) notePlaced(s *ordering.PlacedOrder) tea.Cmd {
	d := r.draft
	d.ConfirmPlaced(s.Order)
	if len(d.IncludedSites()) == 0 {
		return r.finishPlacing(s)
	}
	r.computeRequests()
	said := tea.Batch(
		page.SendMessage(page.PlacedMsg{Order: s.Order}),
		page.ShowToast(theme.Good, "Placed "+s.OrderCode+", "+r.partNumber(-1)),
	)
	if s.Found {
		return tea.Batch(said, r.p.noteChange())
	}
	return tea.Batch(said, r.placeNext(true))
}

// finishPlacing forgets the draft and shows the order, of several the first and a list
// of them all.
func (r *reviewStep) finishPlacing(s *ordering.PlacedOrder) tea.Cmd {
	p, all := r.p, r.draft.Placed
	p.changed = false
	forget := page.KeepInBackground(p.drafts.Forget(), nil)
	said, role := "Order "+s.OrderCode+" placed", theme.Good
	switch {
	case len(s.Differences) > 0:
		said, role = said+", but with "+strings.Join(s.Differences, "; "), theme.Attention
	case s.Found:
		said = s.OrderCode + " was already placed"
	}
	show := s.Order
	if len(all) > 1 {
		said = groupDigits(len(all)) + " orders placed"
		show = &api.Order{
			OrderCode: all[0].Code,
			UUID:      all[0].UUID,
			OrderName: all[0].Name,
		}
		facts := make([]widget.Fact, len(all)) // the orders that the draft has become
		for i, o := range all {
			facts[i] = widget.Text(o.Code, o.Name+", "+format.Count(o.Missions, "mission"))
		}
		p.ShowFacts(said, 12, facts...)
	}
	*p.draft = *ordering.NewDraft() // another page on it must not show it as still to come
	return tea.Batch(forget, p.Instead(p.PageLifetime(), page.OrderRoute{Order: show}),
		page.SendMessage(page.PlacedMsg{Order: s.Order}), page.ShowToast(role, said))
}
