package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// Place is where something is that was found in all accounts: the account, and the order,
// mission or endpoint in it, as far as there is one.
type Place struct {
	ops.Found
	Mission  string               // UUID of the mission; "" if there is none
	Endpoint *api.WebhookEndpoint // nil unless the text named an endpoint or a callback
}

// Find returns the place in all accounts that a text names. A text that names several
// places is an error.
func Find(ctx context.Context, desk *ops.Client, text string) (*Place, error) {
	text = strings.TrimSpace(text)
	found, err := desk.Requests.Find(ctx, text)
	if err != nil {
		return nil, err
	}
	one, err := chooseFound(text, found)
	if err != nil {
		return nil, err
	}
	return Locate(ctx, desk, one)
}

// chooseFound returns what a text means: the company of that name, the only account that
// was found, or the only thing.
func chooseFound(text string, found []ops.Found) (ops.Found, error) {
	var one ops.Found
	if len(found) == 0 {
		return one, fmt.Errorf("%s: not found; flightdesk find --help names what can be found", format.Clean(text))
	}
	isAccount := func(f ops.Found) bool { return f.Kind == ops.FoundAccount }
	isNamed := func(f ops.Found) bool { return isAccount(f) && strings.EqualFold(f.Name, text) }
	choices := found
	for _, fits := range []func(ops.Found) bool{isAccount, isNamed} {
		if some := selectFound(found, fits); len(some) > 0 {
			choices = some
		}
	}
	if len(choices) > 1 {
		return one, fmt.Errorf("%q matches %s and %s; use an ID",
			format.Clean(text), describeFound(choices[0]), describeFound(choices[1]))
	}
	return choices[0], nil
}

// MainResult returns the result that covers all others: the only one, or the only account if
// everything else belongs to it.
func MainResult(found []ops.Found) (one ops.Found, ok bool) {
	if len(found) == 0 {
		return one, false
	}
	one = found[0]
	for _, f := range found[1:] {
		if one.Kind != ops.FoundAccount || f.Kind == ops.FoundAccount || f.AccountUID != one.AccountUID {
			return one, false
		}
	}
	return one, true
}

func selectFound(found []ops.Found, fits func(ops.Found) bool) []ops.Found {
	var some []ops.Found
	for _, f := range found {
		if fits(f) {
			some = append(some, f)
		}
	}
	return some
}

func describeFound(f ops.Found) string {
	if f.Kind == ops.FoundAccount {
		return fmt.Sprintf("%s (%s)", format.Clean(f.Name), f.UUID)
	}
	return fmt.Sprintf("%s %s (%s)", f.Kind, format.Clean(f.Name), f.UUID)
}

// Locate reads what the service does not say of something that was found: the ID of the
// mission that it belongs to, and the endpoint of a callback.
func Locate(ctx context.Context, desk *ops.Client, f ops.Found) (*Place, error) {
	place := &Place{Found: f}
	var err error
	if f.Kind == ops.FoundMission {
		place.Mission = f.UUID
	} else if f.MissionCode != "" {
		place.Mission, err = missionOfCode(ctx, desk, f)
	}
	if err != nil {
		return nil, err
	}
	switch f.Kind {
	case ops.FoundEndpoint:
		place.Endpoint, err = findEndpoint(ctx, desk, f.AccountUID, f.UUID)
	case ops.FoundCallback:
		place.Endpoint, err = endpointOfCallback(ctx, desk, f)
	}
	if err != nil {
		return nil, err
	}
	return place, nil
}

func missionOfCode(ctx context.Context, desk *ops.Client, f ops.Found) (string, error) {
	o, err := desk.Orders.Get(ctx, f.OrderCode)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.OrderCode, err)
	}
	i := slices.IndexFunc(o.Missions, func(m ops.Mission) bool { return m.MissionCode == f.MissionCode })
	if i < 0 {
		return "", nil
	}
	return o.Missions[i].UUID, nil
}

func endpointOfCallback(ctx context.Context, desk *ops.Client, f ops.Found) (*api.WebhookEndpoint, error) {
	history, err := desk.Webhooks.History(ctx, f.UUID)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.UUID, err)
	}
	return findEndpoint(ctx, desk, f.AccountUID, history.WebhookUID)
}

// findEndpoint reads an endpoint of an account.
func findEndpoint(ctx context.Context, desk *ops.Client, account, uuid string) (*api.WebhookEndpoint, error) {
	for e, err := range desk.Webhooks.All(ctx, account) {
		if err != nil {
			return nil, err
		}
		if e.UUID == uuid {
			return e, nil
		}
	}
	return nil, fmt.Errorf("endpoint %s is no longer registered", uuid)
}

// ErrNoAccount is returned if no account has the name that was given.
var ErrNoAccount = errors.New("account not found; flightdesk ops accounts lists them")

// FindAccount finds an account by its id, or by its company or a part of that
// which no other has.
func FindAccount(ctx context.Context, desk *ops.Client, name string) (*ops.Account, error) {
	var same, like []*ops.Account
	for a, err := range desk.Accounts.All(ctx) {
		switch {
		case err != nil:
			return nil, err
		case a.UUID == name:
			return a, nil
		case strings.EqualFold(a.CompanyName, name):
			same = append(same, a)
		case strings.Contains(format.Fold(a.CompanyName), format.Fold(name)):
			like = append(like, a)
		}
	}
	if len(same) > 0 {
		like = same
	}
	switch len(like) {
	case 0:
		return nil, fmt.Errorf("%s: %w", name, ErrNoAccount)
	case 1:
		return like[0], nil
	}
	return nil, fmt.Errorf("%q matches %s (%s) and %s (%s); use an ID", name, like[0].CompanyName,
		like[0].UUID, like[1].CompanyName, like[1].UUID)
}
