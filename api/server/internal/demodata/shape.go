package demodata

import (
	"math"
	"math/rand/v2"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geo"

	"flightdesk/api"
)

// demoSite is the site of a mission: an area, a corridor, or separate masts.
type demoSite struct {
	Name    string // of the mission
	Label   string
	Country string
	City    string

	Area     *areaShape
	Corridor *corridorShape
	Row      *mastRow
	Masts    []api.Point // each with a circle of 20 m

	Flaws deliveryFlaws
}

// deliveryFlaws is what is wrong with the delivery of a mission, for a check to find.
type deliveryFlaws struct {
	Missing   []api.Deliverable // ordered, but not delivered
	Partial   []api.Deliverable // rasters that miss the east of the area
	InDegrees []api.Deliverable // rasters in another reference system than the other files
}

// areaShape is an area to survey: a rectangle of Width by Height metres around a point,
// rotated by Turned degrees, with slightly irregular corners and edges.
type areaShape struct{ Lat, Lng, Width, Height, Turned float64 }

// corridorShape is a line to fly along, Width metres wide.
type corridorShape struct {
	Width float64
	Path  []api.Point
}

// mastRow is a row of N masts that begins at a point. The distance between two masts is
// East and North metres; each mast is displaced by up to a tenth of that.
type mastRow struct {
	Lat, Lng    float64
	N           int
	East, North float64
}

func (s demoSite) missionType() api.MissionType {
	if s.Area != nil {
		return api.MissionArea
	}
	if s.Corridor != nil {
		return api.MissionLinear
	}
	return api.MissionAsset
}

// drawLocation returns the location of a mission and its area in square metres.
func (s demoSite) drawLocation(rng *rand.Rand) (location []api.Point, area float64) {
	switch {
	case s.Area != nil:
		return s.Area.drawRing(rng)
	case s.Corridor != nil:
		var line orb.LineString
		for _, p := range s.Corridor.Path {
			line = append(line, orb.Point{p.Lng, p.Lat})
		}
		return s.Corridor.Path, math.Round(geo.Length(line) * s.Corridor.Width)
	case s.Row != nil:
		location = s.Row.drawMasts(rng)
	default:
		location = s.Masts
	}
	return location, math.Round(float64(len(location)) * math.Pi * 20 * 20)
}

// drawRing draws an area of 4 to 8 irregular corners. It returns the corners and the size of the area in square metres.
func (a areaShape) drawRing(rng *rand.Rand) ([]api.Point, float64) {
	outline := [][2]float64{{-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}}
	sin, cos := math.Sincos(a.Turned * math.Pi / 180)
	var location []api.Point
	var ring orb.Ring
	for i, corner := range outline {
		if i%2 == 1 && rng.IntN(2) == 0 {
			continue // a straight edge
		}
		x := corner[0]*a.Width/2 + (rng.Float64()-0.5)*a.Width*0.12
		y := corner[1]*a.Height/2 + (rng.Float64()-0.5)*a.Height*0.12
		at := offsetPoint(a.Lat, a.Lng, x*cos-y*sin, x*sin+y*cos)
		location = append(location, at)
		ring = append(ring, orb.Point{at.Lng, at.Lat})
	}
	ring = append(ring, ring[0])
	return location, math.Round(geo.Area(ring))
}

func (r mastRow) drawMasts(rng *rand.Rand) []api.Point {
	step := math.Hypot(r.East, r.North)
	masts := make([]api.Point, r.N)
	for i := range masts {
		x := r.East*float64(i) + (rng.Float64()-0.5)*step*0.2
		y := r.North*float64(i) + (rng.Float64()-0.5)*step*0.2
		masts[i] = offsetPoint(r.Lat, r.Lng, x, y)
	}
	return masts
}

// offsetPoint returns the point that is east metres east and north metres north of lat, lng,
// rounded to seven decimal places of a degree, about a centimetre.
func offsetPoint(lat, lng, east, north float64) api.Point {
	const metresPerDegree = 111_320
	return api.Point{
		Lat: roundCoordinate(lat + north/metresPerDegree),
		Lng: roundCoordinate(lng + east/(metresPerDegree*math.Cos(lat*math.Pi/180))),
	}
}

func roundCoordinate(f float64) float64 { return math.Round(f*1e7) / 1e7 }
