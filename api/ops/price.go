package ops

import (
	"math"
	"slices"

	"flightdesk/api"
)

// The formula in USD: the price of a mission is the travel to the site and the capture, which grows
// more slowly than the extent of the site.
const (
	pricePerVisit   = 280.0
	pricePerHectare = 95.0 // to the power of areaExponent
	areaExponent    = 0.75
	pricePerKm      = 160.0 // to the power of lengthExponent
	lengthExponent  = 0.9
	pricePerPoint   = 70.0 // to the power of pointExponent
	pointExponent   = 0.85
	urgencyBase     = 0.9
	urgencyDays     = 2.0
)

// sensorShares are the shares of the capture price that each sensor costs. Together they are at
// least 1.
var sensorShares = map[api.Sensor]float64{
	"rgbSensor":           1,
	"thermalSensor":       0.5,
	"multispectralSensor": 0.7,
	"hyperspectralSensor": 1.9,
	"lidarSensor":         1.1,
	"groundCapture":       0.6,
}

// productShares are the shares of the capture price that each product adds. Unprocessed photos add
// nothing.
var productShares = map[api.Deliverable]float64{
	"_2dMap": 0.15, "_3dMap": 0.25, "_3dModel": 0.3, "digitalTerrainModel": 0.12, "digitalSurfaceModel": 0.12,
	"topographicMap": 0.15, "thermalMap": 0.15, "ndvi": 0.1, "multispectral": 0.15, "hyperspectral": 0.3,
	"streamedData": 0.1, "panoramas": 0.1, "LiDAR": 0.2, "pointCloud": 0.2,
}

// rates convert USD into other currencies. They are constants, not current rates.
var rates = map[string]float64{
	"USD": 1,
	"EUR": 0.92,
	"GBP": 0.79,
	"CHF": 0.88,
	"NOK": 10.7,
	"SEK": 10.5,
	"DKK": 6.9,
	"PLN": 3.9,
	"CZK": 23,
	"AUD": 1.5,
	"NZD": 1.65,
	"CAD": 1.37,
	"JPY": 150,
	"CNY": 7.2,
	"INR": 83,
	"KES": 130,
	"ZAR": 18,
	"BRL": 5.2,
	"MXN": 17,
}

// SuggestPrice returns the usual price of a survey that is delivered in the given number of days, which
// is at least 1. Faster delivery costs more. The currency is an ISO 4217 code; an unknown currency counts
// as USD. The price is rounded to tens, or to hundreds or more in a currency whose unit is worth less
// than 0.1 USD. The result is always the same for the same arguments. It is only a suggestion, and the
// service can quote any price.
func SuggestPrice(survey api.CreateOrderRequest, days int, currency string) float64 {
	sensors := 0.0
	for _, s := range slices.Compact(slices.Sorted(slices.Values(survey.Order.Sensors))) {
		sensors += sensorShares[s]
	}
	share := max(1, sensors)
	for _, d := range slices.Compact(slices.Sorted(slices.Values(survey.Order.Deliverables))) {
		share += productShares[d]
	}
	total := 0.0
	for _, m := range survey.Missions {
		total += pricePerVisit + capturePrice(m)*share
	}
	rate, known := rates[currency]
	if !known {
		rate = 1
	}
	unit := 10 * math.Pow10(max(0, int(math.Floor(math.Log10(rate)))))
	urgency := urgencyBase + urgencyDays/float64(max(1, days))
	return max(unit, math.Round(total*urgency*rate/unit)*unit)
}

// capturePrice returns the price of flying a mission with one sensor.
func capturePrice(m api.MissionInput) float64 {
	switch m.MissionType {
	case api.MissionArea:
		return pricePerHectare * math.Pow(max(0, m.AreaSize)/1e4, areaExponent)
	case api.MissionLinear:
		return pricePerKm * math.Pow(lengthOf(m.LocationMap)/1000, lengthExponent)
	default:
		return pricePerPoint * math.Pow(float64(max(1, len(m.LocationMap))), pointExponent)
	}
}

// lengthOf returns the length of a line on the earth, in metres.
func lengthOf(line []api.Point) (metres float64) {
	const radius, degree = 6_371_000, math.Pi / 180
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		north, east := math.Sin((b.Lat-a.Lat)*degree/2), math.Sin((b.Lng-a.Lng)*degree/2)
		h := north*north + math.Cos(a.Lat*degree)*math.Cos(b.Lat*degree)*east*east
		metres += 2 * radius * math.Asin(math.Sqrt(min(1, h)))
	}
	return metres
}
