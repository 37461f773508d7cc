package cache

import (
	"context"

	"flightdesk/api"
	"flightdesk/api/fetch"
)

// accountReader are how a cache reads an account: with its own key, or any account
// with the key of the operations API.
type accountReader struct {
	address     string // of the service
	orders      func(context.Context, api.ListOptions) (*api.Page[api.Order], error)
	order       func(ctx context.Context, code string) (*api.Order, error)
	missions    func(ctx context.Context, order string, opts api.ListOptions) (*api.Page[api.Mission], error)
	planning    func(ctx context.Context, mission string) ([]api.PlanningEntry, error)
	permission  func(ctx context.Context, mission string) (*api.FlightPermission, error)
	packages    func(ctx context.Context, mission string) ([]api.DeliveryPackage, error)
	files       func(ctx context.Context, pack string) ([]api.DeliveryFile, error)
	quoted      func(context.Context) ([]*api.OrderRecord, error) // orders with open quotes
	record      func(ctx context.Context, id string) (*api.OrderRecord, error)
	recordPage  func(ctx context.Context, n int) ([]api.OrderRecord, error)
	datasetPage func(ctx context.Context, n int) ([]api.Dataset, error)
	purchased   func(ctx context.Context, dataset string) (fetch.Package, error)
	endpoints   func(context.Context, api.ListOptions) (*api.Page[api.WebhookEndpoint], error)
	log         func(ctx context.Context, endpoint string, opts api.ListOptions) (*api.Page[api.WebhookDelivery], error)
}

// ownAccount reads an account with its key.
func ownAccount(client *api.Client) accountReader {
	return accountReader{
		address: client.BaseURL(),
		orders:  client.Orders.List, order: client.Orders.Get, missions: client.Missions.List,
		planning: client.Missions.Planning, permission: client.Missions.FlightPermission, packages: client.Missions.Packages,
		files: client.Files.List,
		quoted: func(ctx context.Context) (all []*api.OrderRecord, err error) {
			for r, err := range client.Records.All(ctx, api.RecordListOptions{Status: api.RecordQuoteReceived}) {
				if err != nil {
					return nil, err
				}
				all = append(all, r)
			}
			return all, nil
		},
		record: func(ctx context.Context, id string) (*api.OrderRecord, error) { return client.Records.Get(ctx, id) },
		recordPage: func(ctx context.Context, n int) ([]api.OrderRecord, error) {
			return client.Records.List(ctx, api.RecordListOptions{Limit: api.MaxPageLimit, Page: n})
		},
		datasetPage: func(ctx context.Context, n int) ([]api.Dataset, error) {
			return client.Library.List(ctx, api.DatasetListOptions{Limit: api.MaxPageLimit, Page: n})
		},
		purchased: func(ctx context.Context, dataset string) (fetch.Package, error) {
			return fetch.Dataset(ctx, client, dataset)
		},
		endpoints: client.Webhooks.List, log: client.Webhooks.Deliveries,
	}
}
