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

// placement sends the orders of a draft to the service, one after the other. It also has the result of the last
// attempt.
type placement struct {
	parent *NewOrder
	env    *page.Env
	draft  *ordering.Draft

	orders []ordering.OrderPart  // orders that are not placed yet
	faults []ordering.OrderFault // faults in the draft that were found before sending

	sending  page.Request          // running until the service answers
	rejected []ordering.OrderFault // faults that the service reported for the first order
	err      error                 // error of the last attempt
	notFound string                // Request.Key of a sent order that the service says it does not have, or ""
}

// prepare makes the orders from the draft. If the orders have changed, it discards the result of the last attempt
// and returns true.
func (p *placement) prepare() (hasChanged bool) {
	before := p.orders
	p.updateOrders()
	if reflect.DeepEqual(before, p.orders) {
		return false
	}
	p.rejected = nil
	p.err = nil
	return true
}

// updateOrders makes the orders from the sites that are not placed yet, and finds the faults.
func (p *placement) updateOrders() {
	p.parent.sites.OnShow()
	now := p.env.Clock.Now()
	p.orders = p.draft.PrepareOrders(now)
	p.faults = p.draft.FindFaults(now)
}

// isUnchecked reports whether an order was sent and it is unknown whether the service has the order: there was no
// response, and the app has not asked the service for the order since.
func (p *placement) isUnchecked() bool {
	return p.draft.Sent != nil && p.draft.Sent.Request.Key != p.notFound
}

// allFaults returns the faults that were found before sending and the faults that the service
// reported.
func (p *placement) allFaults() []ordering.OrderFault {
	return slices.Concat(p.faults, p.rejected)
}

// partNumber returns the number of an order among all orders of the draft, such as "2 of 3". i is the index of the
// order in the orders that are not placed; placed orders are counted first.
func (p *placement) partNumber(i int) string {
	return p.countedText(len(p.draft.Placed) + i + 1)
}

// countedText returns n and the number of all orders of the draft, such as "2 of 3".
func (p *placement) countedText(n int) string {
	total := len(p.draft.Placed) + len(p.orders)
	return groupDigits(n) + " of " + groupDigits(total)
}

// counts returns texts about all included sites: the number of missions that they become, and their total sizes.
func (p *placement) counts() []string {
	totals := p.parent.sites.totals()
	return append([]string{format.Count(totals.included, "mission")}, totals.measures...)
}

// disabledReason returns why an action is disabled, or "".
func (p *placement) disabledReason(id action.ID) string {
	if p.sending.IsRunning() {
		return "the service has not answered yet"
	}
	switch id {
	case action.Place:
		if p.isUnchecked() {
			return "no response, outcome unknown; press " + reviewRetryKey() + " to check"
		}
		if len(p.faults) > 0 {
			return faultText(p.faults[0]) + "; press " + action.KeyOf(action.GoFault, action.NewOrderReview) + " to go to it"
		}
	case action.Retry:
		return p.retryReason()
	case action.GoFault:
		return page.TextIf(len(p.allFaults()) == 0, "no errors")
	}
	return ""
}

// retryReason returns why the last attempt cannot be retried, or "". A profile that cannot place orders can still
// check whether the service has a sent order.
func (p *placement) retryReason() string {
	if p.err == nil && p.draft.Sent == nil {
		return "nothing to retry"
	}
	if len(p.rejected) > 0 {
		return "fix the rejected field first"
	}
	if p.isUnchecked() {
		return ""
	}
	if refusal := p.refusal(); refusal != "" {
		return refusal
	}
	faultKey := action.KeyOf(action.GoFault, action.NewOrderReview)
	return page.TextIf(len(p.faults) > 0, "fix the errors first; press "+faultKey+" to go to them")
}

// refusal returns why the profile cannot place orders, or "".
func (p *placement) refusal() string { return p.env.Profile.RefusalOf(action.ChangesOrders) }

// confirmPlace asks for confirmation and then places the orders.
func (p *placement) confirmPlace() tea.Cmd {
	lines := []string{
		p.draft.FieldValue("orderName"),
		strings.Join(p.counts(), ", "),
		"For " + p.draft.FieldValue("companyName") + " at " + p.env.Profile.Host,
		p.consequence(),
	}
	place := func() tea.Cmd { return p.placeNext(false) }
	if past := p.draft.FindPastDates(p.env.Clock.Now()); len(past) > 0 {
		return p.confirmPastDates(past, lines, place)
	}
	return p.env.Confirm(p.title(), "place order", place, lines...)
}

