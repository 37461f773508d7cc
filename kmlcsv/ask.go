package kmlcsv

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"flightdesk/kmlcsv/crs"
)

// ask adds a question to the result. It returns a NeedsAnswer error with the text of the question and its choices, so
// that reading ends until the user has answered the question.
func (b *resultBuilder) ask(q Question) *Error {
	b.res.Questions = append(b.res.Questions, q)
	var choices []string
	for _, c := range q.Choices {
		choice := c.Label
		if c.Town != "" {
			choice += " (" + c.Town + ")"
		}
		choices = append(choices, choice)
	}
	text := q.Text
	if len(choices) > 0 {
		text += " " + strings.Join(choices, " or ")
	}
	e := newError(NeedsAnswer, "%s", text)
	e.Line = q.Line
	return e
}

// sortByTown sorts choices by the place where each choice would put the first site: first the choices near a town,
// then the choices in a country, then the others.
func sortByTown(choices []Choice) {
	slices.SortStableFunc(choices, func(a, b Choice) int {
		return townRank(b.Town) - townRank(a.Town)
	})
}

func townRank(town string) int {
	if strings.HasPrefix(town, "near ") {
		return 2
	}
	if strings.HasPrefix(town, "in ") {
		return 1
	}
	return 0
}

// firstTown describes the town near the first site of the table, such as "near Bern, Switzerland". It reads the first
// site with the current settings. It returns "" if the site cannot be read or is not on the globe.
func (r *csvReader) firstTown() string {
	p, ok := r.firstPosition()
	if !ok {
		return ""
	}
	return townOf(p)
}

// firstTownIf is like firstTown, but reads the first site with changed settings. It passes a copy of the reader to
// adjust, which changes the settings of the copy.
func (r *csvReader) firstTownIf(adjust func(trial *csvReader)) string {
	trial := r.trial()
	adjust(trial)
	return trial.firstTown()
}

// settleOrder decides which of the two coordinate columns is the latitude or the northing. It warns if the decision
// is only an assumption, and returns an error if the user has to decide.
func (r *csvReader) settleOrder() *Error {
	if r.out.opts.Axes != "" {
		r.applyAxes()
		return nil
	}
	if len(r.layout.positions) == 0 {
		return r.settlePairs()
	}
	if r.coordinates.grid.metric {
		return r.settleGridOrder()
	}
	if r.layout.orderMixed {
		return r.out.ask(r.axesQuestion("Some rows have the latitude first, others the longitude. Which is right?"))
	}
	if !r.out.opts.SwapLatLng {
		r.warnOrderByValue()
	}
	return nil
}

// warnOrderByValue warns if the names of the columns do not show which column is the latitude. In that case, the
// values in the columns decided, or the latitude was assumed to be first.
func (r *csvReader) warnOrderByValue() {
	lat := r.layout.columns.Latitude + 1
	lng := r.layout.columns.Longitude + 1
	if r.layout.orderAssumed {
		r.warnOrder(fmt.Sprintf("columns %d and %d", lat, lng))
	} else if r.layout.byValue {
		r.out.warnFile(PlaceGuessed, "columns %d and %d were read as latitude and longitude by their values", lat, lng)
	}
}

// applyAxes uses the order of coordinates in the options, such as longitude first, to read cells with a pair of
// numbers. It also exchanges the two coordinate columns if they are not in this order.
func (r *csvReader) applyAxes() {
	r.geometries.cells.order = r.out.opts.Axes
	for i := range r.layout.positions {
		axes := &r.layout.positions[i].axes
		isLatFirst := axes[latitude].degrees < axes[longitude].degrees
		if isLatFirst != (r.out.opts.Axes == LatLng) {
			axes[latitude], axes[longitude] = axes[longitude], axes[latitude]
		}
	}
	if len(r.layout.positions) > 0 {
		r.layout.setPositionColumns(r.layout.positions[0].latitude(), r.layout.positions[0].longitude())
		r.out.res.Columns = r.layout.columns
	}
}

