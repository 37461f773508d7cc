package server

import (
	"context"
	"sync"
	"sync/atomic"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/domain"
)

// resetGate prevents reads from returning a mixture of old and new data while a reset is running.
type resetGate struct {
	mu    sync.Mutex
	count atomic.Uint64 // odd while a reset is running
}

// waitForReset waits until no reset is running.
func (r *resetGate) waitForReset() {
	r.mu.Lock()
	defer r.mu.Unlock()
}

// replaceWorld replaces all data of the service by calling replace. Reads and the scenario see
// either the old or the new data, never a mixture. replace returns the files that the new data does
// not refer to, and replaceWorld then deletes these files.
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
