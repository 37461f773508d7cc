package api_test

import (
	"math"
	"testing"

	"flightdesk/api"
)

func hectares(n float64) api.PriceMission {
	return api.PriceMission{Type: api.MissionArea, AreaSize: n * 1e4}
}

// price is that of a survey with the camera, in 20 days.
func price(missions ...api.PriceMission) float64 {
	return api.SuggestPrice(api.PriceInput{Missions: missions, Sensors: []api.Sensor{"rgbSensor"}, Days: 20, Currency: "USD"})
}

func TestPricesFollowTheFormula(t *testing.T) {
	line := api.PriceMission{Type: api.MissionLinear, Location: []api.Point{{Lat: 50, Lng: 7}, {Lat: 50.1, Lng: 7}}} // 11.12 km
	masts := api.PriceMission{Type: api.MissionAsset, Location: make([]api.Point, 12)}
	for name, c := range map[string]struct{ got, want float64 }{
		"a hectare":    {price(hectares(1)), 280 + 95},
		"16 hectares":  {price(hectares(16)), 280 + 95*8},
		"two missions": {price(hectares(1), hectares(16)), 2*280 + 95*9},
		"a line":       {price(line), 280 + 160*math.Pow(11.1195, 0.9)},
		"masts":        {price(masts), 280 + 70*math.Pow(12, 0.85)},
		"nothing":      {price(), 10},
		"laser and map": {api.SuggestPrice(api.PriceInput{
			Missions: []api.PriceMission{hectares(16)}, Sensors: []api.Sensor{"lidarSensor", "rgbSensor", "rgbSensor"},
			Deliverables: []api.Deliverable{"jpg", "_2dMap", "LiDAR", "_2dMap"}, Days: 20, Currency: "USD",
		}), 280 + 95*8*(2.1+0.35)},
		"in 4 days": {api.SuggestPrice(api.PriceInput{
			Missions: []api.PriceMission{hectares(16)}, Sensors: []api.Sensor{"rgbSensor"}, Days: 4, Currency: "EUR",
		}), (280 + 95*8) * 1.4 * 0.92},
		"in yen": {api.SuggestPrice(api.PriceInput{
			Missions: []api.PriceMission{hectares(16)}, Sensors: []api.Sensor{"rgbSensor"}, Days: 20, Currency: "JPY",
		}), 156_000},
	} {
		if math.Abs(c.got-c.want) > 5 || math.Mod(c.got, 10) != 0 {
			t.Errorf("%s costs %v, want %v", name, c.got, c.want)
		}
	}
}

func TestFasterIsDearerAndMoreCostsMore(t *testing.T) {
	in := api.PriceInput{Missions: []api.PriceMission{hectares(40)}, Sensors: []api.Sensor{"rgbSensor"}, Currency: "EUR"}
	last := math.Inf(1)
	for _, days := range []int{0, 2, 3, 5, 9, 18, 28} {
		in.Days = days
		if got := api.SuggestPrice(in); got >= last || got <= 0 {
			t.Errorf("%d days cost %v, after %v", days, got, last)
		} else {
			last = got
		}
	}
	for _, s := range api.Sensors()[1:] {
		more := in
		more.Sensors = append([]api.Sensor{"rgbSensor"}, s)
		if api.SuggestPrice(more) <= last {
			t.Errorf("%s costs nothing", s)
		}
	}
	for _, d := range api.Deliverables() {
		more := in
		more.Deliverables = []api.Deliverable{d}
		free := d == api.DeliverableJPG || d == "raw"
		if got := api.SuggestPrice(more); (got == last) != free {
			t.Errorf("with %s: %v, without %v", d, got, last)
		}
	}
	for _, currency := range []string{"EUR", "USD", "GBP", "NOK", "JPY", "XXX"} {
		in.Currency = currency
		if got := api.SuggestPrice(in); got < 100 || math.IsNaN(got) {
			t.Errorf("%v %s", got, currency)
		}
	}
}
