package kmlcsv

import (
	"bytes"
	"math"
	"regexp"
	"strings"

	"github.com/paulmach/orb"
)

// mendPosition reads a position that is no pair of degrees as it stands, where it can
// be meant in one way only. Sides of the world in columns of their own would be
// lost.
func (r *csvReader) mendPosition(lat, lng []byte) (p orb.Point, how string, ok bool) {
	if r.grid.metric || !r.plain {
		return p, "", false
	}
	for _, mend := range []func(lat, lng []byte) (orb.Point, string, bool){otherAxis, readMistyped} {
		if p, how, ok = mend(lat, lng); ok {
			return p, how, true
		}
	}
	return p, "", false
}

// otherAxis reads what has the letters of the other column: N and S for the
// longitude, E and W for the latitude.
func otherAxis(lat, lng []byte) (p orb.Point, how string, ok bool) {
	_, first := readAngle(lat, latitude)
	_, second := readAngle(lng, longitude)
	if !first.isOf(WrongHemisphere) && !second.isOf(WrongHemisphere) {
		return p, "", false
	}
	p, ok = degreesOf(lng, lat)
	return p, "swaps latitude and longitude, as their letters show", ok
}

// degreesOf reads two cells that are on the globe.
func degreesOf(lat, lng []byte) (orb.Point, bool) {
	p, problem := readDegrees(lat, lng)
	return p, problem == nil && isOnGlobe(p)
}

func isOnGlobe(p orb.Point) bool { return math.Abs(p[1]) <= 90 && math.Abs(p[0]) <= 180 }

var (
	// lookalike are letters that stand for digits, in the midst of them.
	lookalike   = regexp.MustCompile(`[0-9.,][OolI|]+[0-9.,]`)
	lookedAlike = strings.NewReplacer("O", "0", "o", "0", "l", "1", "I", "1", "|", "1")
)

// readMistyped reads numbers with letters in them that look like digits. At the end
// an O can be a side of the world, and is not touched.
func readMistyped(lat, lng []byte) (orb.Point, string, bool) {
	var said []string
	digits := func(cell []byte) []byte {
		if !lookalike.Match(cell) {
			return cell
		}
		from, to := bytes.IndexAny(cell, "0123456789.,"), bytes.LastIndexAny(cell, "0123456789.,")
		out := []byte(string(cell[:from]) + lookedAlike.Replace(string(cell[from:to])) + string(cell[to:]))
		said = append(said, writeMessage("%s as %s", cell, out))
		return out
	}
	p, ok := degreesOf(digits(lat), digits(lng))
	return p, "reads " + strings.Join(said, " and "), ok && len(said) > 0
}
