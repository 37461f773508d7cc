package kmlcsv

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"flightdesk/kmlcsv/crs"
)

// ask returns the error that a question must be answered first, which lists the choices.
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

// sortByTown moves the choices in which the first site is near a town to the front.
func sortByTown(choices []Choice) {
	slices.SortStableFunc(choices, func(a, b Choice) int {
		return townRank(b.Town) - townRank(a.Town)
	})
}

func townRank(town string) int {
	switch {
	case strings.HasPrefix(town, "near "):
		return 2
	case strings.HasPrefix(town, "in "):
		return 1
	}
	return 0
}

// firstTown says which town the first site of the table would be near.
func (r *csvReader) firstTown() string {
	p, ok := r.firstPosition()
	if !ok {
		return ""
	}
	return townOf(p)
}

// settleOrder decides which of two columns is the latitude, or the northing, if that is
// open, and reports whether the rows can be read. If it is only assumed, it says so.
func (r *csvReader) settleOrder() bool {
	if r.opts.Axes != "" {
		r.applyAxes()
		return true
	}
	switch {
	case len(r.positions) == 0:
		r.settlePairs()
	case r.grid.metric:
		r.settleGridOrder()
	case r.orderMixed:
		r.failed = r.ask(r.axesQuestion("Some rows have the latitude first, others the longitude. Which is right?"))
	case r.orderAssumed && !r.opts.SwapLatLng:
		r.noteOrder(fmt.Sprintf("columns %d and %d", r.columns.Latitude+1, r.columns.Longitude+1))
	case r.byValue && !r.opts.SwapLatLng:
		r.warnFile(PlaceGuessed, "columns %d and %d were read as latitude and longitude by their values",
			r.columns.Latitude+1, r.columns.Longitude+1)
	}
	return r.failed == nil
}

// applyAxes puts the columns in the order that a person chose.
func (r *csvReader) applyAxes() {
	r.cells.order = r.opts.Axes
	for i := range r.positions {
		axes := &r.positions[i].axes
		isLatFirst := axes[latitude].degrees < axes[longitude].degrees
		if isLatFirst != (r.opts.Axes == LatLng) {
			axes[latitude], axes[longitude] = axes[longitude], axes[latitude]
		}
	}
	if len(r.positions) > 0 {
		r.columns.Latitude, r.columns.Longitude = r.positions[0].latitude(), r.positions[0].longitude()
		r.res.Columns = r.columns
	}
}

// noteOrder says that the latitude is assumed to be first, and where that puts the first
// site.
func (r *csvReader) noteOrder(what string) {
	place := ""
	if !r.opts.NoPlaces {
		if town := r.firstTown(); town != "" {
			place = ": the first site is " + town
		}
	}
	r.warnFile(PlaceGuessed, "%s were read as latitude and longitude, in this order%s; they can be swapped", what, place)
	q := r.axesQuestion("Which coordinate is first?")
	q.Certain = true
	r.res.Questions = append(r.res.Questions, q)
}

// axesQuestion asks which coordinate is first. The order that is used now is the first
// choice.
func (r *csvReader) axesQuestion(text string) Question {
	q := Question{Kind: AskAxes, Text: text}
	swap := r.opts.SwapLatLng
	order := r.cells.order
	for _, choice := range []AxisOrder{LatLng, LngLat} {
		label := map[AxisOrder]string{LatLng: "latitude first", LngLat: "longitude first"}[choice]
		if r.grid.metric {
			label = map[AxisOrder]string{LatLng: "northing first", LngLat: "easting first"}[choice]
		}
		isLatFirst := len(r.positions) == 0 || r.positions[0].latitude() < r.positions[0].longitude()
		r.opts.SwapLatLng = isLatFirst != (choice == LatLng)
		if len(r.positions) == 0 {
			r.opts.SwapLatLng, r.cells.order = false, choice
		}
		town := ""
		if !r.opts.NoPlaces || !q.Certain {
			town = r.firstTown()
		}
		q.Choices = append(q.Choices, Choice{Value: string(choice), Label: label, Town: town})
	}
	r.opts.SwapLatLng, r.cells.order = swap, order
	if len(r.positions) > 0 && r.positions[0].latitude() > r.positions[0].longitude() {
		slices.Reverse(q.Choices)
	}
	return q
}

