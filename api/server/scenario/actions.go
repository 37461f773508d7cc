package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// eventAction plays an event.
type eventAction func(context.Context, *Player) error

var errGone = errors.New("its order was not placed")

func (p *Player) orderNamed(ctx context.Context, name string) (store.OrderDetail, error) {
	p.mu.Lock()
	o, known := p.state.Orders[name]
	p.mu.Unlock()
	if !known {
		return store.OrderDetail{}, errGone
	}
	return p.Desk.Orders.Detail(ctx, o.UUID)
}

// callerOf returns an account at whose place the scenario acts.
func callerOf(a store.Account) *domain.Caller {
	return &domain.Caller{Account: a, Scopes: api.Scopes()}
}

func (p *Player) accountCaller(ctx context.Context, uuid string) (*domain.Caller, error) {
	a, err := p.Desk.Accounts.Find(ctx, uuid)
	return callerOf(a), err
}

func (p *Player) placeOrder(ctx context.Context, uuid string, req api.CreateOrderRequest) (store.Order, error) {
	c, err := p.accountCaller(ctx, uuid)
	if err != nil {
		return store.Order{}, err
	}
	return p.Desk.Orders.Place(ctx, c, domain.OrderPlacement{Request: req})
}

func placeOrder(name, title string, due time.Duration) eventAction {
	return func(ctx context.Context, p *Player) error {
		p.mu.Lock()
		n := len(p.state.Orders) * demodata.Accounts // all of the first account
		p.mu.Unlock()
		account, req := demodata.SampleRequest(n, p.Desk.Now())
		req.Order.OrderName = title
		if due > 0 {
			deadline := p.Desk.Now().Add(due)
			req.Order.Deadline = api.TimeOf(deadline)
			if req.Order.StartDate.After(deadline) {
				req.Order.StartDate = api.TimeOf(p.Desk.Now())
			}
		}
		o, err := p.placeOrder(ctx, account, req)
		if err != nil {
			return err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.state.Orders[name] = placedOrder{o.UUID, o.Code}
		return nil
	}
}

func placeAny(n int) eventAction {
	return func(ctx context.Context, p *Player) error {
		account, req := demodata.SampleRequest(n, p.Desk.Now())
		_, err := p.placeOrder(ctx, account, req)
		return err
	}
}

func issueQuote(name, quote string, life time.Duration, price float64) eventAction {
	return func(ctx context.Context, p *Player) error {
		d, err := p.orderNamed(ctx, name)
		if err != nil {
			return err
		}
		offer := demodata.OfferNamed(quote, demodata.PriceInput(d.Order, d.Missions, d.Account.Currency))
		offer.Expires = p.Desk.Now().Add(life)
		if price > 0 {
			offer.Price = price
		}
		_, err = p.Desk.Quotes.Issue(ctx, d.Order.UUID, offer)
		return err
	}
}

func decideQuote(name, quote string, want api.QuoteStatus) eventAction {
	return func(ctx context.Context, p *Player) error {
		d, err := p.orderNamed(ctx, name)
		if err != nil {
			return err
		}
		for _, q := range slices.Backward(d.Extras.Quotes) {
			if q.Name == quote {
				_, err = p.Desk.Quotes.Decide(ctx, callerOf(d.Account), q.UUID, want)
				return err
			}
		}
		return fmt.Errorf("%s has no quote %q", d.Order.Code, quote)
	}
}

// onMission plays an event of an order's mission.
func onMission(name string, play func(context.Context, *Player, store.Mission) error) eventAction {
	return func(ctx context.Context, p *Player) error {
		d, err := p.orderNamed(ctx, name)
		if err != nil {
			return err
		}
		return play(ctx, p, d.Missions[0]) // scenarios' orders have one
	}
}

func assignOperator(name, operator string) eventAction {
	return onMission(name, func(ctx context.Context, p *Player, m store.Mission) error {
		_, _, err := p.Desk.Missions.AssignOperator(ctx, m.UUID, operator)
		return err
	})
}

func recordPermit(name string, status api.PermissionStatus) eventAction {
	return onMission(name, func(ctx context.Context, p *Player, m store.Mission) error {
		permission := store.Permission{Status: status}
		if status != api.PermissionNotRequired {
			authority := "Civil aviation authority, " + m.Country
			permission.Authority = &authority
		}
		_, _, err := p.Desk.Missions.SetPermission(ctx, m.UUID, permission, nil)
		return err
	})
}

func scheduleFlight(name string, in time.Duration, note string) eventAction {
	return onMission(name, func(ctx context.Context, p *Player, m store.Mission) error {
		by := "Scenario dispatch"
		f := domain.FlightPlan{Date: p.Desk.Now().Add(in), ScheduledBy: &by}
		if note != "" {
			f.Note = &note
		}
		_, _, err := p.Desk.Missions.Schedule(ctx, m.UUID, f)
		return err
	})
}

func deliverData(name string) eventAction {
	return onMission(name, func(ctx context.Context, p *Player, m store.Mission) error {
		return demodata.DeliverSamples(ctx, p.Desk, m, p.FileSize)
	})
}

func acceptDelivery(name string) eventAction {
	return onMission(name, func(ctx context.Context, p *Player, m store.Mission) error {
		_, _, err := p.Desk.Missions.AcceptDelivery(ctx, m.UUID)
		return err
	})
}

func describeOrder(name, text string) eventAction {
	return func(ctx context.Context, p *Player) error {
		d, err := p.orderNamed(ctx, name)
		if err != nil {
			return err
		}
		var details api.OrderDetails
		if d.Extras.Details != nil {
			details = *d.Extras.Details
		}
		details.Description = text
		return p.Desk.Orders.SetDetails(ctx, d.Order.UUID, details)
	}
}

func cancelOrder(name string) eventAction {
	return func(ctx context.Context, p *Player) error {
		d, err := p.orderNamed(ctx, name)
		if err != nil {
			return err
		}
		_, _, err = p.Desk.Orders.Cancel(ctx, callerOf(d.Account), d.Order.UUID)
		return err
	}
}

// endOrder returns the service's own end of an order: once a quote is accepted it is
// not feasible, before that it is rejected.
func endOrder(name, reason string, ordered bool) eventAction {
	return func(ctx context.Context, p *Player) error {
		d, err := p.orderNamed(ctx, name)
		if err != nil {
			return err
		}
		if ordered {
			_, _, err = p.Desk.Orders.NotFeasible(ctx, d.Order.UUID, reason)
		} else {
			_, _, err = p.Desk.Orders.Reject(ctx, nil, d.Order.UUID, reason)
		}
		return err
	}
}

// setEndpoint has an endpoint of the first account answer with a status from
// now on. It registers one at the host if there is none.
func setEndpoint(host string, status int) eventAction {
	return func(ctx context.Context, p *Player) error {
		account, _ := demodata.SampleRequest(0, p.Desk.Now())
		c, err := p.accountCaller(ctx, account)
		if err != nil {
			return err
		}
		all, err := p.Desk.Callbacks.Webhooks(ctx, c.Account.ID, store.ListWindow{Limit: api.MaxWebhooks})
		if err != nil {
			return err
		}
		isThere := func(w store.Webhook) bool {
			u, err := url.Parse(w.URL)
			return err == nil && u.Hostname() == host
		}
		if !slices.ContainsFunc(all.Items, isThere) {
			_, _, err := p.Desk.Callbacks.NewWebhook(ctx, c, api.CreateWebhookRequest{URL: "https://" + host + "/callbacks", Description: "of the scenario"})
			if err != nil {
				return err
			}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.state.Endpoints[host] = append(p.state.Endpoints[host], endpointAnswer{p.Desk.Now().UTC().Truncate(time.Millisecond), status})
		return nil
	}
}

func setFault(status int, callbacks api.CallbackFault) eventAction {
	return func(_ context.Context, p *Player) error {
		p.SetFault(status, callbacks)
		return nil
	}
}
