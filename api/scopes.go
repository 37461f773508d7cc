package api

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

// ScopeState says whether an API key has a scope.
type ScopeState int

// The states of a scope. It is NotKnown if the service was not reached or its response was
// inconclusive.
const (
	NotKnown ScopeState = iota
	Granted
	NotGranted
)

// String returns "yes", "no" or "unknown".
func (g ScopeState) String() string {
	switch g {
	case Granted:
		return "yes"
	case NotGranted:
		return "no"
	default:
		return "unknown"
	}
}

// ScopeGrant is the result of checking one scope.
type ScopeGrant struct {
	Scope Scope
	Grant ScopeState
	Err   error // why Grant is NotKnown; nil otherwise
}

// errOnlyByChange is the error for a scope that no read operation needs.
var errOnlyByChange = errors.New("cannot be checked without a change")

// Scopes checks which of the given scopes the client's API key has. Without scopes, it checks all scopes. For each
// scope it sends a read request that needs the scope, and changes nothing. The scope webhooks:write is always
// NotKnown, because no read request needs it. Scopes fails if the service rejects the key or ctx ends.
func (c *Connection) Scopes(ctx context.Context, checked ...Scope) ([]ScopeGrant, error) {
	if len(checked) == 0 {
		checked = Scopes() // the function, which returns all scopes of the specification
	}
	probes := scopeProbes()
	grants := make([]ScopeGrant, len(checked)) // each goroutine sets its own element
	var running sync.WaitGroup
	for i, scope := range checked {
		op, ok := probes[scope]
		if !ok {
			grants[i] = ScopeGrant{Scope: scope, Err: errOnlyByChange}
			continue
		}
		running.Go(func() {
			err := Guard(func() error { return c.sendProbe(ctx, scope, op) })
			grants[i] = grantFromError(scope, err)
		})
	}
	running.Wait()
	for _, grant := range grants {
		if IsKeyRejected(grant.Err) { // the key is invalid, so it has no scopes to report
			return nil, grant.Err
		}
	}
	return grants, ctx.Err()
}

// ProbeUUID is the ID of a mission that does not exist. [Connection.Scopes] reads the packages of this mission. If
// the key has the scope, the service answers with 404. The ID is always the same, so that readers of a request log
// can tell this answer from a failure.
const ProbeUUID = "6f0c3a52-9d1e-4b7a-8c35-2e94d0f7b861"

// scopeProbes returns for each scope a read operation that needs it, if there is one.
func scopeProbes() map[Scope]Operation {
	orders := NewOperation("check orders:read", "GET orders")
	orders.query = ListOptions{Limit: 1}.queryValues()
	webhooks := NewOperation("check webhooks:read", "GET webhooks")
	webhooks.query = ListOptions{Limit: 1}.queryValues()
	files := NewOperation("check files:read", "GET missions/{}/delivery-packages", ProbeUUID)
	return map[Scope]Operation{
		ScopeOrdersRead:   orders,
		ScopeOrdersWrite:  NewOperation("check orders:write", "GET csv/example"),
		ScopeFilesRead:    files,
		ScopeWebhooksRead: webhooks,
	}
}

// sendProbe sends the probe of a scope once. It returns an error if the service refuses the probe, or if
// something other than the service responded, such as a login page.
func (c *Connection) sendProbe(ctx context.Context, scope Scope, op Operation) error {
	body, err := c.sendOnce(ctx, &op)
	if err != nil {
		return err
	}
	readsTemplate := scope == ScopeOrdersWrite
	if readsTemplate && isPlainTemplate(op, body) { // some services send the CSV template without an envelope
		return nil
	}
	_, _, err = readResponse(op, body)
	return err
}

// grantFromError derives the state of a scope from the error of its probe. The service checks the
// scope before it looks for the resource, so 404 means that the key has the scope.
func grantFromError(scope Scope, err error) ScopeGrant {
	if err == nil {
		return ScopeGrant{Scope: scope, Grant: Granted}
	}
	unknown := ScopeGrant{Scope: scope, Err: err}
	var e *Error
	if !errors.As(err, &e) || e.Foreign {
		return unknown
	}
	if e.Status == http.StatusNotFound {
		return ScopeGrant{Scope: scope, Grant: Granted}
	}
	if e.Status == http.StatusForbidden && (e.Code == CodeMissingScope || e.Code == "") {
		return ScopeGrant{Scope: scope, Grant: NotGranted}
	}
	return unknown
}
