package crs

// LocalPlane projects positions on WGS 84 to metres east and north of a nearby central point. It is a transverse
// Mercator projection with a true scale along the meridian of this point. Lengths are 0.01 % too long at 90 km east or
// west of it. The zero value is not usable.
type LocalPlane struct{ mercator *transverseMercator }

// NewLocalPlane returns the plane with the given central point in degrees.
func NewLocalPlane(lng, lat float64) LocalPlane {
	p := parameters{originLongitude: lng * radian, originLatitude: lat * radian, originScale: 1}
	return LocalPlane{makeTransverseMercator(newEllipsoid("WGS 84", 6378137, 298.257223563), p)}
}

// Project returns how many metres a position in degrees is east and north of the central point.
func (p LocalPlane) Project(lng, lat float64) (east, north float64) {
	return p.mercator.forward(lng*radian, lat*radian)
}

// Locate returns the longitude and the latitude in degrees of a position. east and north are its distances from the
// central point in metres.
func (p LocalPlane) Locate(east, north float64) (lng, lat float64) {
	lng, lat = p.mercator.inverse(east, north)
	return lng / radian, lat / radian
}
