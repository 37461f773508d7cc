package kmlcsv

import (
	"bytes"
	"math"
	"strings"

	"github.com/paulmach/orb"
)

// mendPosition corrects a latitude and a longitude that cannot be used. fix describes the correction. ok is false
// unless exactly one correction is possible. A position that has further columns, such as minutes, is not corrected,
// and neither are eastings and northings.
func (c *coordinateReader) mendPosition(lat, lng []byte) (p orb.Point, fix string, ok bool) {
	if c.grid.metric || !c.plain {
		return p, "", false
	}
	p, fix, ok = readOtherAxis(lat, lng)
	if ok {
		return p, fix, true
	}
	return readMistyped(lat, lng)
}

// readOtherAxis reads a position whose latitude and longitude are in each other's column: the latitude column has a
// letter E or W, or the longitude column N or S. fix describes this correction. ok is false if the columns have no such
// letters.
func readOtherAxis(lat, lng []byte) (p orb.Point, fix string, ok bool) {
	_, latProblem := readAngle(lat, latitude)
	_, lngProblem := readAngle(lng, longitude)
	hasOtherLetter := latProblem.isOf(WrongHemisphere) || lngProblem.isOf(WrongHemisphere)
	if !hasOtherLetter {
		return p, "", false
	}
	p, ok = degreesOf(lng, lat)
	return p, "swaps latitude and longitude, as their letters show", ok
}

// degreesOf reads a latitude and a longitude. The second result is false if they cannot be read or are not on the
// globe.
func degreesOf(lat, lng []byte) (orb.Point, bool) {
	p, problem := readDegrees(lat, lng)
	return p, problem == nil && isOnGlobe(p)
}

func isOnGlobe(p orb.Point) bool { return math.Abs(p[1]) <= 90 && math.Abs(p[0]) <= 180 }

var (
	// lookalikes matches letters that look like digits, between digits.
	lookalikes      = newPattern(`[0-9.,][OolI|]+[0-9.,]`)
	lookalikeDigits = strings.NewReplacer("O", "0", "o", "0", "l", "1", "I", "1", "|", "1")
)

// readMistyped replaces letters such as O that were typed instead of digits, and reads the latitude and the longitude.
// fix describes the correction. ok is false if there are no such letters, or if the corrected texts are not a
// position.
func readMistyped(lat, lng []byte) (p orb.Point, fix string, ok bool) {
	fixedLat := replaceLookalikes(lat)
	fixedLng := replaceLookalikes(lng)
	p, ok = degreesOf(fixedLat, fixedLng)
	if !ok {
		return p, "", false
	}
	var changes []string
	if !bytes.Equal(lat, fixedLat) {
		changes = append(changes, writeMessage("%s as %s", lat, fixedLat))
	}
	if !bytes.Equal(lng, fixedLng) {
		changes = append(changes, writeMessage("%s as %s", lng, fixedLng))
	}
	if len(changes) == 0 {
		return p, "", false
	}
	return p, "reads " + strings.Join(changes, " and "), true
}

// replaceLookalikes replaces letters that look like digits. It keeps letters before the first and after the last digit
// of a number, because an O at the end can mean east or west.
func replaceLookalikes(cell []byte) []byte {
	if !lookalikes().Match(cell) {
		return cell
	}
	first := bytes.IndexAny(cell, "0123456789.,")
	last := bytes.LastIndexAny(cell, "0123456789.,")
	number := lookalikeDigits.Replace(string(cell[first:last]))
	return []byte(string(cell[:first]) + number + string(cell[last:]))
}
