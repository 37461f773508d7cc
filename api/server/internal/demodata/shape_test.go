package demodata

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geo"

	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func TestShapesHaveTheGivenSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, a := range demoAccounts() {
		for _, o := range a.Orders {
			for _, s := range o.Sites {
				location, area := s.drawLocation(rng)
				if len(location) < s.missionType().MinPoints() {
					t.Errorf("%s, %s has %d points", o.Name, s.Name, len(location))
				}
				first := orb.Point{location[0].Lng, location[0].Lat}
				for _, p := range location {
					if d := geo.Distance(first, orb.Point{p.Lng, p.Lat}); d > 10_000 {
						t.Errorf("%s, %s stretches over %.0f m", o.Name, s.Name, d)
					}
				}
				if box := s.Area; box != nil {
					if want := box.Width * box.Height; area < 0.75*want || area > 1.25*want {
						t.Errorf("%s, %s has %.0f m², its box %.0f", o.Name, s.Name, area, want)
					}
				} else if area <= 0 || area > 5e6 {
					t.Errorf("%s, %s has %.0f m²", o.Name, s.Name, area)
				}
			}
		}
	}
}

func TestFillDoesNotChangeAStoreWithAccounts(t *testing.T) {
	ctx := context.Background()
	s, err := store.Open(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	d := domain.New(domain.ServiceParts{Store: s, Now: time.Now})
	if _, err := d.Accounts.NewAccount(ctx, store.Account{CompanyName: "Ours"}); err != nil {
		t.Fatal(err)
	}
	demo, err := FillStore(ctx, d, WorldOptions{})
	if err != nil || len(demo) != 0 {
		t.Errorf("demo accounts %v, %v", demo, err)
	}
	if all, err := s.Accounts(ctx); err != nil || len(all) != 1 {
		t.Errorf("accounts %v, %v", all, err)
	}
}
