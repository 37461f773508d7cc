package kmlcsv

import (
	"regexp"
	"slices"
	"strings"
)

// Columns are the indexes of the columns of a CSV, -1 for a column that the file does not
// have. To choose columns manually, change the columns of a [Result] or the result of
// [EmptyColumns].
type Columns struct {
	Label     int
	ID        int // shared by the rows of one placemark
	Sequence  int // order of the rows of one placemark
	Latitude  int
	Longitude int
	Geometry  int // WKT, GeoJSON or "latitude, longitude" pairs
	Country   int
	City      int
	Type      int // area, linear or asset
}

// EmptyColumns returns columns that are all -1.
func EmptyColumns() Columns { return Columns{-1, -1, -1, -1, -1, -1, -1, -1, -1} }

// HasLocation reports whether the columns include a geometry, or a latitude and a longitude.
func (c *Columns) HasLocation() bool { return c.Geometry >= 0 || c.hasPosition() }

func (c *Columns) hasPosition() bool { return c.Latitude >= 0 && c.Longitude >= 0 }

func (c *Columns) all() []int {
	return []int{c.Label, c.ID, c.Sequence, c.Latitude, c.Longitude, c.Geometry, c.Country, c.City, c.Type}
}

// The names of columns in the form that foldName returns. If several names of a list are in
// a header, the first name in the list wins.
var (
	labelNames = strings.Fields(`locationlabel name site sitename location locationname label title placemark asset
		assetname point pointname wp waypoint plot parcel field block nom nombre bezeichnung bezeichnun standort naam
		nome 名称 filename sourcefile line linie trasse projekt project baustelle objekt object flache flaeche gebiet
		kunde customer beschreibung description`)
	idNames  = strings.Fields("siteid id sitecode polygonid missionid ref code fid objectid")
	seqNames = strings.Fields(`seq sequence order vertex vertexorder vertexindex vertexno vertexnumber pointorder
		pointno pointnumber pointid cornerno cornerid corner vertexid eckpunkt eckpunktnr punktnr pt n no nr point
		punkt`)
	countryNames = strings.Fields("country countryname land pays pais paese countrycode iso2")
	cityNames    = strings.Fields("city cityname town place locality stadt ville ciudad ort")
	typeNames    = strings.Fields("missiontype type geometrytype")
	radiusNames  = strings.Fields("radius radiusm buffer bufferm")

	// A column with a name of geometryNames is used even if it is empty. A column with a
	// name of perhapsNames is used only if a cell looks like a geometry.
	geometryNames = strings.Fields("points wkt geojson locationmap geometry geom wktgeom thegeom coordinates")
	perhapsNames  = strings.Fields(`geomjson coords boundary vertices shape poly polygon latlng latlon
		latitudelongitude gps gpsposition gpscoordinates mgrs usng locationcoordinates position location koordinaten
		coordenadas coordonnees coordinate lonlat lnglat longitudelatitude gpskoordinaten lage corners eckpunkte utm`)

	zoneNames = strings.Fields(`zone utmzone utm utmzon huso fuso fuseau zona utmhuso utmfuso zonenumber zonennummer
		zoneno`)
	// A column with a name of perhapsCRSNames is used only if a cell names a system.
	perhapsCRSNames = strings.Fields(`grid gridsystem system coordsys bezugssystem referenzsystem sistema
		sistemadereferencia projektion coordsystem csname crsname refsystem spatialreference
		projectedcoordinatesystem`)

	crsNames = strings.Fields("crs epsg epsgcode srid srs koordinatensystem projection coordinatesystem referencesystem")
)

// headerFinder finds columns by their names.
type headerFinder struct {
	titles     []string
	folded     []string       // titles in the form that foldName returns
	axes       []axisName     // coordinate that each title names, if isAxis is true
	isAxis     []bool         // whether the title names a coordinate
	duplicates []int          // columns with the same title as an earlier column
	sample     [][]byte       // for each column, its first cell that is not blank
	rows       []recordReader // the first rows below the titles

	corners []int // columns with one corner of a site in each cell, nil for none
}

