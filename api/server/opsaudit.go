package server

import (
	"context"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func (h *operationsHandlers) listAudit(x *exchange) (handlerAnswer, error) {
	list := shownList{"ops/audit", api.DefaultPageLimit, "the audit trail, newest first"}
	return answerList(h.handlerBase, x, list, 0, wireAudit)
}

func wireAudit(e store.AuditEntry) ops.AuditEntry {
	return ops.AuditEntry{
		ID:          e.ID,
		At:          api.TimeOf(e.Created),
		Kind:        e.Kind,
		Operator:    e.Operator,
		OperatorUID: e.OperatorUUID,
		Address:     e.Address,
		Operation:   e.Operation,
		Subject:     e.Subject,
		Parent:      e.Parent,
		Request:     e.Request,
		RequestID:   e.RequestID,
	}
}

// listChanges answers with the changes of an order and the users who made them. It leaves out the
// addresses of the users and the request bodies, which only administrators may see.
func (h *operationsHandlers) listChanges(x *exchange, o store.Order) (handlerAnswer, error) {
	list := shownList{"ops/changes/" + o.UUID, api.DefaultPageLimit, "changes of " + o.Code + ", newest first"}
	read := func(ctx context.Context, w store.ListWindow) (domain.Page[store.AuditEntry], error) {
		return h.domain.Operators.ChangesOf(ctx, o, w)
	}
	return answerPage(h.handlerBase, x, list, read, wireChange)
}

func wireChange(e store.AuditEntry) ops.OrderChange {
	return ops.OrderChange{
		ID:        e.ID,
		At:        api.TimeOf(e.Created),
		Operator:  e.Operator,
		Operation: e.Operation,
		Subject:   e.Subject,
		Parent:    e.Parent,
		RequestID: e.RequestID,
	}
}
