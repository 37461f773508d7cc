package server

import (
	"fmt"
	"math"
	"net/http"
	"strings"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// createOrder places an order. If an earlier request had the same idempotency key and the same
// body, createOrder answers with the order of that request and places no order.
func (h *publicHandlers) createOrder(x *exchange) (handlerAnswer, error) {
	body, err := x.readBody()
	if err != nil {
		return handlerAnswer{}, err
	}
	key, faults := idempotencyKey(x.r.Header)
	var in createOrderBody
	if err := readJSON(body, x.now(), faults, &in); err != nil {
		return handlerAnswer{}, err
	}
	order, err := h.domain.Orders.Place(x.r.Context(), x.caller, domain.OrderPlacement{
		Request:        api.CreateOrderRequest{Order: in.Order.OrderInput, Missions: in.Missions.missions},
		IdempotencyKey: key,
		Body:           body,
	})
	x.created = order.UUID
	return answerCreated("order "+order.Code+" placed", listedOrder(order), err)
}

// idempotencyKey returns the Idempotency-Key of a request, "" if it has none, or a fault if the key is invalid.
func idempotencyKey(h http.Header) (string, []api.FieldError) {
	const name = "Idempotency-Key"
	sent, ok := h[name]
	if !ok {
		return "", nil
	}
	key := sent[0]
	isVisible := !strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' })
	isValid := key != "" && len(key) <= api.MaxIdempotencyKey && isVisible
	if len(sent) > 1 || !isValid {
		return "", []api.FieldError{{
			Field:   name,
			Message: fmt.Sprintf("must be 1 to %d visible ASCII characters, once", api.MaxIdempotencyKey),
		}}
	}
	return key, nil
}

const orderList = "orders"

func (h *publicHandlers) listOrders(x *exchange) (handlerAnswer, error) {
	w, err := h.readWindow(x, orderList, api.DefaultPageLimit)
	if err != nil {
		return handlerAnswer{}, err
	}
	page, err := h.domain.Orders.List(x.r.Context(), x.caller, w)
	return answerWith("orders, newest first", h.listingPage(x, orderList, page), err)
}

// encodeListing returns the JSON of an order for lists of orders. The store saves this JSON
// with the order.
func encodeListing(o store.Order) (string, error) {
	text, err := marshalAnswer(listedOrder(o))
	return string(text), err
}

func (h *publicHandlers) getOrder(x *exchange) (handlerAnswer, error) {
	order, missions, err := h.domain.Orders.WithMissions(x.r.Context(), x.caller, x.r.PathValue("code"))
	return answerWith("order "+order.Code, orderDetail(order, missions), err)
}

func (h *publicHandlers) findByCode(x *exchange) (store.Order, error) {
	return h.domain.Orders.ByCode(x.r.Context(), x.caller, x.r.PathValue("code"))
}

// listedOrder returns an order for a list: it has the number of its missions but not the missions.
func listedOrder(o store.Order) api.Order {
	wire := wireOrder(o)
	wire.MissionCount = &o.MissionCount
	return wire
}

// orderDetail returns an order with its missions.
func orderDetail(o store.Order, missions []store.Mission) api.Order {
	wire := wireOrder(o)
	wire.Missions = make([]api.Mission, len(missions))
	for i, m := range missions {
		wire.Missions[i] = wireMission(o, m)
	}
	return wire
}

// wireOrder returns the members of an order that the public API shows in lists and in details.
func wireOrder(o store.Order) api.Order {
	return api.Order{
		UUID:              o.UUID,
		OrderCode:         o.Code,
		OrderName:         o.Name,
		Status:            o.Status,
		OrderType:         o.Type,
		StartDate:         sentTime(o.StartDate),
		Deadline:          sentTime(o.Deadline),
		CreatedAt:         api.TimeOf(o.Created.UTC()),
		UpdatedAt:         api.TimeOf(o.Updated.UTC()),
		CompanyName:       o.CompanyName,
		Sensors:           o.Sensors,
		Deliverables:      o.Deliverables,
		MissionObjective:  o.MissionObjective,
		IndustryAssetType: o.IndustryAssetType,
		AreaSize:          &o.AreaSize,
		RejectionReason:   o.RejectionReason,
		ArchiveReason:     o.ArchiveReason,
	}
}

// createOrderBody is the request body that places an order.
type createOrderBody struct {
	Order    orderBody   `json:"order" check:"required"`
	Missions missionList `json:"missions" check:"required"`
}

func (b *createOrderBody) checkMembers(r *bodyReader) {
	if b.Order.OrderType == api.SingleLocation && b.Missions.count > 1 {
		r.faultAt("missions", "singleLocation requires exactly one mission, not %d", b.Missions.count)
	}
}

type orderBody struct{ api.OrderInput }

func (b *orderBody) checkMembers(r *bodyReader) {
	r.checkPeriod(b.StartDate, b.Deadline, "deadline", "startDate")
}

// missionList contains the missions of an order, up to the limit.
type missionList struct {
	missions []api.MissionInput
	count    int // number of missions in the request, including missions beyond the limit
}

func (r *bodyReader) readMissions(l *missionList) error {
	area := 0.0
	count, err := r.readList(api.MaxMissions, func() error {
		var m missionBody
		err := r.readObject(&m)
		area += m.AreaSize
		l.missions = append(l.missions, m.MissionInput)
		return err
	})
	l.count = count
	if err != nil {
		return err
	}
	switch {
	case l.count == 0:
		r.addFault("needs at least one mission")
	case l.count > api.MaxMissions:
		r.addFault("has %d missions; the limit is %d", l.count, api.MaxMissions)
	case math.IsInf(area, 0):
		r.addFault("has areas whose sum is too large")
	}
	return nil
}

type missionBody struct{ api.MissionInput }

func (b *missionBody) checkMembers(r *bodyReader) {
	points := len(b.LocationMap)
	least := b.MissionType.MinPoints()
	if b.LocationMap == nil || points >= least {
		return
	}
	kind := string(b.MissionType)
	if kind == "" {
		kind = "mission"
	}
	r.faultAt("locationMap", "needs at least %d points for type %s, not %d", least, kind, points)
}