func newHeaderFinder(cells []string) *headerFinder {
	h := &headerFinder{
		titles: cells,
		folded: make([]string, len(cells)),
		axes:   make([]axisName, len(cells)),
		isAxis: make([]bool, len(cells)),
	}
	seen := make(map[string]bool, len(cells))
	for i, c := range cells {
		f := foldName(c)
		if f != "" && seen[f] {
			h.duplicates = append(h.duplicates, i)
		}
		seen[f] = true
		h.folded[i] = f
		if len(c) <= maxTitle {
			h.axes[i], h.isAxis[i] = parseAxisName(c)
		}
	}
	h.findPairedLetters()
	return h
}

// maxTitle is the length in bytes of the longest name that a coordinate column can have.
const maxTitle = 60

// findColumn returns the column with the first of the names that is in the header, or -1. It
// does not return an excluded column.
func (h *headerFinder) findColumn(names []string, excluded ...int) int {
	for _, name := range names {
		for i, f := range h.folded {
			if f == name && !slices.Contains(excluded, i) {
				return i
			}
		}
	}
	return -1
}

// axisColumns are the columns of one coordinate of a position.
type axisColumns struct {
	degrees int    // column with the degrees, the northing or the easting
	minutes int    // -1 for none
	seconds int    // -1 for none
	side    int    // column with the hemisphere, -1 for none
	letter  string // hemisphere in the header: n, s, e, w, o or ""
	weak    bool   // the name can also mean something else
}

func newAxisColumns(degrees int) axisColumns {
	return axisColumns{degrees: degrees, minutes: -1, seconds: -1, side: -1}
}

func (a *axisColumns) all() []int { return []int{a.degrees, a.minutes, a.seconds, a.side} }

// positionColumns are the columns of one position of a row.
type positionColumns struct {
	axes [2]axisColumns // latitude and longitude
	grid bool           // named as northing and easting
	rest string         // other words of the names, such as "start" of Start Lat and Start Lon
}

// newPosition returns a position with one column for each coordinate.
func newPosition(latColumn, lngColumn int) positionColumns {
	return positionColumns{axes: [2]axisColumns{newAxisColumns(latColumn), newAxisColumns(lngColumn)}}
}

func (p *positionColumns) latitude() int  { return p.axes[latitude].degrees }
func (p *positionColumns) longitude() int { return p.axes[longitude].degrees }

// positions finds the columns of all positions in a row by their names: of northings and
// eastings if grid is set, otherwise of latitudes and longitudes. Positions are in the order of
// their columns, except that a position without other words in its names is first.
func (h *headerFinder) positions(grid bool) []positionColumns {
	var found []positionColumns
	for _, name := range h.positionNames(grid) {
		p := positionColumns{grid: grid, rest: name.rest}
		p.axes[latitude] = h.axisColumns(latitude, name)
		p.axes[longitude] = h.axisColumns(longitude, name)
		isComplete := p.latitude() >= 0 && p.longitude() >= 0
		if isComplete && !slices.ContainsFunc(found, p.sharesColumn) {
			found = append(found, p)
		}
	}
	hasNoWords := func(p positionColumns) bool { return p.rest == "" }
	if i := slices.IndexFunc(found, hasNoWords); i > 0 {
		withoutWords := found[i]
		found = slices.Delete(found, i, i+1)
		found = slices.Insert(found, 0, withoutWords)
	}
	return found
}

// positionNames returns the name of one column of each position: of a northing or an easting if grid is set,
// otherwise of a latitude or a longitude.
func (h *headerFinder) positionNames(grid bool) []*axisName {
	type positionKey struct{ rest, system string } // the same for all columns of one position
	isNamed := map[positionKey]bool{}
	var names []*axisName
	for i := range h.titles {
		name := &h.axes[i]
		key := positionKey{name.rest, name.system}
		isWanted := h.isAxis[i] && name.grid == grid && name.part != sidePart
		if isWanted && !isNamed[key] {
			isNamed[key] = true
			names = append(names, name)
		}
	}
	return names
}

// sharesColumn reports whether two positions have the same column for a coordinate.
func (p *positionColumns) sharesColumn(other positionColumns) bool {
	return p.latitude() == other.latitude() || p.longitude() == other.longitude()
}

