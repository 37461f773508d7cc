package api

import (
	"bytes"
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

// Create places an order and returns it. Use the same idempotency key for all attempts to
// place one order ([NewIdempotencyKey]): a service that supports such keys responds to a
// repetition with the first result. If [MaybeApplied] reports true for the error, check the
// list of orders before trying again.
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

// All yields the account's orders, newest first. It yields the first error and stops.
func (s *OrdersService) All(ctx context.Context) iter.Seq2[*Order, error] {
	return WalkList(ctx, MaxPageLimit, s.List)
}

// Get returns an order with its missions. If the response contains only the number or the IDs of
// the missions, Get also reads the list of missions. If that fails, it returns the order with a
// [*MissingError].
func (s *OrdersService) Get(ctx context.Context, code string) (*Order, error) {
	order, err := CallOne[Order](ctx, s.c, NewOperation("read order", "GET orders/{}", code), nil)
	if err != nil {
		return nil, err
	}
	if order.hasAllMissions() {
		return order, nil
	}
	if err := s.addMissions(ctx, order, code); err != nil {
		return order, &MissingError{What: "the missions of " + code, Err: err}
	}
	return order, nil
}

// addMissions sets the missions of an order from the list of its missions. It returns an
// error if the list does not contain all missions in full.
func (s *OrdersService) addMissions(ctx context.Context, order *Order, code string) error {
	missions, err := readAll[Mission](ctx, s.c, NewOperation("list missions", "GET orders/{}/missions", code))
	hasBareMission := slices.ContainsFunc(missions, Mission.isBare)
	if len(missions) >= len(order.Missions) && !hasBareMission {
		order.Missions = missions
	}
	if err != nil {
		return err
	}
	if order.countMissions() > 0 && !order.hasAllMissions() {
		return fmt.Errorf("the service sent %d of %d in full", len(missions), order.countMissions())
	}
	return nil
}

// hasAllMissions reports whether the order contains all its missions in full, and not only
// their number or their IDs.
func (o *Order) hasAllMissions() bool {
	if len(o.Missions) == 0 || len(o.Missions) < o.countMissions() {
		return false
	}
	return !slices.ContainsFunc(o.Missions, Mission.isBare)
}

// countMissions returns the number of missions according to the service.
func (o *Order) countMissions() int {
	if o.MissionCount == nil {
		return len(o.Missions)
	}
	return *o.MissionCount
}

// isBare reports whether the mission has nothing but an ID.
func (m Mission) isBare() bool {
	return m.MissionCode == "" && m.MissionName == "" && m.Status == "" && m.LocationMap == nil && len(m.Extra) == 0
}

// Cancel cancels an order that has no delivered data yet, and returns it. Repeating it changes
// nothing.
func (s *OrdersService) Cancel(ctx context.Context, uuid string) (*Order, error) {
	return s.moveOrder(ctx, "cancel", uuid, nil)
}

// Archive archives an order that has ended or not begun, and returns it. Repeating it changes
// nothing. The reason has 1 to [MaxTextLength] characters.
func (s *OrdersService) Archive(ctx context.Context, uuid, reason string) (*Order, error) {
	return s.moveOrder(ctx, "archive", uuid, map[string]string{"reason": reason})
}

// Reject rejects an order before a quote is accepted, and returns it. Repeating it changes
// nothing. The reason has 1 to [MaxTextLength] characters.
func (s *OrdersService) Reject(ctx context.Context, uuid, reason string) (*Order, error) {
	return s.moveOrder(ctx, "reject", uuid, map[string]string{"reason": reason})
}

// moveOrder changes the status of an order, for example by cancelling it, and returns the order. If
// the response does not contain the order in its new status, moveOrder reads the order. If the
// status has still not changed, it returns an error for which [MaybeApplied] reports true.
func (s *OrdersService) moveOrder(ctx context.Context, verb, uuid string, reason any) (*Order, error) {
	op := NewOperation(verb+" order", "POST orders/{}/{}", uuid, verb).Repeatable()
	op.methods = changeMethods
	body, err := s.c.performJSON(ctx, &op, reason)
	if err != nil {
		return nil, err
	}
	move := OrderMove(verb)
	moved, unconfirmed := readMovedOrder(op, move, body)
	if unconfirmed == nil {
		return moved, nil
	}
	var refusal *Error
	if errors.As(unconfirmed, &refusal) && !refusal.Foreign {
		return nil, unconfirmed
	}
	order, readErr := s.findOrder(ctx, uuid)
	isRead := readErr == nil || IsPartial(readErr)
	if isRead && order.Status == move.ResultingStatus() {
		return order, nil
	}
	return nil, unconfirmed
}

// readMovedOrder reads the order in the response to a move. It returns an error unless the
// order shows that the move was made.
func readMovedOrder(op Operation, move OrderMove, body []byte) (*Order, error) {
	var orders []Order
	err := readRecord(op, body, &orders)
	var refusal *Error
	if errors.As(err, &refusal) && !refusal.Foreign {
		return nil, err
	}
	if op.status == http.StatusAccepted {
		return nil, foreignError(op, "accepted, not done yet")
	}
	if err != nil {
		return nil, err
	}
	status := orders[0].Status
	if move.IsShownBy(status) {
		return &orders[0], nil
	}
	if status == "" {
		status = "unchanged"
	}
	return nil, foreignError(op, "the service answered that the order is "+string(status))
}

// findOrder reads an order by its UUID. If the service only finds orders by their code, it
// gets the code from the list of orders.
func (s *OrdersService) findOrder(ctx context.Context, uuid string) (*Order, error) {
	order, err := s.Get(ctx, uuid)
	if !IsStatus(err, http.StatusNotFound) && !IsStatus(err, http.StatusBadRequest) {
		return order, err
	}
	for listed, listErr := range s.All(ctx) {
		if listErr != nil {
			return nil, listErr
		}
		if listed.UUID == uuid {
			return s.Get(ctx, listed.OrderCode)
		}
	}
	return nil, err
}

// NewIdempotencyKey returns a new random key; see [OrdersService.Create].
func NewIdempotencyKey() string { return rand.Text() }

// MissionsService reads missions.
type MissionsService serviceBase

// List returns one page of an order's missions. Without a limit, the service sends all of
// them in one page.
func (s *MissionsService) List(ctx context.Context, code string, opts ListOptions) (*Page[Mission], error) {
	return CallPage[Mission](ctx, s.c, NewOperation("list missions", "GET orders/{}/missions", code), opts)
}

// SurveysService parses survey files at the service.
type SurveysService serviceBase

// ParseKML returns the locations of a KML file of at most [MaxUploadBytes].
func (s *SurveysService) ParseKML(ctx context.Context, fileName string, file []byte) (*ParseResult, error) {
	return s.parseFile(ctx, "kml", fileName, file)
}

// ParseCSV returns the locations of a CSV file of at most [MaxUploadBytes].
func (s *SurveysService) ParseCSV(ctx context.Context, fileName string, file []byte) (*ParseResult, error) {
	return s.parseFile(ctx, "csv", fileName, file)
}

func (s *SurveysService) parseFile(ctx context.Context, kind, fileName string, file []byte) (*ParseResult, error) {
	body, contentType, err := fileForm(fileName, file)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", kind, err)
	}
	op := NewOperation("parse "+kind, "POST {}/parse", kind).Repeatable().Slow(2)
	op.body = body
	op.header = http.Header{"Content-Type": {contentType}}
	env, err := callFor[ParseResult](ctx, s.c, op)
	if err != nil {
		return nil, err
	}
	env.Data.Message = env.Message
	return &env.Data, nil
}

// fileForm returns a multipart form with one file, and its content type.
func fileForm(fileName string, file []byte) (body []byte, contentType string, err error) {
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	part, err := form.CreateFormFile("file", fileName)
	if err != nil {
		return nil, "", err
	}
	if _, err := part.Write(file); err != nil {
		return nil, "", err
	}
	if err := form.Close(); err != nil {
		return nil, "", err
	}
	return buffer.Bytes(), form.FormDataContentType(), nil
}
