package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
)

// start returns a running server that is closed at the end of the test.
func start(t testing.TB, s *server.Server) *server.Server {
	t.Helper()
	server.UseEngine(t, s)
	if err := s.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// client returns a client of the server's first account.
func client(t testing.TB, s *server.Server, scopes ...api.Scope) *api.Client {
	t.Helper()
	c, err := s.Client(scopes...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// survey is a valid request.
func survey() api.CreateOrderRequest {
	day := time.Date(2026, 5, 1, 8, 0, 0, 0, time.FixedZone("", 2*60*60))
	return api.CreateOrderRequest{
		Order: api.OrderInput{
			CompanyName: "Äolus GmbH", OrderName: "Blade inspection", OrderType: api.MultiLocation,
			Sensors: []api.Sensor{"rgbSensor"}, Deliverables: []api.Deliverable{"thermalMap"},
			MissionObjective: "assetInspection", IndustryAssetType: "windTurbines",
			StartDate: api.TimeOf(day), Deadline: api.TimeOf(day.AddDate(0, 0, 10)),
		},
		Missions: []api.MissionInput{
			{
				MissionName: "Field", MissionType: api.MissionArea, Country: "Germany", LocationLabel: "Feld 1", AreaSize: 1200.5,
				LocationMap: []api.Point{{Lat: 53, Lng: 8}, {Lat: 53, Lng: 8.1}, {Lat: 53.1, Lng: 8.1}},
			},
			{
				MissionName: "Mast", MissionType: api.MissionAsset, Country: "Germany", LocationLabel: "Mast 東", AreaSize: 0,
				LocationMap: []api.Point{{Lat: 53.2, Lng: 8.2}},
			},
		},
	}
}

func TestOrderPlacedIsRead(t *testing.T) {
	c := client(t, start(t, &server.Server{}))
	ctx := context.Background()

	placed, err := c.Orders.Create(ctx, survey(), "")
	if err != nil {
		t.Fatal(err)
	}
	if placed.Status != api.OrderBiddingWithQuote || *placed.MissionCount != 2 || *placed.AreaSize != 1200.5 {
		t.Errorf("placed %+v", placed)
	}
	got, err := c.Orders.Get(ctx, placed.OrderCode)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Missions) != 2 || got.Missions[1].LocationLabel != "Mast 東" || got.Missions[0].LocationMap[1].Lng != 8.1 {
		t.Errorf("read %+v", got)
	}
	page, err := c.Orders.List(ctx, api.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Items) != 1 || page.Items[0].UUID != placed.UUID || page.HasNextPage {
		t.Errorf("listed %+v", page)
	}
}

func TestClientInProcess(t *testing.T) {
	s := start(t, &server.Server{})
	c := client(t, s, api.ScopeOrdersRead)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Orders.List(ctx, api.ListOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := c.Orders.Create(context.Background(), survey(), ""); !api.IsStatus(err, http.StatusForbidden) {
		t.Errorf("without the scope: %v", err)
	}
	r := httptest.NewRequest(http.MethodGet, "/healthz", nil)
	resp, err := server.DirectTo(server.Panicking(s, true)).RoundTrip(r)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a handler that panics half way gave %v, %v", resp, err)
	}
}

func TestStartTwice(t *testing.T) {
	s := start(t, &server.Server{})
	if err := s.Start(context.Background()); err == nil {
		t.Error("a running server was started again")
	}
}
