package server

import (
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// maxOverlap is the maximum time for which a replaced key remains valid.
const maxOverlap = 90 * 24 * time.Hour

func (h *operationsHandlers) listOperators(x *exchange) (handlerAnswer, error) {
	list := shownList{"ops/operators", api.DefaultPageLimit, "operations users, newest first"}
	return answerList(h.handlerBase, x, list, 0, wireOperator)
}

func wireOperator(o store.Operator) ops.Operator {
	return ops.Operator{
		UUID:        o.UUID,
		Name:        o.Name,
		Role:        o.Role,
		Hint:        o.Hint,
		CreatedAt:   api.TimeOf(o.Created),
		LastUsedAt:  api.TimeOf(o.Used),
		OldKeyUntil: api.TimeOf(o.OldUntil),
		RevokedAt:   api.TimeOf(o.Revoked),
	}
}

// showUser answers with the operations user who sent the request.
func (h *operationsHandlers) showUser(x *exchange) (handlerAnswer, error) {
	user := ops.CurrentUser{UUID: x.operator.UUID, Name: x.operator.Name, Role: x.operator.Role}
	return handlerAnswer{message: "the user of this key", data: user}, nil
}

func (h *operationsHandlers) addOperator(x *exchange, in *ops.OperatorInput) (handlerAnswer, error) {
	key, o, err := h.domain.Operators.Add(x.r.Context(), in.Name, in.Role)
	wire := wireOperator(o)
	wire.Key = key
	return answerCreated("user "+o.Name+" added; the key is not shown again", wire, err)
}

func (h *operationsHandlers) rotateOperator(x *exchange, in *ops.RotationInput) (handlerAnswer, error) {
	key, o, err := h.domain.Operators.Rotate(x.r.Context(), x.uuid(), in.Overlap.Duration)
	wire := wireOperator(o)
	wire.Key = key
	return answerWith("key of "+o.Name+" rotated; it is not shown again", wire, err)
}

func (h *operationsHandlers) revokeOperator(x *exchange, _ *noBody) (handlerAnswer, error) {
	o, err := h.domain.Operators.Revoke(x.r.Context(), x.uuid())
	return answerWith("user "+o.Name+" revoked", wireOperator(o), err)
}
