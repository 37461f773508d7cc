package cache

import (
	"testing"

	"flightdesk/api"
)

func testOrders(codes ...string) []api.Order {
	orders := make([]api.Order, len(codes))
	for i, code := range codes {
		orders[i] = api.Order{UUID: "id of " + code, OrderCode: code}
	}
	return orders
}

func TestTheOrderIndexFindsOrdersByIDAndByCode(t *testing.T) {
	var index orderIndex
	index.extend(testOrders("ORD-3", "ORD-2"))
	firstNew := index.extend(testOrders("ORD-3", "ORD-2", "ORD-1"))
	if firstNew != 2 || index.positions["ORD-1"] != 2 || index.positions["id of ORD-2"] != 1 {
		t.Errorf("first new %d, positions %v", firstNew, index.positions)
	}
}

func TestAShorterListIsIndexedAgain(t *testing.T) {
	var index orderIndex
	index.extend(testOrders("ORD-3", "ORD-2", "ORD-1"))
	firstNew := index.extend(testOrders("ORD-4", "ORD-3"))
	if firstNew != 0 || index.has("ORD-1") || index.positions["ORD-3"] != 1 {
		t.Errorf("first new %d, positions %v", firstNew, index.positions)
	}
}

func TestTheOrderIndexRemembersUnlistedOrders(t *testing.T) {
	var index orderIndex
	index.replace(testOrders("ORD-2", "ORD-1"))
	removed := index.replace(testOrders("ORD-3", "ORD-2"))
	if len(removed) != 2 || !removed["ORD-1"] || !removed["id of ORD-1"] {
		t.Errorf("removed are %v", removed)
	}
	if !index.wasListed(&api.OrderRecord{OrderCode: "ORD-1"}) || index.wasListed(&api.OrderRecord{OrderCode: "ORD-2"}) {
		t.Errorf("unlisted are %v", index.unlisted)
	}
}
