package kmlcsv

import (
	"bytes"
	"math"
	"regexp"
	"strings"

	"github.com/paulmach/orb"
)

// mendPosition corrects a position that is not valid, if exactly one correction is possible. fix describes the
// correction. It does not correct positions with more than two columns, because it would ignore the others.
func (r *csvReader) mendPosition(lat, lng []byte) (p orb.Point, fix string, ok bool) {
	if r.grid.metric || !r.plain {
		return p, "", false
	}
	p, fix, ok = readOtherAxis(lat, lng)
	if ok {
		return p, fix, true
	}
	return readMistyped(lat, lng)
}

// readOtherAxis reads a position with exchanged columns: the latitude has E or W, or the longitude N or S.
func readOtherAxis(lat, lng []byte) (p orb.Point, fix string, ok bool) {
	_, first := readAngle(lat, latitude)
	_, second := readAngle(lng, longitude)
	if !first.isOf(WrongHemisphere) && !second.isOf(WrongHemisphere) {
		return p, "", false
	}
	p, ok = degreesOf(lng, lat)
	return p, "swaps latitude and longitude, as their letters show", ok
}

// degreesOf reads a latitude and a longitude. It reports false if the position is not on the globe.
func degreesOf(lat, lng []byte) (orb.Point, bool) {
	p, problem := readDegrees(lat, lng)
	return p, problem == nil && isOnGlobe(p)
}

func isOnGlobe(p orb.Point) bool { return math.Abs(p[1]) <= 90 && math.Abs(p[0]) <= 180 }

var (
	// lookalikes matches letters that look like digits, between digits.
	lookalikes      = regexp.MustCompile(`[0-9.,][OolI|]+[0-9.,]`)
	lookalikeDigits = strings.NewReplacer("O", "0", "o", "0", "l", "1", "I", "1", "|", "1")
)

// readMistyped reads numbers in which letters between the digits look like digits. A letter after the last
// digit is not changed, because an O can mean east or west.
func readMistyped(lat, lng []byte) (p orb.Point, fix string, ok bool) {
	var changes []string
	digits := func(cell []byte) []byte {
		if !lookalikes.Match(cell) {
			return cell
		}
		from := bytes.IndexAny(cell, "0123456789.,")
		to := bytes.LastIndexAny(cell, "0123456789.,")
		out := []byte(string(cell[:from]) + lookalikeDigits.Replace(string(cell[from:to])) + string(cell[to:]))
		changes = append(changes, writeMessage("%s as %s", cell, out))
		return out
	}
	p, ok = degreesOf(digits(lat), digits(lng))
	if !ok || len(changes) == 0 {
		return p, "", false
	}
	return p, "reads " + strings.Join(changes, " and "), true
}
