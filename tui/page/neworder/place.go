package neworder

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
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
	lines := []string{
		d.FieldValue("orderName"),
		strings.Join(r.counts(), ", "),
		"For " + d.FieldValue("companyName") + " at " + r.Env.Profile.Host,
		once,
	}
	place := func() tea.Cmd { return r.placeNext(false) }
	if past := d.FindPastDates(r.Env.Clock.Now()); len(past) > 0 {
		return r.askPastDates(past, lines, place)
	}
	return r.Env.AskFirst(title, "place order", place, lines...)
}

// askPastDates asks for confirmation to place an order with dates in the past.
func (r *reviewStep) askPastDates(past []ordering.OrderFault, about []string, place func() tea.Cmd) tea.Cmd {
	var lines []string
	for _, date := range past {
		lines = append(lines, pastText(date)+".")
	}
	lines = append(lines, about...)
	r.Env.Nav.Overlay(widget.ConfirmTyped("Place an order with past dates?", lines, "past", "place order", place))
	return nil
}

// askAlike asks for confirmation to place an order although a similar order exists, or although
// that could not be checked.
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
	r.Env.Nav.Overlay(widget.ConfirmTyped("Place another order?", lines, "place", "place", again))
	return r.p.noteChange()
}

// placing is the result of placing an order, or of looking for one that was sent.
type placing struct {
	order    *ordering.PlacedOrder // nil if it is not on the service
	sent     ordering.DraftOrders  // what the log of changes has of the draft then
	err      error
	name     string           // of the order that was sent
	sites    []*ordering.Site // of the order that was sent, if it was sent now
	siteSums map[int]uint64   // fingerprints of its sites
}

// placeNext sends the first order that is not placed yet; the other orders follow. The order is
// not sent if a similar order exists, unless the user confirmed it.
func (r *reviewStep) placeNext(confirmed bool) tea.Cmd {
	r.refused, r.shown = nil, 0
	part := r.orders[0]
	place := r.p.drafts.PlaceOrder(r.draft, part, r.Env.Profile.OrderPlacer(), confirmed)
	return r.runPlacing(r.handlePlaced, func(ctx context.Context) placing {
		order, err := place(ctx)
		return placing{order: order, err: err, name: part.Name, sites: part.Sites, siteSums: part.Fingerprints()}
	})
}

// lookForSent asks the service whether it has the order that was sent without a response.
func (r *reviewStep) lookForSent() tea.Cmd {
	placer, sent := r.Env.Profile.OrderPlacer(), *r.draft.Sent
	return r.runPlacing(r.handleFound, func(ctx context.Context) placing {
		order, err := placer.FindOrder(ctx, &sent)
		return placing{order: order, err: err, name: sent.OrderName, siteSums: sent.DraftSites}
	})
}

// runPlacing places or looks for an order in the background and handles the result, also if the
// page was closed meanwhile.
func (r *reviewStep) runPlacing(handle func(placing) tea.Cmd, run func(context.Context) placing) tea.Cmd {
	r.err = nil
	drafts, id := r.p.drafts, r.draft.ID
	var result placing
	ask := func(ctx context.Context) (placing, error) {
		result = run(ctx)
		var err error
		if result.sent, err = drafts.ReadOrders(id); result.err == nil {
			result.err = err
		}
		return result, nil
	}
	background := page.AskInBackground(r.p.base, &r.placing, ask, func(done placing, _ error) tea.Cmd {
		if isOther := r != r.p.review; isOther {
			return r.handleStopped(done)
		}
		return handle(done)
	})
	return func() tea.Msg {
		msg := background()
		if to, ok := msg.(page.ToPage); ok {
			to.Closed = func() tea.Cmd { return r.handleStopped(result) }
			return to
		}
		return msg
	}
}

// handlePlaced handles the result of sending an order.
func (r *reviewStep) handlePlaced(done placing) tea.Cmd {
	if done.order != nil {
		return r.notePlaced(done)
	}
	r.err = done.err
	r.draft.UpdateOrders(done.sent)
	if _, isOpen := errors.AsType[*changes.UnconfirmedError](r.err); isOpen {
		r.missing = ""
		return r.p.noteChange()
	}
	if alike, ok := errors.AsType[*ordering.AlikeError](r.err); ok {
		return r.askAlike(alike)
	}
	if e, ok := errors.AsType[*api.Error](r.err); ok {
		r.refused, r.at = ordering.FaultsOfService(e.Fields, done.sites), 0
		r.p.details.serviceErrors(r.refused)
	}
	return r.p.noteChange()
}

// handleFound handles the result of looking for an order that was sent.
func (r *reviewStep) handleFound(done placing) tea.Cmd {
	switch {
	case done.order != nil:
		return r.notePlaced(done)
	case done.err != nil:
		r.err = done.err
		return nil
	}
	r.draft.UpdateOrders(done.sent)
	if r.draft.Sent != nil {
		r.missing = r.draft.Sent.Key
	}
	return page.ShowToast(theme.Good, "Order not found on the service · S to place it")
}

