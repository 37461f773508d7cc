package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// Peer identifies the user for whom a program in this process sends requests to the service. For
// example, the app over SSH sends requests for its users.
type Peer struct {
	Address  string // address of the user as host:port, for logs and the audit trail; "" is this process
	Operator string // UUID of the operations user whom the program has authenticated; if "", a key is required
}

// remoteAddress returns the address for [http.Request.RemoteAddr].
func (p Peer) remoteAddress() string {
	if p.Address == "" {
		return inProcess
	}
	return p.Address
}

type operatorKey struct{}

// PeerTransport returns a transport like [Server.Transport] for the requests of a peer.
func (s *Server) PeerTransport(p Peer) http.RoundTripper {
	return handlerTransport{handler: s.service.handler, peer: p}
}

// authenticateOperator returns the operations user who sent a request. If the request comes from a
// program in this process, this is the user whom the program has authenticated. Otherwise it is the
// owner of the key.
func (g *gateway) authenticateOperator(ctx context.Context, key string) (store.Operator, error) {
	if uuid, ok := ctx.Value(operatorKey{}).(string); ok {
		return g.domain.Operators.FindActive(ctx, uuid)
	}
	return findOperator(ctx, g.domain, key, g.opsKey())
}

// findOperator returns the operations user with the given key. opsKey is the operations key of the
// service. Keys are compared in constant time, so that nobody can guess opsKey from the duration.
func findOperator(ctx context.Context, d *domain.Service, key, opsKey string) (store.Operator, error) {
	sent := sha256.Sum256([]byte(key))
	want := sha256.Sum256([]byte(opsKey))
	if subtle.ConstantTimeCompare(sent[:], want[:]) == 1 {
		return store.Operator{Name: ops.OperationsKey, Role: ops.RoleAdmin}, nil
	}
	return d.Operators.Authenticate(ctx, key)
}

// OperatorByKey returns the operations user with the given key. The owner of the
// operations key has the name [ops.OperationsKey]. If the key is wrong or revoked,
// [IsDenied] reports true for the error.
func (s *Server) OperatorByKey(ctx context.Context, key string) (ops.Operator, error) {
	o, err := findOperator(ctx, s.service.domain, key, s.currentOpsKey())
	return wireOperator(o), err
}

// OperatorByName returns the operations user with the given name. If there is none, or
// the user is revoked, [IsDenied] reports true for the error.
func (s *Server) OperatorByName(ctx context.Context, name string) (ops.Operator, error) {
	o, err := s.service.domain.Operators.FindNamed(ctx, name)
	return wireOperator(o), err
}

// RecordNote records in the audit trail that an operations user sends a note to a participant of a
// training. The text of the note is not recorded. The operations user is p.Operator or, if that is
// "", the owner of the key. RecordNote fails if the key is wrong or the role of the user does not
// permit notes.
func (s *Server) RecordNote(ctx context.Context, p Peer, key, participant string) error {
	o, err := s.findPeer(ctx, p, key)
	if err != nil {
		return err
	}
	entry := &store.AuditEntry{
		Created:      s.service.domain.Now().UTC().Truncate(time.Millisecond),
		Kind:         ops.AuditChange,
		Operator:     o.Name,
		OperatorUUID: o.UUID,
		Address:      withoutPort(p.remoteAddress()),
		Operation:    ops.SendNote,
		Subject:      participant,
	}
	isAllowed := o.Role.Covers(ops.RoleOperate)
	if !isAllowed {
		entry.Kind = ops.AuditRefused
	}
	if err := s.service.domain.Operators.Record(ctx, entry); err != nil {
		return err
	}
	if !isAllowed {
		return newRoleFault(ops.RoleOperate, o)
	}
	return nil
}

// newRoleFault returns the error for an operations user whose role does not permit an
// operation.
func newRoleFault(need ops.Role, o store.Operator) *domain.Error {
	message := "this needs the role " + string(need) + "; " + o.Name + " has the role " + string(o.Role)
	return newFault(api.CodeMissingScope, message)
}

// findPeer returns the operations user p.Operator or, if that is "", the owner of the key.
func (s *Server) findPeer(ctx context.Context, p Peer, key string) (store.Operator, error) {
	if p.Operator != "" {
		return s.service.domain.Operators.FindActive(ctx, p.Operator)
	}
	return findOperator(ctx, s.service.domain, key, s.currentOpsKey())
}

// IsInvited reports whether a user has an invitation with this code to the app over SSH.
func (s *Server) IsInvited(ctx context.Context, user, code string) (bool, error) {
	return s.service.domain.Invitations.IsCode(ctx, user, code)
}

// IsDenied reports whether err says that the service does not accept a key or a user, for example
// because the key is wrong or the user is revoked.
func IsDenied(err error) bool {
	refusal, ok := errors.AsType[*domain.Error](err)
	return ok && refusal.Code == api.CodeUnauthenticated
}
