package demodata

import (
	"math"
	"math/rand/v2"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geo"

	"flightdesk/api"
)

// missionShape draws a mission's location and works out its size in square metres.
type missionShape interface {
	kind() api.MissionType
	draw(rng *rand.Rand) (location []api.Point, area float64)
}

// areaShape is a surveyed area: a box of width by height metres around a point,
// turned by degrees, with corners and edges that are not quite straight.
type areaShape struct {
	lat, lng      float64
	width, height float64
	turned        float64
}

func (areaShape) kind() api.MissionType { return api.MissionArea }

func (p areaShape) draw(rng *rand.Rand) ([]api.Point, float64) {
	outline := [][2]float64{{-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}}
	sin, cos := math.Sincos(p.turned * math.Pi / 180)
	var location []api.Point
	var ring orb.Ring
	for i, corner := range outline {
		if i%2 == 1 && rng.IntN(2) == 0 {
			continue // a straight edge
		}
		x := corner[0]*p.width/2 + (rng.Float64()-0.5)*p.width*0.12
		y := corner[1]*p.height/2 + (rng.Float64()-0.5)*p.height*0.12
		at := offsetPoint(p.lat, p.lng, x*cos-y*sin, x*sin+y*cos)
		location = append(location, at)
		ring = append(ring, orb.Point{at.Lng, at.Lat})
	}
	ring = append(ring, ring[0])
	return location, math.Round(geo.Area(ring))
}

// corridorShape is a line that is flown along, width metres wide.
type corridorShape struct {
	width float64
	path  []api.Point
}

func (corridorShape) kind() api.MissionType { return api.MissionLinear }

func (c corridorShape) draw(*rand.Rand) ([]api.Point, float64) {
	var line orb.LineString
	for _, p := range c.path {
		line = append(line, orb.Point{p.Lng, p.Lat})
	}
	return c.path, math.Round(geo.Length(line) * c.width)
}

// mastsShape are single things to inspect: each takes a circle of 20 m.
type mastsShape []api.Point

func (mastsShape) kind() api.MissionType { return api.MissionAsset }

func (m mastsShape) draw(*rand.Rand) ([]api.Point, float64) {
	return m, math.Round(float64(len(m)) * math.Pi * 20 * 20)
}

// mastRow is n masts in a row, from a point on, a step of east and north metres
// apart, each up to a tenth of the step off.
type mastRow struct {
	lat, lng    float64
	n           int
	east, north float64
}

func (mastRow) kind() api.MissionType { return api.MissionAsset }

func (r mastRow) draw(rng *rand.Rand) ([]api.Point, float64) {
	step := math.Hypot(r.east, r.north)
	m := make(mastsShape, r.n)
	for i := range m {
		x := r.east*float64(i) + (rng.Float64()-0.5)*step*0.2
		y := r.north*float64(i) + (rng.Float64()-0.5)*step*0.2
		m[i] = offsetPoint(r.lat, r.lng, x, y)
	}
	return m.draw(rng)
}

// offsetPoint returns the point so many metres east and north of another, to seven
// decimals of a degree, about a centimetre.
func offsetPoint(lat, lng, east, north float64) api.Point {
	const metresPerDegree = 111_320
	return api.Point{
		Lat: roundCoordinate(lat + north/metresPerDegree),
		Lng: roundCoordinate(lng + east/(metresPerDegree*math.Cos(lat*math.Pi/180))),
	}
}

func roundCoordinate(f float64) float64 { return math.Round(f*1e7) / 1e7 }
