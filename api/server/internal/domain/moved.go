package domain

import (
	"context"
	"strconv"
	"time"

	"flightdesk/api/server/internal/store"
)

// Begin notes now as the time from which on [Upkeep.Moved] counts, unless a world
// or an earlier call has.
func (d Upkeep) Begin(ctx context.Context) error {
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Setting(filledSetting); err == nil {
			return nil
		}
		return tx.SetSetting(filledSetting, strconv.FormatInt(d.Now().UnixMilli(), 10))
	})
	return kept(err, "begin")
}

// Movement is what has moved since the store was filled.
type Movement struct {
	Orders []store.Order // neither ended nor put away, those moved last first
	First  string        // uuid of the first order placed since then; "": none was
	Since  time.Time
}

// Moved returns the orders that were placed or moved since the store was
// filled, up to a limit; none where it never was, and nobody has begun.
func (d Upkeep) Moved(ctx context.Context, limit int) (m Movement, err error) {
	if _, m.Since, err = d.Filled(ctx); err != nil || m.Since.IsZero() {
		return m, err
	}
	m.Orders, m.First, err = d.Store.Moved(ctx, m.Since, limit)
	return m, kept(err, "list moved orders")
}
