package kmlcsv

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// gridReader has the settings for converting the northings and eastings of a table to WGS 84.
type gridReader struct {
	metric     bool // the coordinates are northings and eastings
	code       int  // column with the reference system of each row, or -1
	zone       int  // column with the UTM zone of each row, or -1
	hemisphere int  // column with the hemisphere of the zone, or -1
	southern   bool // the options or the file say that all zones are southern
	northern   bool // the options or the file say that all zones are northern

	rowText   []byte      // reference system that the last row names, as written in the row
	rowSystem *crs.System // the system that rowText names
}

// chooseSystem finds the reference system and the unit of the coordinates. It returns an error if the user has to
// choose them.
func (r *csvReader) chooseSystem() *Error {
	r.coordinates.grid = gridReader{code: -1, zone: -1, hemisphere: -1}
	r.coordinates.datum = datumReader{column: -1}
	if failed := r.useChosenSystem(); failed != nil {
		return failed
	}
	hasGeometries := len(r.layout.positions) == 0
	if hasGeometries {
		r.coordinates.useDatum()
		return nil
	}
	switch unit := r.unitOfColumns(); unit {
	case "", "m", "ft":
		return r.findUnit(unit)
	default:
		r.useDegrees()
		return r.useUnit(unit)
	}
}

// useChosenSystem uses the reference system in the options, if the user chose one.
func (r *csvReader) useChosenSystem() *Error {
	if r.out.opts.CRS == 0 {
		return nil
	}
	system, failed := findSystem(r.out.opts.CRS)
	if failed != nil {
		return failed
	}
	r.out.system = system
	return nil
}

// findUnit finds out the unit of the coordinates from the names and the values of their columns. Latitudes and
// longitudes can be in degrees or another unit of angles, northings and eastings in metres or feet. unit is "m" or "ft"
// if the header or the options say so, otherwise "".
func (r *csvReader) findUnit(unit string) *Error {
	first, hasNumbers := r.layout.firstNumbers()
	if unit == "" {
		unit = r.guessAngles(first, hasNumbers)
	}
	switch unit {
	case "deg":
		if r.layout.positions[0].grid {
			r.warnGridDegrees()
		}
		r.useDegrees()
		return nil
	case packedMinutes, packedSeconds:
		return r.usePacked(unit)
	}
	// Here the names of the columns or the size of the numbers show that the coordinates are not plain degrees.
	if hasNumbers && r.mayBeAngles() && !mayBeMetres(first) {
		if units := r.layout.possibleUnits(); len(units) > 0 {
			return r.useOrAskUnit(units)
		}
	}
	r.coordinates.grid.metric = true
	return r.findGrid(first, unit == "ft")
}

// guessAngles guesses the unit of coordinates that may be angles. It returns "deg" for degrees, and packedMinutes or
// packedSeconds for degrees and minutes in one number, such as 4807.038. It returns "" if the coordinates are not
// angles of these kinds. first has the numbers of the first row, and hasNumbers is false if there is no such row.
func (r *csvReader) guessAngles(first orb.Point, hasNumbers bool) string {
	hasGridNames := r.layout.positions[0].grid // such as easting and northing
	if hasGridNames {
		if r.layout.areDegrees() {
			return "deg"
		}
		return ""
	}
	if hasNumbers && r.mayBeAngles() && r.layout.areLatLng() {
		// Degrees and minutes in one number, such as 4807.038, look like metres, so they are checked first.
		if form := r.layout.packedForm(); form != "" {
			return form
		}
	}
	isTooLarge := hasNumbers && isFar(first[0], first[1])
	if isTooLarge {
		return ""
	}
	return "deg"
}

// mayBeAngles reports whether the coordinates can be angles. They cannot be if their columns are named as northings
// and eastings, or if the user chose a reference system.
func (r *csvReader) mayBeAngles() bool { return !r.layout.positions[0].grid && r.out.opts.CRS == 0 }

// unitOfColumns returns the unit that the options state, otherwise the unit in the names of the coordinate columns,
// or "".
func (r *csvReader) unitOfColumns() string {
	if r.out.opts.Unit != "" {
		return r.out.opts.Unit
	}
	p := &r.layout.positions[0]
	if unit := r.layout.finder.nameOf(p.latitude()).unit; unit != "" {
		return unit
	}
	return r.layout.finder.nameOf(p.longitude()).unit
}

// useDegrees prepares reading the coordinates as latitudes and longitudes on the datum that the table names.
func (r *csvReader) useDegrees() {
	r.ignoreProjection()
	r.coordinates.useDatum()
}

