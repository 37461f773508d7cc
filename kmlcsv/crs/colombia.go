package crs

import "math"

// colombiaUrban is the projection for the maps of cities in Colombia. The formulas are in EPSG Guidance Note 7-2,
// section 3.3.6.
type colombiaUrban struct {
	e           ellipsoid
	lng0, lat0  float64
	height      float64 // height of the city above the ellipsoid in metres; the map is true to scale at this height
	east, north float64
}

func newColombiaUrban(e ellipsoid, p parameters) projection {
	return &colombiaUrban{e, p[originLongitude], p[originLatitude], p[originHeight], p[falseEasting], p[falseNorthing]}
}

func (c *colombiaUrban) forward(lng, lat float64) (east, north float64) {
	normal0 := c.e.normalRadius(c.lat0)
	meridian0 := c.e.meridianRadius(c.lat0)
	a := 1 + c.height/normal0
	b := math.Tan(c.lat0) / (2 * meridian0 * normal0)
	g := 1 + c.height/c.e.meridianRadius((lat+c.lat0)/2)
	across := c.e.normalRadius(lat) * math.Cos(lat) * normalize(lng-c.lng0)
	return c.east + a*across, c.north + g*meridian0*((lat-c.lat0)+b*across*across)
}

func (c *colombiaUrban) inverse(east, north float64) (lng, lat float64) {
	lat = c.lat0 + (north-c.north)/c.e.meridianRadius(c.lat0)
	return solve(c, east, north, c.lng0+(east-c.east)/(c.e.a*math.Cos(c.lat0)), lat)
}
