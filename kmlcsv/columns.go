package kmlcsv

import (
	"slices"
	"strings"
)

// Columns has the index of each column of a table that the reader uses, or -1 if the table does not have the column. To
// choose columns manually, change the columns of a [Result] or the result of [EmptyColumns], and set them in [Options].
type Columns struct {
	Label     int
	ID        int // all rows of one placemark have the same value in this column
	Sequence  int // order of the rows that belong to one placemark
	Latitude  int
	Longitude int
	Geometry  int // WKT, GeoJSON or "latitude, longitude" pairs
	Country   int
	City      int
	Type      int // area, linear or asset
}

// EmptyColumns returns columns whose indexes are all -1, so that no column is chosen.
func EmptyColumns() Columns { return Columns{-1, -1, -1, -1, -1, -1, -1, -1, -1} }

// HasLocation reports whether the columns include a geometry, or a latitude and a longitude.
func (c *Columns) HasLocation() bool { return c.Geometry >= 0 || c.hasPosition() }

func (c *Columns) hasPosition() bool { return c.Latitude >= 0 && c.Longitude >= 0 }

func (c *Columns) all() []int {
	return []int{c.Label, c.ID, c.Sequence, c.Latitude, c.Longitude, c.Geometry, c.Country, c.City, c.Type}
}

// The names of columns, as foldName returns them. If a header has several names of a list, the first name in the list
// wins.
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

	// Columns with a name in geometryNames are used even if they are empty. Columns with a name in perhapsNames are
	// used only if one of their cells looks like a geometry.
	geometryNames = strings.Fields("points wkt geojson locationmap geometry geom wktgeom thegeom coordinates")
	perhapsNames  = strings.Fields(`geomjson coords boundary vertices shape poly polygon latlng latlon
		latitudelongitude gps gpsposition gpscoordinates mgrs usng locationcoordinates position location koordinaten
		coordenadas coordonnees coordinate lonlat lnglat longitudelatitude gpskoordinaten lage corners eckpunkte utm`)

	zoneNames = strings.Fields(`zone utmzone utm utmzon huso fuso fuseau zona utmhuso utmfuso zonenumber zonennummer
		zoneno`)
	// Columns with a name in perhapsCRSNames are used only if their first cell that is not blank names a reference
	// system.
	perhapsCRSNames = strings.Fields(`grid gridsystem system coordsys bezugssystem referenzsystem sistema
		sistemadereferencia projektion coordsystem csname crsname refsystem spatialreference
		projectedcoordinatesystem`)

	crsNames = strings.Fields("crs epsg epsgcode srid srs koordinatensystem projection coordinatesystem referencesystem")
)

// headerFinder finds out from the names of columns what the columns mean.
type headerFinder struct {
	columns    []headerColumn
	duplicates []int          // indexes of columns that have the same title as an earlier column
	rows       []recordReader // the first rows below the titles

	corners []int // columns that each have one corner of a site, or nil
}

// headerColumn is a column of the table and its title in the header.
type headerColumn struct {
	title  string
	folded string    // title in the form that foldName returns
	axis   *axisName // coordinate that the title names, such as a latitude; nil if it names none
	sample []byte    // usually the first cell below the title that is not blank
}

func newHeaderFinder(titles []string) *headerFinder {
	h := &headerFinder{columns: make([]headerColumn, len(titles))}
	isUsed := make(map[string]bool, len(titles)) // folded titles so far
	for i, title := range titles {
		column := newHeaderColumn(title)
		if column.folded != "" && isUsed[column.folded] {
			h.duplicates = append(h.duplicates, i)
		}
		isUsed[column.folded] = true
		h.columns[i] = column
	}
	h.findPairedLetters()
	return h
}

func newHeaderColumn(title string) headerColumn {
	column := headerColumn{title: title, folded: foldName(title)}
	if len(title) <= maxTitle {
		if axis, isAxis := parseAxisName(title); isAxis {
			column.axis = &axis
		}
	}
	return column
}

// titles returns the titles of all columns.
func (h *headerFinder) titles() []string {
	titles := make([]string, len(h.columns))
	for i, column := range h.columns {
		titles[i] = column.title
	}
	return titles
}

// maxTitle is the maximum length in bytes of the name of a coordinate column. Longer titles are not parsed.
const maxTitle = 60

// findColumn returns the index of the column whose title is the first of the names. If there is no such column, it
// looks for the second name, and so on. It returns -1 if no column has one of the names. It ignores the excluded
// columns. names must be in the form that foldName returns.
func (h *headerFinder) findColumn(names []string, excluded ...int) int {
	for _, name := range names {
		for i, column := range h.columns {
			if column.folded == name && !slices.Contains(excluded, i) {
				return i
			}
		}
	}
	return -1
}

