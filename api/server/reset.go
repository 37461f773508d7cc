package server

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"flightdesk/api"
	"flightdesk/api/ops"
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
	return r.method == http.MethodGet ||
		strings.HasPrefix(r.path, LegacyPath+"/") && !strings.Contains(r.path, "/quote/")
}

// replaceWorld replaces everything that the service has. Neither reads nor the
// scenario see half of it; files that nothing names any more are removed.
func (c *testControls) replaceWorld(ctx context.Context, replace func() (unnamed []string, err error)) error {
	c.resets.mu.Lock()
	defer c.resets.mu.Unlock()
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	c.resets.count.Add(1)
	unnamed, err := replace()
	c.resets.count.Add(1)
	if err != nil {
		return err
	}
	c.simulation.Forget()
	for _, place := range unnamed {
		if err := c.domain.Files.Remove(ctx, place); err != nil {
			c.log.Warn("an unreferenced file remains", "place", place, "error", err)
		}
	}
	return nil
}

// reset goes back to the seeded world, and returns how many orders it has.
func (c *testControls) reset(ctx context.Context) (orders int, err error) {
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
		orders = c.demo.Orders
	}
	orders += len(w.Orders)
	err = c.replaceWorld(ctx, func() ([]string, error) {
		old, err := c.domain.Upkeep.Reset(ctx, w)
		if err == nil && c.director.player != nil {
			err = c.director.player.Restart(ctx)
		}
		return old.Places, err
	})
	if err == nil {
		c.log.Info("the service was reset", "orders", orders)
	}
	return orders, err
}

// resetBody is the body that confirms a reset.
type resetBody struct {
	Confirm confirmation `json:"confirm" check:"required"`
}

func (c *testControls) resetWorld(x *exchange, _ *resetBody) (handlerAnswer, error) {
	n, err := c.reset(x.r.Context())
	return answerWith("the initial state was restored", ops.ResetResult{Orders: n}, err)
}
