package domain

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api/server/internal/store"
)

// placement is an order that is being placed.
type placement struct {
	draft  store.Order
	drafts []store.Mission
	now    time.Time
	repeat store.RememberedOutcome // without a name if the request has no idempotency key

	order store.Order // result: the placed order, or the order of an earlier request with the same key
}

// idempotencyKey is an idempotency key of an account.
type idempotencyKey struct {
	account int64
	name    string
}

// errKeyTwice is returned if two placements that are stored together have the same
// idempotency key. The store then runs them one after the other, so that the second one
// finds the order of the first.
var errKeyTwice = errors.New("two orders that are placed together have the same idempotency key")

// placeOrders stores the orders of all placements that wait at the same time.
var placeOrders = &store.JointWrite{Run: func(tx *store.Tx, items []any) error {
	placements := make([]*placement, len(items))
	for i, item := range items {
		placements[i] = item.(*placement)
	}
	if err := dropOldOutcomes(tx, placements); err != nil {
		return err
	}
	fresh, err := dropRepeated(tx, placements)
	if err != nil {
		return err
	}
	orders := make([]draftedOrder, len(fresh))
	for i, p := range fresh {
		p.order = p.draft
		p.order.Created = tx.StampTime(p.now)
		p.order.Updated = p.order.Created
		orders[i] = draftedOrder{&p.order, p.drafts}
	}
	if err := insertOrders(tx, orders...); err != nil {
		return err
	}
	return rememberOutcomes(tx, fresh)
}}

// dropOldOutcomes deletes the outcomes of idempotency keys that are too old to be found by
// the placements. It does nothing if no placement has a key.
func dropOldOutcomes(tx *store.Tx, placements []*placement) error {
	for _, p := range placements {
		if p.repeat.Name != "" {
			return tx.DropOutcomesBefore(p.repeat.Created.Add(-idempotencyLife))
		}
	}
	return nil
}

// dropRepeated returns the placements that do not repeat an earlier request. The result of a
// placement that repeats a request is set to the order that the earlier request placed.
func dropRepeated(tx *store.Tx, placements []*placement) ([]*placement, error) {
	var fresh []*placement
	seen := make(map[idempotencyKey]bool)
	for _, p := range placements {
		if p.repeat.Name == "" {
			fresh = append(fresh, p)
			continue
		}
		key := idempotencyKey{p.repeat.AccountID, p.repeat.Name}
		if seen[key] {
			return nil, errKeyTwice
		}
		seen[key] = true
		earlierOrder, isRepeated, err := findOutcome(tx, p.repeat)
		if err != nil {
			return nil, err
		}
		if isRepeated {
			p.order = earlierOrder
		} else {
			fresh = append(fresh, p)
		}
	}
	return fresh, nil
}

// rememberOutcomes saves each order under the idempotency key of its request, for requests
// that are repeated later.
func rememberOutcomes(tx *store.Tx, placements []*placement) error {
	var outcomes []*store.RememberedOutcome
	for _, p := range placements {
		if p.repeat.Name == "" {
			continue
		}
		result, err := json.Marshal(p.order)
		if err != nil {
			return err
		}
		p.repeat.Result = result
		outcomes = append(outcomes, &p.repeat)
	}
	return store.Insert(tx, outcomes...)
}
