package places

import (
	_ "embed"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // where the system has none, as on Windows

	"github.com/paulmach/orb"
)

//go:embed zones.txt
var zonesText string

// zonesOf are the names of the time zones of countries that have one, by code.
var zonesOf = sync.OnceValue(func() map[string]string {
	of := map[string]string{}
	for line := range strings.Lines(zonesText) {
		if code, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && code != "#" {
			of[code] = name
		}
	}
	return of
})

// overseas are countries of one zone but for islands far out, which lie west of
// a meridian. China's clocks are Beijing's by law, also where people's are not.
var overseas = map[string]struct {
	main string
	west float64 // longitude
	far  string  // zone west of it
}{
	"CN": {"Asia/Shanghai", -180, ""},
	"EC": {"America/Guayaquil", -85, "Pacific/Galapagos"},
	"ES": {"Europe/Madrid", -12, "Atlantic/Canary"},
	"NZ": {"Pacific/Auckland", 0, "Pacific/Chatham"},
	"PT": {"Europe/Lisbon", -20, "Atlantic/Azores"},
}

var loaded sync.Map // time zones by name

// TimeZone returns the time zone of a site by its country, a name or a code as
// Countries has them, and its position, nil where that is not known. Where the
// country is none that is known the position tells it. Of a country with
// several zones there is none: no borders of zones are at hand.
func TimeZone(country string, at *orb.Point) *time.Location {
	code := strings.ToUpper(country)
	if len(country) != 2 {
		code = named()[strings.ToLower(country)].Code
	}
	if code == "" && at != nil {
		code, _ = Country(*at)
	}
	name := zonesOf()[code]
	if o, ok := overseas[code]; ok {
		if at == nil && o.far != "" {
			return nil
		}
		if name = o.main; o.far != "" && at[0] < o.west {
			name = o.far
		}
	}
	if name == "" {
		return nil
	}
	if zone, ok := loaded.Load(name); ok {
		return zone.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	loaded.Store(name, zone)
	return zone
}
