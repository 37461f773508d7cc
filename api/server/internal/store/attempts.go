package store

import (
	"context"
	"slices"
	"time"
)

// How many tries of callbacks are kept, the latest: of one callback, and of all.
const (
	attemptsOfOne = 20
	attemptsOfAll = 100_000
)

// Attempt is one try of a callback.
type Attempt struct {
	DeliveryID   int64         `column:"delivery_id"`
	Number       int           `column:"number"` // from 1, over all sendings
	Sent         time.Time     `column:"sent"`
	Took         time.Duration `column:"took"`                                                                                 // to the millisecond
	ResponseCode int           `column:"response_code"`                                                                        // 0 where no answer came
	Error        string        `column:"error"`                                                                                // "" for success
	Headers      string        `column:"headers"`                                                                              // JSON
	Body         string        `column:"(COALESCE(body, (SELECT d.body FROM webhook_deliveries d WHERE d.id = delivery_id)))"` // as it was sent; it is not given where the try is inserted
	Answer       string        `column:"answer"`                                                                               // how it begins
	Resent       time.Time     `column:"resent"`                                                                               // when its sending was asked for; zero for the first
	Next         time.Time     `column:"next"`                                                                                 // when another try follows; zero for none
}

// Attempts returns the tries of a callback that are kept, in their order.
func (r *storeReader) Attempts(ctx context.Context, d Delivery) ([]Attempt, error) {
	return findRows(ctx, r, attemptTable, `WHERE delivery_id = $1 ORDER BY number, id`, d.ID)
}

var attemptTable = newRecordTable[*Attempt]("callback_attempts")

// InsertAttempts keeps tries, but for those whose endpoint was deleted, and
// drops what is beyond the limits.
func (tx *Tx) InsertAttempts(attempts []*Attempt) error {
	attempts, err := tx.knownOnly(attempts)
	if err != nil || len(attempts) == 0 {
		return err
	}
	if err := insertRows(tx, attemptTable, attempts...); err != nil {
		return err
	}
	for _, a := range attempts {
		if a.Number > attemptsOfOne {
			err := tx.execute(
				`DELETE FROM callback_attempts WHERE delivery_id = $1 AND number <= $2`,
				a.DeliveryID,
				a.Number-attemptsOfOne,
			)
			if err != nil {
				return err
			}
		}
	}
	return tx.execute(
		`DELETE FROM callback_attempts WHERE id <= (SELECT MAX(id) FROM callback_attempts) - $1`,
		attemptsOfAll,
	)
}

// knownOnly returns the tries of callbacks that there still are.
func (tx *Tx) knownOnly(attempts []*Attempt) ([]*Attempt, error) {
	var known []*Attempt
	ids := make([]int64, len(attempts))
	for i, a := range attempts {
		ids[i] = a.DeliveryID
	}
	there, err := collectRows(tx.ctx, tx, scanID,
		`SELECT id FROM webhook_deliveries WHERE id`+inList, listIDs(ids))
	for _, a := range attempts {
		if slices.Contains(there, a.DeliveryID) {
			known = append(known, a)
		}
	}
	return known, err
}
