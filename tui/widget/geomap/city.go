package geomap

import (
	"cmp"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/basemap"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/format"
)

// Loading the place names and the base map takes about 20 ms, too long for a frame.
var (
	namesRead atomic.Bool
	readOnce  sync.Once
)

// PreloadPlaces loads the place names and the base map, and returns the memory that
// loading and starting the program needed to the system. Call it after the first frame.
// Maps are drawn without names until it has returned, and with names from their next View
// on. A map never loads names in the background, so what it draws is deterministic.
func PreloadPlaces() {
	readOnce.Do(func() {
		places.PreloadData()
		baseLines(basemap.World)
		baseLines(basemap.Region)
		namesRead.Store(true)
		debug.FreeOSMemory()
	})
}

// cellsPerName is the area of the pane, in cells, per town name.
const cellsPerName = 280

// drawCities draws the names of the largest visible towns that have room.
func (m *Model) drawCities(t *paneMap) {
	left := m.width * m.height / cellsPerName
	seen := m.largestCities(6 * left)
	// Where the first have no room, the later ones hardly matter.
	for _, c := range seen {
		if left == 0 {
			return
		}
		x, y, ok := t.cellOf(project(orb.Point{c.Point[0] + turnsBetween(c.Point[0], m.cam.at[0]), c.Point[1]}))
		if ok && m.nameCity(x, y, c.Name) {
			left--
		}
	}
}

// largestCities returns the largest visible towns, at most so many. It lowers the
// population limit until there are enough, because most towns of a continent are too small
// to matter.
func (m *Model) largestCities(most int) []places.City {
	bound := m.visibleDegrees()
	var seen []places.City
	for people := 5_000_000; ; people /= 5 {
		seen = seen[:0]
		places.EachCity(bound, people, func(c places.City) bool {
			seen = append(seen, c)
			return true
		})
		if len(seen) >= most || people <= 1000 {
			break
		}
	}
	sort.Slice(seen, func(i, j int) bool {
		a, b := &seen[i], &seen[j]
		return cmp.Or(b.Population-a.Population, slices.Compare(a.Point[:], b.Point[:])) < 0
	})
	return seen[:min(len(seen), most)]
}

// nameCity writes a dot with a name to its right, or to its left. It reports whether there
// was room.
func (m *Model) nameCity(x, y int, name string) bool {
	name = cleanLabel(name, maxLabel)
	return m.frame.writeFree(x, y, "· "+name, 2, inkCity) ||
		m.frame.writeFree(x-1-format.Width(name), y, name+" ·", 2, inkCity)
}

// nearSpan is the largest width of a view, in metres, that shows the nearest town.
const nearSpan = 40_000

// nearestTown describes the centre by the nearest town, such as "6.2 km NW of Freising".
// It returns "" if the view is too wide or no town is near.
func (m *Model) nearestTown() string {
	if m.cam.w*m.cam.metresPerDot() > nearSpan {
		return ""
	}
	at := m.Centre()
	c, ok := places.CityAt(at, places.Country(at).Code)
	if !ok {
		return ""
	}
	points := [...]string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}
	way := points[int(math.Round(c.Bearing/45))%len(points)]
	switch {
	case c.Distance < 1000:
		return "at " + c.Name
	case c.Distance < 10_000:
		return fmt.Sprintf("%.1f km %s of %s", c.Distance/1000, way, c.Name)
	default:
		return fmt.Sprintf("%.0f km %s of %s", c.Distance/1000, way, c.Name)
	}
}