// nameOf returns the parsed name of a column, or the zero value if the column is not named as a coordinate.
func (h *headerFinder) nameOf(column int) axisName {
	if column < 0 || column >= len(h.columns) || h.columns[column].axis == nil {
		return axisName{}
	}
	return *h.columns[column].axis
}

// axisNames returns the parsed names of the two coordinate columns.
func (l *tableLayout) axisNames() (lat, lng axisName) {
	return l.finder.nameOf(l.columns.Latitude), l.finder.nameOf(l.columns.Longitude)
}

// firstNumbers returns the easting and the northing of the first row that has both. ok is false if there is no such
// row, or if the two numbers can also be degrees.
func (l *tableLayout) firstNumbers() (first orb.Point, ok bool) {
	p := &l.positions[0]
	for scan := l.rows.scanRows(); scan.nextRecord(); {
		northCell := cellOf(scan.fields, p.latitude())
		eastCell := cellOf(scan.fields, p.longitude())
		north, isNorth := metres(northCell)
		east, isEast := metres(eastCell)
		isZero := north == 0 && east == 0
		if !isNorth || !isEast || isZero {
			continue
		}
		_, areDegrees := degreesOf(northCell, eastCell) // 51.957 can be degrees, or metres with a thousands separator
		return orb.Point{east, north}, !areDegrees
	}
	return orb.Point{}, false
}

// warnGridDegrees warns that the values in two columns were read as degrees although the columns are named as
// northings and eastings. It does not warn about short names, such as N and E, because they can also mean degrees.
func (r *csvReader) warnGridDegrees() {
	r.layout.positions[0].grid = false
	lat := r.layout.finder.columns[r.layout.columns.Latitude]
	lng := r.layout.finder.columns[r.layout.columns.Longitude]
	isWeak := lat.axis != nil && lat.axis.weak
	isShort := len(foldName(lat.title)) <= len("north")
	if r.layout.byValue || isWeak || isShort {
		return
	}
	r.out.warnFile(PlaceGuessed, "%q and %q were read as latitude and longitude in degrees, as their values show",
		[]byte(lat.title), []byte(lng.title))
}

// isFar reports whether both coordinates are too large to be degrees.
func isFar(x, y float64) bool { return math.Abs(x) > 360 && math.Abs(y) > 360 }

// ignoreProjection is called if the coordinates turned out to be degrees. If the user chose a projected reference
// system, it warns that this system does not fit and is not used.
func (r *csvReader) ignoreProjection() {
	if r.out.system != nil && !r.out.system.IsGeographic() {
		r.out.warnFile(OtherReference, "the coordinates are degrees; %s is not used", []byte(r.out.system.Reference()))
		r.out.system = nil
	}
}

// degreeUnits has the size of each unit of angles in degrees. For degrees themselves it has 0, which means that the
// numbers are not scaled.
var degreeUnits = map[string]float64{
	"deg": 0, "gon": 0.9, "rad": 180 / math.Pi, "e5": 1e-5, "e6": 1e-6, "e7": 1e-7,
}

// arePacked reports whether two numbers can be a latitude and a longitude in the given form. The form is
// packedMinutes or packedSeconds, in which degrees and minutes are one number, such as 4807.038.
func arePacked(lat, lng float64, form string) bool {
	if form == packedSeconds && math.Abs(lat) < 10_000 {
		return false
	}
	y, okY := unpackAngle(lat, form)
	x, okX := unpackAngle(lng, form)
	return okX && okY && isOnGlobe(orb.Point{x, y})
}

// packedForm finds out whether the coordinates are degrees and minutes in one number, such as 4807.038. It returns
// packedMinutes or packedSeconds if all rows fit this form, otherwise "". It checks the latitudes, too, because a
// longitude alone can be ambiguous: 12015 can be 120°15' or 1°20'15".
func (l *tableLayout) packedForm() string {
	forms := []string{packedMinutes, packedSeconds} // the forms that fit the rows so far

	hasFarRow := false // a row that certainly is not in degrees; numbers up to 360 can be, since 200 can mean -160
	for scan := l.rows.scanRows(); scan.nextRecord(); {
		lat, latProblem := readAngle(cellOf(scan.fields, l.columns.Latitude), latitude)
		lng, lngProblem := readAngle(cellOf(scan.fields, l.columns.Longitude), longitude)
		if latProblem != nil || lngProblem != nil {
			continue
		}
		if isOnGlobe(orb.Point{lng, lat}) { // if one position can be in degrees, the table is in degrees
			return ""
		}
		if math.Abs(lat) > 360 || math.Abs(lng) > 360 {
			hasFarRow = true
		}
		forms = slices.DeleteFunc(forms, func(form string) bool { return !arePacked(lat, lng, form) })
	}
	if !hasFarRow || len(forms) == 0 {
		return ""
	}
	return forms[0]
}

