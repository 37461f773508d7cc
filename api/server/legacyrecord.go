package server

import (
	"slices"
	"strconv"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// instruction tells clients what to do when an order has quotes.
const instruction = "Compare the quotes and accept one before its expiryDate, or reject them: " +
	"POST order/{id}/quote/{quoteId} with status accept or reject. Accepting a quote closes the others."

// wholeRecord returns an order for getorder. Quotes are included unless the order is
// deleted.
func (h *legacyHandlers) wholeRecord(x *exchange, a store.Account, r store.Record, view shownFiles) api.OrderRecord {
	wire := orderRecord(a, r)
	wire.DeliveryFiles = h.filesByKind(x, r.Files, view)
	wire.LocationMaps = append([][]api.Point{}, r.Locations...)
	sorted := quotesByStatus(r)
	if wire.OrderStatus == api.RecordQuoteReceived {
		details := wire
		wire.OrderDetails = &details
		wire.Status = api.RecordQuoteReceived
		wire.Instruction = instruction
		wire.Quotes = sorted[api.QuoteOpen]
		wire.RejectedQuotes = sorted[api.QuoteRejected]
		return wire
	}
	if len(r.Extras.Quotes) > 0 && r.Order.Status != api.OrderDeleted {
		wire.RejectedQuotes = sorted[api.QuoteRejected]
		wire.ClosedQuotes = sorted[api.QuoteClosed]
		if accepted := sorted[api.QuoteAccepted]; len(accepted) > 0 {
			wire.AcceptedQuote = &accepted[0]
		}
	}
	return wire
}

// quotesByStatus groups the quotes of an order by status. Every status has a list, which may
// be empty.
func quotesByStatus(r store.Record) map[api.QuoteStatus][]api.Quote {
	sorted := map[api.QuoteStatus][]api.Quote{}
	for _, status := range api.QuoteStatuses() {
		sorted[status] = []api.Quote{}
	}
	for _, q := range r.Extras.Quotes {
		status := quoteStatus(r.Order, q)
		sorted[status] = append(sorted[status], wireQuote(q))
	}
	return sorted
}

// quoteStatus returns the status of a quote. An open quote counts as closed if its order
// does not wait for a decision on quotes any more.
func quoteStatus(o store.Order, q store.Quote) api.QuoteStatus {
	if q.Status == api.QuoteOpen && store.RecordStatus(o, 1) != api.RecordQuoteReceived {
		return api.QuoteClosed
	}
	return q.Status
}

func wireQuote(q store.Quote) api.Quote {
	return api.Quote{
		QuoteID:             q.UUID,
		QuoteName:           q.Name,
		Description:         q.Description,
		DeliveryBy:          api.DaysOf(q.Days),
		PriceBeforeDiscount: api.PriceOf(q.Price),
		Currency:            q.Currency,
		DiscountProvided:    strconv.FormatFloat(q.Discount, 'f', -1, 64) + "%",
		ReasonForDiscount:   q.DiscountReason,
		FinalPrice:          api.PriceOf(q.FinalPrice),
		ExpiryDate:          sentTime(q.Expires),
	}
}

// orderRecord returns the members of an order that getorder and getorderslist have in
// common. getorderslist itself does not call it: the store saves the JSON of each order, see
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

// mapTypes returns the products of an order without the photos, which every order has.
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

// filesByKind returns the links of the files that the view shows: the photos as base files,
// and the other files by their type.
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

func (h *legacyHandlers) listDatasets(x *exchange) (handlerAnswer, error) {
	var in datasetListBody
	if err := x.readOptional(&in); err != nil {
		return handlerAnswer{}, err
	}
	limit, page := in.chosen()
	list := &bareList{x: x}
	sets, err := h.domain.Records.Datasets(x.r.Context(), x.caller, limit, page)
	if err != nil {
		return list.endList(err)
	}
	for _, set := range sets {
		wire, err := h.datasetRecord(x, set, in.FileDataType)
		if err != nil {
			return list.endList(err)
		}
		if err := list.addRow(wire); err != nil {
			return list.endList(err)
		}
	}
	return list.endList(nil)
}

func (h *legacyHandlers) findDataset(x *exchange) (store.Dataset, error) {
	return h.domain.Records.Dataset(x.r.Context(), x.caller, x.r.PathValue("id"))
}

func (h *legacyHandlers) getDataset(x *exchange, set store.Dataset) (handlerAnswer, error) {
	var in datasetBody
	if err := x.readOptional(&in); err != nil {
		return handlerAnswer{}, err
	}
	wire, err := h.datasetRecord(x, set, in.FileDataType)
	if err != nil {
		return handlerAnswer{}, err
	}
	return bareAnswer(wire)
}

// datasetRecord returns a dataset with links to its base files, or to the files of the
// given types.
func (h *legacyHandlers) datasetRecord(x *exchange, set store.Dataset, kinds []api.Deliverable) (api.Dataset, error) {
	files, err := h.domain.Records.DatasetFiles(x.r.Context(), set)
	if err != nil {
		return api.Dataset{}, err
	}
	view := x.shownFilesOf(kinds)
	if view.kinds == nil {
		files = slices.DeleteFunc(files, func(f store.File) bool { return f.Kind != api.DeliverableJPG })
	}
	wire := wireDataset(set)
	wire.DeliveryFiles = h.filesByKind(x, files, view)
	return wire, nil
}

func wireDataset(set store.Dataset) api.Dataset {
	return api.Dataset{
		ID:            set.UUID,
		DatasetName:   set.Name,
		Categories:    set.Categories,
		Description:   set.Description,
		SDGGoals:      set.SDGGoals,
		LocationLabel: set.LocationLabel,
		LocationMap:   set.LocationMap,
		DateCompleted: api.ParseDate(set.DateCompleted),
	}
}
