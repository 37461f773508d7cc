package kmlcsv

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// gridForms are the forms of positions in a grid, such as UTM. read gets the groups that the pattern matched.
var gridForms = []struct {
	pattern func() *regexp.Regexp
	read    func(m []string) (p orb.Point, note string, err error)
}{
	{utmText, readUTM},
	{mgrsText, readMGRS},
	{plusText, readPlusCode},
	{osText, readOSGrid},
}

var errNoGrid = errors.New("not a position in a grid")

// readGrid reads a position in UTM or MGRS, a plus code or a grid reference of the Ordnance Survey. note describes an
// assumption, or is "". The error is errNoGrid if the text has none of these forms.
func readGrid(text string) (p orb.Point, note string, err error) {
	text = strings.ToUpper(text)
	for _, form := range gridForms {
		if m := form.pattern().FindStringSubmatch(text); m != nil {
			return form.read(m)
		}
	}
	return p, "", errNoGrid
}

// gridFormOf recognises the form of a position in a grid without reading the position. It returns "UTM" or "MGRS"
// together with the UTM zone, or "grid" for a form without a zone. It returns "" for any other text.
func gridFormOf(text string) (form string, zone int) {
	text = strings.ToUpper(text)
	if m := utmText().FindStringSubmatch(text); m != nil {
		zone, _ = strconv.Atoi(m[1])
		return "UTM", zone
	}
	if m := mgrsText().FindStringSubmatch(text); m != nil {
		zone, _ = strconv.Atoi(m[1])
		return "MGRS", zone
	}
	if plusText().MatchString(text) || osText().MatchString(text) {
		return "grid", 0
	}
	return "", 0
}

const plusDigits = "23456789CFGHJMPQRVWX"

// plusText matches a full plus code, with or without a town after it.
var plusText = newPattern(`^([2-9CFGHJMPQRVWX]{8})[+]([2-9CFGHJMPQRVWX]{2,3})(?:[ ,].*)?$`)

// readPlusCode returns the centre of the cell that a plus code names, such as 8FVC9G8F+6X. m has the groups of
// plusText. The first ten digits are five pairs: one digit for the latitude, one for the longitude. An eleventh digit
// names a part of the cell, which is divided into four columns and five rows. note is always "".
func readPlusCode(m []string) (p orb.Point, note string, err error) {
	digits := m[1] + m[2]
	const base = 20
	corner := orb.Point{-180, -90}
	cell := orb.Point{base * base, base * base} // size in degrees of longitude and latitude
	for i, digit := range digits[:10] {
		axis := 1 // the first digit is for the latitude
		if i%2 == 1 {
			axis = 0
		}
		cell[axis] /= base
		corner[axis] += cell[axis] * float64(strings.IndexRune(plusDigits, digit))
	}
	if len(digits) > 10 {
		const columns, rows = 4, 5
		part := strings.IndexByte(plusDigits, digits[10])
		cell[0] /= columns
		cell[1] /= rows
		corner[0] += cell[0] * float64(part%columns)
		corner[1] += cell[1] * float64(part/columns)
	}
	return orb.Point{corner[0] + cell[0]/2, corner[1] + cell[1]/2}, "", nil
}

// osText matches a grid reference of the Ordnance Survey with at least six digits. There can be a
// blank between the digits of the easting and of the northing.
var osText = newPattern(
	`^([HJNOST])([A-HJ-Z]) ?(?:([0-9]{3,5}) ([0-9]{3,5})|([0-9]{6}|[0-9]{8}|[0-9]{10}))$`,
)

// britishGrid is the EPSG code of the British National Grid.
const britishGrid = 27700

// readOSGrid returns the centre of the square that a grid reference names, such as TQ 301 804. The letters name a
// square of 100 km, and the digits a smaller square in it. m has the groups of osText. note says which kind of grid
// reference it is.
func readOSGrid(m []string) (p orb.Point, note string, err error) {
	east := m[3]
	north := m[4]
	if joined := m[5]; joined != "" { // without a blank, the first half of the digits is the easting
		east = joined[:len(joined)/2]
		north = joined[len(joined)/2:]
	}
	if len(east) != len(north) {
		return p, "", errNoGrid
	}
	system, err := crs.FindCode(britishGrid)
	if err != nil {
		return p, "", err
	}
	column, row := squareOS(m[1], m[2])
	size := math.Pow10(5 - len(east)) // width of the smaller square in metres
	easting := float64(column)*squareSize + centreOf(east, size)
	northing := float64(row)*squareSize + centreOf(north, size)
	p, ok := placeIn(system, easting, northing)
	if !ok {
		return p, "", errNoGrid
	}
	return p, "an Ordnance Survey grid reference", nil
}

