package store

import (
	"time"

	"github.com/go-json-experiment/json"
)

// RememberedOutcome is the result of a request with an idempotency key.
type RememberedOutcome struct {
	AccountID int64     `column:"account_id"`
	Name      string    `column:"name"` // idempotency key
	BodyHash  string    `column:"body_hash"`
	Result    string    `column:"result"` // JSON
	Created   time.Time `column:"created"`
}

var outcomeTable = newRecordTable[*RememberedOutcome]("idempotency")

// IdempotencyKey is an idempotency key of an account.
type IdempotencyKey struct {
	AccountID int64
	Name      string
}

// Key returns the idempotency key of the request.
func (o *RememberedOutcome) Key() IdempotencyKey { return IdempotencyKey{o.AccountID, o.Name} }

// OutcomesSince returns the results of the requests that had one of the idempotency keys since a time, by their keys.
// It needs one query for all keys. The map can also have results of keys that were not requested: an account of one of
// the keys with the name of another.
func (tx *Tx) OutcomesSince(since time.Time, keys []IdempotencyKey) (map[IdempotencyKey]RememberedOutcome, error) {
	accountIDs := make([]int64, len(keys))
	names := make([]string, len(keys))
	for i, key := range keys {
		accountIDs[i] = key.AccountID
		names[i] = key.Name
	}
	nameList, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	// inList reads the accounts from $1, and inTexts the names from $2.
	found, err := findRows(tx.ctx, tx, outcomeTable,
		`WHERE account_id`+inList+` AND name`+inTexts+` AND created >= $3`,
		listIDs(accountIDs), string(nameList), toMillis(since))
	if err != nil {
		return nil, err
	}
	outcomes := make(map[IdempotencyKey]RememberedOutcome, len(found))
	for _, outcome := range found {
		outcomes[outcome.Key()] = outcome
	}
	return outcomes, nil
}

// DropOutcomesBefore deletes idempotency keys from before a time. On a shared database, that may wait
// until the commit; see executeLater.
func (tx *Tx) DropOutcomesBefore(t time.Time) error {
	return tx.executeLater(`DELETE FROM idempotency WHERE created < $1`, toMillis(t))
}
