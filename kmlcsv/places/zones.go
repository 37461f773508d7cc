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
	location, _ := LoadZone(name) // nil where nobody knows it
	loaded.Store(name, location)
	return location
}

// LoadZone returns the time zone of a name: the system's or, where that has none, as on
// Windows, the one that is embedded.
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

// embeddedZones reads what the gen program's readZones wrote. time/tzdata has the same
// in six times the room.
var embeddedZones = sync.OnceValue(func() map[string][]byte {
	packed := byteReader(zonesBlob)
	r := byteReader(inflate(packed.takeChunks()[0]))
	zones := map[string][]byte{}
	for len(r) > 0 {
		name := string(r.takeBytes(r.readUvarint()))
		zones[name] = r.takeBytes(r.readUvarint())
	}
	return zones
})
