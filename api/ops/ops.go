// Package ops is a client for the operations API, which runs the service side: accounts and
// keys, quotes, flights, deliveries and test controls.
//
//	client, err := ops.NewClient(opsURL, operationsKey)
//	quote, err := client.Quotes.Issue(ctx, orderUUID, ops.QuoteInput{
//		QuoteName: "Standard", DeliveryBy: 14, // days
//		PriceBeforeDiscount: 1200, ExpiryDate: api.TimeOf(inAWeek),
//	})
//
// Calls return the errors of package api.
package ops

import "flightdesk/api"

// Client calls the operations API of a service with its own key. It is safe for
// concurrent use.
type Client struct {
	*api.Connection

	Accounts  *AccountsService
	Keys      *KeysService
	Orders    *OrdersService
	Missions  *MissionsService
	Quotes    *QuotesService
	Webhooks  *WebhooksService
	Datasets  *DatasetsService
	Operators *OperatorsService
	World     *WorldService

	Invitations *InvitationsService
	Requests    *RequestsService
}

// The services of a [Client].
type (
	AccountsService serviceBase // accounts
	KeysService     serviceBase // keys of accounts, and the requests for them
	OrdersService   serviceBase // orders of all accounts
	MissionsService serviceBase // operators, flights, permissions and deliveries
	QuotesService   serviceBase // offers
	WebhooksService serviceBase // endpoints of accounts and their callbacks
	DatasetsService serviceBase // the data library
	WorldService    serviceBase // test controls: clock, faults, simulator and reset
)

type serviceBase struct{ c *api.Connection }

// NewClient returns a client of the operations API at opsURL, which ends in /api/ops/v1.
func NewClient(opsURL, key string, opts ...api.Option) (*Client, error) {
	c, err := api.NewConnection(opsURL, append([]api.Option{api.WithKey(key)}, opts...)...)
	if err != nil {
		return nil, err
	}
	s := &serviceBase{c}
	return &Client{
		Connection: c, Accounts: (*AccountsService)(s), Keys: (*KeysService)(s), Orders: (*OrdersService)(s),
		Missions: (*MissionsService)(s), Quotes: (*QuotesService)(s), Webhooks: (*WebhooksService)(s),
		Datasets: (*DatasetsService)(s), Operators: (*OperatorsService)(s), World: (*WorldService)(s),
		Invitations: (*InvitationsService)(s), Requests: (*RequestsService)(s),
	}, nil
}
