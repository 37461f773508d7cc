package server

import (
	"context"
	"errors"
	"regexp"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// snapshotName matches the names of snapshots. They are valid file names on every system.
var snapshotName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$`)

func wireSnapshot(s store.Snapshot) ops.WorldSnapshot {
	return ops.WorldSnapshot{
		Name:    s.Name,
		TakenAt: api.TimeOf(s.Taken.UTC().Truncate(time.Millisecond)),
		Bytes:   s.Bytes,
	}
}

func (c *testControls) listSnapshots(*exchange) (handlerAnswer, error) {
	all, err := c.domain.Upkeep.Snapshots()
	if err != nil {
		return handlerAnswer{}, err
	}
	page := api.Page[ops.WorldSnapshot]{Items: make([]ops.WorldSnapshot, len(all))}
	for i, s := range all {
		page.Items[i] = wireSnapshot(s)
	}
	return handlerAnswer{message: "the snapshots", data: page}, nil
}

// snapshotBody is the request body that takes a snapshot.
type snapshotBody struct {
	Name string `json:"name" check:"required,snapshot"`
}

// takeSnapshot saves the state of the service under a name. It waits until no reset is running.
func (c *testControls) takeSnapshot(x *exchange, in *snapshotBody) (handlerAnswer, error) {
	c.resets.mu.Lock()
	defer c.resets.mu.Unlock()
	store.SetAuditSubject(x.r.Context(), in.Name)
	taken, err := c.domain.Upkeep.TakeSnapshot(x.r.Context(), in.Name)
	if errors.Is(err, store.ErrNoSnapshots) {
		return handlerAnswer{}, newFault(api.CodeConflict,
			"snapshots need the embedded database; run the service without --database")
	}
	if err != nil {
		return handlerAnswer{}, err
	}
	c.log.Info("a snapshot was taken", "name", in.Name, "bytes", taken.Bytes)
	return answerCreated("snapshot "+in.Name+" taken", wireSnapshot(taken), nil)
}

func (c *testControls) restoreSnapshot(x *exchange, _ *noBody) (handlerAnswer, error) {
	name := x.r.PathValue("name")
	if !snapshotName.MatchString(name) {
		return handlerAnswer{}, newFault(api.CodeNotFound, "snapshot not found")
	}
	restored, err := c.restore(x.r.Context(), name)
	return answerWith("snapshot "+name+" restored", wireSnapshot(restored), err)
}

// restore restores the data and the clock of a snapshot.
func (c *testControls) restore(ctx context.Context, name string) (store.Snapshot, error) {
	var restored store.Snapshot
	err := c.replaceWorld(ctx, func() (unreferenced []string, err error) {
		restored, unreferenced, err = c.domain.Upkeep.RestoreSnapshot(ctx, name)
		if err != nil {
			return nil, err
		}
		ahead, err := c.domain.Upkeep.ClockAhead(ctx, maxAhead)
		if err != nil {
			return nil, err
		}
		c.clock.ahead.Store(int64(ahead))
		if c.director.player != nil {
			err = c.director.player.Resume(ctx)
		}
		return unreferenced, err
	})
	if err != nil {
		return restored, err
	}
	c.log.Info("a snapshot was restored", "name", name)
	return restored, nil
}
