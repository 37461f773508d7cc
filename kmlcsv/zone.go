package kmlcsv

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// utmZone is the UTM zone in a row of a table.
type utmZone struct {
	number       int    // 0 if the zone cannot be read
	letter       string // letter of a latitude band, or N or S for a hemisphere; "" for none
	isHemisphere bool   // the letter is certainly the hemisphere and not a band

	datum        *crs.System // geographic system of the datum of the zone, nil for WGS 84
	datumProblem *Error      // why the datum is not known, or nil
	isAssumed    bool        // nothing names the datum, so WGS 84 is assumed
}

var (
	// bandWords are words for the letters of latitude bands, such as U in the UTM zone 32U, in the titles of columns.
	bandWords = wordSet("band banda bande ch letter letra lettre buchstabe faja")

	// shortZone matches a UTM zone after a datum, without the word UTM: "ETRS89 H30".
	shortZone = newPattern(`(?i)(?:^|[^a-z])(?:h|huso|fuso|fuseau|zone|zona|zon|z)[ .:_-]*` +
		`0?([1-5][0-9]|60|[1-9])\s*([ns])?(?:[^0-9a-z]|$)`)
)

// zoneOnDatum returns the system for a UTM zone that a text names by a datum and a number, such as "ETRS89 H30". It
// returns nil if the hemisphere is not clear. It also returns nil if the text has other words, because these can name
// another system.
func zoneOnDatum(text string) *crs.System {
	datum, rest := crs.CutDatum(text)
	match := shortZone().FindStringSubmatch(rest)
	if datum == nil || match == nil {
		return nil
	}
	isOther := func(word string) bool { return !isWordOfCoordinates(word) }
	if slices.ContainsFunc(headerWords(shortZone().ReplaceAllString(rest, " ")), isOther) {
		return nil
	}
	zone, _ := strconv.Atoi(match[1]) // the pattern has checked the digits
	return utmInHemisphere(datum, zone, strings.ToUpper(match[2]))
}

// utmInHemisphere returns the system of a UTM zone on a datum. hemisphere is N, S or "". For "", the zone must exist
// in only one hemisphere on this datum. The result is nil if there is no such zone, or if both hemispheres are
// possible.
func utmInHemisphere(datum *crs.System, zone int, hemisphere string) *crs.System {
	north := crs.UTMOn(datum, zone, false)
	south := crs.UTMOn(datum, zone, true)
	switch hemisphere {
	case "N":
		return north
	case "S":
		return south
	}
	if north == nil {
		return south
	}
	if south == nil {
		return north
	}
	return nil
}

// isWordOfCoordinates reports whether a word is about coordinates in general, so that it does not help to find the
// reference system. Single letters count as names of axes.
func isWordOfCoordinates(word string) bool {
	isAxis := northingWords[word] || eastingWords[word] || len(word) == 1
	return isAxis || noiseWords[word] || coordinateWords[word]
}

// coordinateWords are words for coordinates and systems, in addition to noiseWords.
var coordinateWords = wordSet(`coordenada coordenadas coordonnee coordonnees coordinata coordinate coordinaat
	coordinaten koordinat koordinater system systeem este norte est nord`)

// zoneOfRow reads the UTM zone of the current row. The cell of the zone can also have the datum and the hemisphere. If
// the cell has no datum, the datum can be in another column, in a header or in a title. If the cell has no hemisphere,
// the hemisphere can be in another column.
func (c *coordinateReader) zoneOfRow() utmZone {
	named, text := crs.CutDatum(string(c.rows.cellAt(c.grid.zone)))
	zone := utmZone{datum: orWGS84(named)}
	if named == nil {
		zone.datum, zone.datumProblem = c.datumOfRow()
		zone.isAssumed = c.datum.named == nil && c.datum.column < 0
	}
	m := zoneText().FindStringSubmatch(strings.Trim(text, " /,;-()"))
	if m == nil {
		return zone
	}
	zone.number, _ = strconv.Atoi(m[1]) // the pattern has checked the digits
	word := foldName(m[2])
	if word != "" {
		zone.setLetter(word)
		return zone
	}
	word = foldName(string(c.rows.cellAt(c.grid.hemisphere)))
	zone.setLetter(word)
	if word == "n" || word == "s" { // in a column of hemispheres, n and s are not bands
		zone.isHemisphere = true
	}
	return zone
}