// squareOS returns the column and the row of a square of 100 km, counted from the origin of the grid to the east and
// to the north. The first letter names a square of 500 km, and the second a square of 100 km in it. Letters go from
// west to east in rows of five, and the rows from north to south. The origin of the grid is the southwest corner of
// the 500 km square S.
func squareOS(first, second string) (column, row int) {
	const letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
	const columnOfS, rowOfS = 2, 3
	large := strings.Index(letters, first)
	small := strings.Index(letters, second)
	column = (large%5-columnOfS)*5 + small%5
	row = (rowOfS-large/5)*5 + 4 - small/5
	return column, row
}

// centreOf returns the position of a small square in a square of 100 km: the distance in metres from the western or
// southern edge of the large square to the centre of the small square. digits are the digits of the grid reference for
// the easting or the northing. size is the width of the small square in metres. Without digits, the small square is the
// large square.
func centreOf(digits string, size float64) float64 {
	number, _ := strconv.Atoi("0" + digits) // the pattern has checked the digits; there may be none
	return (float64(number) + 0.5) * size
}

// utmText matches the zone, the band, the easting and the northing of a position in UTM.
var utmText = newPattern(`^(?:UTM\s*)?([0-9]{1,2})\s*([C-HJ-NP-X])[\s,]+` +
	`E?\s*(0?[0-9]{6}(?:[.][0-9]+)?)\s*M?\s*E?[\s,]+N?\s*([0-9]{1,7}(?:[.][0-9]+)?)\s*M?\s*N?$`)

// bands are the letters of the UTM bands from 80 degrees south to 84 degrees north. Each band covers 8 degrees of
// latitude, except the last, which covers 12.
const bands = "CDEFGHJKLMNPQRSTUVWX"

// readUTM reads a position in UTM, such as 32T 465005 5247003. The letter T is the latitude band. m has the groups of
// utmText. If N or S was read as a hemisphere instead of a band, note says so.
func readUTM(m []string) (p orb.Point, note string, err error) {
	zone, _ := strconv.Atoi(m[1]) // the pattern has checked the digits
	easting, _ := parseNumber([]byte(m[3]), 0)
	northing, _ := parseNumber([]byte(m[4]), 0)
	if zone < 1 || zone > 60 {
		return p, "", fmt.Errorf("UTM zone %d does not exist; zones are 1 to 60", zone)
	}
	p, note, ok := pointInUTM(zone, m[2], easting, northing)
	if !ok {
		return p, "", notInBand(m[4], m[2])
	}
	return p, note, nil
}

// notInBand returns the error for a northing that is not in the given latitude band. northing is the text in the file.
func notInBand(northing, band string) error {
	low, high := latitudesOf(band)
	return fmt.Errorf("the northing %s is not in band %s, which covers latitudes %v to %v; check both",
		northing, band, low, high)
}

// pointInUTM returns the position of an easting and a northing in a UTM zone. The letter after a zone number, as in
// 33N, is usually the letter of a latitude band. But some people write N and S for the northern and southern
// hemisphere. So if letter is N or S and the northing is not in this band, pointInUTM reads the letter as the
// hemisphere, and note tells the user so. ok is false if the northing fits neither the band nor the hemisphere.
func pointInUTM(zone int, letter string, easting, northing float64) (p orb.Point, note string, ok bool) {
	low, high := latitudesOf(letter)
	p, isInBand := pointInBand(zone, easting, northing, low, high)
	if isInBand {
		return p, "", true
	}
	p, isInHemisphere := pointInHemisphere(letter, zone, easting, northing)
	if !isInHemisphere {
		return p, "", false
	}
	name := "northern"
	if letter == "S" {
		name = "southern"
	}
	note = fmt.Sprintf("%s read as the %s hemisphere; the northing is not in band %[1]s", letter, name)
	return p, note, true
}

// pointInHemisphere returns the position of an easting and a northing in a UTM zone on the hemisphere with the given
// letter. ok is false if letter is not N or S, or if the position is not in this hemisphere.
func pointInHemisphere(letter string, zone int, easting, northing float64) (p orb.Point, ok bool) {
	switch letter {
	case "N":
		return pointInBand(zone, easting, northing, 0, 84)
	case "S":
		return pointInBand(zone, easting, northing, -80, 0)
	}
	return p, false
}

// latitudesOf returns the southern and the northern limit of a band in degrees.
func latitudesOf(band string) (low, high float64) {
	low = float64(-80 + 8*strings.Index(bands, band))
	if band == "X" {
		return low, 84
	}
	return low, low + 8
}

// southernEquator is the northing of the equator in the southern zones, in metres.
const southernEquator = 10_000_000

