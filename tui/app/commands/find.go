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

// FoundAccount is an account, and what of it was named.
type FoundAccount struct {
	Account  *ops.Account
	Order    string               // its code; "" where an account or an endpoint was named
	Mission  *ops.Mission         // nil unless a mission was named
	Endpoint *api.WebhookEndpoint // nil unless an endpoint was named
}

// Find finds an account of the service by its company or id, or by the code of an
// order or a mission, or the id of an endpoint of it.
func Find(ctx context.Context, ops *ops.Client, name string) (*FoundAccount, error) {
	name = strings.TrimSpace(name)
	if code := strings.ToUpper(name); strings.HasPrefix(code, "ORD-") || strings.HasPrefix(code, "MSN-") {
		return findOrder(ctx, ops, code)
	}
	if strings.Count(name, "-") != 4 {
		a, err := FindAccount(ctx, ops, name)
		if errors.Is(err, errNoAccount) {
			err = fmt.Errorf(
				"%s: not found; use a company, an endpoint ID or a code such as ORD-1042 or MSN-2001",
				name,
			)
		}
		return &FoundAccount{Account: a}, err
	}
	return findID(ctx, ops, name)
}

// findOrder finds the account of an order or a mission.
func findOrder(ctx context.Context, desk *ops.Client, code string) (*FoundAccount, error) {
	o, err := desk.Orders.Get(ctx, code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", code, err)
	}
	found := &FoundAccount{Order: o.OrderCode, Account: o.Account}
	if found.Account == nil {
		found.Account = &ops.Account{UUID: o.AccountUID, CompanyName: o.CompanyName}
	}
	if i := slices.IndexFunc(o.Missions, func(m ops.Mission) bool { return m.MissionCode == code }); i >= 0 {
		found.Mission = &o.Missions[i]
	}
	return found, nil
}

// findID finds what has an id: an account, or an endpoint of one.
func findID(ctx context.Context, desk *ops.Client, uuid string) (*FoundAccount, error) {
	var accounts []*ops.Account
	for a, err := range desk.Accounts.All(ctx) {
		if err != nil {
			return nil, err
		}
		if a.UUID == uuid {
			return &FoundAccount{Account: a}, nil
		}
		accounts = append(accounts, a)
	}
	for _, a := range accounts {
		for e, err := range desk.Webhooks.All(ctx, a.UUID) {
			if err != nil {
				return nil, err
			}
			if e.UUID == uuid {
				return &FoundAccount{Account: a, Endpoint: e}, nil
			}
		}
	}
	return nil, fmt.Errorf(
		"%s: account or endpoint not found; flightdesk ops accounts lists the accounts",
		uuid,
	)
}

var errNoAccount = errors.New("account not found; flightdesk ops accounts lists them")

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
		return nil, fmt.Errorf("%s: %w", name, errNoAccount)
	case 1:
		return like[0], nil
	}
	return nil, fmt.Errorf(
		"%q matches %s (%s) and %s (%s); use an ID",
		name,
		like[0].CompanyName,
		like[0].UUID,
		like[1].CompanyName,
		like[1].UUID,
	)
}
