package server

import (
	"strconv"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

func (h *legacyHandlers) findQuote(x *exchange) (store.Quote, error) {
	return h.domain.Quotes.Find(x.r.Context(), x.caller, x.r.PathValue("orderId"), x.r.PathValue("quoteId"))
}

// quoteDecision is the decision of a client on a quote.
type quoteDecision string

const (
	acceptQuote quoteDecision = "accept"
	rejectQuote quoteDecision = "reject"
)

// decisionBody is the body that decides on a quote.
type decisionBody struct {
	Status quoteDecision `json:"status" check:"required"`
}

// decideQuote answers POST /order/{orderId}/quote/{quoteId}, which accepts or rejects a quote.
func (h *legacyHandlers) decideQuote(x *exchange, quote store.Quote, in *decisionBody) (handlerAnswer, error) {
	want := api.QuoteRejected
	if in.Status == acceptQuote {
		want = api.QuoteAccepted
	}
	quote, err := h.domain.Quotes.Decide(x.r.Context(), x.caller, quote.UUID, want)
	if err != nil {
		return handlerAnswer{}, err
	}
	return bareAnswer(struct {
		Status       string    `json:"status"`
		QuoteDetails api.Quote `json:"quoteDetails"`
	}{"Quote " + string(want), wireQuote(quote)})
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

// quoteStatus returns the status of a quote. If the order no longer waits for a decision, an open
// quote has the status closed.
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
