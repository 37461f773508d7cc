package kmlcsv

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"flightdesk/kmlcsv/crs"
)

// Columns are the CSV columns by their content, from 0, -1 for none. To choose
// them manually, start from those of a [Result] or from [EmptyColumns].
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

// HasLocation reports whether the columns say where anything is.
func (c *Columns) HasLocation() bool { return c.Geometry >= 0 || c.hasPosition() }

func (c *Columns) hasPosition() bool { return c.Latitude >= 0 && c.Longitude >= 0 }

// all returns the columns, -1 for those that there are not.
func (c *Columns) all() []int {
	return []int{c.Label, c.ID, c.Sequence, c.Latitude, c.Longitude, c.Geometry, c.Country, c.City, c.Type}
}

// The names of columns as foldName leaves them, those that win first.
var (
	labelNames = strings.Fields(`locationlabel name site sitename location locationname label title placemark asset
		assetname point pointname wp waypoint plot parcel field block nom nombre bezeichnung bezeichnun standort naam nome 名称 filename sourcefile
		line linie trasse projekt project baustelle objekt object flache flaeche gebiet kunde customer beschreibung description`)
	idNames  = strings.Fields("siteid id sitecode polygonid missionid ref code fid objectid")
	latNames = strings.Fields("latitude lat ycoord latdd latdeg latwgs84 breitengrad breite latitud latitudine breddegrad gpslat gpslatitude compositegpslatitude") //nolint:misspell // Italian
	lngNames = strings.Fields("longitude lng lon long xcoord londd lngdd longdd londeg lngdeg longdeg longwgs84 lonwgs84 lngwgs84 langengrad laengengrad lange laenge longitud longitudine gpslon gpslng gpslong gpslongitude compositegpslongitude")
	seqNames = strings.Fields(`seq sequence order vertex vertexorder vertexindex vertexno vertexnumber pointorder pointno pointnumber pointid cornerno cornerid corner
		vertexid eckpunkt eckpunktnr punktnr pt n no nr point punkt`)
	countryNames = strings.Fields("country countryname land pays pais paese countrycode iso2")
	cityNames    = strings.Fields("city cityname town place locality stadt ville ciudad ort")
	typeNames    = strings.Fields("missiontype type geometrytype")
	radiusNames  = strings.Fields("radius radiusm buffer bufferm")

	// Geometry columns of the first kind count even where they are empty, those
	// of the second one only where a cell looks like a geometry.
	geometryNames = strings.Fields("points wkt geojson locationmap geometry geom wktgeom thegeom coordinates")
	perhapsNames  = strings.Fields(`geomjson coords boundary vertices shape poly polygon latlng latlon
		latitudelongitude gps gpsposition gpscoordinates mgrs usng locationcoordinates position location koordinaten coordenadas coordonnees coordinate`)

	// Northings and eastings. Only x and y can be degrees.
	northNames = strings.Fields(
		"y ykoordinate northing northings north nord n hochwert hoch nordwert utmnorth utmnorthing utmy coordy gridy",
	)
	eastNames = strings.Fields(
		"x xkoordinate easting eastings east ost e rechtswert rechts ostwert utmeast utmeasting utmx coordx gridx",
	)
	zoneNames = strings.Fields("zone utmzone utm")
	crsNames  = strings.Fields("crs epsg epsgcode srid srs koordinatensystem projection coordinatesystem")
)

// headerFinder finds columns by their names.
type headerFinder struct {
	titles []string
	folded []string
	twice  []int    // columns whose name another one before them has
	ends   []string // the hemisphere that the name of a column ends in: n, s, e, w or ""
	named  int      // EPSG code that a name has, 0 for none
	sample [][]byte // the first cell of each column that is not blank
}

var (
	sideText = regexp.MustCompile(`(?i)^(lat|lon|lng).*[^a-z/]+(n|s|e|w|north|south|east|west)\)?$`)
	wordText = regexp.MustCompile(`[\p{L}]+`)
)

func newHeaderFinder(cells []string) *headerFinder {
	h := &headerFinder{
		titles: cells,
		folded: make([]string, len(cells)),
		ends:   make([]string, len(cells)),
	}
	seen := make(map[string]bool, len(cells))
	for i, c := range cells {
		f := foldName(c)
		if m := sideText.FindStringSubmatch(strings.TrimSpace(c)); m != nil && !strings.ContainsAny(c, "/+±") {
			h.ends[i] = strings.ToLower(m[2][:1])
			f = strings.TrimSuffix(f, strings.ToLower(m[2]))
		}
		if system := crs.Named(c); system != 0 && len(c) < 40 {
			h.named = system
			f = foldName(wordText.FindString(c))
		}
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
		for i, f := range h.folded {
			if f == name && !slices.Contains(not, i) {
				return i
			}
		}
	}
	return -1
}

