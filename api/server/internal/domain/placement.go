package domain

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api/server/internal/store"
)

// placement is an order that [Orders.Place] is about to store, together with the result of
// storing it.
type placement struct {
	unstored store.Order // the order without its code and times
	missions []store.Mission
	now      time.Time               // time of the request
	repeat   store.RememberedOutcome // for repeated requests; its Name is "" if the request has no idempotency key

	order store.Order // result: the placed order, or the order of an earlier request with the same key
}

// errDuplicateKey is returned if two placements that are stored in one transaction have the same
// idempotency key. The store then runs a transaction for each placement, so that the second one
// finds the order of the first one.
var errDuplicateKey = errors.New("two orders that are placed together have the same idempotency key")

// placeOrders stores the orders of all placements that wait at the same time.
var placeOrders = &store.JointWrite{Run: func(tx *store.Tx, items []any) error {
	placements := make([]*placement, len(items))
	for i, item := range items {
		placements[i] = item.(*placement)
	}
	oldest := placements[0].now.Add(-idempotencyLife) // the oldest request that can be repeated
	fresh, err := dropRepeated(tx, placements, oldest)
	if err != nil {
		return err
	}
	orders := make([]unstoredOrder, len(fresh))
	for i, p := range fresh {
		p.order = p.unstored
		p.order.Created = tx.StampTime(p.now)
		p.order.Updated = p.order.Created
		orders[i] = unstoredOrder{&p.order, p.missions}
	}
	missions, err := insertWithoutMissions(tx, orders)
	if err != nil {
		return err
	}
	if err := store.InsertLater(tx, missions...); err != nil {
		return err
	}
	return rememberOutcomes(tx, fresh, oldest)
}}

// dropRepeated returns the placements that do not repeat an earlier request. A placement that
// repeats a request gets the order of that request as its result. Requests before oldest are
// ignored.
func dropRepeated(tx *store.Tx, placements []*placement, oldest time.Time) ([]*placement, error) {
	earlier, err := findOutcomes(tx, placements, oldest)
	if err != nil {
		return nil, err
	}
	var fresh []*placement
	for _, p := range placements {
		outcome, isRepeated := earlier[p.repeat.Key()]
		if !isRepeated {
			fresh = append(fresh, p)
			continue
		}
		p.order, err = repeatOutcome(outcome, p.repeat)
		if err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// findOutcomes returns the saved outcomes of earlier requests with the idempotency keys of the
// placements. It ignores requests before oldest. It returns errDuplicateKey if two placements have
// the same key.
func findOutcomes(
	tx *store.Tx, placements []*placement, oldest time.Time,
) (map[store.IdempotencyKey]store.RememberedOutcome, error) {
	var keys []store.IdempotencyKey
	seen := make(map[store.IdempotencyKey]bool)
	for _, p := range placements {
		if p.repeat.Name == "" {
			continue
		}
		key := p.repeat.Key()
		if seen[key] {
			return nil, errDuplicateKey
		}
		seen[key] = true
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, nil
	}
	return tx.OutcomesSince(oldest, keys)
}

// rememberOutcomes saves each order under its idempotency key, to answer repeated requests.
// Before that, it deletes the outcomes of requests before oldest, because their keys may be used
// again.
func rememberOutcomes(tx *store.Tx, placements []*placement, oldest time.Time) error {
	var outcomes []*store.RememberedOutcome
	for _, p := range placements {
		if p.repeat.Name == "" {
			continue
		}
		result, err := json.Marshal(p.order)
		if err != nil {
			return err
		}
		p.repeat.Result = string(result)
		outcomes = append(outcomes, &p.repeat)
	}
	if len(outcomes) == 0 {
		return nil
	}
	if err := tx.DropOutcomesBefore(oldest); err != nil {
		return err
	}
	return store.InsertLater(tx, outcomes...)
}
