package store

import (
	"context"
	"slices"
	"time"
)

// Maximum numbers of attempts that are stored. Older attempts are deleted.
const (
	maxAttemptsOfCallback = 20
	maxAttempts           = 100_000 // of all callbacks
)

// Attempt is an attempt to send a callback.
type Attempt struct {
	DeliveryID   int64         `column:"delivery_id"`
	Number       int           `column:"number"` // from 1, continued when the callback is sent again
	Sent         time.Time     `column:"sent"`
	Took         time.Duration `column:"took"`          // to the millisecond
	ResponseCode int           `column:"response_code"` // 0 without a response
	Error        string        `column:"error"`         // empty for success
	Headers      string        `column:"headers"`       // JSON

	// Body is the body that was sent. It is not set when the attempt is inserted.
	Body string `column:"(COALESCE(body, (SELECT d.body FROM webhook_deliveries d WHERE d.id = delivery_id)))"`

	Answer string    `column:"answer"` // beginning of the response body
	Resent time.Time `column:"resent"` // when the client asked to send the callback again; zero for the first time
	Next   time.Time `column:"next"`   // when the next attempt follows; zero if none follows
}

// Attempts returns the attempts of a callback that are still stored, oldest first.
func (r *storeReader) Attempts(ctx context.Context, d Delivery) ([]Attempt, error) {
	return findRows(ctx, r, attemptTable, `WHERE delivery_id = $1 ORDER BY number, id`, d.ID)
}

var attemptTable = newRecordTable[*Attempt]("callback_attempts")

// InsertAttempts saves attempts, and deletes the oldest attempts beyond the limits. Attempts
// whose endpoint was deleted in the meantime are left out.
func (tx *Tx) InsertAttempts(attempts []*Attempt) error {
	attempts, err := tx.withoutDeleted(attempts)
	if err != nil {
		return err
	}
	if len(attempts) == 0 {
		return nil
	}
	if err := insertRows(tx, attemptTable, attempts...); err != nil {
		return err
	}
	return tx.dropOldAttempts(attempts)
}

// dropOldAttempts deletes the oldest attempts beyond two limits: maxAttemptsOfCallback for each
// callback of the inserted attempts, and maxAttempts for all callbacks together.
func (tx *Tx) dropOldAttempts(inserted []*Attempt) error {
	for _, a := range inserted {
		if a.Number <= maxAttemptsOfCallback {
			continue
		}
		err := tx.execute(`DELETE FROM callback_attempts WHERE delivery_id = $1 AND number <= $2`,
			a.DeliveryID, a.Number-maxAttemptsOfCallback)
		if err != nil {
			return err
		}
	}
	return tx.execute(`DELETE FROM callback_attempts WHERE id <= (SELECT MAX(id) FROM callback_attempts) - $1`,
		maxAttempts)
}

// withoutDeleted returns the attempts whose callback still exists.
func (tx *Tx) withoutDeleted(attempts []*Attempt) ([]*Attempt, error) {
	ids := make([]int64, len(attempts))
	for i, a := range attempts {
		ids[i] = a.DeliveryID
	}
	existing, err := collectRows(tx.ctx, tx, scanID,
		`SELECT id FROM webhook_deliveries WHERE id`+inList, listIDs(ids))
	if err != nil {
		return nil, err
	}
	var kept []*Attempt
	for _, a := range attempts {
		if slices.Contains(existing, a.DeliveryID) {
			kept = append(kept, a)
		}
	}
	return kept, nil
}
