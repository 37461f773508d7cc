package server

import (
	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// quoteBody is the request body that issues a quote.
type quoteBody struct{ ops.QuoteInput }

func (b *quoteBody) checkMembers(r *bodyReader) { r.checkFuture("expiryDate", b.ExpiryDate) }

func (h *operationsHandlers) issueQuote(x *exchange, o store.Order, in *quoteBody) (handlerAnswer, error) {
	q, err := h.domain.Quotes.Issue(x.r.Context(), o.UUID, in.QuoteInput)
	return answerCreated("quote issued", wireOpsQuote(q, q.Status), err)
}

func wireOpsQuote(q store.Quote, status api.QuoteStatus) ops.Quote {
	return ops.Quote{
		Quote:     wireQuote(q),
		UUID:      q.UUID,
		Status:    status,
		CreatedAt: api.TimeOf(q.Created.UTC()),
		DecidedAt: api.TimeOf(q.Decided.UTC()),
	}
}