// areLatLng reports whether two columns are certainly a latitude and a longitude. That is the case if they have
// unambiguous names, or if both have a column with hemisphere letters.
func (l *tableLayout) areLatLng() bool {
	lat, lng := l.axisNames()
	areClearNames := !l.byValue && !lat.weak && !lng.weak
	return areClearNames || l.haveSides()
}

// haveSides reports whether both the latitude and the longitude have a column with hemisphere letters.
func (l *tableLayout) haveSides() bool {
	for axis := range l.positions[0].axes {
		a := &l.positions[0].axes[axis]
		if a.side < 0 && l.finder.findSide(a, angleAxis(axis)) < 0 {
			return false
		}
	}
	return true
}

// usePacked reads the coordinates as degrees and minutes in one number, such as 4807.038. form is packedMinutes or
// packedSeconds. Without columns with hemisphere letters, the numbers could also be metres, so usePacked asks the
// user for the unit.
func (r *csvReader) usePacked(form string) *Error {
	r.coordinates.useDatum()
	r.coordinates.packed = form
	if r.layout.haveSides() {
		return nil
	}
	label := "degrees and minutes without a sign between (ddmm.mmm)"
	if form == packedSeconds {
		label = "degrees, minutes and seconds without a sign between (ddmmss)"
	}
	choices := []Choice{
		{Value: form, Label: label, Town: r.firstTown()},
		{Value: "m", Label: "metres or feet of a reference system"},
	}
	r.coordinates.packed = ""
	return r.out.ask(Question{Kind: AskUnit, Text: "In which unit are the coordinates?", Choices: choices})
}

// useUnit prepares reading the coordinates in a unit of angles, such as "gon" or "e7". It returns an error for an
// unknown unit.
func (r *csvReader) useUnit(unit string) *Error {
	if unit == packedMinutes || unit == packedSeconds {
		r.coordinates.packed = unit
		return nil
	}
	scale, ok := degreeUnits[unit]
	if !ok {
		return newError(CoordinatesUnreadable,
			"%s is not a unit of coordinates; use deg, gon, e5, e6, e7, dm or dms", []byte(unit))
	}
	r.coordinates.scale = scale
	return nil
}

// mayBeMetres reports whether coordinates can be an easting and a northing in metres. The largest northings are about
// 10,000 km.
func mayBeMetres(p orb.Point) bool {
	const maxMetres = 1.1e7
	return math.Abs(p[0]) <= maxMetres && math.Abs(p[1]) <= maxMetres
}

// possibleUnits returns the units e7, e6 and e5 (10⁻⁷, 10⁻⁶ and 10⁻⁵ degrees) that the coordinates of all rows fit.
// For 473769000 and 85417000 it returns only e7, because in e6 the position would be 473.769 and 85.417 degrees,
// which is not on the globe. It returns no unit if a number has decimals, because numbers in these units are always
// whole.
func (l *tableLayout) possibleUnits() []string {
	units := []string{"e7", "e6", "e5"} // the units that fit the rows so far
	p := &l.positions[0]
	for scan := l.rows.scanRows(); scan.nextRecord(); {
		latCell := cellOf(scan.fields, p.latitude())
		lngCell := cellOf(scan.fields, p.longitude())
		lat, isLatNumber := metres(latCell) // reads a number in any unit
		lng, isLngNumber := metres(lngCell)
		if !isLatNumber || !isLngNumber { // such as a row of units
			continue
		}
		if !isWhole(latCell) || !isWhole(lngCell) {
			return nil
		}
		isImpossible := func(unit string) bool {
			degrees := degreeUnits[unit]
			return !isOnGlobe(orb.Point{lng * degrees, lat * degrees})
		}
		units = slices.DeleteFunc(units, isImpossible)
	}
	return units
}

// isWhole reports whether the number in a cell is written without decimals and without separators between thousands.
func isWhole(cell []byte) bool { return !bytes.ContainsAny(cell, ".,' ") }

// unitNames are the names of units that users read in messages.
var unitNames = map[string]string{
	"e7": "ten-millionths of a degree", "e6": "millionths of a degree", "e5": "hundred-thousandths of a degree",
}

