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

// Names of places and the base map take some 20 ms to read, too long for a frame.
var (
	namesRead atomic.Bool
	readOnce  sync.Once
)

// PreloadPlaces reads names of places and the base map, and gives back the memory that
// this and the program's start took for a moment: a program calls it after its
// first frame. Maps are drawn without names until it is done, and with them at
// their next View; what is drawn never depends on a race with something that a map
// began by itself.
func PreloadPlaces() {
	readOnce.Do(func() {
		places.PreloadData()
		baseLines(basemap.World)
		baseLines(basemap.Region)
		namesRead.Store(true)
		debug.FreeOSMemory()
	})
}

// cellsPerName is how much of the pane there is for each name.
const cellsPerName = 280

// drawCities names the largest towns in view, where there is room.
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

// largestCities returns towns in view from the largest, at most so many. It asks for
// ever smaller ones until there are enough: most of the towns of a continent
// are not worth looking at.
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

// nameCity writes a dot and a name to the right of it, or to the left. It
// reports whether there was room.
func (m *Model) nameCity(x, y int, name string) bool {
	name = cleanLabel(name, maxLabel)
	return m.frame.writeFree(x, y, "· "+name, 2, inkCity) ||
		m.frame.writeFree(x-1-format.Width(name), y, name+" ·", 2, inkCity)
}

// nearSpan is how many metres wide a view may be to be told by the town it is
// near to.
const nearSpan = 40_000

// nearestTown says how far from which town the centre is: "6.2 km NW of Freising".
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
