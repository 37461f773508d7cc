package places

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/paulmach/orb"
)

//go:embed zones.txt
var zonesText string

// zonesOf has the time zones of countries by code: one zone; or the zone of most of the
// country, a longitude, and the zone of its islands west of that.
var zonesOf = sync.OnceValue(func() map[string][]string {
	of := map[string][]string{}
	for line := range strings.Lines(zonesText) {
		zone := strings.Fields(line)
		of[zone[0]] = zone[1:]
	}
	return of
})

var loadedZones sync.Map // time zones by name

// TimeZone returns the time zone of a site, given its country as a name or code of
// Countries and its position, or nil if unknown. If the country is unknown, the position
// determines it. at may be nil. For a country with several zones it returns nil, because
// the borders of zones are not embedded.
func TimeZone(country string, at *orb.Point) *time.Location {
	code := named()[strings.ToLower(country)].Code
	if code == "" && at != nil {
		code = Country(*at).Code
	}
	zone := zonesOf()[code]
	if len(zone) == 0 {
		return nil
	}
	name := zone[0]
	if len(zone) > 1 {
		if at == nil {
			return nil
		}
		islandsWestOf, _ := strconv.ParseFloat(zone[1], 64)
		if at[0] < islandsWestOf {
			name = zone[2]
		}
	}
	if location, isLoaded := loadedZones.Load(name); isLoaded {
		return location.(*time.Location)
	}
	location, _ := LoadZone(name) // nil if the zone is unknown
	loadedZones.Store(name, location)
	return location
}

// LoadZone returns the time zone with a name: from the system, or the embedded one if the
// system has none, as on Windows.
func LoadZone(name string) (*time.Location, error) {
	location, err := time.LoadLocation(name)
	if err == nil {
		return location, nil
	}
	if data := embeddedZones()[name]; data != nil {
		return time.LoadLocationFromTZData(name, data)
	}
	return nil, err
}

// embeddedZones parses the data written by readZones of package gen. It has a sixth of
// the size of time/tzdata.
var embeddedZones = sync.OnceValue(func() map[string][]byte {
	packed := byteReader(zonesBlob)
	r := byteReader(inflate(packed.readChunks()[0]))
	zones := map[string][]byte{}
	for len(r) > 0 {
		name := string(r.readBytes(r.readUvarint()))
		zones[name] = r.readBytes(r.readUvarint())
	}
	return zones
})
