package geomap

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/basemap"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/format"
)

// Loading the place names and the base map takes about 20 ms, which is too long for a frame.
var (
	namesRead atomic.Bool
	readOnce  sync.Once
)

// PreloadPlaces loads the place names and the base map. Call it after the first frame. Maps are drawn without names
// until it has returned, and with names from their next View on. A map never loads names in the background, so its
// drawing is deterministic. At the end, PreloadPlaces returns unused memory to the operating system, because
// loading needs much memory for a short time.
func PreloadPlaces() {
	readOnce.Do(func() {
		places.PreloadData()
		baseLines(basemap.World)
		baseLines(basemap.Region)
		namesRead.Store(true)
		debug.FreeOSMemory()
	})
}

// cellsPerName limits the number of town names: there is at most one for every 280 cells of the pane.
const cellsPerName = 280

// drawCities draws the names of the largest visible towns that have room.
func (m *Model) drawCities(t *paneMap) {
	left := m.width * m.height / cellsPerName
	// If the largest towns have no room, much smaller ones are not worth a name.
	for _, city := range m.largestCities(6 * left) {
		if left == 0 {
			return
		}
		turns := turnsBetween(city.Point[0], m.cam.centre[0])
		x, y, ok := t.cellOf(project(orb.Point{city.Point[0] + turns, city.Point[1]}))
		if ok && m.nameCity(x, y, city.Name) {
			left--
		}
	}
}

// largestCities returns the largest visible towns, at most limit. It begins with a high minimum population and
// lowers it until it finds enough towns, because collecting and sorting all small towns of a continent would be
// slow.
func (m *Model) largestCities(limit int) []places.City {
	bound := m.visibleDegrees()
	var cities []places.City
	for population := 5_000_000; ; population /= 5 {
		cities = cities[:0]
		places.EachCity(bound, population, func(city places.City) bool {
			cities = append(cities, city)
			return true
		})
		if len(cities) >= limit || population <= 1000 {
			break
		}
	}
	slices.SortFunc(cities, func(a, b places.City) int {
		if a.Population != b.Population {
			return b.Population - a.Population
		}
		return slices.Compare(a.Point[:], b.Point[:])
	})
	return cities[:min(len(cities), limit)]
}

// nameCity writes a dot with a name to its right, or to its left. It reports whether there
// was room.
func (m *Model) nameCity(x, y int, name string) bool {
	name = cleanLabel(name, maxFullLabel)
	if m.frame.writeFree(x, y, "· "+name, 2, inkCity) {
		return true
	}
	return m.frame.writeFree(x-1-format.Width(name), y, name+" ·", 2, inkCity)
}

// nearSpan is the width of a view in metres up to which the nearest town is shown.
const nearSpan = 40_000

// nearestTown describes the position of the centre by the nearest town, such as "6.2 km NW of Freising". It returns
// "" if the view is too wide or no town is near.
func (m *Model) nearestTown() string {
	if m.cam.w*m.cam.metresPerDot() > nearSpan {
		return ""
	}
	centre := m.Centre()
	city, ok := places.CityAt(centre, places.Country(centre).Code)
	if !ok {
		return ""
	}
	if city.Distance < 1000 {
		return "at " + city.Name
	}
	km := city.Distance / 1000
	direction := compassPoint(city.Bearing)
	if km < 10 {
		return fmt.Sprintf("%.1f km %s of %s", km, direction, city.Name)
	}
	return fmt.Sprintf("%.0f km %s of %s", km, direction, city.Name)
}

// compassPoint returns the nearest of the eight compass points, such as "NW" for a bearing of 310 degrees.
func compassPoint(bearing float64) string {
	points := [...]string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}
	return points[int(math.Round(bearing/45))%len(points)]
}