// warnOrder warns that the latitude was assumed to be first, and adds a question so that the user can correct the
// order. The warning names the town near the first site. subject is the start of the warning, such as "the pairs of
// numbers".
func (r *csvReader) warnOrder(subject string) {
	place := ""
	if !r.out.opts.NoPlaces {
		if town := r.firstTown(); town != "" {
			place = ": the first site is " + town
		}
	}
	r.out.warnFile(PlaceGuessed, "%s were read as latitude and longitude, in this order%s; they can be swapped",
		subject, place)
	q := r.axesQuestion("Which coordinate is first?")
	q.Certain = true
	r.out.res.Questions = append(r.out.res.Questions, q)
}

// axesQuestion returns a question that asks which coordinate is first. Its first choice is the current order.
func (r *csvReader) axesQuestion(text string) Question {
	latFirst := Choice{Value: string(LatLng), Label: "latitude first", Town: r.firstTownInOrder(LatLng)}
	lngFirst := Choice{Value: string(LngLat), Label: "longitude first", Town: r.firstTownInOrder(LngLat)}
	if r.coordinates.grid.metric {
		latFirst.Label = "northing first"
		lngFirst.Label = "easting first"
	}
	q := Question{Kind: AskAxes, Text: text, Choices: []Choice{latFirst, lngFirst}}
	if r.layout.hasLongitudeFirst() {
		slices.Reverse(q.Choices)
	}
	return q
}

// firstTownInOrder describes the town near the first site if the coordinates are in the given order.
func (r *csvReader) firstTownInOrder(order AxisOrder) string {
	return r.firstTownIf(func(trial *csvReader) {
		if len(r.layout.positions) == 0 { // latitude and longitude are in one cell
			trial.out.opts.SwapLatLng = false
			trial.geometries.cells.order = order
			return
		}
		trial.out.opts.SwapLatLng = r.layout.hasLongitudeFirst() != (order == LngLat)
	})
}

// hasLongitudeFirst reports whether the column of the longitude is before the column of the latitude.
func (l *tableLayout) hasLongitudeFirst() bool {
	return len(l.positions) > 0 && l.positions[0].latitude() > l.positions[0].longitude()
}

// templateNames are the names of the geometry column in tables from FlightDesk and from its service. The pairs in
// these columns have the latitude first.
var templateNames = []string{"points", "locationmap"}

// settlePairs finds out which number is the latitude in cells with a pair of numbers. The name of the column decides,
// otherwise the range of the numbers. It returns an error if the user has to decide.
func (r *csvReader) settlePairs() *Error {
	if order := r.layout.orderInTitle(); order != "" {
		if order == LngLat {
			r.geometries.cells.order = LngLat
		}
		return nil
	}
	pairs := r.layout.countPairs()
	if pairs.areMixed() {
		return r.out.ask(r.axesQuestion("Some pairs have the latitude first, others the longitude. Which is right?"))
	}
	if pairs.lngFirst > 0 {
		r.geometries.cells.order = LngLat
		r.out.warnFile(PlaceGuessed, "the pairs were read as longitude and latitude by their values")
		return nil
	}
	if pairs.latFirst == 0 && pairs.unclear > 0 && !r.out.opts.SwapLatLng {
		r.warnOrder("the pairs of numbers")
	}
	return nil
}

// orderInTitle returns the order of latitude and longitude that the name of the geometry column states, such as "Lon,
// Lat". It returns "" if the name states no order.
func (l *tableLayout) orderInTitle() AxisOrder {
	title := layoutText(l.finder.columns[l.columns.Geometry].title)
	lower := strings.ToLower(title)
	if strings.Contains(lower, "lonlat") || strings.Contains(lower, "lnglat") {
		return LngLat
	}
	if order := orderOfWords(headerWords(title)); order != "" {
		return order
	}
	folded := l.finder.columns[l.columns.Geometry].folded
	if slices.Contains(templateNames, folded) || strings.HasPrefix(folded, "lat") {
		return LatLng
	}
	return ""
}

