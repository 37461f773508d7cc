package kmlcsv

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// gridReader converts northings and eastings of a table.
type gridReader struct {
	metric     bool // the coordinates are northings and eastings
	code       int  // column with the reference system of each row, or -1
	zone       int  // column with the UTM zone of each row, or -1
	hemisphere int  // column with the hemisphere of the zone, or -1
	southern   bool // the zones are southern, as the file says
	northern   bool // the zones are northern, as the file says

	rowSystem *crs.System // of the last row with a code
	rowText   []byte      // the code
}

// chooseSystem finds the reference system or the unit of the coordinates.
func (r *csvReader) chooseSystem() (err *Error) {
	r.grid.code, r.grid.zone, r.grid.hemisphere = -1, -1, -1
	if r.opts.CRS != 0 {
		if r.system, err = findSystem(r.opts.CRS); err != nil {
			return err
		}
	}
	r.datum.column = -1
	if len(r.positions) == 0 {
		r.useDatum()
		return nil
	}
	p := &r.positions[0]
	unit := cmp.Or(r.opts.Unit, r.nameOf(p.latitude()).unit, r.nameOf(p.longitude()).unit)
	y, x, isNumbers := r.firstNumbers()
	isMetres := unit == "m" || unit == "ft"
	mayBePacked := !p.grid && r.opts.CRS == 0 && unit == "" && isNumbers && r.areLatLng()
	switch {
	case mayBePacked && r.packedForm() != "":
		return r.usePacked(r.packedForm())
	case p.grid && !isMetres && unit == "" && r.areDegrees():
		r.warnGridDegrees()
		fallthrough
	case !p.grid && !(isNumbers && isFar(x, y)) && unit == "":
		r.ignoreProjection()
		r.useDatum()
		return nil
	case unit != "" && !isMetres:
		r.ignoreProjection()
		r.useDatum()
		return r.useUnit(unit)
	case !p.grid && r.opts.CRS == 0 && isNumbers:
		if units := r.possibleUnits(x, y); len(units) > 0 {
			return r.askUnit(units)
		}
	}
	r.grid.metric = true
	return r.findGrid(x, y, unit == "ft")
}

// nameOf returns what the name of a column says about a coordinate.
func (h *headerFinder) nameOf(column int) axisName {
	if column < 0 || column >= len(h.axes) || !h.isAxis[column] {
		return axisName{}
	}
	return h.axes[column]
}

// firstNumbers returns the northing and the easting of the first row that has both.
func (r *csvReader) firstNumbers() (y, x float64, ok bool) {
	p := &r.positions[0]
	for scan := r.scanRows(); scan.nextRecord(); {
		north, okNorth := metres(cellOf(scan.fields, p.latitude()))
		east, okEast := metres(cellOf(scan.fields, p.longitude()))
		if okNorth && okEast && (north != 0 || east != 0) {
			_, isDegrees := degreesOf(cellOf(scan.fields, p.latitude()), cellOf(scan.fields, p.longitude()))
			return north, east, !isDegrees // 51.957 and 4.021 can be, with marks of thousands or without
		}
	}
	return 0, 0, false
}

// warnGridDegrees says that columns named as northings and eastings have degrees.
func (r *csvReader) warnGridDegrees() {
	r.positions[0].grid = false
	lat, lng := r.columns.Latitude, r.columns.Longitude
	if r.byValue || r.nameOf(lat).weak || len(foldName(r.titles[lat])) <= len("north") {
		return
	}
	r.warnFile(PlaceGuessed, "%q and %q were read as latitude and longitude in degrees, as their values show",
		[]byte(r.titles[lat]), []byte(r.titles[lng]))
}

// isFar reports whether coordinates cannot be degrees.
func isFar(x, y float64) bool { return math.Abs(x) > 360 && math.Abs(y) > 360 }

// ignoreProjection drops a system of metres that was asked for: the coordinates
// are degrees.
func (r *csvReader) ignoreProjection() {
	if r.system != nil && !r.system.IsGeographic() {
		r.warnFile(OtherReference, "the coordinates are degrees; %s is not used", []byte(r.system.Reference()))
		r.system = nil
	}
}