// setLetter sets the letter of the zone. word is the letter of a latitude band, or a word for a hemisphere. The letters
// N and S can be both. For them, setLetter leaves isHemisphere unset, because N or S after the number of a zone can be
// a band.
func (z *utmZone) setLetter(word string) {
	letter := strings.ToUpper(word)
	isBand := len(word) == 1 && strings.Contains(bands, letter)
	if isBand {
		z.letter = letter
		return
	}
	z.letter = hemisphereLetter(word)
	z.isHemisphere = word != ""
}

// addHemisphere sets the hemisphere of a zone without a letter if only one hemisphere is possible. If both are
// possible, the letter remains "".
func (c *coordinateReader) addHemisphere(zone *utmZone, northing float64) {
	if zone.letter != "" {
		return
	}
	zone.letter = c.possibleHemisphere(zone, northing)
	zone.isHemisphere = true
}

// possibleHemisphere returns N or S if only this hemisphere is possible for the zone. Otherwise it returns "". It
// looks at the file, the datum and the northing.
func (c *coordinateReader) possibleHemisphere(zone *utmZone, northing float64) string {
	hasNorth := zone.datum == nil || crs.UTMOn(zone.datum, zone.number, false) != nil
	hasSouth := zone.datum == nil || crs.UTMOn(zone.datum, zone.number, true) != nil
	isOnlySouth := hasSouth && !hasNorth
	isOnlyNorth := hasNorth && !hasSouth
	if c.grid.southern || isOnlySouth {
		return "S"
	}
	if c.grid.northern || isOnlyNorth {
		return "N"
	}
	return hemisphereOf(northing)
}

// zonePosition converts the easting and the northing of the current row from the UTM zone of the row to WGS 84. If the
// cell for the zone names another reference system, it converts them from that system.
func (c *coordinateReader) zonePosition(easting, northing float64) (orb.Point, *Error) {
	zone := c.zoneOfRow()
	hasZone := zone.number > 0
	if !hasZone {
		return c.convertInNamedSystem(orb.Point{easting, northing})
	}
	if zone.datumProblem != nil {
		return orb.Point{}, zone.datumProblem
	}
	c.addHemisphere(&zone, northing)
	if zone.letter == "" {
		return orb.Point{}, newError(WrongHemisphere, "the UTM zone names no hemisphere")
	}
	easting = withoutZone(easting, zone.number)
	onWGS84, problem := pointInZone(&zone, easting, northing)
	if problem != nil {
		return onWGS84, problem
	}
	if zone.isAssumed {
		c.out.conversions.assumesWGS84 = true // the result gets one warning for all rows
	}
	if zone.datum == nil {
		return onWGS84, nil
	}
	isSouth := onWGS84[1] < 0 // the hemisphere is certain, although the position is not exact for another datum
	return c.pointOnDatum(zone.datum, zone.number, isSouth, orb.Point{easting, northing})
}

// withoutZone removes the number of the UTM zone from the start of an easting: 32500000 becomes 500000. Other eastings
// are returned unchanged.
func withoutZone(easting float64, zone int) float64 {
	if math.Floor(easting/1e6) == float64(zone) {
		return math.Mod(easting, 1e6)
	}
	return easting
}

