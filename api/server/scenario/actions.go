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

// eventAction runs an event.
type eventAction func(context.Context, playedEvent) error

// playedEvent is an event with its player and, if it concerns an order, the order. Orders
// of scenarios have one mission.
type playedEvent struct {
	*Player
	eventArguments

	account string // UUID of the account that plays the event; if empty, a demo account plays it
	store.OrderDetail
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

// nextSample returns the number of the next sample request, see [demodata.SampleRequest]. The
// number selects a request of the first demo account. All accounts that play an event get the
// same number.
func (p *Player) nextSample() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	perAccount := len(p.state.Orders) / max(1, len(p.state.Accounts))
	return perAccount * demodata.Accounts
}

func placeOrder(ctx context.Context, e playedEvent) error {
	account, req := demodata.SampleRequest(e.nextSample(), e.Service.Now())
	if e.account != "" {
		account = e.account
	}
	req.Order.OrderName = e.text
	if e.length > 0 {
		deadline := e.Service.Now().Add(e.length)
		req.Order.Deadline = api.TimeOf(deadline)
		if req.Order.StartDate.After(deadline) {
			req.Order.StartDate = api.TimeOf(e.Service.Now())
		}
	}
	o, err := e.placeFor(ctx, account, req)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.Orders[orderKey(e.word, e.account)] = placedOrder{o.UUID, o.Code}
	return nil
}

func placeAny(ctx context.Context, e playedEvent) error {
	account, req := demodata.SampleRequest(e.count, e.Service.Now())
	if e.account != "" {
		account = e.account
	}
	_, err := e.placeFor(ctx, account, req)
	return err
}

func issueQuote(ctx context.Context, e playedEvent) error {
	offer := demodata.OfferNamed(e.text, demodata.SurveyRequest(e.OrderDetail), e.Account.Currency)
	offer.ExpiryDate = api.TimeOf(e.Service.Now().Add(e.length))
	if e.price > 0 {
		offer.PriceBeforeDiscount = e.price
	}
	_, err := e.Service.Quotes.Issue(ctx, e.Order.UUID, offer)
	return err
}

func decideQuote(want api.QuoteStatus) eventAction {
	return func(ctx context.Context, e playedEvent) error {
		for _, q := range slices.Backward(e.Extras.Quotes) {
			if q.Name == e.text {
				_, err := e.Service.Quotes.Decide(ctx, callerOf(e.Account), q.UUID, want)
				return err
			}
		}
		return fmt.Errorf("%s has no quote %q", e.Order.Code, e.text)
	}
}

func assignOperator(ctx context.Context, e playedEvent) error {
	_, _, err := e.Service.Missions.AssignOperator(ctx, e.Missions[0].UUID, e.text)
	return err
}

func recordPermit(ctx context.Context, e playedEvent) error {
	m := e.Missions[0]
	permission := ops.PermissionInput{Status: api.PermissionStatus(e.word)}
	if permission.Status != api.PermissionNotRequired {
		permission.Authority = "Civil aviation authority, " + m.Country
	}
	_, _, err := e.Service.Missions.SetPermission(ctx, m.UUID, permission, nil)
	return err
}

func scheduleFlight(ctx context.Context, e playedEvent) error {
	flight := e.Service.Now().Add(e.length)
	f := ops.FlightInput{
		FlightDate:  api.TimeOf(flight),
		ScheduledBy: "Scenario dispatch",
		Note:        e.text,
	}
	_, _, err := e.Service.Missions.Schedule(ctx, e.Missions[0].UUID, f)
	return err
}

func deliverData(ctx context.Context, e playedEvent) error {
	return demodata.DeliverSamples(ctx, e.Service, e.Missions[0], e.FileSize)
}

func acceptDelivery(ctx context.Context, e playedEvent) error {
	_, _, err := e.Service.Missions.AcceptDelivery(ctx, e.Missions[0].UUID)
	return err
}

func describeOrder(ctx context.Context, e playedEvent) error {
	var details api.RecordDetails
	if e.Extras.Details != nil {
		details = *e.Extras.Details
	}
	details.Description = e.text
	return e.Service.Orders.SetDetails(ctx, e.Order.UUID, details)
}

func cancelOrder(ctx context.Context, e playedEvent) error {
	_, _, err := e.Service.Orders.Cancel(ctx, callerOf(e.Account), e.Order.UUID)
	return err
}

// endOrder ends an order on behalf of the service: it reports an order with an accepted
// quote as not feasible, and rejects other orders.
func endOrder(ctx context.Context, e playedEvent) error {
	if e.ordered {
		_, _, err := e.Service.Orders.NotFeasible(ctx, e.Order.UUID, e.text)
		return err
	}
	_, _, err := e.Service.Orders.Reject(ctx, nil, e.Order.UUID, e.text)
	return err
}

// setEndpointStatus makes an endpoint of the account, or of the first demo account,
// answer with a status from now on. It registers an endpoint at the host if there is
// none.
func setEndpointStatus(ctx context.Context, e playedEvent) error {
	account := e.account
	if account == "" {
		account, _ = demodata.SampleRequest(0, e.Service.Now())
	}
	host := e.word
	if err := e.registerEndpoint(ctx, account, host); err != nil {
		return err
	}
	answer := endpointAnswer{
		From:   e.Service.Now().UTC().Truncate(time.Millisecond),
		Status: e.status,
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.Endpoints[host] = append(e.state.Endpoints[host], answer)
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

// setFault injects a fault. The status 200 and the word normal remove it.
func setFault(_ context.Context, e playedEvent) error {
	status := e.status
	callbacks := ops.CallbackFault(e.word)
	if status == http.StatusOK {
		status = 0
	}
	if e.word == "normal" {
		callbacks = ""
	}
	e.SetFault(status, callbacks)
	return nil
}
