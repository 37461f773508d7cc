package server

import (
	"context"
	"errors"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/config/atomicfile"
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

func (h *operationsHandlers) listAudit(x *exchange) (handlerAnswer, error) {
	list := shownList{"ops/audit", api.DefaultPageLimit, "the audit trail, newest first"}
	return answerList(h.handlerBase, x, list, 0, wireAudit)
}

// listChanges answers with the changes of an order and their authors, without the
// addresses and bodies that only administrators may see.
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

const (
	auditInterval = time.Second // interval at which new entries are copied to AuditFile
	maxAuditBatch = 500         // maximum number of entries that are read at once
)

// copyAudit copies each entry of the audit trail once to the file s.AuditFile. If the file
// exists, copyAudit continues after its last entry. When ctx ends, copyAudit copies the
// remaining entries and returns.
func (s *Server) copyAudit(ctx context.Context) {
	file := atomicfile.NewLog[ops.AuditEntry](s.AuditFile, 0)
	lastID := int64(0)
	failing := false
	for {
		isStopping := ctx.Err() != nil
		copied, err := s.appendAudit(context.WithoutCancel(ctx), file, lastID)
		lastID = copied
		isOutage := errors.Is(err, store.ErrAway) || errors.Is(err, store.ErrBusy) // logged by dependency
		if err != nil && !failing && !isOutage {
			s.Log.Warn("the audit trail cannot be copied to its file", "file", s.AuditFile, "error", err)
		}
		failing = err != nil
		if isStopping {
			return
		}
		select {
		case <-time.After(auditInterval):
		case <-ctx.Done():
		}
	}
}

// appendAudit appends the entries after the entry with lastID to the file. It returns the ID
// of the last entry in the file.
func (s *Server) appendAudit(ctx context.Context, file *atomicfile.Log[ops.AuditEntry], lastID int64) (int64, error) {
	unread, err := file.Read()
	for _, e := range unread.Values {
		lastID = max(lastID, e.ID)
	}
	if err != nil {
		return lastID, err
	}
	for {
		entries, err := s.store.AuditAfter(ctx, lastID, maxAuditBatch)
		if err != nil {
			return lastID, err
		}
		if len(entries) == 0 {
			return lastID, nil
		}
		for _, e := range entries {
			if err := file.Append(wireAudit(e)); err != nil {
				return lastID, err
			}
			lastID = e.ID
		}
	}
}
