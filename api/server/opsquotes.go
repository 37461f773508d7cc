package server

import (
	"net/http"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// opsOrderBody reads the body of a request on an order that there is.
func (h *operationsHandlers) orderBody(x *exchange) ([]byte, error) {
	if _, err := h.domain.Orders.ByUUID(x.r.Context(), nil, x.r.PathValue("uuid")); err != nil {
		return nil, err
	}
	return x.readBody()
}

func (h *operationsHandlers) issueQuote(x *exchange) (handlerAnswer, error) {
	body, err := h.orderBody(x)
	if err != nil {
		return handlerAnswer{}, err
	}
	offer, err := readOffer(body, h.now())
	if err != nil {
		return handlerAnswer{}, err
	}
	q, err := h.domain.Quotes.Issue(x.r.Context(), x.r.PathValue("uuid"), offer)
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{status: http.StatusCreated, message: "quote issued", data: wireOpsQuote(q, q.Status)}, nil
}

func readOffer(body []byte, now time.Time) (in domain.NewQuote, err error) {
	var expires api.Time
	err = readJSON(body, nil, func(r *bodyReader) error {
		err := r.objectWith(
			[]bodyMember{
				{"quoteName", func() error { return r.readName(&in.Name) }},
				{"deliveryBy", func() error { return r.readWhole(1, api.MaxDeliveryDays, &in.Days) }},
				{"priceBeforeDiscount", func() error { return r.readNumber(0, api.MaxPrice, &in.Price) }},
				{"expiryDate", func() error { return r.readDate(&expires) }},
			},
			[]bodyMember{
				{"description", func() error { return r.readRemark(&in.Description) }},
				{"currency", func() error { return r.readCurrency(&in.Currency) }},
				{"discountPercent", func() error { return r.readNumber(0, 100, &in.Discount) }},
				{"reasonForDiscount", func() error { return r.readText(api.MaxTextLength, ensureValue(&in.Reason)) }},
			},
		)
		if !expires.IsZero() && !expires.After(now) {
			r.faultAt("expiryDate", "is in the past")
		}
		return err
	})
	in.Expires = expires.Time
	return in, err
}

func wireOpsQuote(q store.Quote, status api.QuoteStatus) api.OpsQuote {
	return api.OpsQuote{
		Quote: wireQuote(q), UUID: q.UUID, Status: status, CreatedAt: api.TimeOf(q.Created.UTC()), DecidedAt: api.TimeOf(q.Decided.UTC()),
	}
}

func (h *operationsHandlers) moveWithReason(
	x *exchange, move func(uuid, reason string) (store.Order, []store.Mission, error),
) (handlerAnswer, error) {
	uuid := x.r.PathValue("uuid")
	if _, err := h.domain.Orders.ByUUID(x.r.Context(), nil, uuid); err != nil {
		return handlerAnswer{}, err
	}
	reason, err := x.readReason()
	if err != nil {
		return handlerAnswer{}, err
	}
	o, missions, err := move(uuid, reason)
	return movedOrder(o, missions, err)
}

func (h *operationsHandlers) reportNotFeasible(x *exchange) (handlerAnswer, error) {
	return h.moveWithReason(x, func(uuid, reason string) (store.Order, []store.Mission, error) {
		return h.domain.Orders.NotFeasible(x.r.Context(), uuid, reason)
	})
}

func (h *operationsHandlers) rejectOrder(x *exchange) (handlerAnswer, error) {
	return h.moveWithReason(x, func(uuid, reason string) (store.Order, []store.Mission, error) {
		return h.domain.Orders.Reject(x.r.Context(), nil, uuid, reason)
	})
}

func (h *operationsHandlers) deleteOrder(x *exchange) (handlerAnswer, error) {
	uuid := x.r.PathValue("uuid")
	if _, err := h.domain.Orders.ByUUID(x.r.Context(), nil, uuid); err != nil {
		return handlerAnswer{}, err
	}
	if err := x.readNothing(); err != nil {
		return handlerAnswer{}, err
	}
	o, missions, err := h.domain.Orders.Delete(x.r.Context(), uuid)
	return movedOrder(o, missions, err)
}

func (h *operationsHandlers) setDetails(x *exchange) (handlerAnswer, error) {
	body, err := h.orderBody(x)
	if err != nil {
		return handlerAnswer{}, err
	}
	details, err := readDetails(body)
	if err != nil {
		return handlerAnswer{}, err
	}
	if err := h.domain.Orders.SetDetails(x.r.Context(), x.r.PathValue("uuid"), details); err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{message: "details set", data: details}, nil
}

// maxFlightHeight is the greatest height of a flight, in metres.
const maxFlightHeight = 10_000

func readDetails(body []byte) (d api.OrderDetails, err error) {
	err = readJSON(body, nil, func(r *bodyReader) error {
		contact := func() error {
			into := ensureValue(&d.PointOfContact)
			return r.objectWith(nil, []bodyMember{
				{"pocName", func() error { return r.readPlain(api.MaxNameLength, &into.PocName) }},
				{"pocPhone", func() error { return r.readPlain(api.MaxNameLength, &into.PocPhone) }},
			})
		}
		option := func() error {
			into := ensureValue(&d.AdvancedOption)
			return r.objectWith(nil, []bodyMember{
				{"flightHeight", func() error { return r.readNumber(0, maxFlightHeight, ensureValue(&into.FlightHeight)) }},
				{"gcp", func() error { return r.readBoolean(&into.GCP) }},
			})
		}
		return r.objectWith(nil, []bodyMember{
			{"description", func() error { return r.readRemark(&d.Description) }},
			{"otherMapType", func() error { return r.readPlain(api.MaxNameLength, &d.OtherMapType) }},
			{"pointOfContact", contact},
			{"advancedOption", option},
		})
	})
	return d, err
}

// readBoolean reads true or false.
func (r *bodyReader) readBoolean(into *bool) error {
	if kind := r.dec.PeekKind(); kind != 't' && kind != 'f' {
		_, err := r.expectKind('t')
		return err
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	*into = token.Bool()
	return nil
}

func (h *operationsHandlers) setNotifications(x *exchange) (handlerAnswer, error) {
	body, err := h.orderBody(x)
	if err != nil {
		return handlerAnswer{}, err
	}
	in, err := readNotifications(body)
	if err != nil {
		return handlerAnswer{}, err
	}
	secret, err := h.domain.Orders.SetNotifications(x.r.Context(), x.r.PathValue("uuid"), in.Webhook, in.Email)
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{
		message: "notifications set", data: api.NotificationSettings{Webhook: in.Webhook, Email: in.Email, Secret: secret},
	}, nil
}

func readNotifications(body []byte) (in api.NotificationInput, err error) {
	err = readJSON(body, nil, func(r *bodyReader) error {
		return r.objectWith(nil, []bodyMember{
			{"webhook", func() error { return r.readAddress(&in.Webhook) }},
			{"email", func() error { return r.readBoolean(&in.Email) }},
		})
	})
	return in, err
}
