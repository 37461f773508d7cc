package crs

import (
	"fmt"
	"math"
)

// projection converts between longitude and latitude on an ellipsoid and coordinates on a flat map. Angles are in
// radians, and map coordinates are metres to the east and north. Longitudes are counted from the prime meridian of
// the system. A result that cannot be computed is NaN.
//
// Its implementations share these fields: e is the ellipsoid, lng0 and lat0 are the position of the origin in
// radians, and east and north are the coordinates of the origin (false easting and false northing) in metres.
type projection interface {
	forward(lng, lat float64) (east, north float64)
	inverse(east, north float64) (lng, lat float64)
}

// parameters has the values of a projection's parameters. The keys are the EPSG codes of the parameters. Lengths are
// in metres, angles in radians, and scales are ratios.
type parameters map[int]float64

// Codes of parameters.
const (
	coneAxisColatitude   = 1036
	ellipsoidScale       = 1038
	originHeight         = 1039
	originLatitude       = 8801
	originLongitude      = 8802
	originScale          = 8805
	falseEasting         = 8806
	falseNorthing        = 8807
	centreLatitude       = 8811
	centreLongitude      = 8812
	initialAzimuth       = 8813
	skewAngle            = 8814
	initialScale         = 8815
	centreEasting        = 8816
	centreNorthing       = 8817
	pseudoParallel       = 8818
	pseudoParallelScale  = 8819
	falseOriginLatitude  = 8821
	falseOriginLongitude = 8822
	firstParallel        = 8823
	secondParallel       = 8824
	falseOriginEasting   = 8826
	falseOriginNorthing  = 8827
	initialLongitude     = 8830
	zoneWidth            = 8831
	standardParallel     = 8832
	longitudeOfOrigin    = 8833
)

// scale returns the scale factor with the given EPSG code, or 1 if it is not set.
func (p parameters) scale(code int) float64 {
	if v, ok := p[code]; ok {
		return v
	}
	return 1
}

// Codes of methods.
const (
	methodKrovakNorth          = 1041
	methodKrovakModified       = 1042
	methodKrovakModifiedNorth  = 1043
	methodWebMercator          = 1024
	methodLAEASpherical        = 1027
	methodMichigan             = 1051
	methodColombiaUrban        = 1052
	methodEqualEarth           = 1078
	methodTransverseMercator3D = 1111
	methodLambert1SP           = 9801
	methodLambert2SP           = 9802
	methodBelgium              = 9803
	methodMercatorA            = 9804
	methodMercatorB            = 9805
	methodCassini              = 9806
	methodTransverseMercator   = 9807
	methodSouthOrientated      = 9808
	methodObliqueStereographic = 9809
	methodPolarA               = 9810
	methodNewZealand           = 9811
	methodHotineA              = 9812
	methodLaborde              = 9813
	methodHotineB              = 9815
	methodPolyconic            = 9818
	methodKrovak               = 9819
	methodLAEA                 = 9820
	methodAlbers               = 9822
	methodZoned                = 9824
	methodWestOrientated       = 9826
	methodBonneSouth           = 9828
	methodPolarB               = 9829
	methodPolarC               = 9830
	methodHyperbolicCassini    = 9833
	methodCylindricalEqualArea = 9835
	methodMercatorSpherical    = 9841
)

// projections maps the EPSG code of a projection method to the function that makes the projection.
var projections = map[int]func(e ellipsoid, p parameters) projection{
	methodTransverseMercator:   newTransverseMercator,
	methodTransverseMercator3D: newTransverseMercator,
	methodSouthOrientated:      newSouthOrientated,
	methodZoned:                newZonedMercator,
	methodLambert1SP:           newLambert1SP,
	methodLambert2SP:           newLambert2SP,
	methodWestOrientated:       newLambertWest,
	methodMichigan:             newLambertMichigan,
	methodBelgium:              newLambertBelgium,
	methodAlbers:               newAlbers,
	methodColombiaUrban:        newColombiaUrban,
	methodCassini:              newCassini,
	methodHyperbolicCassini:    newHyperbolicCassini,
	methodPolarA:               newPolarA,
	methodPolarB:               newPolarB,
	methodPolarC:               newPolarC,
	methodHotineA:              newHotineA,
	methodHotineB:              newHotineB,
	methodLaborde:              newLaborde,
	methodObliqueStereographic: newObliqueStereographic,
	methodLAEA:                 newAzimuthalEqualArea,
	methodLAEASpherical:        newAzimuthalEqualArea,
	methodMercatorA:            newMercatorA,
	methodMercatorB:            newMercatorB,
	methodMercatorSpherical:    newWebMercator,
	methodWebMercator:          newWebMercator,
	methodKrovak:               newKrovak,
	methodKrovakNorth:          newKrovak,
	methodKrovakModified:       newModifiedKrovak,
	methodKrovakModifiedNorth:  newModifiedKrovak,
	methodPolyconic:            newPolyconic,
	methodNewZealand:           newNewZealand,
	methodCylindricalEqualArea: newCylindricalEqualArea,
	methodEqualEarth:           newEqualEarth,
	methodBonneSouth:           newBonneSouth,
}

// newProjection returns the projection with the given method code. It returns an error if the method is not supported
// or a parameter is not a number. name is the name of the method in the error.
func newProjection(method int, name string, e ellipsoid, p parameters) (projection, error) {
	build := projections[method]
	spherical := method == methodLAEASpherical || method == methodMercatorSpherical
	if build == nil || spherical && e.e != 0 {
		return nil, fmt.Errorf("the projection %s cannot be computed; export the sites as WGS 84", name)
	}
	for code, v := range p {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("parameter %d of the projection %s is not a number", code, name)
		}
	}
	return build(e, p), nil
}

// normalize brings an angle in radians into the range from -π to π by adding or subtracting full turns.
func normalize(angle float64) float64 {
	if -math.Pi <= angle && angle <= math.Pi {
		return angle
	}
	return math.Remainder(angle, 2*math.Pi)
}

// solve converts an easting and a northing to a longitude and a latitude. It searches with Newton's method for the
// position that p.forward converts to the easting and northing. lng and lat are an approximate position to start
// from. solve is used for projections whose published inverse is not exact.
func solve(p projection, east, north, lng, lat float64) (float64, float64) {
	const step = 1e-6
	for range 20 {
		x, y := p.forward(lng, lat)
		dx := east - x
		dy := north - y
		if math.Abs(dx)+math.Abs(dy) < 1e-7 {
			return lng, lat
		}
		xLng, yLng := p.forward(lng+step, lat)
		xLat, yLat := p.forward(lng, lat+step)
		a := (xLng - x) / step
		b := (xLat - x) / step
		c := (yLng - y) / step
		d := (yLat - y) / step
		determinant := a*d - b*c
		lng += (dx*d - dy*b) / determinant
		lat += (dy*a - dx*c) / determinant
		if math.IsNaN(lng) || math.Abs(lat) > math.Pi/2+.1 || math.Abs(lng) > 10 {
			break
		}
	}
	return math.NaN(), math.NaN()
}