// orderOfWords returns the order in which a latitude and a longitude are named in a list of words. It returns "" if
// one of them is not named.
func orderOfWords(words []string) AxisOrder {
	lat := indexOfAxis(words, latitude)
	lng := indexOfAxis(words, longitude)
	if lat < 0 || lng < 0 {
		return ""
	}
	if lng < lat {
		return LngLat
	}
	return LatLng
}

// indexOfAxis returns the index of the first word that names the wanted axis, latitude or longitude. It returns -1 if
// there is none.
func indexOfAxis(words []string, wanted angleAxis) int {
	return slices.IndexFunc(words, func(word string) bool {
		axis, isAxis := axisOfWord(word)
		return isAxis && axis == wanted
	})
}

// axisOfWord returns the axis that a word names, such as latitude for "lat". The words x and y also name an axis. ok
// is false for any other word, and for an ambiguous word such as "n".
func axisOfWord(word string) (axis angleAxis, ok bool) {
	name, _, found := findAxis([]string{word})
	if !found {
		return latitude, false
	}
	isXY := word == "x" || word == "y"
	return name.axis, isXY || !name.weak
}

// countPairs reads the cells that have a pair of numbers. It counts the pairs that must have the latitude first, the
// pairs that must have the longitude first, and the pairs that can be read in both orders.
func (l *tableLayout) countPairs() pairCounts {
	columns := l.finder.corners
	if len(columns) == 0 {
		columns = []int{l.columns.Geometry}
	}
	var counts pairCounts
	for scan := l.rows.scanRows(); scan.nextRecord(); {
		for _, column := range columns {
			cell := bytes.TrimSpace(cellOf(scan.fields, column))
			if !isBarePair(cell) {
				continue
			}
			if first, second, ok := barePair(cell); ok {
				counts.countPair(orderOfNumbers(first, second))
			}
		}
	}
	return counts
}

// pairCounts counts pairs of a latitude and a longitude by the order of the two numbers.
type pairCounts struct {
	latFirst int // pairs that must have the latitude first
	lngFirst int // pairs that must have the longitude first
	unclear  int // pairs that can be read in both orders
}

// countPair counts a pair of numbers. order is the only possible order of the pair, or "" if both orders are
// possible.
func (c *pairCounts) countPair(order AxisOrder) {
	switch order {
	case LatLng:
		c.latFirst++
	case LngLat:
		c.lngFirst++
	default:
		c.unclear++
	}
}

// areMixed reports whether some pairs must have the latitude first and other pairs must have the longitude first.
func (c *pairCounts) areMixed() bool { return c.latFirst > 0 && c.lngFirst > 0 }

// orderOfNumbers returns the order of a latitude and a longitude if the numbers allow only one. first and second are
// the absolute values of the numbers. A number over 90 must be the longitude. If both orders or no order is possible,
// the result is "".
func orderOfNumbers(first, second float64) AxisOrder {
	if first > 90 && second <= 90 {
		return LngLat
	}
	if second > 90 && first <= 90 {
		return LatLng
	}
	return ""
}

// northFirstSystems are the EPSG codes of reference systems in which x is the northing and y the easting.
var northFirstSystems = []int{
	2180, 2176, 2177, 2178, 2179, 31466, 31467, 31468, 31469, 3844, 5513, 5514, 3059, 3346, 3301, 3021, 21781, 23700,
	31254, 31255, 31256, 31257, 31258, 31259, 31284, 31285, 31286, 31287,
}

