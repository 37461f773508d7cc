package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

type eventAction func(context.Context, playedEvent) error

// playedEvent is an event that is being played, with its player and its account. If the event
// concerns an order, playedEvent also has the order. An order of a scenario has one mission.
type playedEvent struct {
	player  *Player
	args    eventArguments
	account string            // UUID of the account that plays the event; if empty, a demo account plays it
	detail  store.OrderDetail // the order with its missions; empty if the event concerns none
}

var errNotPlaced = errors.New("its order was not placed")

// callerOf returns a caller with all scopes for an account.
func callerOf(a store.Account) *domain.Caller {
	return &domain.Caller{Account: a, Scopes: api.Scopes()}
}

func (p *Player) accountCaller(ctx context.Context, uuid string) (*domain.Caller, error) {
	a, err := p.Service.Accounts.Find(ctx, uuid)
	return callerOf(a), err
}

// placeFor places an order for the account with the UUID.
func (p *Player) placeFor(ctx context.Context, uuid string, req api.CreateOrderRequest) (store.Order, error) {
	c, err := p.accountCaller(ctx, uuid)
	if err != nil {
		return store.Order{}, err
	}
	return p.Service.Orders.Place(ctx, c, domain.OrderPlacement{Request: req})
}

// nextSample returns the number of the sample request for the next order, see
// [demodata.SampleRequest]. The number always selects a request of the first demo account. All
// accounts that play an event get the same number.
func (p *Player) nextSample() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	perAccount := len(p.state.Orders) / max(1, len(p.state.Accounts))
	return perAccount * demodata.Accounts
}

// placeOrder places the order of a line such as: 0s place levee "Elbe levee, km 3 to 9" due 6d. The
// word after place, here levee, is the name of the order in later lines.
func placeOrder(ctx context.Context, e playedEvent) error {
	account, req := demodata.SampleRequest(e.player.nextSample(), e.player.Service.Now())
	if e.account != "" {
		account = e.account
	}
	req.Order.OrderName = e.args.text
	if e.args.length > 0 {
		deadline := e.player.Service.Now().Add(e.args.length)
		req.Order.Deadline = api.TimeOf(deadline)
		if req.Order.StartDate.After(deadline) {
			req.Order.StartDate = api.TimeOf(e.player.Service.Now())
		}
	}
	o, err := e.player.placeFor(ctx, account, req)
	if err != nil {
		return err
	}
	e.player.mu.Lock()
	defer e.player.mu.Unlock()
	e.player.state.Orders[orderKey(e.args.word, e.account)] = placedOrder{o.UUID, o.Code}
	return nil
}

// placeAny places one order of a line that places several, such as: 1h place-orders 30 over 8h.
func placeAny(ctx context.Context, e playedEvent) error {
	account, req := demodata.SampleRequest(e.args.count, e.player.Service.Now())
	if e.account != "" {
		account = e.account
	}
	_, err := e.player.placeFor(ctx, account, req)
	return err
}

// issueQuote issues the quote of a line such as: 2h issue-quote levee Economy expires 14d.
func issueQuote(ctx context.Context, e playedEvent) error {
	offer := demodata.OfferNamed(e.args.text, demodata.SurveyRequest(e.detail), e.detail.Account.Currency)
	offer.ExpiryDate = api.TimeOf(e.player.Service.Now().Add(e.args.length))
	if e.args.price > 0 {
		offer.PriceBeforeDiscount = e.args.price
	}
	_, err := e.player.Service.Quotes.Issue(ctx, e.detail.Order.UUID, offer)
	return err
}

// decideQuote returns the action that accepts or rejects the newest quote with a name.
func decideQuote(want api.QuoteStatus) eventAction {
	return func(ctx context.Context, e playedEvent) error {
		for _, q := range slices.Backward(e.detail.Extras.Quotes) {
			if q.Name == e.args.text {
				_, err := e.player.Service.Quotes.Decide(ctx, callerOf(e.detail.Account), q.UUID, want)
				return err
			}
		}
		return fmt.Errorf("%s has no quote %q", e.detail.Order.Code, e.args.text)
	}
}

func assignOperator(ctx context.Context, e playedEvent) error {
	_, _, err := e.player.Service.Missions.AssignOperator(ctx, e.detail.Missions[0].UUID, e.args.text)
	return err
}