// handleStopped handles the result of placing an order whose page was closed, or shows another
// draft, before the service responded.
func (r *reviewStep) handleStopped(done placing) tea.Cmd {
	changed := page.SendMessage(page.DraftsMsg{})
	if done.order != nil {
		return tea.Batch(r.saveStopped(done), changed,
			page.SendMessage(page.PlacedMsg{Order: done.order.Order}),
			page.ShowToast(theme.Good, "Order "+done.order.OrderCode+" placed"))
	}
	r.draft.UpdateOrders(done.sent)
	return tea.Batch(changed, page.SendMessage(stoppedToast(done.name, r.draft.Sent != nil, done.err)))
}

// stoppedToast says what became of an order that is not on the service: it was sent without a
// response, refused with an error, or not sent.
func stoppedToast(name string, isSent bool, err error) page.ToastMsg {
	switch {
	case isSent:
		return page.ToastMsg{Role: theme.Attention, Text: name + " sent, not confirmed · n to check"}
	case errors.As(err, new(*api.Error)):
		return page.ToastMsg{Role: theme.Bad, Text: name + " not placed: " + format.FaultText(err)}
	}
	return page.ToastMsg{Role: theme.Muted, Text: "Placing stopped, " + name + " was not sent · n to continue"}
}

// saveStopped saves that an order of the draft was placed, or forgets the draft if the order has
// all of its sites. A draft that another one has replaced is left to the log of changes.
func (r *reviewStep) saveStopped(done placing) tea.Cmd {
	r.draft.ConfirmPlaced(done.order.Order, done.name, done.siteSums)
	drafts := r.p.drafts
	switch {
	case drafts.Current != r.draft:
		return nil
	case r.draft.IsPlaced():
		return page.KeepInBackground(drafts.Forget(), nil)
	}
	return page.KeepInBackground(drafts.Keep(r.draft), nil)
}

// notePlaced records that an order is on the service and sends the next one. After a lost
// response a person decides whether to go on.
func (r *reviewStep) notePlaced(done placing) tea.Cmd {
	d, order := r.draft, done.order
	d.ConfirmPlaced(order.Order, done.name, done.siteSums)
	if d.IsPlaced() {
		return r.finishPlacing(order)
	}
	r.computeRequests()
	text := "Placed " + order.OrderCode + ", " + r.partNumber(-1)
	if isChanged := r.placedSites() < len(done.siteSums); isChanged {
		text = "Placed " + order.OrderCode + " as it was sent; sites that were changed since are still in the draft"
	}
	said := tea.Batch(
		page.SendMessage(page.PlacedMsg{Order: order.Order}),
		page.ShowToast(theme.Good, text),
	)
	if order.Found {
		return tea.Batch(said, r.p.noteChange())
	}
	return tea.Batch(said, r.placeNext(true))
}

// placedSites returns how many of the draft's sites are in the order placed last.
func (r *reviewStep) placedSites() (n int) {
	code := r.draft.Placed[len(r.draft.Placed)-1].Code
	for _, s := range r.draft.Sites {
		if s.Placed && s.Order == code {
			n++
		}
	}
	return n
}

// finishPlacing forgets the draft and shows the order, of several the first and a list
// of them all. The order is nil if it was found while the page was not asking for it.
func (r *reviewStep) finishPlacing(s *ordering.PlacedOrder) tea.Cmd {
	p, all := r.p, r.draft.Placed
	p.changed = false
	forget := page.KeepInBackground(p.drafts.Forget(), nil)
	show := &api.Order{
		OrderCode: all[0].Code,
		UUID:      all[0].UUID,
		OrderName: all[0].Name,
	}
	said, role := show.OrderCode+" was already placed", theme.Good
	cmds := []tea.Cmd{forget}
	if s != nil {
		cmds = append(cmds, page.SendMessage(page.PlacedMsg{Order: s.Order}))
		said, role = describePlaced(s)
	}
	if s != nil && len(all) == 1 {
		show = s.Order
	}
	if len(all) > 1 {
		said = groupDigits(len(all)) + " orders placed"
		facts := make([]widget.Fact, len(all)) // the orders that the draft has become
		for i, o := range all {
			facts[i] = widget.Text(o.Code, o.Name+", "+format.Count(o.Missions, "mission"))
		}
		p.env.ShowFacts(said, 12, facts...)
	}
	*p.draft = *ordering.NewDraft() // another page on it must not show it as still to come
	cmds = append(cmds, p.env.Nav.Instead(p.PageLifetime(), page.OrderRoute{Order: show}), page.ShowToast(role, said))
	return tea.Batch(cmds...)
}

// describePlaced returns the message that an order was placed or found on the service, with its
// differences from the request.
func describePlaced(s *ordering.PlacedOrder) (text string, role theme.Role) {
	switch {
	case len(s.Differences) > 0:
		return "Order " + s.OrderCode + " placed, but with " + strings.Join(s.Differences, "; "), theme.Attention
	case s.Found:
		return s.OrderCode + " was already placed", theme.Good
	case len(s.Earlier) > 0:
		return "Order " + s.OrderCode + " placed. " + strings.Join(s.Earlier, "; "), theme.Attention
	}
	return "Order " + s.OrderCode + " placed", theme.Good
}
