package neworder

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// placement sends the orders of a draft to the service, one after the other. It has the state of the
// last attempt.
type placement struct {
	parent *NewOrder
	env    *page.Env
	draft  *ordering.Draft

	orders []ordering.OrderPart  // orders that are not placed yet
	faults []ordering.OrderFault // faults in the draft that were found before sending

	sending  page.Request          // open until the service has answered
	rejected []ordering.OrderFault // faults that the service reported for the first order
	err      error                 // error of the last attempt
	notFound string                // key of a sent order that the service did not have when it was asked, or ""
}

// prepare makes the orders from the draft. It discards the result of the last attempt if the orders
// have changed, and then returns true.
func (l *placement) prepare() (hasChanged bool) {
	before := l.orders
	l.updateOrders()
	if reflect.DeepEqual(before, l.orders) {
		return false
	}
	l.rejected = nil
	l.err = nil
	return true
}

// updateOrders makes the orders from the sites that are not placed yet, and finds the faults.
func (l *placement) updateOrders() {
	l.parent.sites.OnShow()
	now := l.env.Clock.Now()
	l.orders = l.draft.PrepareOrders(now)
	l.faults = l.draft.FindFaults(now)
}

// isUnchecked reports whether an order was sent without a response, and the service was not asked
// since whether it has the order.
func (l *placement) isUnchecked() bool {
	return l.draft.Sent != nil && l.draft.Sent.Key != l.notFound
}

// allFaults returns the faults that were found before sending and the faults that the service
// reported.
func (l *placement) allFaults() []ordering.OrderFault {
	return slices.Concat(l.faults, l.rejected)
}

// partNumber returns the number of the order with index i among all orders of the draft, such as "2
// of 3". The placed orders are the first ones; -1 is the index of the last of them.
func (l *placement) partNumber(i int) string {
	placed := len(l.draft.Placed)
	return groupDigits(placed+i+1) + " of " + groupDigits(placed+len(l.orders))
}

// counts returns the number of missions, their total area and their total length.
func (l *placement) counts() []string {
	totals := l.parent.sites.totals()
	return append([]string{format.Count(totals.included, "mission")}, totals.measures...)
}

// disabledReason returns why an action is disabled, or "".
func (l *placement) disabledReason(id action.ID) string {
	if l.sending.IsRunning() {
		return "the service has not answered yet"
	}
	switch id {
	case action.Place:
		if l.isUnchecked() {
			return "no response, outcome unknown; press r to check"
		}
		if len(l.faults) > 0 {
			return faultText(l.faults[0]) + "; press enter to go to it"
		}
	case action.Retry:
		if l.err == nil && l.draft.Sent == nil {
			return "nothing to retry"
		}
		return page.TextIf(len(l.rejected) > 0, "fix the rejected field first")
	case action.GoFault:
		return page.TextIf(len(l.allFaults()) == 0, "no errors")
	}
	return ""
}

// confirmPlace asks for confirmation and then places the orders.
func (l *placement) confirmPlace() tea.Cmd {
	title := "Place order"
	consequence := "Quotes follow. Nothing is flown until you accept one."
	if orders := len(l.orders); orders > 1 {
		title = "Place " + groupDigits(orders) + " orders"
		consequence = "Orders are placed one by one; placed orders are kept if a later one fails. " +
			"Quotes follow for each order."
	}
	lines := []string{
		l.draft.FieldValue("orderName"),
		strings.Join(l.counts(), ", "),
		"For " + l.draft.FieldValue("companyName") + " at " + l.env.Profile.Host,
		consequence,
	}
	place := func() tea.Cmd { return l.placeNext(false) }
	if past := l.draft.FindPastDates(l.env.Clock.Now()); len(past) > 0 {
		return l.confirmPastDates(past, lines, place)
	}
	return l.env.Confirm(title, "place order", place, lines...)
}

// confirmPastDates asks for confirmation to place an order with dates in the past.
func (l *placement) confirmPastDates(past []ordering.OrderFault, about []string, place func() tea.Cmd) tea.Cmd {
	var lines []string
	for _, date := range past {
		lines = append(lines, faultText(date)+".")
	}
	lines = append(lines, about...)
	l.env.Nav.Overlay(widget.ConfirmTyped("Place an order with past dates?", lines, "past", "place order", place))
	return nil
}

// confirmSimilar asks for confirmation to place an order although similar orders exist, or although
// that could not be checked.
func (l *placement) confirmSimilar(similar *ordering.AlikeError) tea.Cmd {
	const maxOrders = 4
	l.err = nil
	lines := similar.Orders
	if similar.Err != nil {
		lines = []string{"Could not check for similar orders: " + similar.Err.Error()}
	}
	if more := len(lines) - maxOrders; more > 0 {
		lines = append(slices.Clone(lines[:maxOrders]), groupDigits(more)+" more")
	}
	place := func() tea.Cmd { return l.placeNext(true) }
	l.env.Nav.Overlay(widget.ConfirmTyped("Place another order?", lines, "place", "place", place))
	return l.parent.recordChange()
}

