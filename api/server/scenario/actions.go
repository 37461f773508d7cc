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

// action plays an event.
type action func(context.Context, *Player) error

var errGone = errors.New("its order was not placed")

func (p *Player) order(ctx context.Context, name string) (store.OrderDetail, error) {
	p.mu.Lock()
	o, known := p.state.Orders[name]
	p.mu.Unlock()
	if !known {
		return store.OrderDetail{}, errGone
	}
	return p.Desk.Orders.Detail(ctx, o.UUID)
}

// caller is an account at whose place the scenario acts.
func caller(a store.Account) *domain.Caller { return &domain.Caller{Account: a, Scopes: api.Scopes()} }

func (p *Player) account(ctx context.Context, uuid string) (*domain.Caller, error) {
	a, err := p.Desk.Accounts.Find(ctx, uuid)
	return caller(a), err
}

func (p *Player) place(ctx context.Context, uuid string, req api.CreateOrderRequest) (store.Order, error) {
	c, err := p.account(ctx, uuid)
	if err != nil {
		return store.Order{}, err
	}
	return p.Desk.Orders.Place(ctx, c, domain.Placement{Request: req})
}

func placeOrder(name, title string, due time.Duration) action {
	return func(ctx context.Context, p *Player) error {
		p.mu.Lock()
		n := len(p.state.Orders) * demodata.Accounts // all of the first account
		p.mu.Unlock()
		account, req := demodata.Request(n, p.Desk.Now())
		req.Order.OrderName = title
		if due > 0 {
			deadline := p.Desk.Now().Add(due)
			req.Order.Deadline = api.At(deadline)
			if req.Order.StartDate.After(deadline) {
				req.Order.StartDate = api.At(p.Desk.Now())
			}
		}
		o, err := p.place(ctx, account, req)
		if err != nil {
			return err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.state.Orders[name] = placed{o.UUID, o.Code}
		return nil
	}
}

func placeAny(n int) action {
	return func(ctx context.Context, p *Player) error {
		account, req := demodata.Request(n, p.Desk.Now())
		_, err := p.place(ctx, account, req)
		return err
	}
}

func issueQuote(name, quote string, life time.Duration, price float64) action {
	return func(ctx context.Context, p *Player) error {
		d, err := p.order(ctx, name)
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

func decideQuote(name, quote string, want api.QuoteStatus) action {
	return func(ctx context.Context, p *Player) error {
		d, err := p.order(ctx, name)
		if err != nil {
			return err
		}
		for _, q := range slices.Backward(d.Extras.Quotes) {
			if q.Name == quote {
				_, err = p.Desk.Quotes.Decide(ctx, caller(d.Account), q.UUID, want)
				return err
			}
		}
		return fmt.Errorf("%s has no quote %q", d.Order.Code, quote)
	}
}

// onMission plays an event of an order's mission.
func onMission(name string, play func(context.Context, *Player, store.Mission) error) action {
	return func(ctx context.Context, p *Player) error {
		d, err := p.order(ctx, name)
		if err != nil {
			return err
		}
		return play(ctx, p, d.Missions[0]) // scenarios' orders have one
	}
}

func assignOperator(name, operator string) action {
	return onMission(name, func(ctx context.Context, p *Player, m store.Mission) error {
		_, _, err := p.Desk.Missions.AssignOperator(ctx, m.UUID, operator)
		return err
	})
}

func recordPermit(name string, status api.PermissionStatus) action {
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

func scheduleFlight(name string, in time.Duration, note string) action {
	return onMission(name, func(ctx context.Context, p *Player, m store.Mission) error {
		by := "Scenario dispatch"
		f := domain.Flight{Date: p.Desk.Now().Add(in), ScheduledBy: &by}
		if note != "" {
			f.Note = &note
		}
		_, _, err := p.Desk.Missions.Schedule(ctx, m.UUID, f)
		return err
	})
}

func deliver(name string) action {
	return onMission(name, func(ctx context.Context, p *Player, m store.Mission) error {
		return demodata.DeliverSamples(ctx, p.Desk, m, p.FileSize)
	})
}

func acceptDelivery(name string) action {
	return onMission(name, func(ctx context.Context, p *Player, m store.Mission) error {
		_, _, err := p.Desk.Missions.AcceptDelivery(ctx, m.UUID)
		return err
	})
}

func describe(name, text string) action {
	return func(ctx context.Context, p *Player) error {
		d, err := p.order(ctx, name)
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

func cancelOrder(name string) action {
	return func(ctx context.Context, p *Player) error {
		d, err := p.order(ctx, name)
		if err != nil {
			return err
		}
		_, _, err = p.Desk.Orders.Cancel(ctx, caller(d.Account), d.Order.UUID)
		return err
	}
}

// endOrder is the service's own end of an order: once a quote is accepted it is
// not feasible, before that it is rejected.
func endOrder(name, reason string, ordered bool) action {
	return func(ctx context.Context, p *Player) error {
		d, err := p.order(ctx, name)
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
func setEndpoint(host string, status int) action {
	return func(ctx context.Context, p *Player) error {
		account, _ := demodata.Request(0, p.Desk.Now())
		c, err := p.account(ctx, account)
		if err != nil {
			return err
		}
		all, err := p.Desk.Callbacks.Webhooks(ctx, c.Account.ID, store.Window{Limit: api.MaxWebhooks})
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
		p.state.Endpoints[host] = append(p.state.Endpoints[host], answer{p.Desk.Now().UTC().Truncate(time.Millisecond), status})
		return nil
	}
}

func setFault(status int, callbacks api.CallbackFault) action {
	return func(_ context.Context, p *Player) error {
		p.SetFault(status, callbacks)
		return nil
	}
}
