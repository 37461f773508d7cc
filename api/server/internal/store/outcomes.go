package store

import (
	"time"

	"github.com/go-json-experiment/json"
)

// RememberedOutcome is the saved result of a request with an idempotency key. If the client repeats
// the request with the same key, it gets this result again.
type RememberedOutcome struct {
	AccountID int64     `column:"account_id"`
	Name      string    `column:"name"` // idempotency key
	BodyHash  string    `column:"body_hash"`
	Result    string    `column:"result"` // JSON
	Created   time.Time `column:"created"`
}

var outcomeTable = newRecordTable[*RememberedOutcome]("idempotency")

// IdempotencyKey is the idempotency key of a request. Two accounts can use the same name for
// different keys.
type IdempotencyKey struct {
	AccountID int64
	Name      string
}

// Key returns the idempotency key of the request that had this result.
func (o *RememberedOutcome) Key() IdempotencyKey { return IdempotencyKey{o.AccountID, o.Name} }

// OutcomesSince returns the results of requests with the given idempotency keys that were saved
// since a time. The map can also contain other keys, because the query matches the accounts and the
// names separately. For the keys "a" of account 1 and "b" of account 2, it also finds the key "b"
// of account 1.
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

// DropOutcomesBefore deletes the results of requests that were saved before a time. In a shared
// database, they are deleted when the transaction commits; see executeLater.
func (tx *Tx) DropOutcomesBefore(t time.Time) error {
	return tx.executeLater(`DELETE FROM idempotency WHERE created < $1`, toMillis(t))
}
