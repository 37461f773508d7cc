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

// gridForms are the forms of positions in a grid.
var gridForms = []struct {
	pattern *regexp.Regexp
	read    func(m []string) (p orb.Point, note string, err error)
}{
	{utmText, readUTM},
	{mgrsText, readMGRS},
	{plusText, readPlusCode},
	{osText, readOSGrid},
}

var errNoGrid = errors.New("not a position in a grid")

// readGrid reads a position in UTM or MGRS, a plus code or a grid reference of the Ordnance Survey.
// The error is errNoGrid if a text has none of these forms. The note describes an assumption, or
// is "".
func readGrid(text string) (p orb.Point, note string, err error) {
	text = strings.ToUpper(text)
	for _, form := range gridForms {
		if m := form.pattern.FindStringSubmatch(text); m != nil {
			return form.read(m)
		}
	}
	return p, "", errNoGrid
}

// gridFormOf returns the form of a position in a grid, or "", and its UTM zone, or 0.
func gridFormOf(text string) (form string, zone int) {
	text = strings.ToUpper(text)
	if m := utmText.FindStringSubmatch(text); m != nil {
		zone, _ = strconv.Atoi(m[1])
		return "UTM", zone
	}
	if m := mgrsText.FindStringSubmatch(text); m != nil {
		zone, _ = strconv.Atoi(m[1])
		return "MGRS", zone
	}
	if plusText.MatchString(text) || osText.MatchString(text) {
		return "grid", 0
	}
	return "", 0
}

const plusDigits = "23456789CFGHJMPQRVWX"

// plusText matches a full plus code, with or without a town after it.
var plusText = regexp.MustCompile(`^([2-9CFGHJMPQRVWX]{8})[+]([2-9CFGHJMPQRVWX]{2,3})(?:[ ,].*)?$`)

// readPlusCode returns the centre of the cell with a plus code. The code has five pairs of digits,
// one for the latitude and one for the longitude. An eleventh digit names a part of the cell, which
// is divided into four columns and five rows.
func readPlusCode(m []string) (p orb.Point, note string, err error) {
	digits := m[1] + m[2]
	corner := orb.Point{-180, -90}
	size := [2]float64{20, 20} // in degrees of longitude and latitude
	for i, digit := range digits[:10] {
		axis := 1 - i%2
		if i > 1 {
			size[axis] /= 20
		}
		corner[axis] += size[axis] * float64(strings.IndexRune(plusDigits, digit))
	}
	if len(digits) > 10 {
		part := strings.IndexByte(plusDigits, digits[10])
		size = [2]float64{size[0] / 4, size[1] / 5}
		corner = orb.Point{corner[0] + size[0]*float64(part%4), corner[1] + size[1]*float64(part/4)}
	}
	return orb.Point{corner[0] + size[0]/2, corner[1] + size[1]/2}, "", nil
}

// osText matches a grid reference of the Ordnance Survey with at least six digits. There can be a
// blank between the digits of the easting and of the northing.
var osText = regexp.MustCompile(
	`^([HJNOST])([A-HJ-Z]) ?(?:([0-9]{3,5}) ([0-9]{3,5})|([0-9]{6}|[0-9]{8}|[0-9]{10}))$`,
)

// britishGrid is the EPSG code of the British National Grid.
const britishGrid = 27700

// readOSGrid returns the centre of the square that a grid reference names. The first letter names a
// square of 500 km and the second a square of 100 km in it. Both count from west to east, then from
// north to south.
func readOSGrid(m []string) (p orb.Point, note string, err error) {
	const letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
	east := m[3]
	north := m[4]
	if half := len(m[5]) / 2; half > 0 {
		east = m[5][:half]
		north = m[5][half:]
	}
	large := strings.Index(letters, m[1])
	small := strings.Index(letters, m[2])
	column := (large+3)%5*5 + small%5
	row := 19 - large/5*5 - small/5
	size := math.Pow10(5 - len(east))
	x, _ := strconv.Atoi(east)
	y, _ := strconv.Atoi(north)
	system, err := crs.FindCode(britishGrid)
	if err != nil {
		return p, "", err
	}
	easting := float64(column)*100_000 + (float64(x)+.5)*size
	northing := float64(row)*100_000 + (float64(y)+.5)*size
	p, ok := placeIn(system, easting, northing)
	if !ok || len(m[3]) != len(m[4]) {
		return p, "", errNoGrid
	}
	return p, "an Ordnance Survey grid reference", nil
}

// utmText matches the zone, the band, the easting and the northing of a position in UTM.
var utmText = regexp.MustCompile(`^(?:UTM\s*)?([0-9]{1,2})\s*([C-HJ-NP-X])[\s,]+` +
	`E?\s*(0?[0-9]{6}(?:[.][0-9]+)?)\s*M?\s*E?[\s,]+N?\s*([0-9]{1,7}(?:[.][0-9]+)?)\s*M?\s*N?$`)