// pairs finds latitudes and longitudes: those of exact names first, then those
// whose names have the same around them, as in cell_lat and cell_long.
func (h *headerFinder) pairs() (pairs [][2]int, around []string) {
	if lat, lng := h.findColumn(latNames), h.findColumn(lngNames); lat >= 0 && lng >= 0 {
		pairs, around = append(pairs, [2]int{lat, lng}), append(around, "")
	}
	for i, f := range h.folded {
		for _, rest := range affixes(f, latNames[:2]) {
			for j, g := range h.folded {
				if i != j && slices.Contains(affixes(g, lngNames[:4]), rest) && !slices.Contains(around, rest) &&
					rest != "|" &&
					rest != "|ref" {
					pairs, around = append(pairs, [2]int{i, j}), append(around, rest)
				}
			}
		}
	}
	return pairs, around
}

var (
	endNames   = regexp.MustCompile(`^(end|to|bis|ende|stop|finish|2|b)$`)
	numberText = regexp.MustCompile(`[0-9]+$|^[0-9]+|^(ne|nw|se|sw|no|so|a|b|c|d)$`)
)

// corners returns the further latitudes and longitudes of a row, after those
// that are chosen: its numbered corners, or the end of a line. others reports
// whether there are more that are neither.
func (r *csvReader) corners() (corners [][2]int, others bool) {
	pairs, around := r.pairs()
	for i, pair := range pairs {
		name := strings.Trim(around[i], "|")
		switch {
		case pair[0] == r.columns.Latitude || pair[1] == r.columns.Longitude:
		case endNames.MatchString(name) || numberText.MatchString(name):
			corners = append(corners, pair)
		default:
			others = true
		}
	}
	return corners, others
}

// affixes returns what is left of a name without each of the words that it starts or
// ends with, with a | in the place of the word.
func affixes(name string, words []string) []string {
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
// those of another are: exiftool's GPSLatitudeRef of its GPSLatitude, or the one
// beside it with the letters of that axis.
func (h *headerFinder) findSide(of int, letters string) int {
	if of < 0 {
		return -1
	}
	if i := h.findColumn([]string{h.folded[of] + "ref"}); i >= 0 {
		return i
	}
	for _, i := range []int{of + 1, of - 1} {
		if i >= 0 && i < len(h.sample) && len(h.sample[i]) > 0 &&
			strings.Contains(letters, " "+foldName(string(h.sample[i]))+" ") {
			return i
		}
	}
	return -1
}

// findGeometry finds the geometry column by name and content.
func (h *headerFinder) findGeometry() int {
	for _, name := range geometryNames {
		if i := h.findColumn([]string{name}); i >= 0 && (len(h.sample[i]) == 0 || looksLikeGeometry(h.sample[i])) {
			return i
		}
	}
	for _, name := range perhapsNames {
		if i := h.findColumn([]string{name}); i >= 0 && looksLikeGeometry(h.sample[i]) {
			return i
		}
	}
	for i, cell := range h.sample {
		if isWKT(cell) && bytes.IndexByte(cell, '(') > 0 ||
			bytes.HasPrefix(bytes.TrimSpace(cell), []byte(`{"type"`)) {
			return i
		}
	}
	return -1
}

// findColumns finds what the columns hold.
func (h *headerFinder) findColumns() Columns {
	c := EmptyColumns()
	if pairs, _ := h.pairs(); len(pairs) > 0 {
		c.Latitude, c.Longitude = pairs[0][0], pairs[0][1]
	}
	c.Geometry = h.findGeometry()
	if !c.HasLocation() {
		c.Latitude, c.Longitude = h.findColumn(northNames), h.findColumn(eastNames)
	}
	c.Label = h.findColumn(labelNames, c.Geometry)
	c.ID = h.findColumn(idNames, c.Geometry)
	c.Sequence = h.findColumn(seqNames, c.Label)
	c.Country = h.findColumn(countryNames)
	c.City = h.findColumn(cityNames)
	c.Type = h.findColumn(typeNames)
	return c
}

// grid reports whether the coordinates were found by names of a northing and an
// easting, and xy whether those are but x and y.
func (r *csvReader) grid() (grid, xy bool) {
	if !r.columns.hasPosition() {
		return false, false
	}
	name := r.folded[r.columns.Latitude]
	return slices.Contains(northNames, name), slices.Contains(northNames[:2], name)
}
