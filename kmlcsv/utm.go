package kmlcsv

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// readGrid reads a position in UTM or MGRS; false where a text is in neither.
func readGrid(text string) (p orb.Point, note string, ok bool, err error) {
	if m := utmText.FindStringSubmatch(text); m != nil {
		p, note, err = readUTM(m)
		return p, note, true, err
	}
	if m := mgrsText.FindStringSubmatch(text); m != nil {
		p, note, err = readMGRS(m)
		return p, note, true, err
	}
	return p, "", false, nil
}

var utmText = regexp.MustCompile(`(?i)^(?:UTM\s*)?([0-9]{1,2})\s*([C-HJ-NP-X])[\s,]+E?\s*([0-9]{6}(?:[.][0-9]+)?)\s*m?\s*E?[\s,]+N?\s*([0-9]{1,7}(?:[.][0-9]+)?)\s*m?\s*N?$`)

// bands are the letters of UTM from 80 degrees south on, each of 8 degrees but
// the last one, which has 12.
const bands = "CDEFGHJKLMNPQRSTUVWX"

// readUTM reads zone, band, easting and northing, as utmText finds them:
// 32T 465005 5247003. An N or S that cannot be the band is the hemisphere; any
// other band that the northing is not in is an error, since one of the two is
// mistyped.
func readUTM(m []string) (p orb.Point, note string, err error) {
	zone, _ := strconv.Atoi(m[1])
	easting, _ := parseNumber([]byte(m[3]), 0)
	northing, _ := parseNumber([]byte(m[4]), 0)
	if zone < 1 || zone > 60 {
		return orb.Point{}, "", fmt.Errorf("UTM zone %d does not exist; zones are 1 to 60", zone)
	}
	letter := strings.ToUpper(m[2])
	low, high := latitudesOf(letter)
	fromEquator := northing
	if letter < "N" {
		fromEquator -= southernEquator
	}
	if p = fromUTM(zone, easting, fromEquator); inBand(p[1], low, high) {
		return p, "", nil
	}
	switch letter {
	case "N":
		if inBand(p[1], 0, 84) {
			return p, "N read as the northern hemisphere; the northing is not in band N", nil
		}
	case "S":
		if p = fromUTM(zone, easting, northing-southernEquator); inBand(p[1], -80, 0) {
			return p, "S read as the southern hemisphere; the northing is not in band S", nil
		}
	}
	return orb.Point{}, "", fmt.Errorf("the northing %s is not in band %s, which covers latitudes %v to %v; check both", m[4], letter, low, high)
}

// latitudesOf returns those that a band is between.
func latitudesOf(band string) (low, high float64) {
	low = float64(-80 + 8*strings.Index(bands, band))
	if band == "X" {
		return low, 84
	}
	return low, low + 8
}

// southernEquator is the northing of the equator south of it, in metres.
const southernEquator = 10_000_000

// inBand reports whether a latitude is in a band, or so near that a place at its
// edge may have been given the letter.
func inBand(lat, low, high float64) bool { return lat >= low-.5 && lat <= high+.5 }

// fromUTM undoes the transverse Mercator projection by Krüger's series, to less
// than a millimetre within the zone. The northing is from the equator.
func fromUTM(zone int, easting, northing float64) orb.Point {
	const n = flattening / (2 - flattening)
	const radius = equatorial / (1 + n) * (1 + n*n/4 + n*n*n*n/64) * 0.9996
	beta := [...]float64{n/2 - 2*n*n/3 + 37*n*n*n/96, n*n/48 + n*n*n/15, 17 * n * n * n / 480}
	delta := [...]float64{2*n - 2*n*n/3 - 2*n*n*n, 7*n*n/3 - 8*n*n*n/5, 56 * n * n * n / 15}
	xi, eta := northing/radius, (easting-500_000)/radius
	x, y := xi, eta
	for i, b := range beta {
		k := 2 * float64(i+1)
		x -= b * math.Sin(k*xi) * math.Cosh(k*eta)
		y -= b * math.Cos(k*xi) * math.Sinh(k*eta)
	}
	chi := math.Asin(math.Sin(x) / math.Cosh(y))
	lat := chi
	for i, d := range delta {
		lat += d * math.Sin(2*float64(i+1)*chi)
	}
	lng := math.Atan2(math.Sinh(y), math.Cos(x))
	return orb.Point{float64(zone)*6 - 183 + lng/radian, lat / radian}
}

// mgrsText is a grid reference: zone, band, the letters of a square of 100 km,
// and easting and northing in it, of as many digits each.
var mgrsText = regexp.MustCompile(`(?i)^(?:MGRS\s*:?\s*)?([0-9]{1,2})\s*([C-HJ-NP-X])\s*([A-HJ-NP-Z])([A-HJ-NP-V])\s*([0-9]{1,5}\s+[0-9]{1,5}|[0-9]{0,10})$`)

// readMGRS reads what mgrsText finds, and returns the middle of the square that
// it names.
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
	column := strings.Index([...]string{"ABCDEFGH", "JKLMNPQR", "STUVWXYZ"}[(zone-1)%3], strings.ToUpper(m[3]))
	row := strings.Index([...]string{"ABCDEFGHJKLMNPQRSTUV", "FGHJKLMNPQRSTUVABCDE"}[(zone-1)%2], strings.ToUpper(m[4]))
	if column < 0 || row < 0 {
		return p, "", fmt.Errorf("zone %d has no square %s%s; check the letters", zone, strings.ToUpper(m[3]), strings.ToUpper(m[4]))
	}
	within100km := func(text string) float64 {
		v, _ := strconv.Atoi("0" + text)
		return (float64(v) + 0.5) * size
	}
	easting := float64(column+1)*100_000 + within100km(digits[:half])
	northing := float64(row)*100_000 + within100km(digits[half:])
	low, high := latitudesOf(strings.ToUpper(m[2]))
	if half < 4 {
		note = fmt.Sprintf("the centre of a square of %s m", strconv.FormatFloat(size, 'f', -1, 64))
	}
	// The letters of rows repeat every 2,000 km.
	for ; northing < 2*southernEquator; northing += 2_000_000 {
		fromEquator := northing
		if low < 0 {
			fromEquator -= southernEquator
		}
		if p = fromUTM(zone, easting, fromEquator); inBand(p[1], low, high) {
			return p, note, nil
		}
	}
	return p, "", fmt.Errorf("square %s%s is not in band %s of zone %d; check the letters", m[3], m[4], m[2], zone)
}
