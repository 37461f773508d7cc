package cache

import (
	"math"

	"flightdesk/api"
)

// ShapeHash returns a number that is the same for the same points, wherever a boundary
// begins and whichever way it goes round, and as good as never for others. It
// is 0 without points. Points are the same to about a decimetre.
func ShapeHash(points []api.Point) uint64 {
	var sum uint64
	n := len(points)
	if n > 1 && points[0] == points[n-1] {
		n-- // a closed ring
	}
	for _, p := range points[:n] {
		lat, lng := uint64(int64(math.Round(p.Lat*1e6))), uint64(int64(math.Round(p.Lng*1e6)))
		sum += mixBits(mixBits(lat) + lng*0x9e3779b97f4a7c15)
	}
	return sum
}

// mixBits spreads the bits of a number over all of it.
func mixBits(v uint64) uint64 {
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31 ^ 0x5bd1e9955bd1e995
}