// useOrAskUnit uses the unit in units if there is only one, and warns about this assumption. If there are several, it
// asks the user.
func (r *csvReader) useOrAskUnit(units []string) *Error {
	r.ignoreProjection()
	r.coordinates.useDatum()
	if len(units) == 1 {
		r.out.warnFile(PlaceGuessed, "the coordinates were read as %s", unitNames[units[0]])
		return r.useUnit(units[0])
	}
	var choices []Choice
	for _, unit := range units {
		town := r.firstTownIf(func(trial *csvReader) { trial.coordinates.scale = degreeUnits[unit] })
		choices = append(choices, Choice{Value: unit, Label: unitNames[unit], Town: town})
	}
	sortByTown(choices)
	return r.out.ask(Question{
		Kind:    AskUnit,
		Text:    "In which unit are the coordinates? They are whole numbers.",
		Choices: choices,
	})
}

// findGrid finds the reference system of northings and eastings. It looks in the options, in a column, in the header
// and in the rows above the data. If it finds none, it asks the user. first has the easting and the northing of the
// first row, and isFeet says that they are in feet.
func (r *csvReader) findGrid(first orb.Point, isFeet bool) *Error {
	if r.out.opts.CRS != 0 {
		return r.out.useSystemCode(r.out.opts.CRS)
	}
	if i := r.layout.systemColumn(); i >= 0 {
		r.coordinates.grid.code = i
		return nil
	}
	texts := r.layout.systemTexts()
	r.coordinates.findZones(texts)
	if r.coordinates.grid.zone >= 0 {
		r.coordinates.findDatum(texts)
		return r.checkZones()
	}
	failed, isNamed := r.useNamedSystem(first, texts)
	if isNamed {
		return failed // nil if the system is used
	}
	return r.askSystemOf(first, isFeet)
}

// useNamedSystem uses the reference system that one of the texts names. It looks first for a short name such as RD, and
// then for a UTM zone or a code. If the names of the coordinate columns have a UTM zone, it looks first for zones and
// codes, because a zone says more than a short name. first has the easting and the northing of the first row. ok is
// false if no text names a system. If ok is true, failed is nil, or the reason why the system cannot be used.
func (r *csvReader) useNamedSystem(first orb.Point, texts []string) (failed *Error, ok bool) {
	northing := first[1]
	if r.layout.hasZoneInName() {
		failed, ok = r.useSystemIn(texts, northing)
		if ok {
			return failed, true
		}
		return r.useShortName(first, texts)
	}
	failed, ok = r.useShortName(first, texts)
	if ok {
		return failed, true
	}
	return r.useSystemIn(texts, northing)
}

// useSystemIn uses the first system or UTM zone that one of the texts names. If a text names a zone without its
// hemisphere, the northing of the first row may show the hemisphere. Otherwise the user must choose it. ok is false if
// no text names a system. If ok is true, failed is nil, or the reason why the system cannot be used yet.
func (r *csvReader) useSystemIn(texts []string, northing float64) (failed *Error, ok bool) {
	for _, text := range texts {
		named := systemIn(text, northing)
		if named.openZone > 0 {
			return r.useBareZone(text, named.openZone), true
		}
		if named.code != 0 && !isGeographic(named.code) { // the code of a geographic system only names a datum
			return r.out.useSystemCode(named.code), true
		}
		if zoned := zoneOnDatum(text); zoned != nil {
			r.out.useSystem(zoned)
			return nil, true
		}
	}
	return nil, false
}

// isGeographic reports whether an EPSG code means a geographic system, which has longitude and latitude.
func isGeographic(code int) bool {
	system, err := crs.FindCode(code)
	return err == nil && system.IsGeographic()
}

// systemColumn returns the column that has the reference system of each row, or -1. A column with an ambiguous name,
// such as "system", counts only if its first cell names a reference system.
func (l *tableLayout) systemColumn() int {
	if i := l.finder.findColumn(crsNames); i >= 0 && !l.rows.isBlankColumn(i) {
		return i
	}
	for _, name := range perhapsCRSNames {
		i := l.finder.findColumn([]string{name})
		if i < 0 {
			continue
		}
		system := crs.Mentioned(string(l.finder.columns[i].sample))
		if system != nil && !system.IsGeographic() || len(systemNamedBy(string(l.finder.columns[i].sample))) > 0 {
			return i
		}
	}
	return -1
}

// systemTexts returns all texts of the table that may name the reference system: the names of the coordinate columns,
// and then the rows above the data, except the header.
func (l *tableLayout) systemTexts() []string {
	return append(l.systemTitles(), l.textsAboveData()...)
}

// systemTitles returns the names of the columns with coordinates or geometries, because they may name the reference
// system. It leaves out the words for the coordinate itself: the N in a name could be mistaken for a part of a UTM
// zone.
func (l *tableLayout) systemTitles() (texts []string) {
	for i, column := range l.finder.columns {
		if len(column.title) >= maxTitle {
			continue
		}
		isGeometry := i == l.columns.Geometry
		isCoordinate := column.axis != nil
		hasCode := isCoordinate && codeInTitle().MatchString(column.title)
		if isGeometry || hasCode {
			texts = append(texts, column.title)
		} else if isCoordinate { // without the word for the axis, because its N could be read as part of a zone
			texts = append(texts, column.axis.about)
		}
	}
	return texts
}

