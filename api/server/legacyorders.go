package server

import (
	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func (h *legacyHandlers) findRecord(x *exchange) (store.Order, error) {
	return h.domain.Records.Order(x.r.Context(), x.caller, x.r.PathValue("id"))
}

// getRecord answers POST /getorder/{id}. The body can select a type of files.
func (h *legacyHandlers) getRecord(x *exchange, order store.Order) (handlerAnswer, error) {
	var in recordBody
	if err := x.readOptional(&in); err != nil {
		return handlerAnswer{}, err
	}
	r, err := h.domain.Records.RecordOf(x.r.Context(), order)
	if err != nil {
		return handlerAnswer{}, err
	}
	wire := h.wholeRecord(x, x.caller.Account, r, x.shownFilesOf(in.FileDataType))
	if wire.Notifications != nil && order.Status == api.OrderCompleted {
		wire.Notifications.Failed, err = h.domain.Records.FailedNotices(x.r.Context(), order)
		if err != nil {
			return handlerAnswer{}, err
		}
	}
	return bareAnswer(wire)
}

// listRecords answers POST /getorderslist with all orders or, if the body selects a status or a page, with one page.
func (h *legacyHandlers) listRecords(x *exchange) (handlerAnswer, error) {
	var in recordListBody
	if err := x.readOptional(&in); err != nil {
		return handlerAnswer{}, err
	}
	list := &bareList{x: x, body: make([]byte, 0, listPart/4)}
	each := h.addRecord(x, list, x.shownFilesOf(in.FileDataType))
	listsAll := in.Status == nil && in.FileDataType == nil && in.pageBody == (pageBody{})
	if listsAll {
		return list.endList(h.domain.Records.All(x.r.Context(), x.caller, each))
	}
	var page domain.RecordPage
	if in.Status != nil {
		page.Status = *in.Status
	}
	page.Limit, page.Page = in.chosen()
	return list.endList(h.domain.Records.List(x.r.Context(), x.caller, page, each))
}

// instruction tells clients what to do when an order has quotes.
const instruction = "Compare the quotes and accept one before its expiryDate, or reject them: " +
	"POST order/{id}/quote/{quoteId} with status accept or reject. Accepting a quote closes the others."

// wholeRecord returns an order in the form of getorder. It includes the quotes, unless the order is
// deleted.
func (h *legacyHandlers) wholeRecord(x *exchange, a store.Account, r store.Record, view shownFiles) api.OrderRecord {
	wire := orderRecord(a, r)
	wire.DeliveryFiles = h.filesByKind(x, r.Files, view)
	wire.LocationMaps = append([][]api.Point{}, r.Locations...)
	quotes := quotesByStatus(r)
	if wire.OrderStatus == api.RecordQuoteReceived {
		return withOpenQuotes(wire, quotes)
	}
	if len(r.Extras.Quotes) == 0 || r.Order.Status == api.OrderDeleted {
		return wire
	}
	wire.RejectedQuotes = quotes[api.QuoteRejected]
	wire.ClosedQuotes = quotes[api.QuoteClosed]
	if accepted := quotes[api.QuoteAccepted]; len(accepted) > 0 {
		wire.AcceptedQuote = &accepted[0]
	}
	return wire
}

// withOpenQuotes returns the order with its open and rejected quotes, and an instruction for the
// client to decide the quotes. It is for orders with the status RecordQuoteReceived. For these
// orders, the v2 API repeats the members of the order in the member orderDetails.
func withOpenQuotes(order api.OrderRecord, quotes map[api.QuoteStatus][]api.Quote) api.OrderRecord {
	details := order
	order.OrderDetails = &details
	order.Status = api.RecordQuoteReceived
	order.Instruction = instruction
	order.Quotes = quotes[api.QuoteOpen]
	order.RejectedQuotes = quotes[api.QuoteRejected]
	return order
}

// orderRecord returns the members of an order that are the same in getorder and getorderslist.
// getorderslist does not call it, because the store saves the JSON of each order; see
// [encodeRecord].
func orderRecord(a store.Account, r store.Record) api.OrderRecord {
	o := r.Order
	wire := api.OrderRecord{
		ID:               o.UUID,
		OrderCode:        o.Code,
		OrderName:        o.Name,
		AreaSize:         &o.AreaSize,
		ClientName:       a.ClientName,
		ClientEmail:      a.ClientEmail,
		CompanyName:      o.CompanyName,
		DeliveryDeadline: api.DateOf(o.Deadline),
		OrderStatus:      store.RecordStatus(o, r.Extras.OpenQuotes),
		LocationMap:      []api.Point{},
		MapTypes:         mapTypes(o.Deliverables),
	}
	if o.RejectionReason != nil {
		wire.OrderRejectionReason = *o.RejectionReason
	}
	if len(r.Locations) > 0 {
		wire.LocationMap = r.Locations[0]
	}
	if r.Price != nil {
		wire.OrderPrice = api.PriceOf(*r.Price)
	}
	if d := r.Extras.Details; d != nil {
		wire.RecordDetails = *d
	}
	wire.Notifications = wireNotify(r.Extras.Notify)
	return wire
}

// mapTypes returns the products of an order except the photos. The v2 API does not list the photos,
// because every order has them.
func mapTypes(products []api.Deliverable) []api.Deliverable {
	types := make([]api.Deliverable, 0, len(products))
	for _, kind := range products {
		if kind != api.DeliverableJPG {
			types = append(types, kind)
		}
	}
	return types
}

func wireNotify(n *store.Notify) *api.Notifications {
	if n == nil {
		return nil
	}
	return &api.Notifications{Webhook: n.Webhook, Email: n.Email}
}

// filesByKind returns links to the files that view selects. Photos are base files, and all other
// files are grouped by type.
func (b *handlerBase) filesByKind(x *exchange, files []store.File, view shownFiles) *api.DeliveryFiles {
	wire := &api.DeliveryFiles{BaseFiles: []string{}, ProcessedData: map[api.Deliverable][]string{}}
	for _, f := range files {
		if !view.showsKind(f.Kind) {
			continue
		}
		link := b.linkTo(x, f)
		if f.Kind == api.DeliverableJPG {
			wire.BaseFiles = append(wire.BaseFiles, link)
		} else {
			wire.ProcessedData[f.Kind] = append(wire.ProcessedData[f.Kind], link)
		}
	}
	return wire
}