// title returns "Place order", or "Place 2 orders" if the draft is split into several orders.
func (p *placement) title() string {
	if orders := len(p.orders); orders > 1 {
		return "Place " + groupDigits(orders) + " orders"
	}
	return "Place order"
}

// consequence returns a sentence about what happens after the orders are placed, for example that quotes follow.
func (p *placement) consequence() string {
	if len(p.orders) > 1 {
		return "Orders are placed one by one; placed orders are kept if a later one fails. " +
			"Quotes follow for each order."
	}
	return "Quotes follow. Nothing is flown until you accept one."
}

// confirmPastDates asks the user to confirm orders with dates in the past by typing a word. past are the faults of
// these dates, about are further lines of the dialog, and place places the orders.
func (p *placement) confirmPastDates(past []ordering.OrderFault, about []string, place func() tea.Cmd) tea.Cmd {
	var lines []string
	for _, date := range past {
		lines = append(lines, faultText(date)+".")
	}
	lines = append(lines, about...)
	p.env.Nav.Overlay(widget.ConfirmTyped("Place an order with past dates?", lines, "past", "place order", place))
	return nil
}

// confirmSimilar asks for confirmation to place an order although similar orders exist, or although the
// search for similar orders failed.
func (p *placement) confirmSimilar(similar *ordering.SimilarError) tea.Cmd {
	const maxOrders = 4
	p.err = nil
	lines := similar.Orders
	if similar.Err != nil {
		lines = []string{"Could not check for similar orders: " + similar.Err.Error()}
	}
	if more := len(lines) - maxOrders; more > 0 {
		lines = append(slices.Clone(lines[:maxOrders]), groupDigits(more)+" more")
	}
	place := func() tea.Cmd { return p.placeNext(true) }
	p.env.Nav.Overlay(widget.ConfirmTyped("Place another order?", lines, "place", "place", place))
	return p.parent.recordChange()
}

// placeResult is the result of sending an order, or of asking the service for an order that was sent.
type placeResult struct {
	order  *ordering.PlacedOrder // nil if the service does not have the order
	orders ordering.DraftOrders  // the draft's orders in the log of changes, read after the attempt
	err    error

	name         string           // name of the order
	sites        []*ordering.Site // sites of the order; nil if it was sent earlier
	fingerprints map[int]uint64   // fingerprints of the sent sites, by site ID
}

// retry asks the service whether it has an order that was sent without a response. If there is no such unconfirmed
// order, retry sends the first order that is not placed yet.
func (p *placement) retry() tea.Cmd {
	if p.isUnchecked() {
		return p.findSent()
	}
	return p.placeNext(false)
}