// textsAboveData returns the text of each row above the data. It leaves out the header and very long rows.
func (l *tableLayout) textsAboveData() (texts []string) {
	for i := range l.rows.head {
		row := l.rows.head[i].fields
		isData := l.isGridRow(row) || looksLikeGeometry(cellOf(row, l.columns.Geometry))
		if isData {
			break
		}
		text := string(bytes.Join(row, []byte(" ")))
		if i != l.rows.header && len(text) < 1000 {
			texts = append(texts, text)
		}
	}
	return texts
}

// codeInTitle matches a number in the name of a column that can be the EPSG code of a reference system.
var codeInTitle = newPattern(`(?:^|[^0-9])[0-9]{4,6}(?:$|[^0-9])`)

// isGridRow reports whether a row has a northing and an easting.
func (l *tableLayout) isGridRow(fields [][]byte) bool {
	_, okNorth := metres(cellOf(fields, l.columns.Latitude))
	_, okEast := metres(cellOf(fields, l.columns.Longitude))
	return okNorth && okEast
}

// findZones finds the columns with the UTM zone and with its hemisphere. It also finds out from the options and the
// texts whether all zones are in the same hemisphere.
func (c *coordinateReader) findZones(texts []string) {
	all := strings.ToLower(strings.Join(texts, " "))
	isAustralian := strings.Contains(all, "mga") || strings.Contains(all, "gda")
	c.grid.southern = isAustralian || c.out.opts.Hemisphere == Southern
	c.grid.northern = !isAustralian && (c.out.opts.Hemisphere == Northern || isNorthernDatum(all))
	zone := c.layout.finder.findColumn(zoneNames, c.layout.columns.Latitude, c.layout.columns.Longitude)
	if zone < 0 || c.rows.isBlankColumn(zone) {
		return
	}
	c.grid.zone = zone
	for i, column := range c.layout.finder.columns {
		if i != zone && namesHemisphere(column.title) {
			c.grid.hemisphere = i
		}
	}
}

// namesHemisphere reports whether the name of a column says that the column has hemispheres or the letters of UTM
// latitude bands.
func namesHemisphere(title string) bool {
	words := headerWords(layoutText(title))
	if slices.ContainsFunc(words, func(word string) bool { return sideWords[word] || bandWords[word] }) {
		return true
	}
	axis, areLetters := sideOnly(words)
	return areLetters && axis == latitude
}

// checkZones asks the user for the hemisphere of the UTM zones if a row has a zone, but neither the row nor the table
// shows the hemisphere.
func (r *csvReader) checkZones() *Error {
	for trial := r.trial(); trial.nextRecord(); {
		if !r.layout.isGridRow(trial.rows.current.fields) {
			continue
		}
		zone := trial.coordinates.zoneOfRow()
		if zone.number == 0 {
			continue
		}
		northing, _ := metres(trial.rows.cellAt(r.layout.columns.Latitude))
		trial.coordinates.addHemisphere(&zone, northing)
		if zone.letter == "" {
			return r.askHemisphere(trial.rows.current.row, "The UTM zone names no hemisphere. Which one is it?")
		}
	}
	return nil
}

// askHemisphere asks the user in which hemisphere the UTM zones are. line is the number of a row with a zone, and
// text is the text of the question.
func (r *csvReader) askHemisphere(line int, text string) *Error {
	northern := Choice{Value: string(Northern), Label: "northern"}
	northern.Town = r.firstTownIf(func(trial *csvReader) {
		trial.coordinates.grid.northern = true
		trial.coordinates.grid.southern = false
	})
	southern := Choice{Value: string(Southern), Label: "southern"}
	southern.Town = r.firstTownIf(func(trial *csvReader) {
		trial.coordinates.grid.northern = false
		trial.coordinates.grid.southern = true
	})
	choices := []Choice{northern, southern}
	sortByTown(choices)
	return r.out.ask(Question{Kind: AskHemisphere, Line: line, Text: text, Choices: choices})
}

// hemisphereOf returns "N" for a northing that is possible only in northern UTM zones, and "S" for a northing that is
// possible only in southern zones. Otherwise it returns "".
func hemisphereOf(northing float64) string {
	if northing < 1_100_000 {
		return "N"
	}
	if northing > 9_400_000 {
		return "S"
	}
	return ""
}

