package server

import (
	"net/http"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// opsOrderBody reads the body of a request on an order that there is.
func (h *operations) orderBody(x *exchange) ([]byte, error) {
	if _, err := h.domain.Orders.ByUUID(x.r.Context(), nil, x.r.PathValue("uuid")); err != nil {
		return nil, err
	}
	return x.readBody()
}

func (h *operations) issueQuote(x *exchange) (answer, error) {
	body, err := h.orderBody(x)
	if err != nil {
		return answer{}, err
	}
	offer, err := readOffer(body, h.now())
	if err != nil {
		return answer{}, err
	}
	q, err := h.domain.Quotes.Issue(x.r.Context(), x.r.PathValue("uuid"), offer)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, message: "quote issued", data: wireOpsQuote(q, q.Status)}, nil
}

func readOffer(body []byte, now time.Time) (in domain.Offer, err error) {
	var expires api.Time
	err = readJSON(body, nil, func(r *reader) error {
		err := r.objectWith(
			[]member{
				{"quoteName", func() error { return r.name(&in.Name) }},
				{"deliveryBy", func() error { return r.whole(1, api.MaxDeliveryDays, &in.Days) }},
				{"priceBeforeDiscount", func() error { return r.number(0, api.MaxPrice, &in.Price) }},
				{"expiryDate", func() error { return r.date(&expires) }},
			},
			[]member{
				{"description", func() error { return r.remark(&in.Description) }},
				{"currency", func() error { return r.currency(&in.Currency) }},
				{"discountPercent", func() error { return r.number(0, 100, &in.Discount) }},
				{"reasonForDiscount", func() error { return r.text(api.MaxTextLength, made(&in.Reason)) }},
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
		Quote: wireQuote(q), UUID: q.UUID, Status: status, CreatedAt: api.At(q.Created.UTC()), DecidedAt: api.At(q.Decided.UTC()),
	}
}

func (h *operations) moveWithReason(
	x *exchange, move func(uuid, reason string) (store.Order, []store.Mission, error),
) (answer, error) {
	uuid := x.r.PathValue("uuid")
	if _, err := h.domain.Orders.ByUUID(x.r.Context(), nil, uuid); err != nil {
		return answer{}, err
	}
	reason, err := x.readReason()
	if err != nil {
		return answer{}, err
	}
	o, missions, err := move(uuid, reason)
	return movedOrder(o, missions, err)
}

func (h *operations) reportNotFeasible(x *exchange) (answer, error) {
	return h.moveWithReason(x, func(uuid, reason string) (store.Order, []store.Mission, error) {
		return h.domain.Orders.NotFeasible(x.r.Context(), uuid, reason)
	})
}

func (h *operations) rejectOrder(x *exchange) (answer, error) {
	return h.moveWithReason(x, func(uuid, reason string) (store.Order, []store.Mission, error) {
		return h.domain.Orders.Reject(x.r.Context(), nil, uuid, reason)
	})
}

func (h *operations) deleteOrder(x *exchange) (answer, error) {
	uuid := x.r.PathValue("uuid")
	if _, err := h.domain.Orders.ByUUID(x.r.Context(), nil, uuid); err != nil {
		return answer{}, err
	}
	if err := x.readNothing(); err != nil {
		return answer{}, err
	}
	o, missions, err := h.domain.Orders.Delete(x.r.Context(), uuid)
	return movedOrder(o, missions, err)
}

func (h *operations) setDetails(x *exchange) (answer, error) {
	body, err := h.orderBody(x)
	if err != nil {
		return answer{}, err
	}
	details, err := readDetails(body)
	if err != nil {
		return answer{}, err
	}
	if err := h.domain.Orders.SetDetails(x.r.Context(), x.r.PathValue("uuid"), details); err != nil {
		return answer{}, err
	}
	return answer{message: "details set", data: details}, nil
}

// maxFlightHeight is the greatest height of a flight, in metres.
const maxFlightHeight = 10_000

func readDetails(body []byte) (d api.OrderDetails, err error) {
	err = readJSON(body, nil, func(r *reader) error {
		contact := func() error {
			into := made(&d.PointOfContact)
			return r.objectWith(nil, []member{
				{"pocName", func() error { return r.plain(api.MaxNameLength, &into.PocName) }},
				{"pocPhone", func() error { return r.plain(api.MaxNameLength, &into.PocPhone) }},
			})
		}
		option := func() error {
			into := made(&d.AdvancedOption)
			return r.objectWith(nil, []member{
				{"flightHeight", func() error { return r.number(0, maxFlightHeight, made(&into.FlightHeight)) }},
				{"gcp", func() error { return r.boolean(&into.GCP) }},
			})
		}
		return r.objectWith(nil, []member{
			{"description", func() error { return r.remark(&d.Description) }},
			{"otherMapType", func() error { return r.plain(api.MaxNameLength, &d.OtherMapType) }},
			{"pointOfContact", contact},
			{"advancedOption", option},
		})
	})
	return d, err
}

// boolean reads true or false.
func (r *reader) boolean(into *bool) error {
	if kind := r.dec.PeekKind(); kind != 't' && kind != 'f' {
		_, err := r.expect('t')
		return err
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	*into = token.Bool()
	return nil
}

func (h *operations) setNotifications(x *exchange) (answer, error) {
	body, err := h.orderBody(x)
	if err != nil {
		return answer{}, err
	}
	in, err := readNotifications(body)
	if err != nil {
		return answer{}, err
	}
	secret, err := h.domain.Orders.SetNotifications(x.r.Context(), x.r.PathValue("uuid"), in.Webhook, in.Email)
	if err != nil {
		return answer{}, err
	}
	return answer{
		message: "notifications set", data: api.NotificationSettings{Webhook: in.Webhook, Email: in.Email, Secret: secret},
	}, nil
}

func readNotifications(body []byte) (in api.NotificationInput, err error) {
	err = readJSON(body, nil, func(r *reader) error {
		return r.objectWith(nil, []member{
			{"webhook", func() error { return r.address(&in.Webhook) }},
			{"email", func() error { return r.boolean(&in.Email) }},
		})
	})
	return in, err
}
