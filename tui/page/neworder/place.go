package neworder

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
)

// sent is what became of placing: the order, where it is on the service.
type sent struct {
	order *api.Order
	found bool // by looking after a lost answer
}

// question asks before anything is sent.
func (r *review) question() page.Dialog {
	d := r.p.draft
	what := strings.Join(append([]string{format.Count(len(d.Included()), "mission", "missions")}, measures(d)...), ", ")
	title, once := "Place order", "Quotes follow. Nothing is flown until you accept one."
	if n := len(r.orders); n > 1 {
		title = fmt.Sprintf("Place %s orders", group(n))
		once = "Orders are placed one by one; placed orders are kept if a later one fails. Quotes follow for each order."
	}
	return &dialog.Question{
		Theme: r.p.Theme, Title: title,
		Lines: []string{d.Value("orderName"), what, "For " + d.Value("companyName") + " at " + r.p.Host, once},
		Yes:   "place order", No: "back", OnYes: func() tea.Cmd { return r.place(false) },
	}
}

// askAlike asks whether the order is placed although there is one like it.
func (r *review) askAlike(alike *ordering.AlikeError) tea.Cmd {
	r.err = nil
	lines := alike.Orders
	if alike.Err != nil {
		lines = []string{"Could not check for similar orders: " + alike.Err.Error()}
	}
	if more := len(lines) - 4; more > 0 {
		lines = append(lines[:4:4], group(more)+" more")
	}
	r.p.Overlay(&dialog.Typed{
		Theme: r.p.Theme, Title: "Place another order?", Lines: lines,
		Want: "place", Yes: "place", No: "back", OnYes: func() tea.Cmd { return r.place(true) },
	})
	return r.p.touched()
}

// place sends the first of the orders that are not placed yet; the others
// follow it. Unless that was confirmed it is not sent if there is one like it.
func (r *review) place(confirmed bool) tea.Cmd {
	r.err, r.lost, r.refused, r.shown = nil, false, nil, 0
	send := r.p.drafts.Place(r.p.draft, r.orders[0], r.p.Client, r.p.Now(), confirmed)
	return page.Ask(r.p.Base, &r.placing, func(ctx context.Context) (sent, error) {
		o, err := send(ctx)
		return sent{order: o}, err
	})
}

// look reads the newest orders for one that a lost answer may have placed.
func (r *review) look() tea.Cmd {
	r.err = nil
	find := r.p.draft.FindSent(r.p.Client)
	return page.Ask(r.p.Base, &r.placing, func(ctx context.Context) (sent, error) {
		o, err := find(ctx)
		return sent{order: o, found: true}, err
	})
}

func (r *review) took(answer page.Answer[sent]) tea.Cmd {
	if !answer.Take() {
		return nil
	}
	r.err = answer.Err
	switch {
	case r.err != nil && answer.Value.found: // looking failed; it is as unknown as before
		return nil
	case r.err != nil:
		return r.failed()
	case answer.Value.order == nil:
		r.lost = false
		r.p.draft.NotPlaced()
		return tea.Batch(r.p.touched(), page.Toast(theme.Good, "Order not found on the service · S to place it"))
	}
	return r.placed(answer.Value)
}

// failed sorts out why the order is not placed.
func (r *review) failed() tea.Cmd {
	var alike *ordering.AlikeError
	if !errors.As(r.err, &alike) && api.MaybeApplied(r.err) {
		r.lost = true
		return nil
	}
	d := r.p.draft
	sites := d.SitesOf(d.SentSites)
	d.NotPlaced()
	if alike != nil {
		return r.askAlike(alike)
	}
	var e *api.Error
	if errors.As(r.err, &e) {
		r.refused, r.at = ordering.FaultsOfService(e.Fields, sites), 0
		r.p.steps[ordering.StepOrder].(*orderForm).serviceErrors(r.refused)
	}
	return r.p.touched()
}

// placed notes that an order is there, and sends the next one, unless the
// answer had been lost: then it is for a person to go on.
func (r *review) placed(s sent) tea.Cmd {
	d := r.p.draft
	d.Confirm(s.order)
	r.lost = false
	if len(d.Included()) == 0 {
		return r.done(s)
	}
	r.compute()
	said := tea.Batch(page.Send(page.PlacedMsg{Order: s.order}), page.Toast(theme.Good, fmt.Sprintf("Placed %s, %s of %s",
		s.order.OrderCode, group(len(d.Placed)), group(len(d.Placed)+len(r.orders)))))
	if s.found {
		return tea.Batch(said, r.p.touched())
	}
	return tea.Batch(said, r.place(true))
}

// done forgets the draft and shows the order, of several the first and a list
// of them all.
func (r *review) done(s sent) tea.Cmd {
	p, all := r.p, r.p.draft.Placed
	p.placed = true
	remove := p.drafts.Forget()
	forget := func() tea.Msg {
		if err := remove(); err != nil {
			return page.ToastMsg{Role: theme.Attention, Text: err.Error()}
		}
		return nil
	}
	said := "Order " + s.order.OrderCode + " placed"
	if s.found {
		said = s.order.OrderCode + " was already placed"
	}
	show := s.order
	if len(all) > 1 {
		said = fmt.Sprintf("%s orders placed", group(len(all)))
		show = &api.Order{OrderCode: all[0].Code, UUID: all[0].UUID, OrderName: all[0].Name}
		p.Overlay(r.outcome(all))
	}
	*p.draft = *ordering.NewDraft() // another page on it must not show it as still to come
	return tea.Batch(forget, p.Instead(p.Life(), p.OrderPage(show)),
		page.Send(page.PlacedMsg{Order: s.order}), page.Toast(theme.Good, said))
}

// outcome lists the orders that a draft has become.
func (r *review) outcome(all []ordering.Placed) page.Dialog {
	return &dialog.Reader{Theme: r.p.Theme, Title: fmt.Sprintf("%s orders placed", group(len(all))), Text: func(w int) []string {
		lines := make([]string, len(all))
		for i, o := range all {
			right := format.Count(o.Missions, "mission", "missions")
			lines[i] = layout.Text(r.p.Theme.Raised(theme.Text), layout.Ends(layout.Clean(o.Code+"  "+o.Name), right, w))
		}
		return lines
	}}
}