// degreeUnits are the units of degrees, each with its size in degrees.
var degreeUnits = map[string]float64{
	"deg": 0, "gon": 0.9, "rad": 180 / math.Pi, "e5": 1e-5, "e6": 1e-6, "e7": 1e-7,
}

// packedForm returns the form of packed degrees that all rows can be in, "" for none. The latitudes
// decide, since a longitude of 12015 can be 120°15' and 1°20'15".
func (r *csvReader) packedForm() string {
	isPossible := map[string]bool{packedMinutes: true, packedSeconds: true}
	rows := 0 // which cannot be degrees
	for scan := r.scanRows(); scan.nextRecord(); {
		lat, latProblem := readAngle(cellOf(scan.fields, r.columns.Latitude), latitude)
		lng, lngProblem := readAngle(cellOf(scan.fields, r.columns.Longitude), longitude)
		if latProblem != nil || lngProblem != nil {
			continue
		}
		if isOnGlobe(orb.Point{lng, lat}) {
			return ""
		}
		isFar := math.Abs(lat) > 360 || math.Abs(lng) > 360
		if isFar {
			rows++
		}
		for form := range isPossible {
			y, okY := unpackAngle(lat, form)
			x, okX := unpackAngle(lng, form)
			if !okX || !okY || !isOnGlobe(orb.Point{x, y}) || form == packedSeconds && math.Abs(lat) < 10_000 {
				delete(isPossible, form)
			}
		}
	}
	switch {
	case rows == 0:
	case isPossible[packedMinutes]:
		return packedMinutes
	case isPossible[packedSeconds]:
		return packedSeconds
	}
	return ""
}

// areLatLng reports whether the columns are named as a latitude and a longitude in full, or have
// hemispheres beside them.
func (r *csvReader) areLatLng() bool {
	return r.haveSides() || !r.byValue && !r.nameOf(r.columns.Latitude).weak && !r.nameOf(r.columns.Longitude).weak
}

// haveSides reports whether both coordinates have a column with their hemisphere.
func (r *csvReader) haveSides() bool {
	for axis := range r.positions[0].axes {
		a := &r.positions[0].axes[axis]
		if a.side < 0 && r.findSide(a, angleAxis(axis)) < 0 {
			return false
		}
	}
	return true
}

// usePacked reads packed degrees if there are hemispheres beside them. Otherwise they can be
// metres, and it asks.
func (r *csvReader) usePacked(form string) *Error {
	r.useDatum()
	r.packed = form
	if r.haveSides() {
		return nil
	}
	label := map[string]string{
		packedMinutes: "degrees and minutes without a sign between (ddmm.mmm)",
		packedSeconds: "degrees, minutes and seconds without a sign between (ddmmss)",
	}[form]
	choices := []Choice{{Value: form, Label: label, Town: r.firstTown()}, {Value: "m", Label: "metres or feet of a reference system"}}
	r.packed = ""
	return r.ask(Question{Kind: AskUnit, Text: "In which unit are the coordinates?", Choices: choices})
}

// useUnit reads the coordinates in a unit of degrees.
func (r *csvReader) useUnit(unit string) *Error {
	if unit == packedMinutes || unit == packedSeconds {
		r.packed = unit
		return nil
	}
	scale, ok := degreeUnits[unit]
	if !ok {
		return newError(CoordinatesUnreadable, "%s is not a unit of coordinates; use deg, gon, e5, e6, e7, dm or dms", []byte(unit))
	}
	r.scale = scale
	return nil
}

// possibleUnits returns the units in which whole numbers are latitudes and longitudes; none
// if they can be metres.
func (r *csvReader) possibleUnits(x, y float64) (units []string) {
	p := &r.positions[0]
	mayBeMetres := math.Abs(y) <= 1.1e7 && math.Abs(x) <= 1.1e7
	if mayBeMetres {
		return nil
	}
	isPossible := map[string]bool{"e7": true, "e6": true, "e5": true}
	for scan := r.scanRows(); scan.nextRecord(); {
		north, east := cellOf(scan.fields, p.latitude()), cellOf(scan.fields, p.longitude())
		lat, okLat := metres(north)
		lng, okLng := metres(east)
		if !okLat || !okLng {
			continue
		}
		for unit := range isPossible {
			size := degreeUnits[unit]
			if !isWhole(north) || !isWhole(east) || !isOnGlobe(orb.Point{lng * size, lat * size}) {
				delete(isPossible, unit)
			}
		}
	}
	for _, unit := range []string{"e7", "e6", "e5"} {
		if isPossible[unit] {
			units = append(units, unit)
		}
	}
	return units
}

