package store

import (
	"context"
	"database/sql"
	"time"
)

// How many tries of callbacks are kept, the latest: of one callback, and of all.
const (
	attemptsOfOne = 20
	attemptsOfAll = 100_000
)

// Attempt is one try of a callback.
type Attempt struct {
	DeliveryID   int64
	Number       int // from 1, over all sendings
	Sent         time.Time
	Took         time.Duration // to the millisecond
	ResponseCode int           // 0 where no answer came
	Error        string        // "" for success
	Headers      string        // JSON
	Body         string        // as it was sent; it is not given where the try is inserted
	Answer       string        // how it begins
	Resent       time.Time     // when its sending was asked for; zero for the first
	Next         time.Time     // when another try follows; zero for none
}

// Attempts returns the tries of a callback that are kept, in their order.
func (r *storeReader) Attempts(ctx context.Context, d Delivery) ([]Attempt, error) {
	return collectRows(ctx, r, func(rows *sql.Rows) (a Attempt, err error) {
		var body *string
		var took int64
		err = rows.Scan(&a.DeliveryID, &a.Number, instantColumn{&a.Sent}, &took, &a.ResponseCode, &a.Error, &a.Headers, &body, &a.Answer,
			instantColumn{&a.Resent}, instantColumn{&a.Next})
		a.Took, a.Body = time.Duration(took)*time.Millisecond, d.Body
		if body != nil {
			a.Body = *body
		}
		return a, err
	}, `SELECT delivery_id, number, sent, took, response_code, error, headers, body, answer, resent, next
		FROM callback_attempts WHERE delivery_id = $1 ORDER BY number, id`, d.ID)
}

var (
	knownDeliveries = newBatchQueries(func(n int) string {
		return `SELECT id FROM webhook_deliveries WHERE id IN ` + placeholders(1, n)
	})
	attemptInserts = newBatchQueries(func(n int) string {
		return `INSERT INTO callback_attempts (delivery_id, number, sent, took, response_code, error, headers, answer, resent, next) VALUES ` +
			rowsOf(n, 10)
	})
)

// InsertAttempts keeps tries, but for those whose endpoint was deleted, and
// drops what is beyond the limits.
func (tx *Tx) InsertAttempts(attempts []Attempt) error {
	attempts, err := tx.knownOnly(attempts)
	if err != nil || len(attempts) == 0 {
		return err
	}
	for rest := attempts; len(rest) > 0; {
		text, n := attemptInserts.firstBatch(len(rest))
		args := make([]any, 0, 10*n)
		for _, a := range rest[:n] {
			args = append(args, a.DeliveryID, a.Number, toMillis(a.Sent), a.Took.Milliseconds(), a.ResponseCode, a.Error, a.Headers, a.Answer,
				toMillis(a.Resent), toMillis(a.Next))
		}
		if err := tx.execute(text, args...); err != nil {
			return err
		}
		rest = rest[n:]
	}
	for _, a := range attempts {
		if a.Number > attemptsOfOne {
			err := tx.execute(`DELETE FROM callback_attempts WHERE delivery_id = $1 AND number <= $2`, a.DeliveryID, a.Number-attemptsOfOne)
			if err != nil {
				return err
			}
		}
	}
	return tx.execute(`DELETE FROM callback_attempts WHERE id <= (SELECT MAX(id) FROM callback_attempts) - $1`, attemptsOfAll)
}

// knownOnly returns the tries of callbacks that there still are.
func (tx *Tx) knownOnly(attempts []Attempt) (known []Attempt, err error) {
	ids, is := make([]int64, len(attempts)), map[int64]bool{}
	for i, a := range attempts {
		ids[i] = a.DeliveryID
	}
	for len(ids) > 0 {
		text, n := knownDeliveries.firstBatch(len(ids))
		some, err := collectRows(tx.ctx, tx, scanID, text, idArguments(ids[:n])...)
		if err != nil {
			return nil, err
		}
		for _, id := range some {
			is[id] = true
		}
		ids = ids[n:]
	}
	for _, a := range attempts {
		if is[a.DeliveryID] {
			known = append(known, a)
		}
	}
	return known, nil
}
