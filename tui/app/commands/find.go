package commands

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// Place is a search result with its mission and its endpoint, if it has any. Use [Locate] to create one.
type Place struct {
	ops.Found
	Mission  string               // UUID of the mission; "" if there is none
	Endpoint *api.WebhookEndpoint // nil unless the result is an endpoint or a callback
}

// Find searches all accounts for a text and returns the best result (see chooseFound). It returns an
// error if there is no result, or if several are equally good.
func Find(ctx context.Context, client *ops.Client, text string) (*Place, error) {
	text = strings.TrimSpace(text)
	found, err := client.Requests.Find(ctx, text)
	if err != nil {
		return nil, err
	}
	result, err := chooseFound(text, found)
	if err != nil {
		return nil, err
	}
	return Locate(ctx, client, result)
}

// chooseFound chooses a result: the account whose name is text, otherwise the only account, otherwise
// the only result. It returns an error if several results remain.
func chooseFound(text string, found []ops.Found) (ops.Found, error) {
	if len(found) == 0 {
		return ops.Found{}, fmt.Errorf("%s: not found; flightdesk find --help names what can be found", format.Clean(text))
	}
	isAccount := func(f ops.Found) bool { return f.Kind == ops.FoundAccount }
	isNamed := func(f ops.Found) bool { return isAccount(f) && strings.EqualFold(f.Name, text) }
	choices := found
	if accounts := selectFound(found, isAccount); len(accounts) > 0 {
		choices = accounts
	}
	if named := selectFound(found, isNamed); len(named) > 0 {
		choices = named
	}
	if len(choices) > 1 {
		return ops.Found{}, fmt.Errorf("%q matches %s and %s; use an ID",
			format.Clean(text), describeFound(choices[0]), describeFound(choices[1]))
	}
	return choices[0], nil
}

// MainResult returns the only result of a search, or an account if all other results belong to it. ok
// is false if there is no such result.
func MainResult(found []ops.Found) (main ops.Found, ok bool) {
	if len(found) == 0 {
		return ops.Found{}, false
	}
	main = found[0]
	for _, other := range found[1:] {
		belongs := other.Kind != ops.FoundAccount && other.AccountUID == main.AccountUID
		if main.Kind != ops.FoundAccount || !belongs {
			return main, false
		}
	}
	return main, true
}

func selectFound(found []ops.Found, matches func(ops.Found) bool) []ops.Found {
	var selected []ops.Found
	for _, f := range found {
		if matches(f) {
			selected = append(selected, f)
		}
	}
	return selected
}

func describeFound(f ops.Found) string {
	if f.Kind == ops.FoundAccount {
		return fmt.Sprintf("%s (%s)", format.Clean(f.Name), f.UUID)
	}
	return fmt.Sprintf("%s %s (%s)", f.Kind, format.Clean(f.Name), f.UUID)
}

// Locate completes a search result to a Place. The service returns neither the UUID of the mission
// nor the endpoint with a search result, so Locate requests them.
func Locate(ctx context.Context, client *ops.Client, f ops.Found) (*Place, error) {
	mission, err := locateMission(ctx, client, f)
	if err != nil {
		return nil, err
	}
	endpoint, err := locateEndpoint(ctx, client, f)
	if err != nil {
		return nil, err
	}
	return &Place{Found: f, Mission: mission, Endpoint: endpoint}, nil
}

// locateMission returns the UUID of the mission that a search result belongs to, or "" if there is none.
func locateMission(ctx context.Context, client *ops.Client, f ops.Found) (string, error) {
	if f.Kind == ops.FoundMission {
		return f.UUID, nil
	}
	if f.MissionCode == "" {
		return "", nil
	}
	return missionOfCode(ctx, client, f)
}