func isWhole(cell []byte) bool { return !bytes.ContainsAny(cell, ".,' ") }

// unitNames are how people call the units of whole degrees.
var unitNames = map[string]string{
	"e7": "ten-millionths of a degree", "e6": "millionths of a degree", "e5": "hundred-thousandths of a degree",
}

// askUnit takes the only possible unit, or asks which of several it is.
func (r *csvReader) askUnit(units []string) *Error {
	r.ignoreProjection()
	r.useDatum()
	if len(units) == 1 {
		r.warnFile(PlaceGuessed, "the coordinates were read as %s", unitNames[units[0]])
		return r.useUnit(units[0])
	}
	var choices []Choice
	for _, unit := range units {
		r.scale = degreeUnits[unit]
		choices = append(choices, Choice{Value: unit, Label: unitNames[unit], Town: r.firstTown()})
	}
	sortByTown(choices)
	return r.ask(Question{
		Kind:    AskUnit,
		Text:    "In which unit are the coordinates? They are whole numbers.",
		Choices: choices,
	})
}

// findGrid finds the reference system of northings and eastings: chosen by a person, named
// by each row, by the header, or by a row above the data. Otherwise it asks.
func (r *csvReader) findGrid(x, y float64, isFeet bool) *Error {
	if r.opts.CRS != 0 {
		return r.takeSystem(r.opts.CRS)
	}
	if i := r.systemColumn(); i >= 0 {
		r.grid.code = i
		return nil
	}
	texts := r.systemTexts()
	r.findZones(texts)
	if r.grid.zone >= 0 {
		r.findDatum(texts)
		return r.checkZones()
	}
	if !r.hasZoneInName() {
		if failed, ok := r.useShortName(x, y, texts); ok {
			return failed
		}
	}
	for _, text := range texts {
		code, zone := systemIn(text, y)
		system, err := crs.FindCode(code)
		switch {
		case zone > 0:
			return r.useBareZone(text, zone)
		case code == 0 || err == nil && system.IsGeographic(): // a datum alone
		default:
			return r.takeSystem(code)
		}
		if zoned := zoneOnDatum(text); zoned != nil {
			r.useSystem(zoned)
			return nil
		}
	}
	if failed, ok := r.useShortName(x, y, texts); ok {
		return failed
	}
	return r.askSystemOf(x, y, isFeet)
}

// systemColumn returns the column with the reference system of each row, -1 for none. A column of
// another name counts if its first cell names a system.
func (r *csvReader) systemColumn() int {
	if i := r.findColumn(crsNames); i >= 0 && !r.isBlankColumn(i) {
		return i
	}
	for _, name := range perhapsCRSNames {
		i := r.findColumn([]string{name})
		if i < 0 {
			continue
		}
		system := crs.Mentioned(string(r.sample[i]))
		if system != nil && !system.IsGeographic() || len(systemNamedBy(string(r.sample[i]))) > 0 {
			return i
		}
	}
	return -1
}

// systemTexts returns the texts that can name the reference system: the names of the
// coordinate columns, then the rows above the data, besides the header.
func (r *csvReader) systemTexts() (texts []string) {
	for i, title := range r.titles {
		isShort := len(title) < maxTitle
		switch {
		case isShort && i == r.columns.Geometry, isShort && r.isAxis[i] && codeInTitle.MatchString(title):
			texts = append(texts, title)
		case isShort && r.isAxis[i]: // without the axis, whose letter is none of a zone
			texts = append(texts, r.axes[i].about)
		}
	}
	for i := range r.head {
		row := r.head[i].fields
		if r.isGridRow(row) || looksLikeGeometry(cellOf(row, r.columns.Geometry)) {
			break
		}
		text := string(bytes.Join(row, []byte(" ")))
		if i != r.header && len(text) < 1000 {
			texts = append(texts, text)
		}
	}
	return texts
}

