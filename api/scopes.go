package api

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/google/uuid"
)

// ScopeState says whether a key has a scope.
type ScopeState int

// The grants. What is not known may be either: the service was not reached,
// say, or its answer was inconclusive.
const (
	NotKnown ScopeState = iota
	Granted
	NotGranted
)

// String returns yes, no or not known.
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

// ScopeGrant is what is known of one scope.
type ScopeGrant struct {
	Scope Scope
	Grant ScopeState
	Err   error // why it is not known; nil otherwise
}

// errOnlyByChange is why a scope is not known that no read needs.
var errOnlyByChange = errors.New("cannot be checked without a change")

// Scopes finds out which of some scopes the client's key has, by reading only:
// what the read scopes and orders:write allow to be read. Without any named it
// is about all, in the order of [Scopes]. No read needs webhooks:write, which
// stays not known. The error is that of a key which the service does not accept,
// or of ctx.
func (c *Connection) Scopes(ctx context.Context, of ...Scope) ([]ScopeGrant, error) {
	if len(of) == 0 {
		of = Scopes()
	}
	orders, webhooks := NewOperation(
		"check orders:read",
		"GET orders",
	), NewOperation(
		"check webhooks:read",
		"GET webhooks",
	)
	orders.query, webhooks.query = ListOptions{Limit: 1}.queryValues(), ListOptions{Limit: 1}.queryValues()
	probes := map[Scope]Operation{
		ScopeOrdersRead:  orders,
		ScopeOrdersWrite: NewOperation("check orders:write", "GET csv/example"),
		ScopeFilesRead: NewOperation(
			"check files:read",
			"GET missions/{}/delivery-packages",
			uuid.NewString(),
		),
		ScopeWebhooksRead: webhooks,
	}
	grants := make([]ScopeGrant, len(of))
	errs := make([]error, len(grants))
	var running sync.WaitGroup
	for i, scope := range of {
		op, readable := probes[scope]
		if !readable {
			grants[i] = ScopeGrant{Scope: scope, Err: errOnlyByChange}
			continue
		}
		running.Go(func() {
			errs[i] = Guard(func() error { _, err := c.sendOnce(ctx, &op); return err })
			grants[i] = grantOf(scope, errs[i])
		})
	}
	running.Wait()
	for _, err := range errs {
		if IsStatus(err, http.StatusUnauthorized) {
			return nil, err
		}
	}
	return grants, ctx.Err()
}

// grantOf reads an answer. The service looks at the scope before it looks for
// what the path names, so that finding nothing means having the scope.
func grantOf(scope Scope, err error) ScopeGrant {
	var e *Error
	switch {
	case err == nil:
		return ScopeGrant{Scope: scope, Grant: Granted}
	case !errors.As(err, &e) || e.Foreign:
	case e.Status == http.StatusNotFound:
		return ScopeGrant{Scope: scope, Grant: Granted}
	case e.Status == http.StatusForbidden && (e.Code == CodeMissingScope || e.Code == ""):
		return ScopeGrant{Scope: scope, Grant: NotGranted}
	}
	return ScopeGrant{Scope: scope, Err: err}
}