// pointInBand returns the position of an easting and a northing in a zone. ok is false if the latitude of the position
// is not between low and high, with a tolerance of half a degree. If low is negative, the zone is southern, and the
// equator has the northing southernEquator.
func pointInBand(zone int, easting, northing, low, high float64) (p orb.Point, ok bool) {
	if low < 0 {
		northing -= southernEquator
	}
	lng, lat, err := crs.UTM(zone, false).ToWGS84(easting, northing)
	if err != nil {
		return orb.Point{}, false
	}
	const tolerance = 0.5
	return orb.Point{lng, lat}, lat >= low-tolerance && lat <= high+tolerance
}

// mgrsText matches a grid reference of MGRS: zone, band, the letters of a square of 100 km, and the
// easting and the northing in the square, with the same number of digits.
var mgrsText = newPattern(
	`^(?:MGRS\s*:?\s*)?([0-9]{1,2})\s*([C-HJ-NP-X])\s*([A-HJ-NP-Z])([A-HJ-NP-V])\s*([0-9]{1,5}\s+[0-9]{1,5}|[0-9]{0,10})$`,
)

// readMGRS returns the centre of the square that an MGRS grid reference names, such as 32T MT 65005 47003. The letters
// MT name a square of 100 km, and the digits a smaller square in it. m has the groups of mgrsText.
// note says how large the square is, or is "" for a square of 10 m or less.
func readMGRS(m []string) (p orb.Point, note string, err error) {
	zone, _ := strconv.Atoi(m[1]) // the pattern has checked the digits
	band := m[2]
	columnLetter := m[3]
	rowLetter := m[4]
	digits := m[5]
	if zone < 1 || zone > 60 {
		return p, "", fmt.Errorf("MGRS zone %d does not exist; zones are 1 to 60", zone)
	}
	east, north, isSplit := splitMGRS(digits)
	if !isSplit {
		return p, "", errors.New("the easting and the northing of the grid reference differ in length; check the digits")
	}
	column, row := squareMGRS(zone, columnLetter, rowLetter)
	if column < 0 || row < 0 {
		return p, "", fmt.Errorf("zone %d has no square %s%s; check the letters", zone, columnLetter, rowLetter)
	}
	size := math.Pow10(5 - len(east)) // of the smaller square, in metres
	const firstColumn = squareSize    // easting of the first column; the first row begins at the northing 0
	easting := firstColumn + float64(column)*squareSize + centreOf(east, size)
	northing := float64(row)*squareSize + centreOf(north, size)
	centre, isInBand := pointOfRepeatedRow(zone, easting, northing, band)
	if !isInBand {
		return p, "", fmt.Errorf("square %s%s is not in band %s of zone %d; check the letters",
			columnLetter, rowLetter, band, zone)
	}
	if size > 10 { // the square is too large to stand for a point
		note = fmt.Sprintf("the centre of a square of %s m", strconv.FormatFloat(size, 'f', -1, 64))
	}
	return centre, note, nil
}

// squareSize is the width of the large squares of a grid, in metres.
const squareSize = 100_000

// pointOfRepeatedRow returns the position of an easting and a northing in a zone and a band. The northing comes from
// the letter of a row of squares. These letters repeat every 2,000 km, so several northings are possible.
// pointOfRepeatedRow finds the northing that is in the band. ok is false if there is none.
func pointOfRepeatedRow(zone int, easting, northing float64, band string) (p orb.Point, ok bool) {
	const repeats = 2_000_000
	low, high := latitudesOf(band)
	for ; northing < maxNorthing; northing += repeats {
		if p, isInBand := pointInBand(zone, easting, northing, low, high); isInBand {
			return p, true
		}
	}
	return p, false
}

// maxNorthing is a limit above all northings in UTM, in metres.
const maxNorthing = 2 * southernEquator

// splitMGRS splits the digits of a grid reference into the easting and the northing. There can be a blank between
// them. ok is false if they do not have equally many digits.
func splitMGRS(text string) (east, north string, ok bool) {
	parts := strings.Fields(text)
	if len(parts) == 2 {
		return parts[0], parts[1], len(parts[0]) == len(parts[1])
	}
	half := len(text) / 2
	return text[:half], text[half:], len(text)%2 == 0
}

// squareMGRS returns the column and the row of a square of 100 km in a zone. For a letter that the zone does not have,
// it returns -1. The letters for columns repeat every three zones, and the letters for rows every two zones.
func squareMGRS(zone int, columnLetter, rowLetter string) (column, row int) {
	columnLetters := [...]string{"ABCDEFGH", "JKLMNPQR", "STUVWXYZ"}[(zone-1)%3]
	rowLetters := [...]string{"ABCDEFGHJKLMNPQRSTUV", "FGHJKLMNPQRSTUVABCDE"}[(zone-1)%2]
	return strings.Index(columnLetters, columnLetter), strings.Index(rowLetters, rowLetter)
}