// codeInTitle is the EPSG code of a system in the name of a column.
var codeInTitle = regexp.MustCompile(`(?:^|[^0-9])[0-9]{4,6}(?:$|[^0-9])`)

// isGridRow reports whether a row has a northing and an easting.
func (r *csvReader) isGridRow(fields [][]byte) bool {
	_, okNorth := metres(cellOf(fields, r.columns.Latitude))
	_, okEast := metres(cellOf(fields, r.columns.Longitude))
	return okNorth && okEast
}

// findZones finds the columns with the UTM zone and its hemisphere.
func (r *csvReader) findZones(texts []string) {
	all := strings.ToLower(strings.Join(texts, " "))
	isAustralian := strings.Contains(all, "mga") || strings.Contains(all, "gda")
	r.grid.southern = isAustralian || r.opts.Hemisphere == Southern
	r.grid.northern = !isAustralian && (r.opts.Hemisphere == Northern || isNorthernDatum(all))
	i := r.findColumn(zoneNames, r.columns.Latitude, r.columns.Longitude)
	if i < 0 || r.isBlankColumn(i) {
		return
	}
	r.grid.zone = i
	for k, title := range r.titles {
		words := headerWords(layoutText(title))
		isSide := slices.ContainsFunc(words, func(w string) bool { return sideWords[w] || bandWords[w] })
		axis, isLetters := sideOnly(words)
		if k != i && (isSide || isLetters && axis == latitude) {
			r.grid.hemisphere = k
		}
	}
}

// checkZones asks for the hemisphere if a zone names none.
func (r *csvReader) checkZones() *Error {
	for trial := r.trial(); trial.nextRecord(); {
		if !r.isGridRow(trial.records.fields) {
			continue
		}
		zone := trial.zoneOfRow()
		northing, _ := metres(trial.cellAt(r.columns.Latitude))
		if zone.number > 0 && trial.hemisphereOfZone(&zone, northing) == "" {
			return r.askHemisphere(trial.records.row, "The UTM zone names no hemisphere. Which one is it?")
		}
	}
	return nil
}

// askHemisphere asks for the hemisphere of UTM zones.
func (r *csvReader) askHemisphere(line int, text string) *Error {
	var choices []Choice
	for _, side := range []Hemisphere{Northern, Southern} {
		r.grid.northern, r.grid.southern = side == Northern, side == Southern
		label := map[Hemisphere]string{Northern: "northern", Southern: "southern"}[side]
		choices = append(choices, Choice{Value: string(side), Label: label, Town: r.firstTown()})
	}
	sortByTown(choices)
	return r.ask(Question{Kind: AskHemisphere, Line: line, Text: text, Choices: choices})
}

// hemisphereOf returns the letter of the only hemisphere that a northing can be in, "" if
// it can be in both.
func hemisphereOf(northing float64) string {
	switch {
	case northing < 1_100_000:
		return "N"
	case northing > 9_400_000:
		return "S"
	}
	return ""
}

var (
	bareZone = regexp.MustCompile(`(?i)utm[^0-9a-z]*(?:zone|zona|huso|fuso|zon|z)?[^0-9a-z]*0*([1-5][0-9]|60|[1-9])(?:[^0-9a-z.]*([a-z]+)|[^0-9]|$)`)
	zoneText = regexp.MustCompile(`(?i)^(?:utm|zone|z|huso|fuso|\s)*0*([1-5][0-9]|60|[1-9])\s*([a-zü]*)$`)
)

// systemIn returns the EPSG code that a text names, or the UTM zone that it names without
// a hemisphere.
func systemIn(text string, northing float64) (code, zone int) {
	m := bareZone.FindStringSubmatch(text)
	code = mentionedCode(text)
	if m == nil || epsgMention.MatchString(text) || isNorthernDatum(strings.ToLower(text)) || strings.Contains(strings.ToLower(text), "mga") {
		return code, 0
	}
	zone, _ = strconv.Atoi(m[1])
	letter := hemisphereLetter(m[2])
	if letter == "" {
		letter = hemisphereOf(northing)
	}
	switch {
	case letter == "":
		return 0, zone
	case code == 0 || m[2] == "" || len(m[2]) == 1 && !strings.ContainsAny(m[2], "nNsS"):
		return utmCode(text, zone, letter), 0
	}
	return code, 0
}

