package kmlcsv

import (
	"bytes"
	"strings"
)

// Columns are the columns of a CSV by what they hold, from 0, -1 for none. To
// choose them by hand, start from those of a [Result] or from [EmptyColumns].
type Columns struct {
	Label     int
	ID        int // what the rows of one placemark share
	Sequence  int // the order of the rows of one placemark
	Latitude  int
	Longitude int
	Geometry  int // WKT, GeoJSON or "latitude, longitude" pairs
	Country   int
	City      int
	Type      int // area, linear or asset
}

// EmptyColumns returns columns of which none is chosen.
func EmptyColumns() Columns { return Columns{-1, -1, -1, -1, -1, -1, -1, -1, -1} }

// hasLocation reports whether the columns say where anything is.
func (c *Columns) hasLocation() bool { return c.Geometry >= 0 || c.Latitude >= 0 && c.Longitude >= 0 }

// fitsWidth reports whether no column lies beyond a width.
func (c *Columns) fitsWidth(width int) bool {
	for _, i := range []int{c.Label, c.ID, c.Sequence, c.Latitude, c.Longitude, c.Geometry, c.Country, c.City, c.Type} {
		if i >= width {
			return false
		}
	}
	return true
}

// The names of columns as fold leaves them, those that win first.
var (
	labelNames = strings.Fields(`locationlabel name site sitename location locationname label title placemark asset
		assetname point pointname wp waypoint plot parcel field block nom nombre bezeichnung standort naam nome 名称 filename sourcefile`)
	idNames      = strings.Fields("siteid id sitecode polygonid missionid ref code fid objectid")
	latNames     = strings.Fields("latitude lat ycoord latdd latdeg latwgs84 breitengrad breite latitud latitudine gpslat gpslatitude compositegpslatitude") //nolint:misspell // Italian
	lngNames     = strings.Fields("longitude lng lon long xcoord londd lngdd longdd londeg lngdeg longdeg longwgs84 lonwgs84 lngwgs84 langengrad laengengrad lange laenge longitud longitudine gpslon gpslng gpslong gpslongitude compositegpslongitude")
	seqNames     = strings.Fields("seq sequence order vertex vertexorder vertexindex pointorder n no")
	countryNames = strings.Fields("country countryname land pays pais paese countrycode iso2")
	cityNames    = strings.Fields("city cityname town place locality stadt ville ciudad ort")
	typeNames    = strings.Fields("missiontype type geometrytype")
	radiusNames  = strings.Fields("radius radiusm buffer bufferm")

	// Geometry columns of the first kind count even where they are empty, those
	// of the second one only where a cell looks like a geometry.
	geometryNames = strings.Fields("points wkt geojson locationmap geometry geom wktgeom thegeom coordinates")
	perhapsNames  = strings.Fields(`geomjson coords boundary vertices shape poly polygon latlng latlon
		latitudelongitude gps gpsposition gpscoordinates mgrs usng locationcoordinates position location koordinaten coordenadas coordonnees coordinate`)

	projectedNames = strings.Fields("easting northing utm utmx utmy utmeast utmnorth zone utmzone rechtswert hochwert east north eastings northings")
)

// headerFinder finds columns by their names.
type headerFinder struct {
	folded []string
	twice  []int // columns whose name another one before them has
}

func newHeader(cells []string) *headerFinder {
	h := &headerFinder{folded: make([]string, len(cells))}
	seen := make(map[string]bool, len(cells))
	for i, c := range cells {
		f := foldName(c)
		if f != "" && seen[f] {
			h.twice = append(h.twice, i)
		}
		seen[f] = true
		h.folded[i] = f
	}
	return h
}

// findColumn returns the column with the first of the names that there is.
func (h *headerFinder) findColumn(names []string, not ...int) int {
	for _, name := range names {
	cells:
		for i, f := range h.folded {
			if f != name {
				continue
			}
			for _, n := range not {
				if i == n {
					continue cells
				}
			}
			return i
		}
	}
	return -1
}

// findPair finds latitude and longitude, by exact names or else by names that have
// the same around them, as in cell_lat and cell_long.
func (h *headerFinder) findPair() (lat, lng int) {
	lat, lng = h.findColumn(latNames), h.findColumn(lngNames)
	if lat >= 0 && lng >= 0 {
		return lat, lng
	}
	for i, f := range h.folded {
		for _, rest := range wordsAround(f, latNames[:2]) {
			for j, g := range h.folded {
				for _, other := range wordsAround(g, lngNames[:4]) {
					if i != j && rest == other {
						return i, j
					}
				}
			}
		}
	}
	return -1, -1
}

// wordsAround returns what is left of a name without one of the words at its start
// or end.
func wordsAround(name string, words []string) []string {
	var rest []string
	for _, w := range words {
		if r, ok := strings.CutSuffix(name, w); ok {
			rest = append(rest, r+"|")
		}
		if r, ok := strings.CutPrefix(name, w); ok {
			rest = append(rest, "|"+r)
		}
	}
	return rest
}

// findSide finds the column that says on which side of the equator or of Greenwich
// those of another are: exiftool's GPSLatitudeRef of its GPSLatitude.
func (h *headerFinder) findSide(of int) int {
	if of < 0 {
		return -1
	}
	return h.findColumn([]string{h.folded[of] + "ref"})
}

// findGeometry finds the geometry column by name and content; sample holds the
// first cell of each column that is not blank.
func (h *headerFinder) findGeometry(sample [][]byte) int {
	for _, name := range geometryNames {
		if i := h.findColumn([]string{name}); i >= 0 && (len(sample[i]) == 0 || looksLikeGeometry(sample[i])) {
			return i
		}
	}
	for _, name := range perhapsNames {
		if i := h.findColumn([]string{name}); i >= 0 && looksLikeGeometry(sample[i]) {
			return i
		}
	}
	for i, cell := range sample {
		if isWKT(cell) || bytes.HasPrefix(bytes.TrimSpace(cell), []byte(`{"type"`)) {
			return i
		}
	}
	return -1
}

// findColumns finds what the columns hold.
func (h *headerFinder) findColumns(sample [][]byte) Columns {
	c := EmptyColumns()
	c.Latitude, c.Longitude = h.findPair()
	c.Geometry = h.findGeometry(sample)
	if !c.hasLocation() {
		// x and y are degrees only where the values allow it; see xy.
		c.Latitude, c.Longitude = h.findColumn([]string{"y"}), h.findColumn([]string{"x"})
	}
	c.Label = h.findColumn(labelNames, c.Geometry)
	c.ID = h.findColumn(idNames, c.Geometry)
	c.Sequence = h.findColumn(seqNames)
	c.Country = h.findColumn(countryNames)
	c.City = h.findColumn(cityNames)
	c.Type = h.findColumn(typeNames)
	return c
}

// isXY reports whether the coordinates were found by the names x and y alone.
func (h *headerFinder) isXY(c *Columns) bool {
	return c.Latitude >= 0 && h.folded[c.Latitude] == "y"
}
