package columns

import (
	"testing"

	"flightdesk/api"
	"flightdesk/tui/format"
)

func TestPhotosAreAlwaysAmongTheProducts(t *testing.T) {
	for _, test := range []struct {
		products []api.Deliverable
		want     string
	}{
		{nil, ""}, // unknown
		{[]api.Deliverable{"jpg"}, "Photos (JPEG)"},
		{[]api.Deliverable{"thermalMap"}, "Photos (JPEG), Thermal map"},
		{[]api.Deliverable{"thermalMap", "jpg"}, "Photos (JPEG), Thermal map"},
	} {
		if got := Products(test.products); got != test.want {
			t.Errorf("%v: %q, want %q", test.products, got, test.want)
		}
	}
}

func TestTheSizeOfAnOrder(t *testing.T) {
	point := []api.Point{{Lat: 53.5, Lng: 9.9}}
	line := []api.Point{{Lat: 53.5, Lng: 9.9}, {Lat: 53.6, Lng: 9.9}}
	area := api.Mission{MissionType: api.MissionArea}
	asset := api.Mission{MissionType: api.MissionAsset, LocationMap: point}
	linear := api.Mission{MissionType: api.MissionLinear, LocationMap: line}
	for _, test := range []struct {
		squareMetres float64
		missions     []api.Mission
		want         string
	}{
		{1_842_000, []api.Mission{area}, "1 mission · 184.2 ha"},
		{42, []api.Mission{area}, "1 mission · 42 m²"},
		{1_842_000, []api.Mission{area, linear, asset}, "3 missions · 184.2 ha · 11.13 km · 1 point"},
		{0, []api.Mission{asset, asset}, "2 missions"},
		{-42, nil, ""},
	} {
		order := &api.Order{AreaSize: &test.squareMetres, Missions: test.missions}
		if got := OrderSize(order, format.Units{}); got != test.want {
			t.Errorf("%v m²: %q, want %q", test.squareMetres, got, test.want)
		}
	}
}

func TestDeliveredDataIsNotAcceptedYet(t *testing.T) {
	delivered := api.Mission{Status: api.MissionDataDelivered}
	accepted := api.Mission{Status: api.MissionCompleted}
	for _, test := range []struct {
		missions []api.Mission
		want     string
	}{
		{nil, ""},
		{[]api.Mission{accepted}, ""},
		{[]api.Mission{delivered, accepted}, "1 delivery not accepted yet"},
		{[]api.Mission{delivered, delivered}, "2 deliveries not accepted yet"},
	} {
		if got := NotAccepted(test.missions); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
