package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func (h *public) createOrder(x *exchange) (answer, error) {
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	key, faults := idempotencyKey(x.r.Header)
	req, err := readCreateOrder(body, faults)
	if err != nil {
		return answer{}, err
	}
	order, err := h.domain.Orders.Place(x.r.Context(), x.caller, domain.Placement{
		Request: req, IdempotencyKey: key, Body: body,
	})
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, message: "order " + order.Code + " placed", data: placed{&order}}, nil
}

func idempotencyKey(h http.Header) (string, []api.FieldError) {
	const name = "Idempotency-Key"
	sent, ok := h[name]
	if !ok {
		return "", nil
	}
	key := sent[0]
	hidden := strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' })
	if len(sent) > 1 || key == "" || len(key) > api.MaxIdempotencyKey || hidden {
		return "", []api.FieldError{{
			Field:   name,
			Message: fmt.Sprintf("must be 1 to %d visible ASCII characters, once", api.MaxIdempotencyKey),
		}}
	}
	return key, nil
}

const orderList = "orders"

func (h *public) listOrders(x *exchange) (answer, error) {
	w, err := h.window(x, orderList, api.DefaultPageLimit)
	if err != nil {
		return answer{}, err
	}
	page, err := h.domain.Orders.List(x.r.Context(), x.caller, w)
	if err != nil {
		return answer{}, err
	}
	return answer{message: "orders, newest first", data: h.listingPage(x, orderList, page)}, nil
}

// listing is an order in a list as it is written, which the store keeps.
func listing(o store.Order) (string, error) {
	text, err := appendOrder(nil, &o)
	return string(text), err
}

// placed is an order as placing it answers.
type placed struct{ *store.Order }

// appendJSON writes the order, whose texts a request had that was read.
func (p placed) appendJSON(b []byte) []byte {
	b, _ = appendOrder(b, p.Order)
	return b
}

func (h *public) getOrder(x *exchange) (answer, error) {
	order, missions, err := h.domain.Orders.WithMissions(x.r.Context(), x.caller, x.r.PathValue("code"))
	if err != nil {
		return answer{}, err
	}
	return answer{message: "order " + order.Code, data: orderDetail(order, missions)}, nil
}

func (h *public) listMissions(x *exchange) (answer, error) {
	order, err := h.domain.Orders.ByCode(x.r.Context(), x.caller, x.r.PathValue("code"))
	if err != nil {
		return answer{}, err
	}
	list := "missions/" + strconv.FormatInt(order.ID, 10)
	wire := func(m store.Mission) api.Mission { return wireMission(order, m) }
	read := func(w store.Window) (domain.Page[store.Mission], error) {
		return h.domain.Missions.Of(x.r.Context(), order, w)
	}
	return answerList(h.base, x, list, 0, "missions of "+order.Code, read, wire)
}

// listedOrder is an order without its missions.
func listedOrder(o store.Order) api.Order {
	wire := wireOrder(o)
	wire.MissionCount = &o.MissionCount
	return wire
}

// orderDetail is an order with its missions.
func orderDetail(o store.Order, missions []store.Mission) api.Order {
	wire := wireOrder(o)
	wire.Missions = make([]api.Mission, len(missions))
	for i, m := range missions {
		wire.Missions[i] = wireMission(o, m)
	}
	return wire
}

func wireOrder(o store.Order) api.Order {
	return api.Order{
		UUID: o.UUID, OrderCode: o.Code, OrderName: o.Name, Status: o.Status, OrderType: o.Type,
		StartDate: api.At(o.StartDate), Deadline: api.At(o.Deadline),
		CreatedAt: api.At(o.Created.UTC()), UpdatedAt: api.At(o.Updated.UTC()),
		CompanyName: o.CompanyName, Sensors: o.Sensors, Deliverables: o.Deliverables,
		MissionObjective: o.MissionObjective, IndustryAssetType: o.IndustryAssetType, AreaSize: &o.AreaSize,
		RejectionReason: o.RejectionReason, ArchiveReason: o.ArchiveReason,
	}
}

func wireMission(o store.Order, m store.Mission) api.Mission {
	return api.Mission{
		UUID: m.UUID, MissionCode: m.Code, Status: m.Status, OrderUID: o.UUID, OrderCode: o.Code,
		MissionName: m.Name, MissionType: m.Type, Country: m.Country, City: m.City,
		LocationLabel: m.LocationLabel, AreaSize: &m.AreaSize, LocationMap: m.LocationMap,
		OperatorName: m.OperatorName, FlightDate: api.At(m.FlightDate),
		CreatedAt: api.At(m.Created.UTC()), UpdatedAt: api.At(m.Updated.UTC()),
	}
}
