//go:build postgres

package domain_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

func twoMissions() api.CreateOrderRequest {
	return api.CreateOrderRequest{Missions: []api.MissionInput{{MissionName: "A"}, {MissionName: "B"}}}
}

// newFarService returns a service whose database is behind the proxy, and a caller.
func newFarService(t *testing.T) (*domain.Service, *domain.Caller, *storetest.Proxy) {
	t.Helper()
	c := storetest.SharedCluster(t)
	proxy := storetest.NewProxy(t, c.Port)
	s := storetest.OpenShared(t, store.SharedDatabase{URL: proxy.URL(c.Database(t))})
	d := domain.New(domain.ServiceParts{Store: s, Now: time.Now})
	account, err := d.Accounts.NewAccount(t.Context(), store.Account{CompanyName: "a"})
	if err != nil {
		t.Fatal(err)
	}
	return d, &domain.Caller{Account: account}, proxy
}

// One round trip begins, one finds the order of an earlier request with the idempotency key, one inserts the orders,
// and one inserts everything else and commits.
func TestOrdersPlacedTogetherTakeFourRoundTripsToTheDatabase(t *testing.T) {
	d, caller, proxy := newFarService(t)
	const together = 12
	for round := range 100 { // a statement that is used for the first time takes further round trips
		proxy.Turns()
		var all sync.WaitGroup
		for i := range together {
			all.Go(func() {
				placement := domain.OrderPlacement{
					Request:        twoMissions(),
					IdempotencyKey: fmt.Sprintf("key-%d-%d", round, i),
					Body:           []byte("{}"),
				}
				if _, err := d.Orders.Place(t.Context(), caller, placement); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		turns := proxy.Turns()
		if t.Failed() || len(turns) < together/2 && slices.Max(turns) <= 4 {
			return
		}
	}
	t.Error("no group of orders took four round trips")
}

func TestAnOrderWithoutAKeyTakesThreeRoundTripsToTheDatabase(t *testing.T) {
	d, caller, proxy := newFarService(t)
	for range 2 { // a statement that is used for the first time takes further round trips
		proxy.Turns()
		if _, err := d.Orders.Place(t.Context(), caller, domain.OrderPlacement{Request: twoMissions()}); err != nil {
			t.Fatal(err)
		}
	}
	if turns := proxy.Turns(); !slices.Equal(turns, []int{3}) {
		t.Errorf("round trips of each transaction: %v, want [3]", turns)
	}
}