// placeResult is the result of sending an order, or of asking the service for an order that was sent.
type placeResult struct {
	order  *ordering.PlacedOrder // nil if the order is not on the service
	orders ordering.DraftOrders  // orders of the draft in the log of changes, after the attempt
	err    error

	name         string           // name of the order
	sites        []*ordering.Site // sites of the order; nil if it was sent earlier
	fingerprints map[int]uint64   // fingerprints of the sent sites, by site ID
}

// retry asks the service for an order that was sent without a response. If there is none, it sends
// the first order again.
func (l *placement) retry() tea.Cmd {
	if l.isUnchecked() {
		return l.findSent()
	}
	return l.placeNext(false)
}

// placeNext sends the first order that is not placed yet; the other orders follow. The order is not
// sent if similar orders exist, unless the user has confirmed the order.
func (l *placement) placeNext(isConfirmed bool) tea.Cmd {
	l.rejected = nil
	l.parent.review.showFirstOrder()
	part := l.orders[0]
	place := l.parent.drafts.PlaceOrder(l.draft, part, l.env.Profile.OrderPlacer(), isConfirmed)
	return l.send(l.handlePlaced, func(ctx context.Context) placeResult {
		order, err := place(ctx)
		return placeResult{
			order:        order,
			err:          err,
			name:         part.Name,
			sites:        part.Sites,
			fingerprints: part.Fingerprints(),
		}
	})
}

// findSent asks the service whether it has the order that was sent without a response.
func (l *placement) findSent() tea.Cmd {
	placer := l.env.Profile.OrderPlacer()
	sent := *l.draft.Sent
	return l.send(l.handleFound, func(ctx context.Context) placeResult {
		order, err := placer.FindOrder(ctx, &sent)
		return placeResult{order: order, err: err, name: sent.OrderName, fingerprints: sent.DraftSites}
	})
}

// send calls request in the background and then handle with its result. If the page was closed
// meanwhile, or shows another draft, it calls handleStopped instead of handle.
func (l *placement) send(handle func(placeResult) tea.Cmd, request func(context.Context) placeResult) tea.Cmd {
	l.err = nil
	drafts := l.parent.drafts
	draftID := l.draft.ID
	var result placeResult
	requestAndRead := func(ctx context.Context) (placeResult, error) {
		result = request(ctx)
		orders, err := drafts.ReadOrders(draftID)
		result.orders = orders
		if result.err == nil {
			result.err = err
		}
		return result, nil
	}
	handleShown := func(result placeResult, _ error) tea.Cmd {
		if isReplaced := l != l.parent.review.placement; isReplaced {
			return l.handleStopped(result)
		}
		return handle(result)
	}
	background := page.RunInBackground(l.parent.base, &l.sending, requestAndRead, handleShown)
	return func() tea.Msg {
		msg := background()
		if toPage, ok := msg.(page.ToPage); ok {
			toPage.Closed = func() tea.Cmd { return l.handleStopped(result) }
			return toPage
		}
		return msg
	}
}

// handlePlaced handles the result of sending an order.
func (l *placement) handlePlaced(result placeResult) tea.Cmd {
	if result.order != nil {
		return l.continuePlacing(result)
	}
	l.err = result.err
	l.draft.UpdateOrders(result.orders)
	if _, ok := errors.AsType[*changes.UnconfirmedError](l.err); ok {
		l.notFound = ""
		return l.parent.recordChange()
	}
	if similar, ok := errors.AsType[*ordering.AlikeError](l.err); ok {
		return l.confirmSimilar(similar)
	}
	if apiErr, ok := errors.AsType[*api.Error](l.err); ok {
		l.rejected = ordering.FaultsOfService(apiErr.Fields, result.sites)
		l.parent.review.nextFault = 0
		l.parent.details.showServiceErrors(l.rejected)
	}
	return l.parent.recordChange()
}

// handleFound handles the result of asking the service for an order that was sent.
func (l *placement) handleFound(result placeResult) tea.Cmd {
	if result.order != nil {
		return l.continuePlacing(result)
	}
	if result.err != nil {
		l.err = result.err
		return nil
	}
	l.draft.UpdateOrders(result.orders)
	if l.draft.Sent != nil {
		l.notFound = l.draft.Sent.Key
	}
	return page.ShowToast(theme.Good, "Order not found on the service · S to place it")
}

// handleStopped handles the result of placing an order if the page was closed, or shows another
// draft, before the service responded.
func (l *placement) handleStopped(result placeResult) tea.Cmd {
	draftsChanged := page.SendMessage(page.DraftsMsg{})
	if result.order == nil {
		l.draft.UpdateOrders(result.orders)
		isSent := l.draft.Sent != nil
		return tea.Batch(draftsChanged, page.SendMessage(stoppedToast(result.name, isSent, result.err)))
	}
	return tea.Batch(
		l.saveStopped(result),
		draftsChanged,
		page.SendMessage(page.PlacedMsg{Order: result.order.Order}),
		page.ShowToast(theme.Good, "Order "+result.order.OrderCode+" placed"),
	)
}

