package api

import (
	"math"
	"slices"
)

// PriceInput is what the price of a survey follows from.
type PriceInput struct {
	Missions     []PriceMission
	AreaSize     float64 // square metres; used only if there are no missions
	Sensors      []Sensor
	Deliverables []Deliverable
	Days         int    // to deliver in, 1 or more
	Currency     string // ISO 4217; one that is not known counts as USD
}

// PriceMission is what the price of a mission follows from.
type PriceMission struct {
	Type     MissionType
	AreaSize float64 // square metres
	Location []Point
}

// The formula in USD: each mission costs the way there and its capture, which
// grows more slowly than its extent.
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

// sensorShares are how much of the capture each sensor costs; all together
// they cost it once at least.
var sensorShares = map[Sensor]float64{
	"rgbSensor": 1, "thermalSensor": 0.5, "multispectralSensor": 0.7, "hyperspectralSensor": 1.9, "lidarSensor": 1.1,
	"groundCapture": 0.6,
}

// productShares are how much of the capture each product costs beside it.
// Photos as they were taken cost nothing more.
var productShares = map[Deliverable]float64{
	"_2dMap": 0.15, "_3dMap": 0.25, "_3dModel": 0.3, "digitalTerrainModel": 0.12, "digitalSurfaceModel": 0.12,
	"topographicMap": 0.15, "thermalMap": 0.15, "ndvi": 0.1, "multispectral": 0.15, "hyperspectral": 0.3,
	"streamedData": 0.1, "panoramas": 0.1, "LiDAR": 0.2, "pointCloud": 0.2,
}

// rates turn USD into other currencies. They are fixed, and not those of today.
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

// SuggestPrice returns what a survey usually costs in its currency, rounded to
// tens, or in currencies of small units to hundreds or thousands. The faster it
// shall be delivered, the dearer it is; it is the same for the same survey each
// time. It is a suggestion: the service quotes what it likes.
func SuggestPrice(in PriceInput) float64 {
	sensors := 0.0
	for _, s := range distinctValues(in.Sensors) {
		sensors += sensorShares[s]
	}
	share := max(1, sensors)
	for _, d := range distinctValues(in.Deliverables) {
		share += productShares[d]
	}
	total := 0.0
	if len(in.Missions) == 0 && in.AreaSize > 0 {
		in.Missions = []PriceMission{{Type: MissionArea, AreaSize: in.AreaSize}}
	}
	for _, m := range in.Missions {
		total += pricePerVisit + m.capturePrice()*share
	}
	rate, known := rates[in.Currency]
	if !known {
		rate = 1
	}
	unit := 10 * math.Pow10(max(0, int(math.Floor(math.Log10(rate)))))
	urgency := urgencyBase + urgencyDays/float64(max(1, in.Days))
	return max(unit, math.Round(total*urgency*rate/unit)*unit)
}

// capturePrice returns the price of flying a mission with one sensor.
func (m PriceMission) capturePrice() float64 {
	switch m.Type {
	case MissionArea:
		return pricePerHectare * math.Pow(max(0, m.AreaSize)/1e4, areaExponent)
	case MissionLinear:
		return pricePerKm * math.Pow(lengthOf(m.Location)/1000, lengthExponent)
	default:
		return pricePerPoint * math.Pow(float64(max(1, len(m.Location))), pointExponent)
	}
}

// lengthOf returns the length of a line on a sphere, in metres.
func lengthOf(line []Point) (metres float64) {
	const radius, degree = 6_371_000, math.Pi / 180
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		north, east := math.Sin((b.Lat-a.Lat)*degree/2), math.Sin((b.Lng-a.Lng)*degree/2)
		h := north*north + math.Cos(a.Lat*degree)*math.Cos(b.Lat*degree)*east*east
		metres += 2 * radius * math.Asin(math.Sqrt(min(1, h)))
	}
	return metres
}

// distinctValues returns the values, each once.
func distinctValues[T comparable](values []T) (once []T) {
	for _, v := range values {
		if !slices.Contains(once, v) {
			once = append(once, v)
		}
	}
	return once
}
