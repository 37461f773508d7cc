package server

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func (h *operationsHandlers) listAccounts(x *exchange) (handlerAnswer, error) {
	list := shownList{"ops/accounts", api.DefaultPageLimit, "accounts, newest first"}
	return answerList(h.handlerBase, x, list, 0, wireAccount)
}

func wireAccount(a store.Account) ops.Account {
	return ops.Account{
		UUID:        a.UUID,
		CompanyName: a.CompanyName,
		ClientName:  a.ClientName,
		ClientEmail: a.ClientEmail,
		Currency:    a.Currency,
		CreatedAt:   api.TimeOf(a.Created),
	}
}

// defaultCurrency is the currency of an account if none is given.
const defaultCurrency = "USD"

func (h *operationsHandlers) createAccount(x *exchange, in *ops.AccountInput) (handlerAnswer, error) {
	a, err := h.domain.Accounts.NewAccount(x.r.Context(), store.Account{
		CompanyName: in.CompanyName,
		ClientName:  in.ClientName,
		ClientEmail: in.ClientEmail,
		Currency:    cmp.Or(in.Currency, defaultCurrency),
	})
	return answerCreated("account of "+a.CompanyName+" created", wireAccount(a), err)
}

func (h *operationsHandlers) findAccount(x *exchange) (store.Account, error) {
	return h.domain.Accounts.Find(x.r.Context(), x.uuid())
}

func (h *operationsHandlers) changeAccount(
	x *exchange, a store.Account, in *ops.AccountChange,
) (handlerAnswer, error) {
	a, err := h.domain.Accounts.Change(x.r.Context(), a.UUID, *in)
	return answerWith("account of "+a.CompanyName, wireAccount(a), err)
}

func (h *operationsHandlers) listKeys(x *exchange, a store.Account) (handlerAnswer, error) {
	list := shownList{"ops/keys/" + a.UUID, api.DefaultPageLimit, "keys of " + a.CompanyName + ", newest first"}
	return answerList(h.handlerBase, x, list, a.ID, wireKey)
}

func wireKey(k store.Key) ops.AccountKey {
	return ops.AccountKey{
		UUID:        k.UUID,
		Hint:        k.Hint,
		Scopes:      k.Scopes,
		Description: k.Description,
		CreatedAt:   api.TimeOf(k.Created.UTC()),
		ExpiresAt:   timeInZone(k.Expires, k.ExpiresZone),
		RevokedAt:   api.TimeOf(k.Revoked.UTC()),
	}
}

// keyBody is the request body that issues a key.
type keyBody struct{ ops.KeyInput }

func (b *keyBody) checkMembers(r *bodyReader) { r.checkFuture("expiresAt", b.ExpiresAt) }

// checkFuture adds a validation error if a time is not in the future.
func (r *bodyReader) checkFuture(name string, at api.Time) {
	if !at.IsZero() && !at.After(r.now) {
		r.faultAt(name, "is in the past")
	}
}

func (h *operationsHandlers) issueKey(x *exchange, a store.Account, in *keyBody) (handlerAnswer, error) {
	return issuedKey(h.domain.Accounts.IssueKey(x.r.Context(), a.UUID, domain.KeySpec{
		Scopes: in.Scopes, Description: in.Description, Expires: in.ExpiresAt.Time,
	}))
}

// issuedKey answers with a new key. No other answer contains the key.
func issuedKey(key string, record store.Key, err error) (handlerAnswer, error) {
	wire := wireKey(record)
	wire.Key = key
	return answerCreated("key issued; it is not shown again", wire, err)
}

func (h *operationsHandlers) revokeKey(x *exchange, k store.Key, _ *noBody) (handlerAnswer, error) {
	k, err := h.domain.Accounts.RevokeKey(x.r.Context(), k.UUID)
	return answerWith("key revoked", wireKey(k), err)
}

func (h *operationsHandlers) listKeyRequests(x *exchange) (handlerAnswer, error) {
	list := shownList{"ops/key-requests", api.DefaultPageLimit, "key requests, newest first"}
	return answerList(h.handlerBase, x, list, 0, wireKeyRequest)
}