var (
	bareZone = newPattern(`(?i)utm[^0-9a-z]*(?:zone|zona|huso|fuso|zon|z)?[^0-9a-z]*` +
		`0*([1-5][0-9]|60|[1-9])(?:[^0-9a-z.]*([a-z]+)|[^0-9]|$)`)
	zoneText = newPattern(`(?i)^(?:utm|zone|z|huso|fuso|\s)*0*([1-5][0-9]|60|[1-9])\s*([a-zü]*)$`)
)

// namedSystem is the reference system that a text names. Only one of its fields is set. Both are 0 if the text names
// no system.
type namedSystem struct {
	code     int // EPSG code
	openZone int // number of a UTM zone without a known hemisphere
}

// systemIn returns the reference system that a text names. For "UTM 32N", it sets code to 32632. For "UTM 32", the
// northing decides about the hemisphere. If the northing is possible in both hemispheres, systemIn sets openZone to
// 32 instead of a code.
func systemIn(text string, northing float64) namedSystem {
	code := mentionedCode(text)
	match := bareZone().FindStringSubmatch(text)
	lower := strings.ToLower(text)
	isHemisphereClear := epsgMention().MatchString(text) || isNorthernDatum(lower) || strings.Contains(lower, "mga")
	if match == nil || isHemisphereClear {
		return namedSystem{code: code}
	}
	zone, _ := strconv.Atoi(match[1]) // the pattern has checked the digits
	word := match[2]                  // the word after the zone, such as N or south
	hemisphere := hemisphereLetter(word)
	if hemisphere == "" {
		hemisphere = hemisphereOf(northing)
	}
	if hemisphere == "" {
		return namedSystem{openZone: zone}
	}
	isBand := len(word) == 1 && !strings.ContainsAny(word, "nNsS")
	isCodeCertain := code != 0 && word != "" && !isBand // the hemisphere was known to mentionedCode
	if isCodeCertain {
		return namedSystem{code: code}
	}
	return namedSystem{code: utmCode(text, zone, hemisphere)}
}

var epsgMention = newPattern(`(?i)epsg|(?:^|[^0-9])[0-9]{5}(?:$|[^0-9])`)

// isNorthernDatum reports whether a text names a datum that is used only in the northern hemisphere. The text must be
// in lower case.
func isNorthernDatum(lower string) bool {
	for _, name := range []string{"etrs", "nad83", "nad 83", "nad27", "nad 27", "ed50", "ed 50"} {
		if strings.Contains(lower, name) {
			return true
		}
	}
	return false
}

// hemisphereLetter returns "N" or "S" for a word that means a hemisphere, such as "north" or "s". It also understands
// the letters of UTM latitude bands. For other words, it returns "".
func hemisphereLetter(word string) string {
	word = foldName(word)
	if northWords[word] {
		return "N"
	}
	if southWords[word] {
		return "S"
	}
	isBand := len(word) == 1 && strings.Contains(bands, strings.ToUpper(word))
	if !isBand {
		return ""
	}
	if word < "n" { // the bands C to M are in the southern hemisphere
		return "S"
	}
	return "N"
}

// utmCode returns the EPSG code of a UTM zone. The datum is the datum that the text names, otherwise WGS 84. letter
// is N or S.
func utmCode(text string, zone int, letter string) int {
	withLetter := fmt.Sprintf("%s UTM zone %d%s", bareZone().ReplaceAllString(text, " "), zone, letter)
	if code := mentionedCode(withLetter); code != 0 {
		return code
	}
	if letter == "S" {
		return 32700 + zone
	}
	return 32600 + zone
}

// useBareZone uses a UTM zone that the text names without a hemisphere. The options or another part of the file may
// state the hemisphere. If they do not, it asks the user.
func (r *csvReader) useBareZone(text string, zone int) *Error {
	if r.coordinates.grid.southern {
		return r.out.useSystemCode(utmCode(text, zone, "S"))
	}
	if r.coordinates.grid.northern {
		return r.out.useSystemCode(utmCode(text, zone, "N"))
	}
	choices := append(
		r.zoneChoice(text, zone, Northern),
		r.zoneChoice(text, zone, Southern)...,
	)
	sortByTown(choices)
	return r.out.ask(Question{
		Kind:    AskHemisphere,
		Text:    fmt.Sprintf("UTM zone %d is named without a hemisphere. Which one is it?", zone),
		Choices: choices,
	})
}