var epsgMention = regexp.MustCompile(`(?i)epsg|(?:^|[^0-9])[0-9]{5}(?:$|[^0-9])`)

// isNorthernDatum reports whether a text names a datum that is used in the north only.
func isNorthernDatum(lower string) bool {
	for _, name := range []string{"etrs", "nad83", "nad 83", "nad27", "nad 27", "ed50", "ed 50"} {
		if strings.Contains(lower, name) {
			return true
		}
	}
	return false
}

// hemisphereLetter returns N or S for a word or the letter of a band, otherwise "".
func hemisphereLetter(word string) string {
	word = foldName(word)
	switch {
	case northWords[word]:
		return "N"
	case southWords[word]:
		return "S"
	case len(word) != 1 || !strings.Contains(bands, strings.ToUpper(word)):
		return ""
	case word < "n":
		return "S"
	}
	return "N"
}

// utmCode returns the EPSG code of a UTM zone on the datum that a text names.
func utmCode(text string, zone int, letter string) int {
	withLetter := fmt.Sprintf("%s UTM zone %d%s", bareZone.ReplaceAllString(text, " "), zone, letter)
	if code := mentionedCode(withLetter); code != 0 {
		return code
	}
	if letter == "S" {
		return 32700 + zone
	}
	return 32600 + zone
}

// useBareZone takes a UTM zone that is named without a hemisphere, if that is known.
func (r *csvReader) useBareZone(text string, zone int) *Error {
	switch {
	case r.grid.southern:
		return r.takeSystem(utmCode(text, zone, "S"))
	case r.grid.northern:
		return r.takeSystem(utmCode(text, zone, "N"))
	}
	var choices []Choice
	for _, side := range []Hemisphere{Northern, Southern} {
		letter := map[Hemisphere]string{Northern: "N", Southern: "S"}[side]
		system, err := crs.FindCode(utmCode(text, zone, letter))
		if err != nil {
			continue
		}
		r.system = system
		choices = append(choices, Choice{Value: string(side), Label: fmt.Sprintf("UTM zone %d%s", zone, letter), Town: r.firstTown()})
	}
	r.system = nil
	sortByTown(choices)
	return r.ask(Question{
		Kind:    AskHemisphere,
		Text:    fmt.Sprintf("UTM zone %d is named without a hemisphere. Which one is it?", zone),
		Choices: choices,
	})
}

// askSystem returns the error that asks for the reference system, with the
// town where the first site would be in each of the common ones.
func (b *resultBuilder) askSystem(x, y float64) *Error {
	return b.askSystemAmong(b.hints().possibleSystems(orb.Point{x, y}), "")
}

func (b *resultBuilder) askSystemAmong(systems []Guess, unit string) *Error {
	b.res.Systems = systems
	question := Question{Kind: AskSystem, Text: "In which reference system are the coordinates?"}
	var named []string
	for _, s := range systems {
		code := fmt.Sprintf("EPSG:%d", s.Code)
		choice := Choice{Value: code, Label: code}
		text := code
		if s.Town != "" {
			choice.Town = "near " + s.Town
			text += " (" + choice.Town + ")"
		}
		question.Choices = append(question.Choices, choice)
		named = append(named, text)
	}
	b.res.Questions = append(b.res.Questions, question)
	hint := ""
	if len(named) > 0 {
		hint = ", for example " + strings.Join(named[:min(len(named), maxNamedSystems)], ", ")
	}
	return newError(
		ProjectedCoords,
		"the coordinates are projected%s and the file names no reference system; select it, or export as WGS 84%s",
		unit,
		hint,
	)
}

// askSystemOf asks for the reference system of a table. If the order of the columns is
// not known, both are tried.
func (r *csvReader) askSystemOf(x, y float64, isFeet bool) *Error {
	positions := []orb.Point{{x, y}}
	if r.orderOpen || r.isXY() {
		positions = append(positions, orb.Point{y, x})
	}
	systems := r.tableHints().possibleSystems(positions...)
	unit := ""
	if isFeet {
		unit = ", in feet,"
		if len(systems) == 0 {
			unit = ", in feet, probably of a State Plane zone,"
		}
	}
	return r.askSystemAmong(systems, unit)
}