// bands are the letters of the bands of UTM from 80 degrees south to 84 degrees north. A band has 8
// degrees of latitude, the last 12.
const bands = "CDEFGHJKLMNPQRSTUVWX"

// readUTM reads a position in UTM, such as 32T 465005 5247003. If the northing is not in the band, N
// and S mean the hemisphere. Any other letter is then an error, because the letter or the northing is
// mistyped.
func readUTM(m []string) (p orb.Point, note string, err error) {
	zone, _ := strconv.Atoi(m[1])
	easting, _ := parseNumber([]byte(m[3]), 0)
	northing, _ := parseNumber([]byte(m[4]), 0)
	if zone < 1 || zone > 60 {
		return p, "", fmt.Errorf("UTM zone %d does not exist; zones are 1 to 60", zone)
	}
	letter := m[2]
	low, high := latitudesOf(letter)
	p, ok := pointInBand(zone, easting, northing, low, high)
	if ok {
		return p, "", nil
	}
	if letter == "N" {
		p, ok = pointInBand(zone, easting, northing, 0, 84)
		if ok {
			return p, "N read as the northern hemisphere; the northing is not in band N", nil
		}
	}
	if letter == "S" {
		p, ok = pointInBand(zone, easting, northing, -80, 0)
		if ok {
			return p, "S read as the southern hemisphere; the northing is not in band S", nil
		}
	}
	return p, "", fmt.Errorf("the northing %s is not in band %s, which covers latitudes %v to %v; check both",
		m[4], letter, low, high)
}

// latitudesOf returns the southern and the northern limit of a band.
func latitudesOf(band string) (low, high float64) {
	low = float64(-80 + 8*strings.Index(bands, band))
	if band == "X" {
		return low, 84
	}
	return low, low + 8
}

// southernEquator is the northing of the equator in the southern zones, in metres.
const southernEquator = 10_000_000

// pointInBand returns the position of an easting and a northing in a zone. It reports whether the
// position is in the band between two latitudes, or at most half a degree outside. If low is
// negative, the zone is southern.
func pointInBand(zone int, easting, northing, low, high float64) (orb.Point, bool) {
	if low < 0 {
		northing -= southernEquator
	}
	lng, lat, err := crs.UTM(zone, false).ToWGS84(easting, northing)
	return orb.Point{lng, lat}, err == nil && lat >= low-.5 && lat <= high+.5
}

// mgrsText matches a grid reference of MGRS: zone, band, the letters of a square of 100 km, and the
// easting and the northing in the square, with the same number of digits.
var mgrsText = regexp.MustCompile(
	`^(?:MGRS\s*:?\s*)?([0-9]{1,2})\s*([C-HJ-NP-X])\s*([A-HJ-NP-Z])([A-HJ-NP-V])\s*([0-9]{1,5}\s+[0-9]{1,5}|[0-9]{0,10})$`,
)

// readMGRS returns the centre of the square that a grid reference of MGRS names.
func readMGRS(m []string) (p orb.Point, note string, err error) {
	zone, _ := strconv.Atoi(m[1])
	parts := strings.Fields(m[5])
	digits := strings.Join(parts, "")
	if zone < 1 || zone > 60 {
		return p, "", fmt.Errorf("MGRS zone %d does not exist; zones are 1 to 60", zone)
	}
	if len(digits)%2 != 0 || len(parts) == 2 && len(parts[0]) != len(parts[1]) {
		return p, "", errors.New("the easting and the northing of the grid reference differ in length; check the digits")
	}
	half := len(digits) / 2
	size := math.Pow10(5 - half)
	columnLetters := [...]string{"ABCDEFGH", "JKLMNPQR", "STUVWXYZ"}[(zone-1)%3]
	rowLetters := [...]string{"ABCDEFGHJKLMNPQRSTUV", "FGHJKLMNPQRSTUVABCDE"}[(zone-1)%2]
	column := strings.Index(columnLetters, m[3])
	row := strings.Index(rowLetters, m[4])
	if column < 0 || row < 0 {
		return p, "", fmt.Errorf("zone %d has no square %s%s; check the letters", zone, m[3], m[4])
	}
	within100km := func(text string) float64 {
		v, _ := strconv.Atoi("0" + text)
		return (float64(v) + 0.5) * size
	}
	easting := float64(column+1)*100_000 + within100km(digits[:half])
	northing := float64(row)*100_000 + within100km(digits[half:])
	low, high := latitudesOf(m[2])
	if half < 4 {
		note = fmt.Sprintf("the centre of a square of %s m", strconv.FormatFloat(size, 'f', -1, 64))
	}
	// The letters of rows repeat every 2,000 km.
	for ; northing < 2*southernEquator; northing += 2_000_000 {
		if p, ok := pointInBand(zone, easting, northing, low, high); ok {
			return p, note, nil
		}
	}
	return p, "", fmt.Errorf("square %s%s is not in band %s of zone %d; check the letters", m[3], m[4], m[2], zone)
}
