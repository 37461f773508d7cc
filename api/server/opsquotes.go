package server

import (
	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// quoteBody is the body that issues a quote.
type quoteBody struct{ api.QuoteInput }

func (b *quoteBody) checkMembers(r *bodyReader) { r.checkFuture("expiryDate", b.ExpiryDate) }

func (h *operationsHandlers) issueQuote(x *exchange, o store.Order, in *quoteBody) (handlerAnswer, error) {
	q, err := h.domain.Quotes.Issue(x.r.Context(), o.UUID, domain.NewQuote{
		Name: in.QuoteName, Description: in.Description, Days: in.DeliveryBy, Price: in.PriceBeforeDiscount,
		Currency: in.Currency, Discount: in.DiscountPercent, Reason: optionalText(in.ReasonForDiscount),
		Expires: in.ExpiryDate.Time,
	})
	return answerCreated("quote issued", wireOpsQuote(q, q.Status), err)
}

func wireOpsQuote(q store.Quote, status api.QuoteStatus) api.OpsQuote {
	return api.OpsQuote{
		Quote: wireQuote(q), UUID: q.UUID, Status: status, CreatedAt: api.TimeOf(q.Created.UTC()), DecidedAt: api.TimeOf(q.Decided.UTC()),
	}
}

func (h *operationsHandlers) setDetails(x *exchange, o store.Order, in *api.OrderDetails) (handlerAnswer, error) {
	err := h.domain.Orders.SetDetails(x.r.Context(), o.UUID, *in)
	return answerWith("details set", *in, err)
}

func (h *operationsHandlers) setNotifications(x *exchange, o store.Order, in *api.NotificationInput) (handlerAnswer, error) {
	secret, err := h.domain.Orders.SetNotifications(x.r.Context(), o.UUID, in.Webhook, in.Email)
	set := api.NotificationSettings{Webhook: in.Webhook, Email: in.Email, Secret: secret}
	return answerWith("notifications set", set, err)
}
