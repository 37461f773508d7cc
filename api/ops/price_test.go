package ops_test

import (
	"math"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
)

func hectares(n float64) api.MissionInput {
	return api.MissionInput{MissionType: api.MissionArea, AreaSize: n * 1e4}
}

// price returns the price of a survey with the camera in 20 days.
func price(missions ...api.MissionInput) float64 {
	return ops.SuggestPrice(survey(missions, []api.Sensor{"rgbSensor"}), 20, "USD")
}

func TestPricesFollowTheFormula(t *testing.T) {
	line := api.MissionInput{MissionType: api.MissionLinear, LocationMap: []api.Point{{Lat: 50, Lng: 7}, {Lat: 50.1, Lng: 7}}} // 11.12 km
	masts := api.MissionInput{MissionType: api.MissionAsset, LocationMap: make([]api.Point, 12)}
	for name, c := range map[string]struct{ got, want float64 }{
		"a hectare":     {price(hectares(1)), 280 + 95},
		"16 hectares":   {price(hectares(16)), 280 + 95*8},
		"two missions":  {price(hectares(1), hectares(16)), 2*280 + 95*9},
		"a line":        {price(line), 280 + 160*math.Pow(11.1195, 0.9)},
		"masts":         {price(masts), 280 + 70*math.Pow(12, 0.85)},
		"nothing":       {price(), 10},
		"laser and map": {ops.SuggestPrice(survey([]api.MissionInput{hectares(16)}, []api.Sensor{"lidarSensor", "rgbSensor", "rgbSensor"}, "jpg", "_2dMap", "LiDAR", "_2dMap"), 20, "USD"), 280 + 95*8*(2.1+0.35)},
		"in 4 days":     {ops.SuggestPrice(survey([]api.MissionInput{hectares(16)}, []api.Sensor{"rgbSensor"}), 4, "EUR"), (280 + 95*8) * 1.4 * 0.92},
		"in yen":        {ops.SuggestPrice(survey([]api.MissionInput{hectares(16)}, []api.Sensor{"rgbSensor"}), 20, "JPY"), 156_000},
	} {
		if math.Abs(c.got-c.want) > 5 || math.Mod(c.got, 10) != 0 {
			t.Errorf("%s costs %v, want %v", name, c.got, c.want)
		}
	}
}

func TestFasterDeliveryAndLargerAreasCostMore(t *testing.T) {
	in := survey([]api.MissionInput{hectares(40)}, []api.Sensor{"rgbSensor"})
	last := math.Inf(1)
	for _, days := range []int{0, 2, 3, 5, 9, 18, 28} {
		if got := ops.SuggestPrice(in, days, "EUR"); got >= last || got <= 0 {
			t.Errorf("%d days cost %v, after %v", days, got, last)
		} else {
			last = got
		}
	}
	for _, s := range api.Sensors()[1:] {
		more := in
		more.Order.Sensors = append([]api.Sensor{"rgbSensor"}, s)
		if ops.SuggestPrice(more, 28, "EUR") <= last {
			t.Errorf("%s costs nothing", s)
		}
	}
	for _, d := range api.Deliverables() {
		more := in
		more.Order.Deliverables = []api.Deliverable{d}
		free := d == api.DeliverableJPG || d == "raw"
		if got := ops.SuggestPrice(more, 28, "EUR"); (got == last) != free {
			t.Errorf("with %s: %v, without %v", d, got, last)
		}
	}
	for _, currency := range []string{"EUR", "USD", "GBP", "NOK", "JPY", "XXX"} {
		if got := ops.SuggestPrice(in, 28, currency); got < 100 || math.IsNaN(got) {
			t.Errorf("%v %s", got, currency)
		}
	}
}

func survey(missions []api.MissionInput, sensors []api.Sensor, products ...api.Deliverable) api.CreateOrderRequest {
	return api.CreateOrderRequest{Order: api.OrderInput{Sensors: sensors, Deliverables: products}, Missions: missions}
}