// axisColumns are the columns that together have one coordinate of a position: its latitude or its longitude.
type axisColumns struct {
	degrees int    // column with the degrees, the northing or the easting
	minutes int    // -1 for none
	seconds int    // -1 for none
	side    int    // column with the hemisphere, -1 for none
	letter  string // hemisphere letter in the name of the column, such as n for "Lat N"; "" for none
	weak    bool   // the name of the degrees column is ambiguous, such as N
}

func newAxisColumns(degrees int) axisColumns {
	return axisColumns{degrees: degrees, minutes: -1, seconds: -1, side: -1}
}

func (a *axisColumns) all() []int { return []int{a.degrees, a.minutes, a.seconds, a.side} }

// positionColumns are the columns of one position in a row. A row can have several positions, such as a start and an
// end.
type positionColumns struct {
	axes [2]axisColumns // latitude and longitude
	grid bool           // the columns are named as a northing and an easting
	rest string         // other words in the names of the columns, such as "start" for Start Lat and Start Lon
}

// newPosition returns a position that has a single column for its latitude and a single column for its longitude.
func newPosition(latColumn, lngColumn int) positionColumns {
	return positionColumns{axes: [2]axisColumns{newAxisColumns(latColumn), newAxisColumns(lngColumn)}}
}

func (p *positionColumns) latitude() int  { return p.axes[latitude].degrees }
func (p *positionColumns) longitude() int { return p.axes[longitude].degrees }

// findDegreePositions finds the columns of all latitudes and longitudes in a row. See findPositions.
func (h *headerFinder) findDegreePositions() []positionColumns { return h.findPositions(false) }

// findGridPositions finds the columns of all northings and eastings in a row. See findPositions.
func (h *headerFinder) findGridPositions() []positionColumns { return h.findPositions(true) }

// findPositions finds the columns of all positions in a row by the names of the columns. If grid is true, it looks
// for northings and eastings, otherwise for latitudes and longitudes. A position with plain names, such as Lat and
// Lon, comes first in the result. The others follow in the order of their columns.
func (h *headerFinder) findPositions(grid bool) []positionColumns {
	var found []positionColumns
	for _, name := range h.positionNames(grid) {
		p := positionColumns{grid: grid, rest: name.rest}
		p.axes[latitude] = h.findAxisColumns(latitude, name)
		p.axes[longitude] = h.findAxisColumns(longitude, name)
		isComplete := p.latitude() >= 0 && p.longitude() >= 0
		if isComplete && !slices.ContainsFunc(found, p.sharesColumn) {
			found = append(found, p)
		}
	}
	return plainPositionFirst(found)
}

// plainPositionFirst moves the first position with plain names, such as Lat and Lon, to the front.
func plainPositionFirst(positions []positionColumns) []positionColumns {
	isPlain := func(p positionColumns) bool { return p.rest == "" }
	i := slices.IndexFunc(positions, isPlain)
	if i <= 0 {
		return positions
	}
	plain := positions[i]
	return slices.Insert(slices.Delete(positions, i, i+1), 0, plain)
}

// positionNames returns one column name for each position in a row. For a header with Start Lat, Start Lon, End Lat
// and End Lon, it returns Start Lat and End Lat. If grid is true, it looks for northings and eastings, otherwise for
// latitudes and longitudes.
func (h *headerFinder) positionNames(grid bool) []*axisName {
	type positionKey struct { // the parts of a name that are the same in all columns of a position
		rest   string // start or end in the example
		system string // short name of a reference system, such as RD for the columns RD X and RD Y
	}
	isFound := map[positionKey]bool{}
	var names []*axisName
	for i := range h.columns {
		name := h.columns[i].axis
		isWanted := name != nil && name.grid == grid && name.part != sidePart
		if !isWanted {
			continue
		}
		key := positionKey{name.rest, name.system}
		if !isFound[key] {
			isFound[key] = true
			names = append(names, name)
		}
	}
	return names
}

// sharesColumn reports whether two positions use the same column for their latitude or for their longitude.
func (p *positionColumns) sharesColumn(other positionColumns) bool {
	return p.latitude() == other.latitude() || p.longitude() == other.longitude()
}

// findAxisColumns finds the columns with the latitude or the longitude of a position. axis says which of the two.
// name is the name of any column of the position: Start Lat and Start Lon both mean the position "start".
func (h *headerFinder) findAxisColumns(axis angleAxis, name *axisName) axisColumns {
	parts := h.findParts(axis, name)
	found := h.chooseNumbers(parts)
	found.side = parts.side
	if found.degrees < 0 {
		return found
	}
	found.weak = h.columns[found.degrees].axis.weak
	if found.minutes < 0 {
		found.letter = h.columns[found.degrees].axis.side
	}
	return found
}

