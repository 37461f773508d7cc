package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"mime/multipart"
	"net/http"
	"slices"
)

// OrdersService places and reads orders.
type OrdersService serviceBase

// Create places an order and returns it. The idempotency key names this
// attempt: a service that knows such keys answers a repetition with the first
// result, so use one key for all tries of one order ([NewIdempotencyKey]).
// Where [MaybeApplied] holds for the error, read the list before trying again.
func (s *OrdersService) Create(
	ctx context.Context,
	req CreateOrderRequest,
	idempotencyKey string,
) (*Order, error) {
	op := NewOperation("create order", "POST orders")
	if idempotencyKey != "" {
		op.header = http.Header{"Idempotency-Key": {idempotencyKey}}
	}
	return CallOne[Order](ctx, s.c, op, req)
}

// List returns one page of the account's orders.
func (s *OrdersService) List(ctx context.Context, opts ListOptions) (*Page[Order], error) {
	return CallPage[Order](ctx, s.c, NewOperation("list orders", "GET orders"), opts)
}

// All yields the account's orders, newest first, page by page. It stops after
// the first error, which it yields.
func (s *OrdersService) All(ctx context.Context) iter.Seq2[*Order, error] {
	return WalkList(ctx, MaxPageLimit, s.List)
}

// Get returns an order with its missions. Missions that the order itself does not have in
// full are read from their own list. If that fails, the order is returned with a
// [*MissingError].
func (s *OrdersService) Get(ctx context.Context, code string) (*Order, error) {
	order, err := CallOne[Order](ctx, s.c, NewOperation("read order", "GET orders/{}", code), nil)
	if err != nil || order.hasAllMissions() {
		return order, err
	}
	missions, err := wholeList[Mission](ctx, s.c, NewOperation("list missions", "GET orders/{}/missions", code))
	if len(missions) >= len(order.Missions) && !slices.ContainsFunc(missions, Mission.isBare) {
		order.Missions = missions
	}
	if err == nil && order.countMissions() > 0 && !order.hasAllMissions() {
		err = fmt.Errorf("the service sent %d of %d in full", len(missions), order.countMissions())
	}
	if err != nil {
		return order, &MissingError{What: "the missions of " + code, Err: err}
	}
	return order, nil
}

// hasAllMissions reports whether the order has its missions in full: not only their number
// or their IDs.
func (o *Order) hasAllMissions() bool {
	return len(o.Missions) > 0 && len(o.Missions) >= o.countMissions() &&
		!slices.ContainsFunc(o.Missions, Mission.isBare)
}

// countMissions returns how many missions the order has, as far as the service said.
func (o *Order) countMissions() int {
	if o.MissionCount == nil {
		return len(o.Missions)
	}
	return *o.MissionCount
}

// isBare reports whether the mission has nothing but its ID.
func (m Mission) isBare() bool {
	return m.MissionCode == "" && m.MissionName == "" && m.Status == "" && m.LocationMap == nil && len(m.Extra) == 0
}

// Cancel ends an order whose data has not been delivered, and returns it.
// Doing it again changes nothing.
func (s *OrdersService) Cancel(ctx context.Context, uuid string) (*Order, error) {
	return s.moveOrder(ctx, "cancel", uuid, nil)
}

// Archive puts an order away that has come to an end or has not begun, and
// returns it. Doing it again changes nothing. The reason has 1 to
// [MaxTextLength] characters.
func (s *OrdersService) Archive(ctx context.Context, uuid, reason string) (*Order, error) {
	return s.moveOrder(ctx, "archive", uuid, map[string]string{"reason": reason})
}

// Reject ends an order before a quote is accepted, and returns it. Doing it
// again changes nothing. The reason has 1 to [MaxTextLength] characters.
func (s *OrdersService) Reject(ctx context.Context, uuid, reason string) (*Order, error) {
	return s.moveOrder(ctx, "reject", uuid, map[string]string{"reason": reason})
}

// moveOrder makes a move. If the answer does not have the order as it is after the move, the
// order is read; the error of a move that the order does not show is one for which
// [MaybeApplied] holds.
func (s *OrdersService) moveOrder(ctx context.Context, verb, uuid string, reason any) (*Order, error) {
	op := NewOperation(verb+" order", "POST orders/{}/{}", uuid, verb).Repeatable()
	op.methods = changeMethods
	body, err := s.c.performJSON(ctx, &op, reason)
	if err != nil {
		return nil, err
	}
	var answered []Order
	err = readRecord(op, body, &answered)
	var refusal *Error
	if errors.As(err, &refusal) && !refusal.Foreign {
		return nil, err
	}
	move := OrderMove(verb)
	switch {
	case op.status == http.StatusAccepted:
		err = foreignError(op, "accepted, not done yet")
	case err == nil && move.IsShownBy(answered[0].Status):
		return &answered[0], nil
	case err == nil:
		err = foreignError(op, "the service answered that the order is "+cmp.Or(string(answered[0].Status), "unchanged"))
	}
	order, readErr := s.findOrder(ctx, uuid)
	if (readErr == nil || IsPartial(readErr)) && order.Status == move.ResultingStatus() {
		return order, nil
	}
	return nil, err
}

// findOrder reads an order by its uuid, also where the service takes codes only.
func (s *OrdersService) findOrder(ctx context.Context, uuid string) (*Order, error) {
	order, err := s.Get(ctx, uuid)
	if !IsStatus(err, http.StatusNotFound) && !IsStatus(err, http.StatusBadRequest) {
		return order, err
	}
	for listed, again := range s.All(ctx) {
		if again != nil {
			return nil, again
		}
		if listed.UUID == uuid {
			return s.Get(ctx, listed.OrderCode)
		}
	}
	return nil, err
}

// NewIdempotencyKey returns a key for one attempt to create something.
func NewIdempotencyKey() string { return rand.Text() }

// MissionsService reads missions.
type MissionsService serviceBase

// List returns one page of an order's missions; without a limit the service
// sends them all.
func (s *MissionsService) List(ctx context.Context, code string, opts ListOptions) (*Page[Mission], error) {
	return CallPage[Mission](ctx, s.c, NewOperation("list missions", "GET orders/{}/missions", code), opts)
}

// SurveysService has survey files parsed by the service.
type SurveysService serviceBase

// ParseKML uploads a KML file of at most [MaxUploadBytes].
func (s *SurveysService) ParseKML(ctx context.Context, fileName string, file []byte) (*ParseResult, error) {
	return s.parseFile(ctx, "kml", fileName, file)
}

// ParseCSV uploads a CSV file of at most [MaxUploadBytes].
func (s *SurveysService) ParseCSV(ctx context.Context, fileName string, file []byte) (*ParseResult, error) {
	return s.parseFile(ctx, "csv", fileName, file)
}

func (s *SurveysService) parseFile(
	ctx context.Context,
	kind, fileName string,
	file []byte,
) (*ParseResult, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", fileName)
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", kind, err)
	}
	op := NewOperation("parse "+kind, "POST {}/parse", kind).Repeatable().Slow(2)
	op.body, op.header = body.Bytes(), http.Header{"Content-Type": {form.FormDataContentType()}}
	env, err := callFor[ParseResult](ctx, s.c, op)
	if err != nil {
		return nil, err
	}
	env.Data.Message = env.Message
	return &env.Data, nil
}