// placeNext sends the first order that is not placed yet; the other orders follow. isConfirmed is true if the user has
// confirmed to place the order although similar orders exist. If similar orders exist and isConfirmed is false,
// placeNext asks for this confirmation instead.
func (p *placement) placeNext(isConfirmed bool) tea.Cmd {
	p.rejected = nil
	p.parent.review.showFirstOrder()
	part := p.orders[0]
	place := p.parent.drafts.SaveAndPlace(p.draft, part, p.env.Profile.OrderPlacer(), isConfirmed)
	return p.runRequest(p.handlePlaced, func(ctx context.Context) placeResult {
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
func (p *placement) findSent() tea.Cmd {
	placer := p.env.Profile.OrderPlacer()
	sent := *p.draft.Sent
	return p.runRequest(p.handleFound, func(ctx context.Context) placeResult {
		order, err := placer.FindOrder(ctx, &sent)
		return placeResult{order: order, err: err, name: sent.OrderName, fingerprints: sent.Request.DraftSites}
	})
}

// runRequest calls request in the background, and then handle with its result. If the page was closed in the
// meantime, or shows another draft, it calls handleStopped instead of handle.
func (p *placement) runRequest(handle func(placeResult) tea.Cmd, request func(context.Context) placeResult) tea.Cmd {
	p.err = nil
	drafts := p.parent.drafts
	draftID := p.draft.ID
	requestAndRead := func(ctx context.Context) (placeResult, error) {
		result := request(ctx)
		orders, err := drafts.ReadOrders(draftID)
		result.orders = orders
		if result.err == nil {
			result.err = err
		}
		return result, nil // the result has its error
	}
	handleOpen := func(result placeResult, _ error) tea.Cmd {
		showsOtherDraft := p != p.parent.review.placement
		if showsOtherDraft {
			return p.handleStopped(result)
		}
		return handle(result)
	}
	handleClosed := func(result placeResult, _ error) tea.Cmd { return p.handleStopped(result) }
	return page.RunToEnd(p.parent.base, &p.sending, requestAndRead, handleOpen, handleClosed)
}

// handlePlaced handles the result of sending an order.
func (p *placement) handlePlaced(result placeResult) tea.Cmd {
	if result.order != nil {
		return p.continuePlacing(result)
	}
	p.err = result.err
	p.draft.UpdateOrders(result.orders)
	if _, ok := errors.AsType[*changes.UnconfirmedError](p.err); ok {
		p.notFound = ""
		return p.parent.recordChange()
	}
	if similar, ok := errors.AsType[*ordering.SimilarError](p.err); ok {
		return p.confirmSimilar(similar)
	}
	if apiErr, ok := errors.AsType[*api.Error](p.err); ok {
		p.rejected = ordering.FaultsOfService(apiErr.Fields, result.sites)
		p.parent.review.nextFault = 0
		p.parent.details.showServiceErrors(p.rejected)
	}
	return p.parent.recordChange()
}

// handleFound handles the service's answer to the question whether it has the order that was sent.
func (p *placement) handleFound(result placeResult) tea.Cmd {
	if result.order != nil {
		return p.continuePlacing(result)
	}
	if result.err != nil {
		p.err = result.err
		return nil
	}
	p.draft.UpdateOrders(result.orders)
	if p.draft.Sent != nil {
		p.notFound = p.draft.Sent.Request.Key
	}
	hint := page.TextIf(p.refusal() == "", " · "+action.KeyOf(action.Place, action.NewOrderReview)+" to place it")
	return page.ShowToast(theme.Good, "Order not found on the service"+hint)
}

// handleStopped handles the result of placing an order if the page was closed, or another draft was opened, before
// the service responded.
func (p *placement) handleStopped(result placeResult) tea.Cmd {
	draftsChanged := page.SendMessage(page.DraftsMsg{})
	if result.order == nil {
		p.draft.UpdateOrders(result.orders)
		isSent := p.draft.Sent != nil
		return tea.Batch(draftsChanged, page.SendMessage(stoppedToast(result.name, isSent, result.err)))
	}
	return tea.Batch(
		p.saveStopped(result),
		draftsChanged,
		page.SendMessage(page.PlacedMsg{Order: result.order.Order}),
		page.ShowToast(theme.Good, "Order "+result.order.OrderCode+" placed"),
	)
}

// stoppedToast returns the message about an order that was not placed because the page was closed, or another draft
// was opened, while placing it. isSent is true if the order was sent and there is no response. Otherwise the service
// has rejected the order, or it was not sent.
func stoppedToast(name string, isSent bool, err error) page.ToastMsg {
	if isSent {
		return page.ToastMsg{Role: theme.Attention, Text: name + " sent, not confirmed" + newOrderAdvice("check")}
	}
	if _, ok := errors.AsType[*api.Error](err); ok {
		return page.ToastMsg{Role: theme.Bad, Text: name + " not placed: " + format.FaultText(err)}
	}
	text := "Placing stopped, " + name + " was not sent" + newOrderAdvice("continue")
	return page.ToastMsg{Role: theme.Muted, Text: text}
}

// saveStopped records in the draft of p that an order was placed. If this draft is still the current draft,
// saveStopped then saves it, or deletes it if all its sites are placed. Otherwise the file of the draft stays
// unchanged: when the draft is opened again, the order is read from the log of changes.
func (p *placement) saveStopped(result placeResult) tea.Cmd {
	p.draft.ConfirmPlaced(result.order.Order, result.name, result.fingerprints)
	drafts := p.parent.drafts
	if drafts.Current != p.draft {
		return nil
	}
	if p.draft.IsPlaced() {
		return page.DoInBackground(drafts.RemoveCurrent(), nil)
	}
	return page.DoInBackground(drafts.Save(p.draft), nil)
}

// continuePlacing records that the service has an order, and sends the next order. If this order was found after a
// lost response, it does not send the next order, because the user decides whether to continue.
func (p *placement) continuePlacing(result placeResult) tea.Cmd {
	order := result.order
	p.draft.ConfirmPlaced(order.Order, result.name, result.fingerprints)
	if p.draft.IsPlaced() {
		return p.finish(order)
	}
	p.updateOrders()
	p.parent.review.showOrders()
	text := "Placed " + order.OrderCode + ", " + p.countedText(len(p.draft.Placed))
	hasChangedSites := p.countPlacedSites() < len(result.fingerprints)
	if hasChangedSites {
		text = "Placed " + order.OrderCode + " as it was sent; sites that were changed since stay in the draft"
	}
	messages := tea.Batch(
		page.SendMessage(page.PlacedMsg{Order: order.Order}),
		page.ShowToast(theme.Good, text),
	)
	if order.Found {
		return tea.Batch(messages, p.parent.recordChange())
	}
	return tea.Batch(messages, p.placeNext(true))
}

// countPlacedSites returns the number of the draft's sites that are in the last placed order.
func (p *placement) countPlacedSites() int {
	last := p.draft.Placed[len(p.draft.Placed)-1]
	sites := 0
	for _, s := range p.draft.Sites {
		if s.Placed && s.Order == last.Code {
			sites++
		}
	}
	return sites
}

// finish deletes the draft, and shows its first order instead of the page. If the draft became several orders, a
// dialog lists all of them. last is the order that was placed last. It is nil if all orders were already placed
// when the review was opened.
func (p *placement) finish(last *ordering.PlacedOrder) tea.Cmd {
	placed := p.draft.Placed
	toast := finishedToast(placed, last)
	if len(placed) > 1 {
		p.showPlaced(toast.Text)
	}
	p.parent.hasUnsaved = false
	removeDraft := p.parent.drafts.RemoveCurrent()
	*p.draft = *ordering.NewDraft() // another page with the same draft must not show the placed sites
	var sendPlaced tea.Cmd
	if last != nil {
		sendPlaced = page.SendMessage(page.PlacedMsg{Order: last.Order})
	}
	return tea.Batch(
		page.DoInBackground(removeDraft, nil),
		sendPlaced,
		p.env.Nav.Instead(p.parent.PageLifetime(), page.OrderRoute{Order: firstPlaced(placed, last)}),
		page.SendMessage(toast),
	)
}

// firstPlaced returns the first of the placed orders. If last is the only order, the result is the complete order of
// the service. Otherwise it has only a code, an ID and a name.
func firstPlaced(placed []ordering.PlacedPart, last *ordering.PlacedOrder) *api.Order {
	if last != nil && len(placed) == 1 {
		return last.Order
	}
	first := &placed[0]
	return &api.Order{OrderCode: first.Code, UUID: first.UUID, OrderName: first.Name}
}

// finishedToast returns the message that all orders of a draft are placed. last is the order that was placed last.
// It is nil if all orders were already placed when the review was opened.
func finishedToast(placed []ordering.PlacedPart, last *ordering.PlacedOrder) page.ToastMsg {
	toast := page.ToastMsg{Role: theme.Good, Text: placed[0].Code + " was already placed"}
	if last != nil {
		toast = placedToast(last)
	}
	if len(placed) > 1 {
		toast.Text = groupDigits(len(placed)) + " orders placed"
	}
	return toast
}

// showPlaced opens a dialog with the orders that the draft has become.
func (p *placement) showPlaced(title string) {
	placed := p.draft.Placed
	facts := make([]widget.Fact, len(placed))
	for i, order := range placed {
		facts[i] = widget.Text(order.Code, order.Name+", "+format.Count(order.Missions, "mission"))
	}
	p.env.ShowFacts(title, 12, facts...)
}

// placedToast returns the message that an order was placed, or was already placed earlier. If the placed order
// differs from the request, the message lists the differences.
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