// stoppedToast returns the message about an order that is not known to be on the service: it was sent
// without a response, rejected with an error, or not sent.
func stoppedToast(name string, isSent bool, err error) page.ToastMsg {
	if isSent {
		return page.ToastMsg{Role: theme.Attention, Text: name + " sent, not confirmed · n to check"}
	}
	if _, ok := errors.AsType[*api.Error](err); ok {
		return page.ToastMsg{Role: theme.Bad, Text: name + " not placed: " + format.FaultText(err)}
	}
	return page.ToastMsg{Role: theme.Muted, Text: "Placing stopped, " + name + " was not sent · n to continue"}
}

// saveStopped records in the draft that an order was placed. It saves the draft, or deletes it if all
// its sites are placed. It does neither if another draft is the current one: the log of changes has
// the order then.
func (l *placement) saveStopped(result placeResult) tea.Cmd {
	l.draft.ConfirmPlaced(result.order.Order, result.name, result.fingerprints)
	drafts := l.parent.drafts
	if drafts.Current != l.draft {
		return nil
	}
	if l.draft.IsPlaced() {
		return page.DoInBackground(drafts.RemoveCurrent(), nil)
	}
	return page.DoInBackground(drafts.Save(l.draft), nil)
}

// continuePlacing records that an order is on the service, and sends the next order. It does not send
// the next order if this order was found after a lost response: the user decides then.
func (l *placement) continuePlacing(result placeResult) tea.Cmd {
	order := result.order
	l.draft.ConfirmPlaced(order.Order, result.name, result.fingerprints)
	if l.draft.IsPlaced() {
		return l.finish(order)
	}
	l.updateOrders()
	l.parent.review.showOrders()
	text := "Placed " + order.OrderCode + ", " + l.partNumber(-1)
	hasChangedSites := l.countPlacedSites() < len(result.fingerprints)
	if hasChangedSites {
		text = "Placed " + order.OrderCode + " as it was sent; sites that were changed since are still in the draft"
	}
	messages := tea.Batch(
		page.SendMessage(page.PlacedMsg{Order: order.Order}),
		page.ShowToast(theme.Good, text),
	)
	if order.Found {
		return tea.Batch(messages, l.parent.recordChange())
	}
	return tea.Batch(messages, l.placeNext(true))
}

// countPlacedSites returns the number of the draft's sites that are in the last placed order.
func (l *placement) countPlacedSites() int {
	last := l.draft.Placed[len(l.draft.Placed)-1]
	sites := 0
	for _, s := range l.draft.Sites {
		if s.Placed && s.Order == last.Code {
			sites++
		}
	}
	return sites
}

// finish deletes the draft and shows its order. If the draft became several orders, it shows the
// first and a list of all. last is the order that was placed last, or nil if all orders were placed
// before the review was opened.
func (l *placement) finish(last *ordering.PlacedOrder) tea.Cmd {
	p := l.parent
	placed := l.draft.Placed
	shown := &api.Order{
		OrderCode: placed[0].Code,
		UUID:      placed[0].UUID,
		OrderName: placed[0].Name,
	}
	if last != nil && len(placed) == 1 {
		shown = last.Order
	}
	toast := page.ToastMsg{Role: theme.Good, Text: shown.OrderCode + " was already placed"}
	if last != nil {
		toast = placedToast(last)
	}
	if len(placed) > 1 {
		toast.Text = groupDigits(len(placed)) + " orders placed"
		l.showPlaced(toast.Text)
	}
	p.hasUnsaved = false
	cmds := []tea.Cmd{page.DoInBackground(p.drafts.RemoveCurrent(), nil)}
	if last != nil {
		cmds = append(cmds, page.SendMessage(page.PlacedMsg{Order: last.Order}))
	}
	*p.draft = *ordering.NewDraft() // another page with the same draft must not show placed sites
	cmds = append(
		cmds,
		p.env.Nav.Instead(p.PageLifetime(), page.OrderRoute{Order: shown}),
		page.SendMessage(toast),
	)
	return tea.Batch(cmds...)
}

// showPlaced opens a dialog with the orders that the draft has become.
func (l *placement) showPlaced(title string) {
	placed := l.draft.Placed
	facts := make([]widget.Fact, len(placed))
	for i, order := range placed {
		facts[i] = widget.Text(order.Code, order.Name+", "+format.Count(order.Missions, "mission"))
	}
	l.env.ShowFacts(title, 12, facts...)
}

// placedToast returns the message that an order was placed, or found on the service, with its
// differences from the request.
func placedToast(order *ordering.PlacedOrder) page.ToastMsg {
	placed := "Order " + order.OrderCode + " placed"
	if len(order.Differences) > 0 {
		text := placed + ", but with " + strings.Join(order.Differences, "; ")
		return page.ToastMsg{Role: theme.Attention, Text: text}
	}
	if order.Found {
		return page.ToastMsg{Role: theme.Good, Text: order.OrderCode + " was already placed"}
	}
	if len(order.Earlier) > 0 {
		text := placed + ". " + strings.Join(order.Earlier, "; ")
		return page.ToastMsg{Role: theme.Attention, Text: text}
	}
	return page.ToastMsg{Role: theme.Good, Text: placed}
}