// axisColumns finds the columns of the latitude or the longitude of a position. name is the name
// of any column of the position.
func (h *headerFinder) axisColumns(axis angleAxis, name *axisName) axisColumns {
	parts := h.partColumns(axis, name)
	a := h.numberColumns(&parts)
	a.side = parts[sidePart]
	if a.degrees < 0 {
		return a
	}
	a.weak = h.axes[a.degrees].weak
	if a.minutes < 0 {
		a.letter = h.axes[a.degrees].side
	}
	return a
}

// numberColumns chooses the columns with the numbers of a coordinate, without its hemisphere. parts has the
// column of each part.
func (h *headerFinder) numberColumns(parts *partColumns) axisColumns {
	whole := parts[wholeAngle]
	degrees := parts[degreePart]
	isProbablyOther := whole >= 0 && degrees >= 0 && h.axes[whole].weak // a column named N beside a column Lat Deg
	if whole >= 0 && !isProbablyOther {
		return newAxisColumns(whole)
	}
	if degrees >= 0 {
		a := newAxisColumns(degrees)
		a.minutes = parts[minutePart]
		if a.minutes >= 0 {
			a.seconds = parts[secondPart]
		}
		return a
	}
	// A column named as seconds or minutes alone has the whole coordinate: S means south in "Lat S",
	// and M need not mean minutes in "Lat M". If there are both, the last column is used. If there is
	// neither, both are -1.
	return newAxisColumns(max(parts[secondPart], parts[minutePart]))
}

// partColumns are the columns of the parts of a coordinate, -1 for a part without a column.
type partColumns [sidePart + 1]int

// partColumns finds the column of each part of a coordinate, such as minutes. position is the name
// of any column of the position. If two columns have the same part, a clear name wins over a weak
// name.
func (h *headerFinder) partColumns(axis angleAxis, position *axisName) partColumns {
	parts := partColumns{wholeAngle: -1, degreePart: -1, minutePart: -1, secondPart: -1, sidePart: -1}
	for i, name := range h.axes {
		if !h.isAxis[i] || name.axis != axis || !name.isSamePosition(position) {
			continue
		}
		earlier := parts[name.part]
		isClearer := earlier >= 0 && h.axes[earlier].weak && !name.weak
		if earlier < 0 || isClearer {
			parts[name.part] = i
		}
	}
	return parts
}

// isSamePosition reports whether two names can be the names of columns of one position: they have
// the same other words, such as "start", and do not name different reference systems.
func (n *axisName) isSamePosition(other *axisName) bool {
	if n.rest != other.rest {
		return false
	}
	if n.system != other.system && n.system != "" && other.system != "" {
		return false
	}
	return n.grid == other.grid || n.part == sidePart // hemispheres go with degrees and with metres
}

// findSide finds the column with the hemispheres of a coordinate, or returns -1: by its name, or
// by the letter in a column next to the coordinate.
func (h *headerFinder) findSide(a *axisColumns, axis angleAxis) int {
	if i := h.findColumn([]string{h.folded[a.degrees] + "ref"}); i >= 0 {
		return i
	}
	last := max(a.degrees, a.minutes, a.seconds)
	for _, i := range []int{last + 1, a.degrees - 1} {
		if i < 0 || i >= len(h.sample) || slices.Contains(labelNames, h.folded[i]) { // a site may be named S
			continue
		}
		letter := foldName(string(h.sample[i]))
		isLatitude := northWords[letter] || southWords[letter]
		isLongitude := eastWords[letter] || westWords[letter] || letter == "o"
		if axis == latitude && isLatitude || axis == longitude && isLongitude {
			return i
		}
	}
	return -1
}

// findGeometry finds the geometry column by its name and its content, -1 if there is none.
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
	return -1
}

