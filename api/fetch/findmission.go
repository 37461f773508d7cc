package fetch

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"flightdesk/api"
)

// ErrNoMission is returned if none of the account's missions has the code.
var ErrNoMission = errors.New("mission not found")

// FindMission looks for a mission by its code in all orders of the account, because the service cannot
// look up a mission by its code. It begins with the newest order. If an order could not be searched, it
// returns an error, unless another order has the mission.
func FindMission(ctx context.Context, c *api.Client, code string) (api.Mission, error) {
	search := missionSearch{client: c, code: code}
	err := search.searchOrders(ctx)
	if mission := search.found.Load(); mission != nil {
		return *mission, nil
	}
	if err != nil {
		return api.Mission{}, err
	}
	return api.Mission{}, ErrNoMission
}

// missionSearch searches orders for a mission.
type missionSearch struct {
	client *api.Client
	code   string                      // of the mission
	found  atomic.Pointer[api.Mission] // nil until an order has the mission
}

// searchOrders searches all orders, several at once. It starts no further searches after the mission was found.
func (s *missionSearch) searchOrders(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var listErr error
	searches := limitedGroup()
	for order, err := range s.client.Orders.All(ctx) {
		if err != nil {
			listErr = err
			break
		}
		if s.found.Load() != nil {
			break
		}
		searches.Go(func() error {
			return api.Guard(func() error { return s.searchOrder(ctx, order.OrderCode) })
		})
	}
	searchErr := searches.Wait()
	if listErr != nil { // it hides more orders than an error of one search
		return listErr
	}
	return searchErr
}

// searchOrder searches one order and sets found if the order has the mission. After an error, it also searches the
// missions that were read before the error.
func (s *missionSearch) searchOrder(ctx context.Context, orderCode string) error {
	missions, err := missionsOf(ctx, s.client, orderCode)
	for i := range missions {
		if strings.EqualFold(missions[i].MissionCode, s.code) {
			s.found.Store(&missions[i])
			break
		}
	}
	return err
}