// chooseNumbers chooses the columns for the degrees, minutes and seconds of a coordinate among the columns in parts.
// If the columns have contradictory names, it chooses the more reliable ones. It does not choose the hemisphere
// column.
func (h *headerFinder) chooseNumbers(parts partColumns) axisColumns {
	hasWhole := parts.whole >= 0
	hasDegrees := parts.degrees >= 0
	// If there is a column Lat Deg, a column N probably is not the latitude.
	isWholeDoubtful := hasWhole && hasDegrees && h.columns[parts.whole].axis.weak
	if hasWhole && !isWholeDoubtful {
		return newAxisColumns(parts.whole)
	}
	if !hasDegrees {
		// Without a column of degrees, a column named like minutes or seconds has the whole coordinate: S means south
		// in "Lat S", and M need not mean minutes in "Lat M". If there are both, the last column is used. If there is
		// neither, both indexes are -1.
		return newAxisColumns(max(parts.seconds, parts.minutes))
	}
	found := newAxisColumns(parts.degrees)
	found.minutes = parts.minutes
	if found.minutes >= 0 { // without minutes, a column named like seconds has another meaning
		found.seconds = parts.seconds
	}
	return found
}

// partColumns are the columns that are named as a coordinate or as a part of it. The index of a missing column is -1.
type partColumns struct {
	whole   int // whole coordinate, such as Lat
	degrees int // Lat Deg
	minutes int // Lat Min
	seconds int // Lat Sec
	side    int // hemisphere, such as Lat Dir
}

// column returns a pointer to the field of p for the given part, such as &p.minutes for minutePart.
func (p *partColumns) column(part anglePart) *int {
	switch part {
	case degreePart:
		return &p.degrees
	case minutePart:
		return &p.minutes
	case secondPart:
		return &p.seconds
	case sidePart:
		return &p.side
	}
	return &p.whole
}

// findParts finds the columns of one coordinate: a latitude or a longitude, as axis says. The coordinate can be in one
// column, or its degrees, minutes, seconds and hemisphere letter can be in separate columns. If two columns have the
// same part of the coordinate, findParts chooses the column with the less ambiguous name.
//
// A row can have several positions, such as a start and an end. position says which position is wanted: it is the
// parsed name of one of its columns. For example, findParts finds End Lon if axis is longitude and position is End Lat.
func (h *headerFinder) findParts(axis angleAxis, position *axisName) partColumns {
	parts := partColumns{whole: -1, degrees: -1, minutes: -1, seconds: -1, side: -1}
	for i := range h.columns {
		name := h.columns[i].axis
		if name == nil || name.axis != axis || !name.isSamePosition(position) {
			continue
		}
		column := parts.column(name.part)
		isFirst := *column < 0
		if isFirst || h.columns[*column].axis.weak && !name.weak {
			*column = i
		}
	}
	return parts
}

// isSamePosition reports whether columns with the names n and other can belong to one position. The names must have
// the same additional words, such as "start", and must not name different reference systems.
func (n *axisName) isSamePosition(other *axisName) bool {
	if n.rest != other.rest {
		return false
	}
	if n.system != other.system && n.system != "" && other.system != "" {
		return false
	}
	return n.grid == other.grid || n.part == sidePart // columns of hemispheres belong to degrees as well as to metres
}

// findSide finds the column with the hemisphere letters of a coordinate. a has the other columns of the coordinate.
// findSide looks for a column with a matching name, such as LatRef for Lat. If there is none, it looks for a hemisphere
// letter in the columns before and after the columns of the coordinate. It returns -1 if it finds no column.
func (h *headerFinder) findSide(a *axisColumns, axis angleAxis) int {
	if i := h.findColumn([]string{h.columns[a.degrees].folded + "ref"}); i >= 0 {
		return i
	}
	last := max(a.degrees, a.minutes, a.seconds)
	for _, i := range []int{last + 1, a.degrees - 1} {
		if i < 0 || i >= len(h.columns) || slices.Contains(labelNames, h.columns[i].folded) { // a site may be named S
			continue
		}
		letter := foldName(string(h.columns[i].sample))
		isLatitude := northWords[letter] || southWords[letter]
		isLongitude := eastWords[letter] || westWords[letter] || letter == "o"
		if axis == latitude && isLatitude || axis == longitude && isLongitude {
			return i
		}
	}
	return -1
}

// findGeometry finds the column with geometries, such as well-known text. It checks the names of the columns and
// their first cells. It returns -1 if there is no such column.
func (h *headerFinder) findGeometry() int {
	for _, name := range geometryNames {
		i := h.findColumn([]string{name})
		if i < 0 {
			continue
		}
		sample := h.columns[i].sample
		isBlank := len(sample) == 0
		if isBlank || looksLikeGeometry(sample) {
			return i
		}
	}
	for _, name := range perhapsNames {
		i := h.findColumn([]string{name})
		if i >= 0 && looksLikeGeometry(h.columns[i].sample) {
			return i
		}
	}
	return -1
}

