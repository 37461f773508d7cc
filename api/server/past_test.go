package server_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// past is an order that was stored at some stage of its life.
type past struct {
	key     string // key of its account, with all scopes
	account string
	uuid    string
	mission []string // UUIDs
}

// takenOver stores an order of a new account with the given status, and its missions with the given
// statuses.
func (b *bench) takenOver(status api.OrderStatus, missions ...api.MissionStatus) past {
	b.t.Helper()
	made := b.clock.now().Add(-30 * 24 * time.Hour)
	id := func() string { return domain.FormUUID(made, random16()) }
	req := survey()
	account := store.Account{UUID: id(), CompanyName: "Past GmbH", Currency: "EUR", Created: made}
	taken := domain.PastOrder{AccountUUID: account.UUID, UUID: id(), Request: req, Status: status, Created: made, Updated: made}
	taken.Request.Missions = nil
	if b.ordered != nil {
		taken.Request.Order.Deliverables = b.ordered
	}
	for i, status := range missions {
		taken.Request.Missions = append(taken.Request.Missions, req.Missions[i%len(req.Missions)])
		m := domain.PastMission{UUID: id(), Status: status, Updated: made}
		if status != api.MissionAwaitingPilot && status != api.MissionCancelled {
			name := "Wanjiru Kamau"
			m.OperatorName = &name
		}
		taken.Missions = append(taken.Missions, m)
	}
	world := domain.SeedWorld{Accounts: []store.Account{account}, Orders: []domain.PastOrder{taken}}
	if err := server.DomainOf(b.s).Upkeep.Seed(context.Background(), world); err != nil {
		b.t.Fatal(err)
	}
	p := past{key: b.issue(account.UUID, domain.KeySpec{Scopes: api.Scopes()}).key, account: account.UUID, uuid: taken.UUID}
	for _, m := range taken.Missions {
		p.mission = append(p.mission, m.UUID)
	}
	return p
}

// statuses returns the statuses of an order's missions.
func statuses(o api.Order) []api.MissionStatus {
	var all []api.MissionStatus
	for _, m := range o.Missions {
		all = append(all, m.Status)
	}
	return all
}

// wantFault checks the status and the code of an error response.
func wantFault(t testing.TB, what string, r reply, status int, code api.ErrorCode) {
	t.Helper()
	if r.status != status || r.fault.Code != code {
		t.Errorf("%s: %d %s, want %d %s", what, r.status, r.raw, status, code)
	}
}

func random16() [16]byte {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return b
}

func codeOf(err error) api.ErrorCode {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return ""
}