func wireKeyRequest(r store.KeyRequest) ops.KeyRequest {
	return ops.KeyRequest{
		UUID:        r.UUID,
		AccountUID:  r.AccountUUID,
		IntendedUse: r.IntendedUse,
		Scopes:      r.Scopes,
		Status:      r.Status,
		Reason:      r.Reason,
		CreatedAt:   api.TimeOf(r.Created.UTC()),
		DecidedAt:   api.TimeOf(r.Decided.UTC()),
	}
}

func (h *operationsHandlers) requestKey(
	x *exchange, a store.Account, in *ops.KeyRequestInput,
) (handlerAnswer, error) {
	request, err := h.domain.Accounts.RequestKey(x.r.Context(), a, in.IntendedUse, in.Scopes)
	return answerCreated("key requested", wireKeyRequest(request), err)
}

func (h *operationsHandlers) approveKey(x *exchange, r store.KeyRequest, _ *noBody) (handlerAnswer, error) {
	return issuedKey(h.domain.Accounts.ApproveKey(x.r.Context(), r.UUID))
}

func (h *operationsHandlers) declineKey(x *exchange, r store.KeyRequest, in *reasonBody) (handlerAnswer, error) {
	r, err := h.domain.Accounts.DeclineKey(x.r.Context(), r.UUID, in.Reason)
	return answerWith("key request declined", wireKeyRequest(r), err)
}

// resetGate keeps reads from returning data from the middle of a reset.
type resetGate struct {
	mu    sync.Mutex
	count atomic.Uint64 // odd while a reset is running
}

// waitForReset waits until no reset is running.
func (r *resetGate) waitForReset() {
	r.mu.Lock()
	defer r.mu.Unlock()
}

// isRead reports whether the operation changes nothing. In the v2 API only the decision
// on a quote is a change.
func (r apiRoute) isRead() bool {
	if strings.HasPrefix(r.path, LegacyPath+"/") {
		return !strings.Contains(r.path, "/quote/")
	}
	return r.method == http.MethodGet
}

// replaceWorld replaces all data of the service. Reads and the scenario see either the
// old or the new data. Files that are not referenced any more are deleted.
func (c *testControls) replaceWorld(ctx context.Context, replace func() (unreferenced []string, err error)) error {
	c.resets.mu.Lock()
	defer c.resets.mu.Unlock()
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	c.resets.count.Add(1)
	unreferenced, err := replace()
	c.resets.count.Add(1)
	if err != nil {
		return err
	}
	c.simulation.ResetPlans()
	for _, place := range unreferenced {
		if err := c.domain.Files.Remove(ctx, place); err != nil {
			c.log.Warn("an unreferenced file remains", "place", place, "error", err)
		}
	}
	return nil
}

// reset restores the demo data, or an empty store, and returns the number of orders.
func (c *testControls) reset(ctx context.Context) (orders int, err error) {
	world, err := c.initialWorld(ctx)
	if err != nil {
		return 0, err
	}
	orders = len(world.Orders)
	if c.demo != nil {
		orders += c.demo.Orders // the bulk orders, which are generated while they are inserted
	}
	err = c.replaceWorld(ctx, func() ([]string, error) {
		old, err := c.domain.Upkeep.Reset(ctx, world)
		if err == nil && c.director.player != nil {
			err = c.director.player.Restart(ctx)
		}
		return old.Places, err
	})
	if err != nil {
		return orders, err
	}
	c.log.Info("the service was reset", "orders", orders)
	return orders, nil
}

// initialWorld returns the demo data as of the first start of the service. It is empty if
// the service has no demo data.
func (c *testControls) initialWorld(ctx context.Context) (domain.SeedWorld, error) {
	if c.demo == nil {
		return domain.SeedWorld{}, nil
	}
	firstStart, _, err := c.domain.Upkeep.FilledTimes(ctx)
	if err != nil {
		return domain.SeedWorld{}, err
	}
	if firstStart.IsZero() {
		return domain.SeedWorld{}, newFault(api.CodeConflict, "this data folder has no demo data to restore")
	}
	return demodata.PrepareWorld(ctx, c.domain, c.now(), firstStart, *c.demo)
}

// resetBody is the request body that confirms a reset.
type resetBody struct {
	Confirm confirmation `json:"confirm" check:"required"`
}

func (c *testControls) resetWorld(x *exchange, _ *resetBody) (handlerAnswer, error) {
	n, err := c.reset(x.r.Context())
	return answerWith("the initial state was restored", ops.ResetResult{Orders: n}, err)
}
