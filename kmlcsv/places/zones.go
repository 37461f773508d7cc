package places

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // where the system has none, as on Windows

	"github.com/paulmach/orb"
)

//go:embed zones.txt
var zonesText string

// zonesOf are the time zones of countries by code: the name of one; or that of most of
// the country, a longitude, and the zone of its islands west of that.
var zonesOf = sync.OnceValue(func() map[string][]string {
	of := map[string][]string{}
	for line := range strings.Lines(zonesText) {
		zone := strings.Fields(line)
		of[zone[0]] = zone[1:]
	}
	return of
})

var loaded sync.Map // time zones by name

// TimeZone returns the time zone of a site by its country, a name or a code as
// Countries has them, and its position, nil where that is not known. Where the
// country is none that is known the position tells it. Of a country with
// several zones there is none: no borders of zones are at hand.
func TimeZone(country string, at *orb.Point) *time.Location {
	code := named()[strings.ToLower(country)].Code
	if code == "" && at != nil {
		code = Country(*at).Code
	}
	zone := zonesOf()[code]
	if len(zone) == 0 || len(zone) > 1 && at == nil {
		return nil
	}
	name := zone[0]
	if len(zone) > 1 {
		if west, _ := strconv.ParseFloat(zone[1], 64); at[0] < west {
			name = zone[2]
		}
	}
	if known, ok := loaded.Load(name); ok {
		return known.(*time.Location)
	}
	location, _ := time.LoadLocation(name) // nil where the library does not know it
	loaded.Store(name, location)
	return location
}