// zoneChoice returns a choice for a question: the UTM zone in the given hemisphere, with the town near the first site
// in this zone. It returns the choice in a slice, which is nil if the datum has no such zone.
func (r *csvReader) zoneChoice(text string, zone int, side Hemisphere) []Choice {
	letter := "N"
	if side == Southern {
		letter = "S"
	}
	system, err := crs.FindCode(utmCode(text, zone, letter))
	if err != nil {
		return nil
	}
	return []Choice{{
		Value: string(side),
		Label: fmt.Sprintf("UTM zone %d%s", zone, letter),
		Town:  r.firstTownIf(func(trial *csvReader) { trial.out.system = system }),
	}}
}

// askSystem asks the user for the reference system. x and y are the coordinates of the first site. The choices are
// the systems in which this site would be near a town.
func (b *resultBuilder) askSystem(x, y float64) *Error {
	return b.askSystemAmong(newSiteHints(&b.opts.Options).possibleSystems(orb.Point{x, y}), "")
}

// askSystemAmong asks the user for the reference system, with the given systems as choices. unit is a remark that is
// inserted into the message, such as ", in feet,", or "".
func (b *resultBuilder) askSystemAmong(systems []Guess, unit string) *Error {
	b.res.Systems = systems
	question := Question{Kind: AskSystem, Text: "In which reference system are the coordinates?"}
	for _, s := range systems {
		question.Choices = append(question.Choices, choiceOf(s))
	}
	b.res.Questions = append(b.res.Questions, question)
	return newError(
		ProjectedCoords,
		"the coordinates are projected%s and the file names no reference system; select it, or export as WGS 84%s",
		unit,
		exampleSystems(question.Choices),
	)
}

// choiceOf returns the choice with which the user selects the reference system s.
func choiceOf(s Guess) Choice {
	code := fmt.Sprintf("EPSG:%d", s.Code)
	choice := Choice{Value: code, Label: code}
	if s.Town != "" {
		choice.Town = "near " + s.Town
	}
	return choice
}

// exampleSystems returns the end of a message that names the first choices, such as ", for example EPSG:25832 (near
// Munich)". If there are no choices, it returns "".
func exampleSystems(choices []Choice) string {
	if len(choices) == 0 {
		return ""
	}
	var examples []string
	for _, c := range choices[:min(len(choices), maxNamedSystems)] {
		example := c.Label
		if c.Town != "" {
			example += " (" + c.Town + ")"
		}
		examples = append(examples, example)
	}
	return ", for example " + strings.Join(examples, ", ")
}

// askSystemOf asks the user for the reference system of a table. first has the easting and the northing of the first
// row, and isFeet says that they are in feet. If it is not clear which column has the eastings, the choices also
// include systems that fit if the two columns are exchanged.
func (r *csvReader) askSystemOf(first orb.Point, isFeet bool) *Error {
	positions := []orb.Point{first}
	if r.layout.orderOpen || r.layout.isXY() {
		positions = append(positions, swapAxes(first))
	}
	systems := r.tableHints().possibleSystems(positions...)
	unit := ""
	if isFeet {
		unit = ", in feet,"
		if len(systems) == 0 {
			unit = ", in feet, probably of a State Plane zone,"
		}
	}
	return r.out.askSystemAmong(systems, unit)
}

// gridPosition reads a northing and an easting, such as 5394868 and 508091, and converts them to a position in WGS
// 84.
func (c *coordinateReader) gridPosition(north, east []byte) (p orb.Point, problem *Error) {
	northing, isNorthing := metres(north)
	easting, isEasting := metres(east)
	if !isNorthing || !isEasting {
		return p, newError(
			CoordinatesUnreadable, "the northing or the easting is not a number: %s, %s", north, east,
		)
	}
	hasZoneColumn := c.grid.zone >= 0
	if hasZoneColumn {
		return c.zonePosition(easting, northing)
	}
	unconverted := orb.Point{easting, northing}
	system, problem := c.gridSystem(unconverted)
	if problem != nil {
		return p, problem
	}
	isWGS84 := system == nil
	areDegrees := isWGS84 || system.IsGeographic()
	if areDegrees && !isOnGlobe(unconverted) {
		return p, newError(OutOfRange, "%s and %s are not degrees", north, east)
	}
	if isWGS84 {
		return unconverted, nil
	}
	converted, ok := c.placeInEitherOrder(system, easting, northing)
	if !ok {
		return p, newError(OutOfRange, "%s, %s are not coordinates of %s", east, north, []byte(system.Reference()))
	}
	c.out.conversions.count(system, converted)
	return converted, nil
}

// gridSystem returns the reference system of the current row. If the table has a column for reference systems, this
// is the system in that column, otherwise the system of the whole table. p is the easting and the northing of the
// row.
func (c *coordinateReader) gridSystem(p orb.Point) (*crs.System, *Error) {
	if c.grid.code >= 0 {
		return c.systemOfRow(p)
	}
	return c.out.system, nil
}

