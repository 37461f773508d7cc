package scenario

import (
	"cmp"
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

// eventAction plays an event.
type eventAction func(context.Context, playedEvent) error

// playedEvent is an event with its player, and the order that it is about, if it is
// about one. The orders of scenarios have one mission.
type playedEvent struct {
	*Player
	eventArguments

	account string // that it is played for; "": the demo's
	store.OrderDetail
}

var errGone = errors.New("its order was not placed")

// callerOf returns an account at whose place the scenario acts.
func callerOf(a store.Account) *domain.Caller {
	return &domain.Caller{Account: a, Scopes: api.Scopes()}
}

func (p *Player) accountCaller(ctx context.Context, uuid string) (*domain.Caller, error) {
	a, err := p.Desk.Accounts.Find(ctx, uuid)
	return callerOf(a), err
}

// sendOrder places an order for an account.
func (p *Player) sendOrder(ctx context.Context, uuid string, req api.CreateOrderRequest) (store.Order, error) {
	c, err := p.accountCaller(ctx, uuid)
	if err != nil {
		return store.Order{}, err
	}
	return p.Desk.Orders.Place(ctx, c, domain.OrderPlacement{Request: req})
}

func placeOrder(ctx context.Context, e playedEvent) error {
	e.mu.Lock()
	n := len(e.state.Orders) / max(1, len(e.state.Accounts)) * demodata.Accounts // all of the first account
	e.mu.Unlock()
	account, req := demodata.SampleRequest(n, e.Desk.Now())
	account = cmp.Or(e.account, account)
	req.Order.OrderName = e.text
	if e.length > 0 {
		deadline := e.Desk.Now().Add(e.length)
		req.Order.Deadline = api.TimeOf(deadline)
		if req.Order.StartDate.After(deadline) {
			req.Order.StartDate = api.TimeOf(e.Desk.Now())
		}
	}
	o, err := e.sendOrder(ctx, account, req)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.Orders[orderKey(e.word, e.account)] = placedOrder{o.UUID, o.Code}
	return nil
}

func placeAny(ctx context.Context, e playedEvent) error {
	account, req := demodata.SampleRequest(e.count, e.Desk.Now())
	_, err := e.sendOrder(ctx, cmp.Or(e.account, account), req)
	return err
}

func issueQuote(ctx context.Context, e playedEvent) error {
	offer := demodata.OfferNamed(e.text, demodata.SurveyRequest(e.OrderDetail), e.Account.Currency)
	offer.ExpiryDate = api.TimeOf(e.Desk.Now().Add(e.length))
	if e.price > 0 {
		offer.PriceBeforeDiscount = e.price
	}
	_, err := e.Desk.Quotes.Issue(ctx, e.Order.UUID, offer)
	return err
}

func decideQuote(want api.QuoteStatus) eventAction {
	return func(ctx context.Context, e playedEvent) error {
		for _, q := range slices.Backward(e.Extras.Quotes) {
			if q.Name == e.text {
				_, err := e.Desk.Quotes.Decide(ctx, callerOf(e.Account), q.UUID, want)
				return err
			}
		}
		return fmt.Errorf("%s has no quote %q", e.Order.Code, e.text)
	}
}

func assignOperator(ctx context.Context, e playedEvent) error {
	_, _, err := e.Desk.Missions.AssignOperator(ctx, e.Missions[0].UUID, e.text)
	return err
}

func recordPermit(ctx context.Context, e playedEvent) error {
	m := e.Missions[0]
	permission := ops.PermissionInput{Status: api.PermissionStatus(e.word)}
	if permission.Status != api.PermissionNotRequired {
		permission.Authority = "Civil aviation authority, " + m.Country
	}
	_, _, err := e.Desk.Missions.SetPermission(ctx, m.UUID, permission, nil)
	return err
}

func scheduleFlight(ctx context.Context, e playedEvent) error {
	flight := e.Desk.Now().Add(e.length)
	f := ops.FlightInput{
		FlightDate:  api.TimeOf(flight),
		ScheduledBy: "Scenario dispatch",
		Note:        e.text,
	}
	_, _, err := e.Desk.Missions.Schedule(ctx, e.Missions[0].UUID, f)
	return err
}

func deliverData(ctx context.Context, e playedEvent) error {
	return demodata.DeliverSamples(ctx, e.Desk, e.Missions[0], e.FileSize)
}

func acceptDelivery(ctx context.Context, e playedEvent) error {
	_, _, err := e.Desk.Missions.AcceptDelivery(ctx, e.Missions[0].UUID)
	return err
}

func describeOrder(ctx context.Context, e playedEvent) error {
	var details api.RecordDetails
	if e.Extras.Details != nil {
		details = *e.Extras.Details
	}
	details.Description = e.text
	return e.Desk.Orders.SetDetails(ctx, e.Order.UUID, details)
}

func cancelOrder(ctx context.Context, e playedEvent) error {
	_, _, err := e.Desk.Orders.Cancel(ctx, callerOf(e.Account), e.Order.UUID)
	return err
}

// endOrder is the service's own end of an order: once a quote is accepted it is not
// feasible, before that it is rejected.
func endOrder(ctx context.Context, e playedEvent) error {
	var err error
	if e.ordered {
		_, _, err = e.Desk.Orders.NotFeasible(ctx, e.Order.UUID, e.text)
	} else {
		_, _, err = e.Desk.Orders.Reject(ctx, nil, e.Order.UUID, e.text)
	}
	return err
}

// setEndpoint has an endpoint of the account, of the demo's first one, answer with a status from
// now on. It registers one at the host if there is none.
func setEndpoint(ctx context.Context, e playedEvent) error {
	account, _ := demodata.SampleRequest(0, e.Desk.Now())
	c, err := e.accountCaller(ctx, cmp.Or(e.account, account))
	if err != nil {
		return err
	}
	all, err := domain.List[store.Webhook](ctx, e.Desk, c.Account.ID, store.ListWindow{Limit: api.MaxWebhooks})
	if err != nil {
		return err
	}
	host := e.word
	isThere := func(w store.Webhook) bool {
		u, err := url.Parse(w.URL)
		return err == nil && u.Hostname() == host
	}
	if !slices.ContainsFunc(all.Items, isThere) {
		_, _, err := e.Desk.Callbacks.NewWebhook(
			ctx,
			c,
			api.CreateWebhookRequest{URL: "https://" + host + "/callbacks", Description: "of the scenario"},
		)
		if err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.Endpoints[host] = append(e.state.Endpoints[host],
		endpointAnswer{e.Desk.Now().UTC().Truncate(time.Millisecond), e.status})
	return nil
}

// setFault sets what goes wrong; the status 200 and the word normal clear it.
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
