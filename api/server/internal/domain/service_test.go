package domain_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// open returns a service on an empty store, and a caller of an account.
func open(t *testing.T) (*domain.Service, *domain.Caller) {
	t.Helper()
	ctx := context.Background()
	s := storetest.Open(t)
	s.ListAs(func(o store.Order) (string, error) { return o.UUID, nil }, func(o store.Order) (string, error) { return o.Code, nil })
	d := domain.New(domain.ServiceParts{Store: s, Now: func() time.Time { return noon }})
	a, err := d.Accounts.NewAccount(ctx, store.Account{CompanyName: "Äolus"})
	if err != nil {
		t.Fatal(err)
	}
	return d, &domain.Caller{Account: a, Scopes: api.Scopes()}
}

func codeOf(err error) api.ErrorCode {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return ""
}

func TestOnlyTheHashOfAKeyIsStored(t *testing.T) {
	d, c := open(t)
	ctx := context.Background()
	key, record, err := d.Accounts.IssueKey(ctx, c.Account.UUID, domain.KeySpec{Scopes: []api.Scope{api.ScopeFilesRead}})
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^fd_test_[0-9A-Za-z]{43}$`).MatchString(key) {
		t.Errorf("key %q", key)
	}
	if strings.Contains(record.Hash, key) || record.Hint != key[len(key)-4:] || len(record.Hash) != 64 {
		t.Errorf("kept as %+v", record)
	}
	who, err := d.Accounts.Authenticate(ctx, key)
	if err != nil || who.Account.UUID != c.Account.UUID || !who.HasScope(api.ScopeFilesRead) || who.HasScope(api.ScopeOrdersRead) {
		t.Errorf("authenticated as %+v, %v", who, err)
	}
	other, _, err := d.Accounts.IssueKey(ctx, c.Account.UUID, domain.KeySpec{Scopes: api.Scopes()})
	if err != nil || other == key {
		t.Errorf("the next key is %q, %v", other, err)
	}
}

func TestInvalidKeysAreNotIssued(t *testing.T) {
	d, c := open(t)
	for name, try := range map[string]struct {
		account string
		scopes  []api.Scope
		want    api.ErrorCode
	}{
		"no scope":      {c.Account.UUID, nil, api.CodeValidationFailed},
		"unknown scope": {c.Account.UUID, []api.Scope{"orders:all"}, api.CodeValidationFailed},
		"no account":    {"nobody", api.Scopes(), api.CodeNotFound},
	} {
		if _, _, err := d.Accounts.IssueKey(context.Background(), try.account, domain.KeySpec{Scopes: try.scopes}); codeOf(err) != try.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Accounts.RevokeKey(context.Background(), "nothing"); codeOf(err) != api.CodeNotFound {
		t.Errorf("revoking nothing: %v", err)
	}
}

func TestCityComesFromTheLocation(t *testing.T) {
	d, c := open(t)
	d.City = func(kind api.MissionType, location []api.Point) string {
		if kind == api.MissionAsset && location[0].Lat > 0 {
			return "Nordstadt"
		}
		return ""
	}
	ctx := context.Background()
	o, err := d.Orders.Place(ctx, c, domain.OrderPlacement{Request: api.CreateOrderRequest{Missions: []api.MissionInput{
		{MissionType: api.MissionAsset, LocationMap: []api.Point{{Lat: 1}}},
		{MissionType: api.MissionAsset, LocationMap: []api.Point{{Lat: -1}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	_, missions, err := d.Orders.WithMissions(ctx, c, o.Code)
	if err != nil {
		t.Fatal(err)
	}
	if city := missions[0].City; city == nil || *city != "Nordstadt" || missions[1].City != nil {
		t.Errorf("%+v", missions)
	}
}

func TestDeletedOrdersAreHidden(t *testing.T) {
	d, c := open(t)
	ctx := context.Background()
	past := func(uuid string, status api.OrderStatus) domain.PastOrder {
		return domain.PastOrder{
			AccountUUID: "past", UUID: uuid, Status: status, Created: noon, Updated: noon,
			Request:  api.CreateOrderRequest{Missions: []api.MissionInput{{}}},
			Missions: []domain.PastMission{{UUID: "mission of " + uuid, Updated: noon}},
		}
	}
	err := d.Upkeep.Seed(ctx, domain.SeedWorld{
		Accounts: []store.Account{{UUID: "past", Created: noon}},
		Orders:   []domain.PastOrder{past("a", api.OrderCompleted), past("b", api.OrderDeleted), past("c", api.OrderArchived)},
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := store.ByUUID[store.Account](ctx, d.Store, "past")
	if err != nil {
		t.Fatal(err)
	}
	owner := &domain.Caller{Account: a}
	page, err := d.Orders.List(ctx, owner, store.ListWindow{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, o := range page.Items {
		listed = append(listed, o.Text)
	}
	if !slices.Equal(listed, []string{"c", "a"}) {
		t.Errorf("listed %v", listed)
	}
	if _, err := d.Orders.ByCode(ctx, owner, "ORD-100202"); codeOf(err) != api.CodeNotFound {
		t.Errorf("a deleted order: %v", err)
	}
	if _, err := d.Orders.ByCode(ctx, c, "ORD-100202"); codeOf(err) != api.CodeNotYourResource {
		t.Errorf("another's deleted order: %v", err)
	}
}

func TestAFailedSeedStoresNothing(t *testing.T) {
	d, _ := open(t)
	ctx := context.Background()
	err := d.Upkeep.Seed(ctx, domain.SeedWorld{
		Accounts: []store.Account{{UUID: "x", Created: noon}},
		Orders:   []domain.PastOrder{{AccountUUID: "nobody", Created: noon, Updated: noon}},
	})
	if err == nil {
		t.Error("an order without an account was taken over")
	}
	if _, err := store.ByUUID[store.Account](ctx, d.Store, "x"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("half of the world is there: %v", err)
	}
}
