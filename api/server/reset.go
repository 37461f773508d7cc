package server

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/domain"
)

// resetGate keeps reads from seeing half of one.
type resetGate struct {
	mu    sync.Mutex
	count atomic.Uint64 // odd while one is under way
}

// waitForReset returns when no reset is under way.
func (r *resetGate) waitForReset() {
	r.mu.Lock()
	defer r.mu.Unlock()
}

// isRead reports whether the operation changes nothing. In the v2 API
// all but the decision on a quote does not.
func (r apiRoute) isRead() bool {
	return r.method == http.MethodGet || strings.HasPrefix(r.path, LegacyPath+"/") && !strings.Contains(r.path, "/quote/")
}

// reset goes back to the seeded world, and returns how many orders it has.
func (c *testControls) reset(ctx context.Context) (int, error) {
	c.resets.mu.Lock()
	defer c.resets.mu.Unlock()
	c.clock.mu.Lock() // the scenario does not go on meanwhile
	defer c.clock.mu.Unlock()
	var w domain.SeedWorld
	if c.demo != nil {
		first, _, err := c.domain.Upkeep.FilledTimes(ctx)
		if err != nil {
			return 0, err
		}
		if first.IsZero() {
			return 0, newFault(api.CodeConflict, "this data folder has no demo data to restore")
		}
		if w, err = demodata.PrepareWorld(ctx, c.domain, c.now(), first, *c.demo); err != nil {
			return 0, err
		}
	}
	c.resets.count.Add(1)
	old, err := c.domain.Upkeep.Reset(ctx, w)
	c.resets.count.Add(1)
	if err != nil {
		return 0, err
	}
	if c.director.player != nil {
		if err := c.director.player.Restart(ctx); err != nil {
			return 0, err
		}
	}
	c.simulation.Forget()
	c.removeFiles(ctx, old.Places)
	n := len(w.Orders)
	if c.demo != nil {
		n += c.demo.Orders
	}
	c.log.Info("the service was reset", "orders", n)
	return n, nil
}

// resetBody is the body that confirms a reset.
type resetBody struct {
	Confirm confirmation `json:"confirm" check:"required"`
}

func (c *testControls) resetWorld(x *exchange, _ *resetBody) (handlerAnswer, error) {
	n, err := c.reset(x.r.Context())
	return answerWith("the initial state was restored", api.ResetResult{Orders: n}, err)
}
