package kmlcsv

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// utmZone is the UTM zone that a row names.
type utmZone struct {
	number int         // 0 if the zone is not readable
	letter string      // N, S or the letter of a band, "" for none
	isSide bool        // the letter is the hemisphere and not a band
	datum  *crs.System // geographic system of the datum, nil for WGS 84
	failed *Error      // reason why the datum is not known

	isAssumed bool // WGS 84 is assumed, because nothing names the datum
}

var (
	// bandWords are in the names of columns with the letters of bands.
	bandWords = wordSet("band banda bande ch letter letra lettre buchstabe faja")

	// shortZone matches a UTM zone after a datum, without the word UTM: "ETRS89 H30".
	shortZone = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:h|huso|fuso|fuseau|zone|zona|zon|z)[ .:_-]*` +
		`0?([1-5][0-9]|60|[1-9])\s*([ns])?(?:[^0-9a-z]|$)`)
)

// zoneOnDatum returns the system of a UTM zone that a text names by its datum and a number. It
// returns nil if the hemisphere is open, or if there are other words, because they can name
// another system.
func zoneOnDatum(text string) *crs.System {
	datum, rest := crs.CutDatum(text)
	m := shortZone.FindStringSubmatch(rest)
	if datum == nil || m == nil {
		return nil
	}
	for _, word := range headerWords(shortZone.ReplaceAllString(rest, " ")) {
		isAxis := northingWords[word] || eastingWords[word] || len(word) == 1
		if !isAxis && !noiseWords[word] && !coordinateWords[word] {
			return nil
		}
	}
	number, _ := strconv.Atoi(m[1])
	north := crs.UTMOn(datum, number, false)
	south := crs.UTMOn(datum, number, true)
	side := strings.ToUpper(m[2])
	if side == "S" || side == "" && north == nil {
		return south
	}
	if side == "N" || south == nil {
		return north
	}
	return nil
}

// coordinateWords are words for coordinates that noiseWords does not have.
var coordinateWords = wordSet(`coordenada coordenadas coordonnee coordonnees coordinata coordinate coordinaat
	coordinaten koordinat koordinater system systeem este norte est nord`)

// zoneOfRow reads the zone of the record. The datum and the hemisphere can be in the cell of the
// zone or in separate columns. The datum can also be in a header or a title.
func (r *csvReader) zoneOfRow() utmZone {
	named, text := crs.CutDatum(string(r.cellAt(r.grid.zone)))
	zone := utmZone{datum: orWGS84(named)}
	if named == nil {
		zone.datum, zone.failed = r.datumOfRow()
		zone.isAssumed = r.datum.named == nil && r.datum.column < 0
	}
	m := zoneText.FindStringSubmatch(strings.Trim(text, " /,;-()"))
	if m == nil {
		return zone
	}
	zone.number, _ = strconv.Atoi(m[1])
	word := foldName(m[2])
	if word == "" {
		word = foldName(string(r.cellAt(r.grid.hemisphere)))
		zone.isSide = word == "n" || word == "s"
	}
	isBand := len(word) == 1 && strings.Contains(bands, strings.ToUpper(word))
	if isBand {
		zone.letter = strings.ToUpper(word)
		return zone
	}
	zone.letter = hemisphereLetter(word)
	if word != "" {
		zone.isSide = true
	}
	return zone
}

// hemisphereOfZone returns the letter of the zone. Without a letter it returns the only
// hemisphere that the file, the datum or the northing allow, or "" if both are possible.
func (r *csvReader) hemisphereOfZone(zone *utmZone, northing float64) string {
	if zone.letter != "" {
		return zone.letter
	}
	zone.isSide = true
	hasNorth := zone.datum == nil || crs.UTMOn(zone.datum, zone.number, false) != nil
	hasSouth := zone.datum == nil || crs.UTMOn(zone.datum, zone.number, true) != nil
	if r.grid.southern || hasSouth && !hasNorth {
		return "S"
	}
	if r.grid.northern || hasNorth && !hasSouth {
		return "N"
	}
	return hemisphereOf(northing)
}

// zonePosition converts an easting and a northing in the UTM zone of the record to WGS 84.
func (r *csvReader) zonePosition(x, y float64) (orb.Point, *Error) {
	cell := bytes.TrimSpace(r.cellAt(r.grid.zone))
	zone := r.zoneOfRow()
	if zone.number == 0 {
		if system := crs.Mentioned(string(cell)); system != nil {
			return r.convertPoint(system, orb.Point{x, y})
		}
		return orb.Point{}, newError(CoordinatesUnreadable, "the UTM zone is not readable: %q", cell)
	}
	if zone.failed != nil {
		return orb.Point{}, zone.failed
	}
	letter := r.hemisphereOfZone(&zone, y)
	if letter == "" {
		return orb.Point{}, newError(WrongHemisphere, "the UTM zone names no hemisphere")
	}
	if math.Floor(x/1e6) == float64(zone.number) { // the easting can start with the zone: 32500000
		x = math.Mod(x, 1e6)
	}
	p, problem := pointInZone(&zone, letter, x, y)
	if problem != nil {
		return p, problem
	}
	if zone.isAssumed {
		r.assumesWGS84 = true
	}
	if zone.datum == nil {
		return p, nil
	}
	isSouth := p[1] < 0 // p is on WGS 84, near enough to tell the hemisphere
	return r.pointOnDatum(zone.datum, zone.number, isSouth, orb.Point{x, y})
}

// pointOnDatum converts an easting and a northing in a zone of UTM on a datum to WGS 84.
func (r *csvReader) pointOnDatum(datum *crs.System, zone int, isSouth bool, p orb.Point) (orb.Point, *Error) {
	system := crs.UTMOn(datum, zone, isSouth)
	if system == nil {
		return p, newError(OtherReference, "zone %d of UTM on %s is not known; convert the sites to WGS 84",
			zone, []byte(datum.Name()))
	}
	return r.convertPoint(system, p)
}

// moveToDatum corrects the points of a cell that are on another datum. They were read as WGS 84.
func (r *csvReader) moveToDatum(cell []byte, figures []rawFigure, datum *crs.System) *Error {
	texts := bytes.FieldsFunc(cell, isPairBreak)
	texts = slices.DeleteFunc(texts, func(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 })
	if len(figures) != 1 || len(figures[0].points) != len(texts) {
		return newError(OtherReference, "several positions on %s are not read from one cell; put each into a row",
			[]byte(datum.Name()))
	}
	for i, text := range texts {
		p, problem := r.pointOfCell(string(bytes.TrimSpace(text)), figures[0].points[i], datum)
		if problem != nil {
			return problem
		}
		figures[0].points[i] = p
	}
	return nil
}

// pointOfCell returns the position that a text means if it is on a datum. p is the position that
// it means on WGS 84.
func (r *csvReader) pointOfCell(text string, p orb.Point, datum *crs.System) (orb.Point, *Error) {
	form, zone := gridFormOf(text)
	if form == "" {
		return r.convertPoint(datum, p)
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
	return r.pointOnDatum(datum, zone, isSouth, orb.Point{east, north})
}

// pointInZone returns the position of an easting and a northing in a zone on WGS 84.
func pointInZone(zone *utmZone, letter string, x, y float64) (p orb.Point, problem *Error) {
	outside := newError(OutOfRange, "%.0f, %.0f are not coordinates of UTM zone %d", x, y, zone.number)
	if x < 100_000 || x >= 1_000_000 {
		return p, outside
	}
	if zone.isSide {
		p, ok := placeIn(crs.UTM(zone.number, letter == "S"), x, y)
		if !ok {
			return p, outside
		}
		return p, nil
	}
	p, _, err := readGrid(fmt.Sprintf("%d%s %.3f %.3f", zone.number, letter, x, y))
	if errors.Is(err, errNoGrid) {
		return p, outside
	}
	if err != nil {
		return p, newError(OutOfRange, "%v", err)
	}
	return p, nil
}