// settleGridOrder finds out which of two columns is the northing if their names do not show it, or if they are only X
// and Y. If just one order puts the rows into the area of the reference system, it uses this order. If both orders do,
// it usually asks the user. It does not ask if the columns are X and Y and x is the easting in the reference system, as
// it is in most systems.
func (r *csvReader) settleGridOrder() *Error {
	isOpen := r.layout.orderOpen || r.layout.isXY()
	if !isOpen || r.out.system == nil {
		return nil
	}
	rows := r.layout.countOrders(r.out.system, isInArea)
	if rows.areAllOutside() {
		rows = r.layout.countOrders(r.out.system, isNearArea)
	}
	if rows.exchanged == 0 { // only the order of the columns is possible, or no order is
		return nil
	}
	if rows.asIs == 0 {
		r.layout.exchangeAxes()
		r.out.res.Columns = r.layout.columns
		return nil
	}
	isUnclear := r.layout.orderOpen || slices.Contains(northFirstSystems, r.out.system.Code())
	if isUnclear && !r.out.opts.SwapLatLng {
		return r.out.ask(r.axesQuestion("Which column is the northing?"))
	}
	return nil
}

// isNearArea reports whether coordinates are in the area of use of a system, or so near to it that they can be
// converted.
func isNearArea(s *crs.System, x, y float64) bool {
	_, ok := placeIn(s, x, y)
	return ok
}

// exchangeAxes exchanges the columns of the latitude and the longitude, or of the northing and the easting.
func (l *tableLayout) exchangeAxes() {
	axes := &l.positions[0].axes
	axes[latitude], axes[longitude] = axes[longitude], axes[latitude]
	l.setPositionColumns(l.positions[0].latitude(), l.positions[0].longitude())
}

// orderCounts counts the rows with possible coordinates, for each of the two orders of the coordinate columns.
type orderCounts struct {
	asIs      int // rows that are possible if the columns are in the right order
	exchanged int // rows that are possible if the two columns are exchanged
}

// areAllOutside reports whether no row has possible coordinates in either order of the two columns.
func (c orderCounts) areAllOutside() bool { return c.asIs == 0 && c.exchanged == 0 }

// countOrders counts the rows for which isPossible returns true. It calls isPossible twice for each row: with the
// coordinates as they are, and with the two coordinates exchanged.
func (l *tableLayout) countOrders(
	system *crs.System,
	isPossible func(s *crs.System, x, y float64) bool,
) (counts orderCounts) {
	for scan := l.rows.scanRows(); scan.nextRecord(); {
		y, isNorthing := metres(cellOf(scan.fields, l.columns.Latitude))
		x, isEasting := metres(cellOf(scan.fields, l.columns.Longitude))
		if !isEasting || !isNorthing {
			continue
		}
		if isPossible(system, x, y) {
			counts.asIs++
		}
		if isPossible(system, y, x) {
			counts.exchanged++
		}
	}
	return counts
}

// Words in headers: from languages in which O means west, and from languages in which O means east.
var (
	oIsWestWords = wordSet(`latitud longitud nombre nom nome latitudine longitudine numero sitio ubicacion ubicazione
		lieu emplacement coordenadas coordonnees coordinate posicion posizione torre obra`)
	oIsEastWords = wordSet(`breite lange laenge breitengrad langengrad laengengrad standort bezeichnung naam
		breedtegraad lengtegraad breedte lengte ort lage koordinaten mast anlage nr bredde lengde`)
)

// decideLetterO finds out whether an O in longitudes means east or west. It looks at the letters in other rows, and
// then at the language of the header. It returns true if it found the meaning in this call; the caller must then read
// the current longitude again. It returns false if the meaning is unclear or was known before.
func (c *coordinateReader) decideLetterO() bool {
	if c.letterO != longitude || c.unclearO {
		return false
	}
	c.letterO = c.layout.likelyLetterO()
	c.unclearO = c.letterO == longitude
	return !c.unclearO
}

// likelyLetterO returns the more likely meaning of the letter O: longitudeOEast or longitudeOWest. It returns
// longitude if the table does not show the meaning.
func (l *tableLayout) likelyLetterO() angleAxis {
	hasEast, hasWest := l.longitudeLetters()
	if hasEast && !hasWest { // a table that writes E for east writes O for west
		return longitudeOWest
	}
	if hasWest && !hasEast {
		return longitudeOEast
	}
	balance := l.balanceOWords()
	if balance > 0 {
		return longitudeOWest
	}
	if balance < 0 {
		return longitudeOEast
	}
	return longitude
}