// locateEndpoint returns the endpoint that a search result belongs to, or nil if there is none.
func locateEndpoint(ctx context.Context, client *ops.Client, f ops.Found) (*api.WebhookEndpoint, error) {
	switch f.Kind {
	case ops.FoundEndpoint:
		return findEndpoint(ctx, client, f.AccountUID, f.UUID)
	case ops.FoundCallback:
		return endpointOfCallback(ctx, client, f)
	default:
		return nil, nil
	}
}

func missionOfCode(ctx context.Context, client *ops.Client, f ops.Found) (string, error) {
	o, err := client.Orders.Get(ctx, f.OrderCode)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.OrderCode, err)
	}
	i := slices.IndexFunc(o.Missions, func(m ops.Mission) bool { return m.MissionCode == f.MissionCode })
	if i < 0 {
		return "", nil
	}
	return o.Missions[i].UUID, nil
}

func endpointOfCallback(ctx context.Context, client *ops.Client, f ops.Found) (*api.WebhookEndpoint, error) {
	history, err := client.Webhooks.History(ctx, f.UUID)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.UUID, err)
	}
	return findEndpoint(ctx, client, f.AccountUID, history.WebhookUID)
}

// findEndpoint returns the endpoint of an account with the given UUID.
func findEndpoint(ctx context.Context, client *ops.Client, account, uuid string) (*api.WebhookEndpoint, error) {
	for e, err := range client.Webhooks.All(ctx, account) {
		if err != nil {
			return nil, err
		}
		if e.UUID == uuid {
			return e, nil
		}
	}
	return nil, fmt.Errorf("endpoint %s is no longer registered", uuid)
}

// ErrNoAccount is returned if no account matches a name.
var ErrNoAccount = errors.New("account not found; flightdesk ops accounts lists them")

// lacksSearch reports whether a search failed with err because the service does not support searching.
func lacksSearch(err error) bool {
	response, ok := errors.AsType[*api.Error](err)
	return ok && (response.Status == http.StatusNotFound || response.Status == http.StatusMethodNotAllowed)
}

// searchAccount finds an account with the search of the service, which also searches contacts and
// e-mail addresses and finds Köln for koeln. It returns an error unless exactly one account is found.
func searchAccount(ctx context.Context, client *ops.Client, name string) (*ops.Account, error) {
	found, err := client.Requests.Find(ctx, name)
	if err != nil && !lacksSearch(err) {
		return nil, err
	}
	isAccount := func(f ops.Found) bool { return f.Kind == ops.FoundAccount }
	accounts := selectFound(found, isAccount)
	if len(accounts) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNoAccount)
	}
	if len(accounts) > 1 {
		return nil, fmt.Errorf("%q matches %s and %s; use an ID", name, describeFound(accounts[0]), describeFound(accounts[1]))
	}
	for a, err := range client.Accounts.All(ctx) {
		if err != nil || a.UUID == accounts[0].UUID {
			return a, err
		}
	}
	return nil, fmt.Errorf("%s: %w", name, ErrNoAccount)
}

// FindAccount finds an account by its UUID, its company name, or a part of the name that no other
// account has. If there is none, it uses the search of the service.
func FindAccount(ctx context.Context, client *ops.Client, name string) (*ops.Account, error) {
	var exact []*ops.Account
	var similar []*ops.Account
	for a, err := range client.Accounts.All(ctx) {
		if err != nil {
			return nil, err
		}
		if a.UUID == name {
			return a, nil
		}
		if strings.EqualFold(a.CompanyName, name) {
			exact = append(exact, a)
		} else if strings.Contains(format.Fold(a.CompanyName), format.Fold(name)) {
			similar = append(similar, a)
		}
	}
	matches := exact
	if len(exact) == 0 {
		matches = similar
	}
	if len(matches) == 0 {
		return searchAccount(ctx, client, name)
	}
	if len(matches) > 1 {
		return nil, fmt.Errorf("%q matches %s (%s) and %s (%s); use an ID", name,
			matches[0].CompanyName, matches[0].UUID, matches[1].CompanyName, matches[1].UUID)
	}
	return matches[0], nil
}
