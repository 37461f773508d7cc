package domain

import (
	"context"
	"strconv"
	"time"

	"flightdesk/api/server/internal/store"
)

// BeginCounting notes now as the time from which on [Upkeep.Moved] counts, unless a world
// or an earlier call has.
func (d Upkeep) BeginCounting(ctx context.Context) error {
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Setting(filledSetting); err == nil {
			return nil
		}
		return tx.SetSetting(filledSetting, strconv.FormatInt(d.Now().UnixMilli(), 10))
	})
	return wrapStoreError(err, "begin")
}

// RecentMoves is what has moved since the store was filled.
type RecentMoves struct {
	Orders []store.Order // neither ended nor put away, those moved last first
	First  string        // uuid of the first order placed since then; "": none was
	Since  time.Time
}

// RecentlyMoved returns the orders that were placed or moved since the store was
// filled, up to a limit; none where it never was, and nobody has begun.
func (d Upkeep) RecentlyMoved(ctx context.Context, limit int) (m RecentMoves, err error) {
	if _, m.Since, err = d.FilledTimes(ctx); err != nil || m.Since.IsZero() {
		return m, err
	}
	m.Orders, m.First, err = d.Store.MovedSince(ctx, m.Since, limit)
	return m, wrapStoreError(err, "list moved orders")
}