// longitudeLetters reports which hemisphere letters the longitudes of all rows have. hasEast is true if a longitude
// has an E or an L, which also means east. hasWest is true if a longitude has a W.
func (l *tableLayout) longitudeLetters() (hasEast, hasWest bool) {
	if !l.columns.hasPosition() {
		return false, false
	}
	a := &l.positions[0].axes[longitude]
	for scan := l.rows.scanRows(); scan.nextRecord(); {
		for _, column := range []int{a.degrees, a.side} {
			cell := strings.ToUpper(string(bytes.TrimSpace(cellOf(scan.fields, column))))
			letters := strings.Trim(cell, "0123456789.,°'\" ")
			hasEast = hasEast || letters == "E" || letters == "L"
			hasWest = hasWest || letters == "W"
		}
	}
	return hasEast, hasWest
}

// balanceOWords returns the number of words in the header that suggest that O means west, minus the number of words
// that suggest that it means east. The words are in oIsWestWords and oIsEastWords.
func (l *tableLayout) balanceOWords() int {
	balance := 0
	for _, column := range l.finder.columns {
		for _, word := range headerWords(layoutText(column.title)) {
			if oIsWestWords[word] {
				balance++
			}
			if oIsEastWords[word] {
				balance--
			}
		}
	}
	return balance
}

// askLetterO adds a question to the result: whether the letter O in a longitude such as 11.78 O means east (Ost in
// German) or west (Oeste in Spanish, Ouest in French). Each choice also names the town near the first site if this
// choice is right.
func (r *csvReader) askLetterO() *Error {
	meanings := []struct {
		value LetterO
		axis  angleAxis
		label string
	}{
		{OWest, longitudeOWest, "west (Oeste, Ouest)"},
		{OEast, longitudeOEast, "east (Ost)"},
	}
	var choices []Choice
	for _, c := range meanings {
		town := r.firstTownIf(func(trial *csvReader) {
			trial.coordinates.letterO = c.axis
			trial.geometries.cells.lngAxis = c.axis
		})
		choices = append(choices, Choice{Value: string(c.value), Label: c.label, Town: town})
	}
	sortByTown(choices)
	return r.out.ask(Question{Kind: AskLetterO, Text: "Does O mean east or west?", Choices: choices})
}

// isBarePair reports whether a cell has two numbers and no letters. Such a cell does not show which number is the
// latitude.
func isBarePair(cell []byte) bool {
	return barePairText().Match(cell)
}

// barePair returns the absolute values of the two numbers in a cell, in the order of the cell: 11.78 and 48.35 for
// "-11.78, 48.35". ok is false if the cell does not have two numbers.
func barePair(cell []byte) (first, second float64, ok bool) {
	p, _, err := readPair(string(cell))
	if err != nil {
		firstText, secondText, isPair := splitPair(cell)
		q, problem := readDegrees(firstText, secondText)
		return math.Abs(q[1]), math.Abs(q[0]), isPair && problem == nil
	}
	m := barePairText().FindSubmatch(cell)
	if m == nil {
		return 0, 0, false
	}
	lng := math.Abs(p[0])
	lat := math.Abs(p[1])
	firstNumber, _ := readAngle(m[1], longitude)
	isLatFirst := math.Abs(math.Abs(firstNumber)-lat) < 1e-12 // readPair may have exchanged the numbers
	if isLatFirst {
		return lat, lng, true
	}
	return lng, lat, true
}

var barePairText = newPattern(
	`^\(?\s*([-+]?[0-9]{1,3}(?:[.,][0-9]+)?)°?\s*[,;/\s]\s*([-+]?[0-9]{1,3}(?:[.,][0-9]+)?)°?\s*\)?$`)