// gridPosition reads a northing and an easting.
func (r *csvReader) gridPosition(north, east []byte) (p orb.Point, problem *Error) {
	y, okY := metres(north)
	x, okX := metres(east)
	if !okY || !okX {
		return p, newError(
			CoordinatesUnreadable, "the northing or the easting is not a number: %s, %s", north, east,
		)
	}
	system := r.system
	switch {
	case r.grid.zone >= 0:
		return r.zonePosition(x, y)
	case r.grid.code >= 0:
		if system, problem = r.systemOfRow(orb.Point{x, y}); problem != nil {
			return p, problem
		}
	}
	if system == nil || system.IsGeographic() { // nil is WGS 84
		p = orb.Point{x, y}
		if !isOnGlobe(p) {
			return p, newError(OutOfRange, "%s and %s are not degrees", north, east)
		}
	}
	if system == nil {
		return p, nil
	}
	if p, ok := placeIn(system, x, y); ok {
		r.countConversion(system, p)
		return p, nil
	}
	if p, ok := placeIn(system, y, x); ok { // Gauss-Krüger calls the northing x
		r.warnPlacemark(Swapped, "the columns of northing and easting are exchanged")
		r.countConversion(system, p)
		return p, nil
	}
	return p, newError(OutOfRange, "%s, %s are not coordinates of %s", east, north, []byte(system.Reference()))
}

// systemOfRow returns the reference system that the record names. Its position decides between
// several systems of a name.
func (r *csvReader) systemOfRow(p orb.Point) (*crs.System, *Error) {
	cell := bytes.TrimSpace(r.cellAt(r.grid.code))
	if len(cell) == 0 {
		return nil, newError(OtherReference, "the row names no reference system")
	}
	if r.grid.rowSystem != nil && bytes.Equal(cell, r.grid.rowText) {
		return r.grid.rowSystem, nil
	}
	code := mentionedCode(string(cell))
	if systems, _ := systemsOf(systemNamedBy(string(cell)), p); code == 0 && len(systems) == 1 {
		code = systems[0].Code()
	}
	if n, err := strconv.Atoi(string(cell)); err == nil {
		code = n
	}
	system, err := crs.FindCode(code)
	if err != nil {
		return nil, newError(OtherReference, "the reference system %s: %v", cell, err)
	}
	r.grid.rowText, r.grid.rowSystem = append(r.grid.rowText[:0], cell...), system
	return system, nil
}

// metres reads a number with points, commas, apostrophes or blanks for
// thousands.
func metres(cell []byte) (float64, bool) {
	if cell = bareCell(cell); len(cell) > maxNumber || !bytes.ContainsAny(cell, "0123456789") {
		return 0, false
	}
	text := strings.TrimRight(metreText.Replace(strings.TrimSpace(string(cell))), "mM")
	if isThousand(text) {
		text = strings.NewReplacer(".", "", ",", "").Replace(text)
	}
	decimal := decimalMark(text)
	thousands := map[string]string{".": ",", ",": "."}[decimal]
	text = strings.Replace(strings.ReplaceAll(text, thousands, ""), decimal, ".", 1)
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// isThousand reports whether the one mark of a number stands before its last
// three digits: as a decimal mark it would make less than a kilometre.
func isThousand(text string) bool {
	at := strings.IndexAny(text, ".,")
	return at > 0 && at <= 3 && len(text)-at == 4 && at == strings.LastIndexAny(text, ".,")
}

// decimalMark returns which mark of a number stands before its decimals.
func decimalMark(text string) string {
	point, comma := strings.LastIndexByte(text, '.'), strings.LastIndexByte(text, ',')
	switch {
	case comma > point && (point >= 0 || strings.Count(text, ",") == 1 && len(text)-comma != 4):
		return ","
	case point >= 0 && comma < 0 && strings.Count(text, ".") > 1:
		return ","
	}
	return "."
}

// maxNumber is the longest text that is tried as a number, in bytes.
const maxNumber = 64

var metreText = strings.NewReplacer("'", "", "’", "", " ", "", "\u00a0", "", "\u202f", "")