// placeInEitherOrder converts an easting x and a northing y from the given reference system to WGS 84. If that is not
// possible, it tries x as the northing and y as the easting, and adds a warning if this succeeds. ok is false if
// neither order is possible.
func (c *coordinateReader) placeInEitherOrder(system *crs.System, x, y float64) (p orb.Point, ok bool) {
	p, ok = placeIn(system, x, y)
	if ok {
		return p, true
	}
	p, ok = placeIn(system, y, x) // Gauss-Krüger calls the northing x
	if !ok {
		return p, false
	}
	c.out.warnPlacemark(Swapped, "the columns of northing and easting are exchanged")
	return p, true
}

// systemOfRow returns the reference system that the current row names. If several systems have the short name in the
// row, systemOfRow returns the system whose area contains p, which is the easting and northing of the row.
func (c *coordinateReader) systemOfRow(p orb.Point) (*crs.System, *Error) {
	cell := bytes.TrimSpace(c.rows.cellAt(c.grid.code))
	if len(cell) == 0 {
		return nil, newError(OtherReference, "the row names no reference system")
	}
	isSameAsLast := c.grid.rowSystem != nil && bytes.Equal(cell, c.grid.rowText)
	if isSameAsLast {
		return c.grid.rowSystem, nil
	}
	code := codeOfSystem(string(cell), p)
	if code == 0 {
		return nil, newError(OtherReference, "the reference system %s is unknown; give its EPSG code", cell)
	}
	system, err := crs.FindCode(code)
	if err != nil {
		return nil, newError(OtherReference, "the reference system %s: %v", cell, err)
	}
	c.grid.rowText = append(c.grid.rowText[:0], cell...)
	c.grid.rowSystem = system
	return system, nil
}

// codeOfSystem returns the EPSG code of the reference system that a cell names, such as 25832, EPSG:25832 or RD, or 0
// if it names none. p is the easting and northing of the row: a short name such as RD counts only if p is in the area
// of its system.
func codeOfSystem(text string, p orb.Point) int {
	if number, err := strconv.Atoi(text); err == nil {
		return number
	}
	if code := mentionedCode(text); code != 0 {
		return code
	}
	systems, _ := systemsOf(systemNamedBy(text), p)
	if len(systems) != 1 {
		return 0
	}
	return systems[0].Code()
}

// metres reads a number such as 508091.25, 508.091,25, 5'394'868 or 508091 m. Points, commas, apostrophes or blanks
// can separate thousands. The bool result is false if the cell is not such a number.
func metres(cell []byte) (float64, bool) {
	cell = bareCell(cell)
	if len(cell) > maxNumber || !bytes.ContainsAny(cell, "0123456789") {
		return 0, false
	}
	text := strings.TrimRight(metreText.Replace(strings.TrimSpace(string(cell))), "mM")
	if isThousand(text) {
		text = strings.NewReplacer(".", "", ",", "").Replace(text)
	}
	thousandsMark := ","
	if decimalMark(text) == "," {
		thousandsMark = "."
	}
	text = strings.ReplaceAll(text, thousandsMark, "")
	text = strings.Replace(text, ",", ".", 1) // a comma that is left is the decimal mark
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// isThousand reports whether the only point or comma in a number separates thousands, as in 508.091. There must be
// one to three digits before it and exactly three digits after it. Such a mark is hardly ever a decimal mark, because
// the northing or easting would be smaller than a kilometre.
func isThousand(text string) bool {
	at := strings.IndexAny(text, ".,")
	return at > 0 && at <= 3 && len(text)-at == 4 && at == strings.LastIndexAny(text, ".,")
}

// decimalMark returns the decimal mark of a number: "." or ",". The other character separates thousands. Examples:
//
//	508091.25     a point
//	508.091,25    a comma, because it is behind the point
//	508091,5      a comma, because three digits do not follow it
//	5.394.868     a comma, because several points separate thousands
func decimalMark(text string) string {
	point := strings.LastIndexByte(text, '.')
	comma := strings.LastIndexByte(text, ',')
	hasBoth := point >= 0 && comma >= 0
	if hasBoth {
		if comma > point {
			return ","
		}
		return "."
	}
	isDecimalComma := strings.Count(text, ",") == 1 && len(text)-comma != len(",000")
	hasSeveralPoints := strings.Count(text, ".") > 1
	if isDecimalComma || hasSeveralPoints {
		return ","
	}
	return "."
}

// maxNumber is the maximum length in bytes of a cell that is read as a number.
const maxNumber = 64

var metreText = strings.NewReplacer("'", "", "’", "", " ", "", "\u00a0", "", "\u202f", "")