// templateNames are the names of columns in the service's own tables, which have the latitude first.
var templateNames = []string{"points", "locationmap"}

// settlePairs finds out which number of the pairs in cells is the latitude: by the name of
// the column, or by the range of the numbers.
func (r *csvReader) settlePairs() {
	title := layoutText(r.titles[r.columns.Geometry])
	latAt, lngAt := -1, -1
	for i, word := range headerWords(title) {
		name := axisName{}
		if at, _ := name.findAxis([]string{word}); at < 0 || name.weak && word != "x" && word != "y" {
			continue
		}
		if name.axis == latitude && latAt < 0 {
			latAt = i
		}
		if name.axis == longitude && lngAt < 0 {
			lngAt = i
		}
	}
	if strings.Contains(strings.ToLower(title), "lonlat") || strings.Contains(strings.ToLower(title), "lnglat") {
		latAt, lngAt = 1, 0
	}
	folded := r.folded[r.columns.Geometry]
	switch {
	case latAt >= 0 && lngAt >= 0 && lngAt < latAt:
		r.cells.order = LngLat
		return
	case latAt >= 0 && lngAt >= 0, slices.Contains(templateNames, folded), strings.HasPrefix(folded, "lat"):
		return
	}
	asIs, exchanged, pairs := r.countPairs()
	switch {
	case exchanged > 0 && asIs > 0:
		r.failed = r.ask(r.axesQuestion("Some pairs have the latitude first, others the longitude. Which is right?"))
	case exchanged > 0:
		r.cells.order = LngLat
		r.warnFile(PlaceGuessed, "the pairs were read as longitude and latitude by their values")
	case pairs > 0 && asIs == 0 && !r.opts.SwapLatLng:
		r.noteOrder("the pairs of numbers")
	}
}

// countPairs counts the pairs whose first number can only be the latitude, the pairs whose first
// number can only be the longitude, and the others.
func (r *csvReader) countPairs() (asIs, exchanged, open int) {
	columns := r.corners
	if len(columns) == 0 {
		columns = []int{r.columns.Geometry}
	}
	for scan := r.scanRows(); scan.nextRecord(); {
		for _, column := range columns {
			cell := bytes.TrimSpace(cellOf(scan.fields, column))
			if !isBarePair(cell) {
				continue
			}
			first, second, ok := barePair(cell)
			switch {
			case !ok:
			case first > 90 && second <= 90:
				exchanged++
			case second > 90 && first <= 90:
				asIs++
			default:
				open++
			}
		}
	}
	return asIs, exchanged, open
}

// northFirstSystems call the northing x.
var northFirstSystems = []int{
	2180, 2176, 2177, 2178, 2179, 31466, 31467, 31468, 31469, 3844, 5513, 5514, 3059, 3346, 3301, 3021, 21781, 23700,
	31254, 31255, 31256, 31257, 31258, 31259, 31284, 31285, 31286, 31287,
}

// settleGridOrder finds out which column is the northing if the names do not say it: the
// order in which the coordinates are of the reference system. If both are, it asks.
func (r *csvReader) settleGridOrder() {
	isOpen := r.orderOpen || r.isXY()
	if !isOpen || r.system == nil {
		return
	}
	asIs, exchanged := r.countOrders(isInArea)
	if asIs == 0 && exchanged == 0 {
		asIs, exchanged = r.countOrders(func(s *crs.System, x, y float64) bool {
			_, ok := placeIn(s, x, y)
			return ok
		})
	}
	isAsked := r.orderOpen || slices.Contains(northFirstSystems, r.system.Code())
	switch {
	case asIs > 0 && exchanged > 0 && isAsked && !r.opts.SwapLatLng:
		r.failed = r.ask(r.axesQuestion("Which column is the northing?"))
	case isOpen && asIs == 0 && exchanged > 0:
		axes := &r.positions[0].axes
		axes[latitude], axes[longitude] = axes[longitude], axes[latitude]
		r.columns.Latitude, r.columns.Longitude = r.positions[0].latitude(), r.positions[0].longitude()
		r.res.Columns = r.columns
	}
}