// findLocation finds the columns with the coordinates, and the positions of a row.
func (h *headerFinder) findLocation() (c Columns, positions []positionColumns) {
	c = EmptyColumns()
	h.corners = h.findCornerCells()
	if len(h.corners) > 0 {
		c.Geometry = h.corners[0]
		return c, nil
	}
	c.Geometry = h.findGeometry()
	if box, ok := h.findBox(); ok {
		positions = box
	} else {
		positions = h.positions(false)
	}
	if len(positions) == 0 && c.Geometry < 0 {
		positions = h.positions(true)
	}
	if len(positions) > 0 {
		c.Latitude = positions[0].latitude()
		c.Longitude = positions[0].longitude()
	}
	return c, positions
}

// takenColumns returns the columns that cannot describe a site, because they have coordinates, the
// size of an area, a zone or a reference system.
func (h *headerFinder) takenColumns(c *Columns, positions []positionColumns) []int {
	taken := []int{c.Geometry, c.Latitude, c.Longitude}
	for _, p := range positions {
		taken = append(taken, p.axes[latitude].all()...)
		taken = append(taken, p.axes[longitude].all()...)
	}
	taken = append(taken, h.areaColumn(), h.findColumn(zoneNames), h.findColumn(crsNames))
	return append(taken, h.corners...)
}

// findMeanings finds the columns that describe a site, among the columns without
// coordinates.
func (h *headerFinder) findMeanings(c *Columns, positions []positionColumns) {
	taken := h.takenColumns(c, positions)
	c.ID = h.findColumn(idNames, taken...)
	c.Country = h.findColumn(countryNames, taken...)
	c.City = h.findColumn(cityNames, taken...)
	c.Type = h.findColumn(typeNames, taken...)
	c.Label = h.findColumn(labelNames, taken...)
	c.Sequence = h.findColumn(seqNames, append(taken, c.Label)...)
	if c.Label < 0 && h.hasPointNumbers(c.Sequence) {
		c.useSequenceAsLabel()
	}
	if c.Label < 0 {
		taken = append(taken, c.ID, c.Sequence, c.Country, c.City, c.Type, h.findColumn(radiusNames))
		c.Label = h.findLabel(taken, c.ID >= 0)
	}
	hasName := c.Label >= 0 || c.ID >= 0
	if !hasName && c.Sequence >= 0 && isCounter(h.folded[c.Sequence]) {
		c.useSequenceAsLabel()
	}
}

// hasPointNumbers reports whether a column is named as the point numbers of a surveyor's list.
func (h *headerFinder) hasPointNumbers(column int) bool {
	if column < 0 {
		return false
	}
	name := h.folded[column]
	return strings.HasPrefix(name, "pointn") || name == "pointid"
}

// useSequenceAsLabel uses the column of the sequence for the names of sites. Numbers in a table
// without names are the names of its points and not the order of the corners of a site.
func (c *Columns) useSequenceAsLabel() {
	c.Label = c.Sequence
	c.Sequence = -1
}

// guessColumns guesses the columns that were not found. The geometry is a column with one of the
// geometryNames, the latitude and the longitude are the first columns with angles, and the label
// is the first column with words.
func (h *headerFinder) guessColumns(c Columns) Columns {
	c.Geometry = h.findColumn(geometryNames)
	for _, i := range angleColumns(h.sample) {
		if c.Latitude < 0 {
			c.Latitude = i
		} else if c.Longitude < 0 && i != c.Latitude {
			c.Longitude = i
		}
	}
	c.Label = h.guessLabel(c.Label)
	return c
}

// guessLabel returns the label column if it was found, otherwise the first column with words, or
// -1. A column with positions, or with one of the geometryNames, is not a label.
func (h *headerFinder) guessLabel(found int) int {
	if found >= 0 {
		return found
	}
	for i, cell := range h.sample {
		_, problem := readAngle(cell, longitude)
		isWords := problem != nil && wordText.Match(cell) && !isPlace(cell)
		if isWords && !slices.Contains(geometryNames, h.folded[i]) {
			return i
		}
	}
	return -1
}

var wordText = regexp.MustCompile(`[\p{L}]+`)

// angleColumns returns the columns of a row that can be a latitude or a longitude.
func angleColumns(cells [][]byte) (columns []int) {
	for i, cell := range cells {
		if _, problem := readAngle(cell, longitude); problem == nil {
			columns = append(columns, i)
		}
	}
	return columns
}
