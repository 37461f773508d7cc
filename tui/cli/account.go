package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/timeline"
)

// ViewedAccount is an account that is looked into: that of the profile's key, or with
// the key of the operations API any other one, which then has no client of its own.
type ViewedAccount struct {
	*Service
	Cache   *cache.Cache
	Company string
	account string // uuid, where the account is read with the key of the operations API

	Of       timeline.StorySubject // what was named; empty for the account or an endpoint
	Endpoint string                // uuid; "" unless one was named
}

// ViewAccount finds what a name stands for: an order, a mission, an endpoint or, with
// the key of the operations API, the company of an account. "" is the account of
// the profile's key. An account without its key is read with that of the
// operations API.
func (c *Call) ViewAccount(ctx context.Context, name string) (*ViewedAccount, error) {
	s, err := c.ConnectOps(ctx, c.Chosen)
	if err != nil {
		return nil, err
	}
	if s.BaseURL != "" {
		s.Client, err = NewClient(ctx, s.Settings, c.Interruption)
	}
	switch {
	case s.Client != nil:
		c.Observe(s.Client)
	case s.Ops == nil && err == nil:
		err = fmt.Errorf("profile %s has no service address; add base_url or ops_url", s.Name)
		fallthrough
	case s.Ops == nil:
		return nil, err
	}
	c.Service = s
	l := &ViewedAccount{Service: s, Company: s.AccountName()}
	return l, l.findAccount(ctx, strings.TrimSpace(name))
}

// findAccount looks in the account of the key first, and then in all others.
func (l *ViewedAccount) findAccount(ctx context.Context, name string) error {
	var err error
	if l.Client != nil {
		if err = l.findOwn(ctx, name); err == nil {
			l.Cache = cache.New(l.Client, l.Now)
			if l.Ops != nil {
				l.Cache.AddOperations(l.Ops)
			}
			return nil
		}
	}
	notOwn := errors.Is(err, errNotOwn)
	elsewhere := err == nil || notOwn || api.IsStatus(err, http.StatusNotFound, http.StatusForbidden)
	switch {
	case l.Ops == nil && notOwn:
		return fmt.Errorf(
			"%q is not an order or mission code or an endpoint ID; companies need the operations key",
			name,
		)
	case l.Ops == nil || !elsewhere || ctx.Err() != nil:
		return err
	case name == "":
		return errors.New(
			"missing NAME: without an API key, name a company, an order, a mission or an endpoint",
		)
	}
	found, err := commands.Find(ctx, l.Ops, name)
	if err != nil {
		return err
	}
	l.Client, l.Company, l.account = nil, found.Account.CompanyName, found.Account.UUID
	l.Of.Order = found.Order
	if found.Mission != nil {
		l.Of.Mission = found.Mission.UUID
	}
	if found.Endpoint != nil {
		l.Endpoint = found.Endpoint.UUID
	}
	l.Cache = cache.NewOfAccount(l.Ops, found.Account.UUID, l.Now)
	return nil
}

// errNotOwn says that a name is neither a code nor an id.
var errNotOwn = errors.New("code unknown")

// findOwn finds what belongs to the account of the key. A mission is found at once with
// the key of the operations API, else by looking through the orders.
func (l *ViewedAccount) findOwn(ctx context.Context, name string) error {
	code, mission := OrderCode(name), ""
	switch {
	case name == "":
		return nil
	case strings.HasPrefix(code, "MSN-"):
		mission = code
		if l.Ops != nil {
			if o, err := l.Ops.Orders.Get(ctx, code); err == nil {
				code = o.OrderCode
				break
			}
		}
		m, err := fetch.FindMission(ctx, l.Client, code)
		l.Of = timeline.StorySubject{Order: m.OrderCode, Mission: m.UUID}
		return InName(code, err)
	case strings.HasPrefix(code, "ORD-"):
	case strings.Count(name, "-") == 4:
		e, err := l.Client.Webhooks.Get(ctx, name)
		if err == nil {
			l.Endpoint = e.UUID
		}
		return InName(name, err)
	default:
		return errNotOwn
	}
	o, err := l.FindOrder(ctx, code)
	if err != nil {
		return err
	}
	l.Of.Order, l.Company = o.OrderCode, cmp.Or(l.Settings.Company, o.CompanyName, l.Company)
	for _, m := range o.Missions {
		if m.MissionCode == mission {
			l.Of.Mission = m.UUID
		}
	}
	return nil
}

// InName returns an error behind what it is about, nil for none.
func InName(name string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// Mask makes secrets in a text unreadable.
func (l *ViewedAccount) Mask(text string) string {
	if l.Client != nil {
		return l.Client.Mask(text)
	}
	return api.Mask(text)
}

// Endpoints returns the endpoints of the account, newest first.
func (l *ViewedAccount) Endpoints(ctx context.Context) Rows[api.WebhookEndpoint] {
	if l.Client != nil {
		return l.Client.Webhooks.All(ctx)
	}
	return l.Ops.Webhooks.All(ctx, l.account)
}

// Log returns the callbacks to an endpoint, newest first.
func (l *ViewedAccount) Log(ctx context.Context, endpoint string) Rows[api.WebhookDelivery] {
	if l.Client != nil {
		return l.Client.Webhooks.AllDeliveries(ctx, endpoint)
	}
	return l.Ops.Webhooks.AllDeliveries(ctx, endpoint)
}

// ParseSince reads from when on rows are wanted: a moment, a day's beginning, or how
// long ago.
func ParseSince(typed string, now time.Time) (time.Time, error) {
	if typed == "" {
		return time.Time{}, nil
	}
	if ago, err := api.ParseDuration(
		strings.TrimSuffix(strings.TrimSpace(typed), " ago"),
	); err == nil &&
		ago > 0 {
		return now.Add(-ago), nil
	}
	if day, ok := map[string]int{"today": 0, "yesterday": -1}[strings.ToLower(strings.TrimSpace(typed))]; ok {
		return time.Date(now.Year(), now.Month(), now.Day()+day, 0, 0, 0, 0, now.Location()), nil
	}
	at, err := commands.ParseMoment(typed, now)
	if err != nil {
		err = fmt.Errorf(
			"--since %q is not a valid time; use 2h, 7d, yesterday, \"2026-12-01 09:30\" or RFC 3339",
			typed,
		)
	}
	return at, err
}