func recordPermit(ctx context.Context, e playedEvent) error {
	m := e.detail.Missions[0]
	permission := ops.PermissionInput{Status: api.PermissionStatus(e.args.word)}
	if permission.Status != api.PermissionNotRequired {
		permission.Authority = "Civil aviation authority, " + m.Country
	}
	_, _, err := e.player.Service.Missions.SetPermission(ctx, m.UUID, permission, nil)
	return err
}

func scheduleFlight(ctx context.Context, e playedEvent) error {
	flight := e.player.Service.Now().Add(e.args.length)
	f := ops.FlightInput{
		FlightDate:  api.TimeOf(flight),
		ScheduledBy: "Scenario dispatch",
		Note:        e.args.text,
	}
	_, _, err := e.player.Service.Missions.Schedule(ctx, e.detail.Missions[0].UUID, f)
	return err
}

func deliverData(ctx context.Context, e playedEvent) error {
	return demodata.DeliverSamples(ctx, e.player.Service, e.detail.Missions[0], e.player.FileSize)
}

func acceptDelivery(ctx context.Context, e playedEvent) error {
	_, _, err := e.player.Service.Missions.AcceptDelivery(ctx, e.detail.Missions[0].UUID)
	return err
}

func describeOrder(ctx context.Context, e playedEvent) error {
	var details api.RecordDetails
	if e.detail.Extras.Details != nil {
		details = *e.detail.Extras.Details
	}
	details.Description = e.args.text
	return e.player.Service.Orders.SetDetails(ctx, e.detail.Order.UUID, details)
}

func cancelOrder(ctx context.Context, e playedEvent) error {
	_, _, err := e.player.Service.Orders.Cancel(ctx, callerOf(e.detail.Account), e.detail.Order.UUID)
	return err
}

// endOrder ends an order on behalf of the service: it reports an order with an accepted
// quote as not feasible, and rejects other orders.
func endOrder(ctx context.Context, e playedEvent) error {
	if e.args.ordered {
		_, _, err := e.player.Service.Orders.NotFeasible(ctx, e.detail.Order.UUID, e.args.text)
		return err
	}
	_, _, err := e.player.Service.Orders.Reject(ctx, nil, e.detail.Order.UUID, e.args.text)
	return err
}

// setEndpointStatus sets the HTTP status with which an endpoint answers callbacks from now on. The
// endpoint belongs to e.account or, if that is "", to the first demo account. If the account has no
// endpoint at the host in the event, setEndpointStatus registers one.
func setEndpointStatus(ctx context.Context, e playedEvent) error {
	account := e.account
	if account == "" {
		account, _ = demodata.SampleRequest(0, e.player.Service.Now())
	}
	host := e.args.word
	if err := e.player.registerEndpoint(ctx, account, host); err != nil {
		return err
	}
	answer := endpointAnswer{
		From:   e.player.Service.Now().UTC().Truncate(time.Millisecond),
		Status: e.args.status,
	}
	e.player.mu.Lock()
	defer e.player.mu.Unlock()
	e.player.state.Endpoints[host] = append(e.player.state.Endpoints[host], answer)
	return nil
}

// registerEndpoint registers an endpoint at a host for an account, unless it has one.
func (p *Player) registerEndpoint(ctx context.Context, accountUUID, host string) error {
	caller, err := p.accountCaller(ctx, accountUUID)
	if err != nil {
		return err
	}
	window := store.ListWindow{Limit: api.MaxWebhooks}
	endpoints, err := domain.List[store.Webhook](ctx, p.Service, caller.Account.ID, window)
	if err != nil {
		return err
	}
	for _, w := range endpoints.Items {
		u, err := url.Parse(w.URL)
		if err == nil && u.Hostname() == host {
			return nil
		}
	}
	_, _, err = p.Service.Callbacks.NewWebhook(ctx, caller, api.CreateWebhookRequest{
		URL:         "https://" + host + "/callbacks",
		Description: "of the scenario",
	})
	return err
}

// setCallbackFault injects a fault into all callbacks. If the event has the word "normal", it
// removes the fault.
func setCallbackFault(_ context.Context, e playedEvent) error {
	fault := ops.CallbackFault(e.args.word)
	if fault == "normal" {
		fault = ""
	}
	e.player.SetFault(0, fault)
	return nil
}

// setServiceStatus sets the status with which client requests fail. The status 200 means that they succeed again.
func setServiceStatus(_ context.Context, e playedEvent) error {
	status := e.args.status
	if status == http.StatusOK {
		status = 0
	}
	e.player.SetFault(status, "")
	return nil
}
