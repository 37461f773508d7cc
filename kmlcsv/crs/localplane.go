package crs

// LocalPlane is a flat map around a central point. It converts positions in WGS 84 to metres east and north of this
// point. Lengths on the map are exact near the meridian of the central point, and 0.01 % too long 90 km east or west
// of it. The zero value is not usable.
type LocalPlane struct{ mercator *transverseMercator }

// NewLocalPlane returns the plane around the given central point in degrees.
func NewLocalPlane(lng, lat float64) LocalPlane {
	p := parameters{originLongitude: lng * radian, originLatitude: lat * radian, originScale: 1}
	return LocalPlane{makeTransverseMercator(newEllipsoid("WGS 84", 6378137, 298.257223563), p)}
}

// Project converts a position in degrees to metres east and north of the central point.
func (p LocalPlane) Project(lng, lat float64) (east, north float64) {
	return p.mercator.forward(lng*radian, lat*radian)
}

// Locate converts metres east and north of the central point to a longitude and a latitude in degrees.
func (p LocalPlane) Locate(east, north float64) (lng, lat float64) {
	lng, lat = p.mercator.inverse(east, north)
	return lng / radian, lat / radian
}