// countOrders counts the rows whose coordinates are possible in the order of their columns, and in
// the other order.
func (r *csvReader) countOrders(isPossible func(s *crs.System, x, y float64) bool) (asIs, exchanged int) {
	for scan := r.scanRows(); scan.nextRecord(); {
		y, okY := metres(cellOf(scan.fields, r.columns.Latitude))
		x, okX := metres(cellOf(scan.fields, r.columns.Longitude))
		if !okX || !okY {
			continue
		}
		if isPossible(r.system, x, y) {
			asIs++
		}
		if isPossible(r.system, y, x) {
			exchanged++
		}
	}
	return asIs, exchanged
}

// The words in headers of languages in which O is the letter of west, or of east.
var (
	oIsWestWords = wordSet(`latitud longitud nombre nom nome latitudine longitudine numero sitio ubicacion ubicazione lieu emplacement
		coordenadas coordonnees coordinate posicion posizione torre obra`)
	oIsEastWords = wordSet(`breite lange laenge breitengrad langengrad laengengrad standort bezeichnung naam breedtegraad lengtegraad
		breedte lengte ort lage koordinaten mast anlage nr bredde lengde`)
)

// decideLetterO finds out what an O in a longitude means, once: by the letters of other
// rows, or by the language of the header. It reports whether longitudes can now be read.
func (r *csvReader) decideLetterO() bool {
	if r.letterO != longitude || r.openO {
		return false
	}
	east, west := false, false
	if r.columns.hasPosition() {
		a := &r.positions[0].axes[longitude]
		for scan := r.scanRows(); scan.nextRecord(); {
			for _, column := range []int{a.degrees, a.side} {
				letters := strings.Trim(strings.ToUpper(string(bytes.TrimSpace(cellOf(scan.fields, column)))), "0123456789.,°'\" ")
				east = east || letters == "E" || letters == "L"
				west = west || letters == "W"
			}
		}
	}
	words := 0
	for _, title := range r.titles {
		for _, word := range headerWords(layoutText(title)) {
			if oIsWestWords[word] {
				words++
			}
			if oIsEastWords[word] {
				words--
			}
		}
	}
	switch {
	case east && !west, east == west && words > 0:
		r.letterO = longitudeOWest
	case west && !east, east == west && words < 0:
		r.letterO = longitudeOEast
	default:
		r.openO = true
	}
	return !r.openO
}

// askLetterO asks what an O in a longitude means.
func (r *csvReader) askLetterO() *Error {
	var choices []Choice
	for _, c := range []struct {
		value LetterO
		axis  angleAxis
		label string
	}{{OWest, longitudeOWest, "west (Oeste, Ouest)"}, {OEast, longitudeOEast, "east (Ost)"}} {
		r.letterO = c.axis
		r.cells.lngAxis = c.axis
		choices = append(choices, Choice{Value: string(c.value), Label: c.label, Town: r.firstTown()})
	}
	sortByTown(choices)
	return r.ask(Question{Kind: AskLetterO, Text: "Does O mean east or west?", Choices: choices})
}

// isBarePair reports whether a cell has two numbers and nothing that says which is which.
func isBarePair(cell []byte) bool {
	return barePairText.Match(cell)
}

// barePair returns the sizes of the two numbers of a pair.
func barePair(cell []byte) (first, second float64, ok bool) {
	p, _, err := readPair(string(cell))
	if err != nil {
		lat, lng, isPair := splitPair(cell)
		q, problem := readDegrees(lat, lng)
		return math.Abs(q[1]), math.Abs(q[0]), isPair && problem == nil
	}
	m := barePairText.FindSubmatch(cell)
	if m == nil {
		return 0, 0, false
	}
	a, _ := readAngle(m[1], longitude)
	if math.Abs(math.Abs(a)-math.Abs(p[1])) < 1e-12 {
		return math.Abs(p[1]), math.Abs(p[0]), true
	}
	return math.Abs(p[0]), math.Abs(p[1]), true
}

var barePairText = regexp.MustCompile(`^\(?\s*([-+]?[0-9]{1,3}(?:[.,][0-9]+)?)°?\s*[,;/\s]\s*([-+]?[0-9]{1,3}(?:[.,][0-9]+)?)°?\s*\)?$`)
