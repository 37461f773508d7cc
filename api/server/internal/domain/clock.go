package domain

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"flightdesk/api/server/internal/store"
)

// clockSetting keeps how far the clock is ahead, in milliseconds, so that what
// a data folder holds never lies in the future.
const clockSetting = "clock.ahead"

// ClockAhead returns how far an earlier run has moved the service's clock
// forward, up to a limit.
func (d Upkeep) ClockAhead(ctx context.Context, limit time.Duration) (time.Duration, error) {
	text, err := d.Store.Setting(ctx, clockSetting)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, wrapStoreError(err, "read the clock")
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 || ms > limit.Milliseconds() {
		return 0, fmt.Errorf("invalid duration in %s of the database: %q", clockSetting, text)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// KeepClockAhead keeps how far the service's clock is moved forward, rounded up
// so that after a restart it is not behind what it said.
func (d Upkeep) KeepClockAhead(ctx context.Context, ahead time.Duration) error {
	ms := (ahead + time.Millisecond - 1).Milliseconds()
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.SetSetting(clockSetting, strconv.FormatInt(ms, 10))
	})
	return wrapStoreError(err, "keep the clock")
}
