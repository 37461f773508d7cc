package run

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
	"flightdesk/api/ops"
	"flightdesk/config"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
)

// ViewedAccount is an account that is looked into: that of the profile's key, or with
// the key of the operations API any other one.
type ViewedAccount struct {
	config.Settings
	Client  *api.Client // nil where the account is read with the key of the operations API
	Ops     *ops.Client // nil without that key
	Cache   *cache.Cache
	Seen    SeenNames
	Company string
	account string // uuid, where the account is read with the key of the operations API

	Of       timeline.StorySubject // what was named; empty for the account or an endpoint
	Endpoint string                // uuid; "" unless one was named
}

// ViewAccount finds what a name stands for: an order, a mission, an endpoint or, with
// the key of the operations API, the company of an account. "" is the account of
// the profile's key. An account without its key is read with that of the
// operations API.
func (p *Program) ViewAccount(ctx context.Context, profile, name string) (*ViewedAccount, error) {
	c, err := config.Load(p.Env)
	if err != nil {
		return nil, err
	}
	s, err := c.ResolveOps(profile)
	if err != nil {
		return nil, err
	}
	l := &ViewedAccount{Settings: s, Company: cmp.Or(s.Company, s.Name)}
	if l.Ops, err = NewOps(ctx, s, p.Interruption); err != nil {
		return nil, err
	}
	if s.BaseURL != "" {
		l.Client, err = NewClient(ctx, s, p.Interruption)
	}
	if err != nil && l.Ops == nil {
		return nil, err
	}
	if l.Client == nil && l.Ops == nil {
		return nil, fmt.Errorf("profile %s has no service address; add base_url or ops_url", s.Name)
	}
	if l.Client != nil {
		p.Observe(l.Client)
	}
	if l.Ops != nil {
		p.Observe(l.Ops)
	}
	format.UseUnits(UnitsOf(c.WaysOf(s.Profile)))
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
	elsewhere := err == nil || api.IsStatus(err, http.StatusNotFound, http.StatusForbidden) || errors.Is(err, errNotOwn)
	switch {
	case l.Ops == nil || !elsewhere || ctx.Err() != nil:
		if errors.Is(err, errNotOwn) {
			err = fmt.Errorf(
				"%q is not an order or mission code or an endpoint ID; companies need the operations key",
				name,
			)
		}
		return err
	case name == "":
		return errors.New("missing NAME: without an API key, name a company, an order, a mission or an endpoint")
	}
	found, err := commands.Find(ctx, l.Ops, name)
	if err != nil {
		return err
	}
	l.Client, l.Company, l.account = nil, found.Account.CompanyName, found.Account.UUID
	l.Of = timeline.StorySubject{Order: found.Order}
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

// findOwn finds what belongs to the account of the key.
func (l *ViewedAccount) findOwn(ctx context.Context, name string) error {
	code := OrderCode(name)
	switch {
	case name == "":
		return nil
	case strings.HasPrefix(code, "ORD-"):
		return l.findOrder(ctx, code, "")
	case strings.HasPrefix(code, "MSN-"):
		return l.findMission(ctx, code)
	case strings.Count(name, "-") == 4:
		e, err := l.Client.Webhooks.Get(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		l.Endpoint = e.UUID
		return nil
	}
	return errNotOwn
}

// findMission finds a mission of the account: with the key of the operations API
// at once, else by looking through the orders.
func (l *ViewedAccount) findMission(ctx context.Context, code string) error {
	if l.Ops != nil {
		if o, err := l.Ops.Orders.Get(ctx, code); err == nil {
			return l.findOrder(ctx, o.OrderCode, code)
		}
	}
	m, err := fetch.FindMission(ctx, l.Client, code)
	if err != nil {
		return fmt.Errorf("%s: %w", code, err)
	}
	l.Of = timeline.StorySubject{Order: m.OrderCode, Mission: m.UUID}
	return nil
}

func (l *ViewedAccount) findOrder(ctx context.Context, code, mission string) error {
	o, err := l.Client.Orders.Get(ctx, code)
	if err != nil {
		return fmt.Errorf("%s: %w", cmp.Or(mission, code), err)
	}
	l.Of.Order, l.Company = o.OrderCode, cmp.Or(l.Settings.Company, o.CompanyName, l.Company)
	l.Seen.NoteCode(o.OrderCode)
	for _, m := range o.Missions {
		if l.Seen.NoteCode(m.MissionCode); m.MissionCode == mission && mission != "" {
			l.Of.Mission = m.UUID
		}
	}
	return nil
}

// Now returns the time by the service's clock.
func (l *ViewedAccount) Now() time.Time {
	if l.Client != nil {
		return l.Client.Now().Local()
	}
	return l.Ops.Now().Local()
}

// Host returns the host and port of the service.
func (l *ViewedAccount) Host() string {
	if l.Client != nil {
		return l.Client.Host()
	}
	return l.Ops.Host()
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

// RememberLooked keeps the codes of this run's answers.
func (p *Program) RememberLooked(l *ViewedAccount) {
	store := l.StateName()
	if l.Client == nil {
		store = OpsStore(store)
	}
	p.RememberAs(store, &l.Seen)
}

// OpsStore returns where the codes of the answers of a profile's operations API are
// kept: they are those of all accounts.
func OpsStore(profile string) string { return profile + ".ops" }

// ParseSince reads from when on rows are wanted: a moment, a day's beginning, or how
// long ago.
func ParseSince(typed string, now time.Time) (time.Time, error) {
	if typed == "" {
		return time.Time{}, nil
	}
	if ago, err := api.ParseDuration(strings.TrimSuffix(strings.TrimSpace(typed), " ago")); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	if day, ok := map[string]int{"today": 0, "yesterday": -1}[strings.ToLower(strings.TrimSpace(typed))]; ok {
		return time.Date(now.Year(), now.Month(), now.Day()+day, 0, 0, 0, 0, now.Location()), nil
	}
	if at, err := commands.ParseMoment(typed, now); err == nil {
		return at, nil
	}
	return time.Time{}, fmt.Errorf(
		"--since %q is not a valid time; use 2h, 7d, yesterday, \"2026-12-01 09:30\" or RFC 3339",
		typed,
	)
}