// findLocation finds the columns that have the location of a site. In c, it sets the geometry column or the columns
// of the first position. positions has the columns of all positions, because a row can have several, for instance the
// corners of an area.
func (h *headerFinder) findLocation() (c Columns, positions []positionColumns) {
	c = EmptyColumns()
	h.corners = h.findCornerCells()
	if len(h.corners) > 0 {
		c.Geometry = h.corners[0]
		return c, nil
	}
	c.Geometry = h.findGeometry()
	positions = h.findRowPositions(c.Geometry >= 0)
	if len(positions) > 0 {
		c.Latitude = positions[0].latitude()
		c.Longitude = positions[0].longitude()
	}
	return c, positions
}

// findRowPositions returns the columns of the positions in a row. It looks for the sides of a rectangle, then for
// latitudes and longitudes, then for northings and eastings. It does not look for northings and eastings if
// hasGeometry is true, which means that the table has a geometry column.
func (h *headerFinder) findRowPositions(hasGeometry bool) []positionColumns {
	if box, isBox := h.findBox(); isBox {
		return box
	}
	positions := h.findDegreePositions()
	if len(positions) == 0 && !hasGeometry {
		return h.findGridPositions()
	}
	return positions
}

// takenColumns returns the columns that already have a meaning: coordinates, sizes of areas, UTM zones or reference
// systems. They cannot have the name or another description of a site.
func (h *headerFinder) takenColumns(c *Columns, positions []positionColumns) []int {
	taken := []int{c.Geometry, c.Latitude, c.Longitude}
	for _, p := range positions {
		taken = append(taken, p.axes[latitude].all()...)
		taken = append(taken, p.axes[longitude].all()...)
	}
	taken = append(taken, h.areaColumn(), h.findColumn(zoneNames), h.findColumn(crsNames))
	return append(taken, h.corners...)
}

// findMeanings finds the columns that describe a site, such as its name and its country, and sets them in c. It
// ignores the columns that takenColumns returns.
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
	if !hasName && c.Sequence >= 0 && isCounter(h.columns[c.Sequence].folded) {
		c.useSequenceAsLabel()
	}
}

// hasPointNumbers reports whether the name of a column says that it has point numbers, as in the list of a surveyor.
func (h *headerFinder) hasPointNumbers(column int) bool {
	if column < 0 {
		return false
	}
	name := h.columns[column].folded
	return strings.HasPrefix(name, "pointn") || name == "pointid"
}

// useSequenceAsLabel makes the sequence column the column with the names of sites. It is called for tables without
// another column for names. In such a table, the numbers name the points and are not the order of the corners of a
// site.
func (c *Columns) useSequenceAsLabel() {
	c.Label = c.Sequence
	c.Sequence = -1
}

// guessColumns proposes columns that the user can correct. The geometry is a column with a name in geometryNames. If c
// has no latitude or no longitude, it proposes the first columns whose cells can be degrees. If c has no label, it
// proposes the first column with words.
func (h *headerFinder) guessColumns(c Columns) Columns {
	c.Geometry = h.findColumn(geometryNames)
	for _, i := range angleColumns(h.samples()) {
		if c.Latitude < 0 {
			c.Latitude = i
		} else if c.Longitude < 0 && i != c.Latitude {
			c.Longitude = i
		}
	}
	c.Label = h.guessLabel(c.Label)
	return c
}

// samples returns a sample of each column, which is usually its first cell that is not blank; see sampleRows.
func (h *headerFinder) samples() [][]byte {
	samples := make([][]byte, len(h.columns))
	for i, column := range h.columns {
		samples[i] = column.sample
	}
	return samples
}

// guessLabel returns the label column. found is the label column if it is already known, otherwise -1. If it is not
// known, guessLabel returns the first column with words that is not a geometry column, or -1 if there is none.
func (h *headerFinder) guessLabel(found int) int {
	if found >= 0 {
		return found
	}
	for i, cell := range h.samples() {
		_, problem := readAngle(cell, longitude)
		isWords := problem != nil && wordText().Match(cell) && !isPlace(cell)
		if isWords && !slices.Contains(geometryNames, h.columns[i].folded) {
			return i
		}
	}
	return -1
}

var wordText = newPattern(`[\p{L}]+`)

// angleColumns returns the indexes of the cells that can be a latitude or a longitude.
func angleColumns(cells [][]byte) (columns []int) {
	for i, cell := range cells {
		if _, problem := readAngle(cell, longitude); problem == nil {
			columns = append(columns, i)
		}
	}
	return columns
}
