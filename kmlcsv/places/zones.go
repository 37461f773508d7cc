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

// countryZones are the time zones of a country.
type countryZones struct {
	main          string  // zone of the country, except its islands in the west
	islands       string  // zone of the islands west of the longitude islandsWestOf, "" for none
	islandsWestOf float64 // longitude in degrees
}

// zonesOf has the time zones of countries by the codes of the countries. A line of zones.txt has the code of a country
// and its zone. For a country with islands in another zone, the line also has a longitude and the zone of the islands.
// The islands are west of this longitude.
var zonesOf = sync.OnceValue(func() map[string]countryZones {
	zones := map[string]countryZones{}
	for line := range strings.Lines(zonesText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		zone := countryZones{main: fields[1]}
		if len(fields) > 2 {
			zone.islandsWestOf, _ = strconv.ParseFloat(fields[2], 64)
			zone.islands = fields[3]
		}
		zones[fields[0]] = zone
	}
	return zones
})

var loadedZones sync.Map // time zones by name

// TimeZone returns the time zone of a site, or nil if it is not known. country is a name or a code of Countries. If
// there is no such country, TimeZone uses the country at the position. at may be nil. For most countries with several
// zones the result is nil, because the borders of zones are not embedded. Only islands in another zone are recognised.
func TimeZone(country string, at *orb.Point) *time.Location {
	code := named()[strings.ToLower(country)].Code
	if code == "" && at != nil {
		code = Country(*at).Code
	}
	zones, isKnown := zonesOf()[code]
	if !isKnown {
		return nil
	}
	name := zones.zoneAt(at)
	if name == "" {
		return nil
	}
	if location, isLoaded := loadedZones.Load(name); isLoaded {
		return location.(*time.Location)
	}
	location, _ := LoadZone(name) // nil if the zone is unknown
	loadedZones.Store(name, location)
	return location
}

// zoneAt returns the name of the zone at a position in the country. If the country has islands in another zone and at
// is nil, it returns "", because the zone is not clear.
func (z *countryZones) zoneAt(at *orb.Point) string {
	hasIslands := z.islands != ""
	if !hasIslands {
		return z.main
	}
	if at == nil {
		return ""
	}
	if at[0] < z.islandsWestOf {
		return z.islands
	}
	return z.main
}

// LoadZone returns the time zone with a name. It uses the zones of the system. If the system has none, as on Windows,
// it uses the embedded zones.
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

// embeddedZones parses the data that readZones of package gen wrote. The data has a sixth of the size of time/tzdata.
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
