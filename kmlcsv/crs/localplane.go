package crs

// LocalPlane projects positions on WGS 84 near a point to metres east and north of it. It is a
// transverse Mercator projection whose scale is true along the meridian of the point: lengths
// are 0.01 % too long at 90 km east or west of it. The zero value is not usable.
type LocalPlane struct{ mercator *transverseMercator }

// NewLocalPlane returns the plane around a position in degrees.
func NewLocalPlane(lng, lat float64) LocalPlane {
	p := parameters{originLongitude: lng * radian, originLatitude: lat * radian, originScale: 1}
	return LocalPlane{makeTransverseMercator(newEllipsoid("WGS 84", 6378137, 298.257223563), p)}
}

// Project returns the metres east and north of a position in degrees.
func (p LocalPlane) Project(lng, lat float64) (east, north float64) {
	return p.mercator.forward(lng*radian, lat*radian)
}

// Locate returns the longitude and latitude, in degrees, of metres east and north.
func (p LocalPlane) Locate(east, north float64) (lng, lat float64) {
	lng, lat = p.mercator.inverse(east, north)
	return lng / radian, lat / radian
}
