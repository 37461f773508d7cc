package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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
	a, err := FindAccount(ctx, ops, name)
	switch {
	case !errors.Is(err, ErrNoAccount):
		return &FoundAccount{Account: a}, err
	case strings.Count(name, "-") == 4:
		return findEndpoint(ctx, ops, name)
	}
	return nil, fmt.Errorf("%s: not found; use a company, an endpoint ID or a code such as ORD-1042 or MSN-2001", name)
}

// findOrder finds the account of an order or a mission.
func findOrder(ctx context.Context, desk *ops.Client, code string) (*FoundAccount, error) {
	o, err := desk.Orders.Get(ctx, code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", code, err)
	}
	owner := cmp.Or(o.Account, &ops.Account{UUID: o.AccountUID, CompanyName: o.CompanyName})
	found := &FoundAccount{Order: o.OrderCode, Account: owner}
	if i := slices.IndexFunc(o.Missions, func(m ops.Mission) bool { return m.MissionCode == code }); i >= 0 {
		found.Mission = &o.Missions[i]
	}
	return found, nil
}

// findEndpoint finds the account of an endpoint.
func findEndpoint(ctx context.Context, desk *ops.Client, uuid string) (*FoundAccount, error) {
	for a, err := range desk.Accounts.All(ctx) {
		if err != nil {
			return nil, err
		}
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
	return nil, fmt.Errorf(
		"%q matches %s (%s) and %s (%s); use an ID",
		name,
		like[0].CompanyName,
		like[0].UUID,
		like[1].CompanyName,
		like[1].UUID,
	)
}

// RefuseQuote says why no quote can be issued for an order, "" where one can.
func RefuseQuote(o *ops.Order, _ *ops.Mission) string {
	if o.Status != api.OrderBiddingWithQuote {
		return o.OrderCode + " is " + InText(o.Status) + "; no more quotes are possible"
	}
	return ""
}

// RefuseExpiry says why no quote of an order can be made to expire, "" where q
// can; nil is none.
func RefuseExpiry(o *ops.Order, q *ops.Quote, now time.Time) string {
	if q == nil || !q.IsDecidable(now) {
		return o.OrderCode + " has no open quote; issue one first"
	}
	return ""
}

// RefuseEnd says why the service cannot end an order, "" where it can.
func RefuseEnd(o *ops.Order, _ *ops.Mission) string {
	if _, ok := api.EndingMove(o.Status); !ok {
		return o.OrderCode + " is already " + InText(o.Status)
	}
	return ""
}

// RefuseMissionMove returns the function that says why a mission of an order does not
// accept a move, "" where it does; m is nil where none is chosen.
func RefuseMissionMove(move api.MissionMove) func(o *ops.Order, m *ops.Mission) string {
	return func(o *ops.Order, m *ops.Mission) string {
		if why := refuseWithoutMission(o, m); why != "" || move.IsAllowed(m.Status) {
			return why
		}
		return m.MissionCode + " is " + InText(m.Status) + "; " + needs[move]
	}
}

// RefusePermission says why no flight permission of a mission can be recorded,
// "" where one can.
func RefusePermission(o *ops.Order, m *ops.Mission) string {
	why := refuseWithoutMission(o, m)
	if why == "" && (o.Status == api.OrderArchived || o.Status == api.OrderDeleted) {
		why = o.OrderCode + " is " + InText(o.Status)
	}
	return why
}

func refuseWithoutMission(o *ops.Order, m *ops.Mission) string {
	switch {
	case o.Status == api.OrderBiddingWithQuote:
		return o.OrderCode + " has no accepted quote yet; its client accepts one first"
	case m == nil:
		return "no mission selected; select one"
	}
	return ""
}

var needs = map[api.MissionMove]string{
	api.MoveAssignOperator: "operators are assigned before the flight is scheduled",
	api.MoveSchedule:       "a flight needs an operator, and no data delivered yet",
	api.MoveDeliver:        "schedule a flight first",
	api.MoveAcceptDelivery: "no delivered data to accept",
}
