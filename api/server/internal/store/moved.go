package store

import (
	"context"
	"errors"
	"time"
)

// MovedSince returns the orders at work that were placed or moved since a moment,
// those moved last first, and the uuid of the first one placed since then.
func (r *storeReader) MovedSince(ctx context.Context, since time.Time, limit int) (orders []Order, first string, err error) {
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
		orders, err = findRows(ctx, q, orderTable, `WHERE updated >= $1 AND status IN
			('biddingWithQuote', 'pendingOperator', 'operatorAssigned', 'flyingDateSet', 'completed')
			ORDER BY updated DESC, id DESC LIMIT $2 + 0`, since.UnixMilli(), limit)
		if err != nil {
			return err
		}
		first, err = singleRow(ctx, q, scanText, `SELECT uuid FROM orders WHERE created >= $1 ORDER BY created, id LIMIT 1`, since.UnixMilli())
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	})
	return orders, first, err
}
