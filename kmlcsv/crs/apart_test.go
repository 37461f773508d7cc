package crs

import "math"

// apart returns the distance of two positions in metres, if it is small.
func apart(lng, lat, otherLng, otherLat float64) float64 {
	x := math.Remainder(lng-otherLng, 360) * math.Cos(lat*radian)
	return math.Hypot(x, lat-otherLat) * radian * modernRadius
}