// convertInNamedSystem converts an easting and a northing to WGS 84. It is used if the cell for the UTM zone has no
// zone. It uses the reference system that the cell names, and returns an error if the cell names none.
func (c *coordinateReader) convertInNamedSystem(p orb.Point) (orb.Point, *Error) {
	cell := bytes.TrimSpace(c.rows.cellAt(c.grid.zone))
	system := crs.Mentioned(string(cell))
	if system == nil {
		return orb.Point{}, newError(CoordinatesUnreadable, "the UTM zone is not readable: %q", cell)
	}
	return c.convertPoint(system, p)
}

// pointOnDatum converts a point in a UTM zone to WGS 84. The zone is on the given datum. p has the easting and the
// northing.
func (c *coordinateReader) pointOnDatum(datum *crs.System, zone int, isSouth bool, p orb.Point) (orb.Point, *Error) {
	system := crs.UTMOn(datum, zone, isSouth)
	if system == nil {
		return p, newError(OtherReference, "zone %d of UTM on %s is not known; convert the sites to WGS 84",
			zone, []byte(datum.Name()))
	}
	return c.convertPoint(system, p)
}

// convertFigures converts the positions in a cell from a datum to WGS 84. figures are the positions as they were read
// from the cell without regard to the datum. convertFigures replaces them by the converted positions.
func (c *coordinateReader) convertFigures(cell []byte, figures []rawFigure, datum *crs.System) *Error {
	texts := bytes.FieldsFunc(cell, isPairBreak)
	texts = slices.DeleteFunc(texts, func(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 })
	if len(figures) != 1 || len(figures[0].points) != len(texts) {
		return newError(OtherReference, "several positions on %s are not read from one cell; put each into a row",
			[]byte(datum.Name()))
	}
	for i, text := range texts {
		p, problem := c.convertText(string(bytes.TrimSpace(text)), figures[0].points[i], datum)
		if problem != nil {
			return problem
		}
		figures[0].points[i] = p
	}
	return nil
}

// convertText converts the position in a text from a datum to WGS 84. p is the position as it was read from the text
// without regard to the datum. Plus codes and grid references of the Ordnance Survey have a datum of their own, so
// convertText does not convert them, and returns p.
func (c *coordinateReader) convertText(text string, p orb.Point, datum *crs.System) (orb.Point, *Error) {
	form, zone := gridFormOf(text)
	if form == "" {
		return c.convertPoint(datum, p)
	}
	if zone == 0 { // plus codes are always on WGS 84, grid references of the Ordnance Survey on OSGB 36
		return p, nil
	}
	if form == "MGRS" && !datum.HasModernSquares() {
		return p, newError(OtherReference, "the squares of MGRS on %s have other letters than on WGS 84; "+
			"put the easting, the northing and the zone of UTM into columns", []byte(datum.Name()))
	}
	isSouth := p[1] < 0
	east, north, err := crs.UTM(zone, isSouth).FromWGS84(p[0], p[1])
	if err != nil {
		return p, newError(OutOfRange, "%v", err)
	}
	return c.pointOnDatum(datum, zone, isSouth, orb.Point{east, north})
}

// pointInZone returns the position of an easting and a northing in a UTM zone on WGS 84. The zone must have a letter.
func pointInZone(zone *utmZone, x, y float64) (orb.Point, *Error) {
	outside := newError(OutOfRange, "%.0f, %.0f are not coordinates of UTM zone %d", x, y, zone.number)
	isEasting := x >= 100_000 && x < 1_000_000
	if !isEasting {
		return orb.Point{}, outside
	}
	if zone.isHemisphere {
		p, isNearZone := placeIn(crs.UTM(zone.number, zone.letter == "S"), x, y)
		if !isNearZone {
			return p, outside
		}
		return p, nil
	}
	isNorthing := y >= 0 && y < southernEquator
	if !isNorthing {
		return orb.Point{}, outside
	}
	p, _, isInBand := pointInUTM(zone.number, zone.letter, x, y)
	if !isInBand {
		northing := strconv.FormatFloat(y, 'f', -1, 64)
		return p, newError(OutOfRange, "%v", notInBand(northing, zone.letter))
	}
	return p, nil
}
