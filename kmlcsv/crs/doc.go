// Package crs converts coordinates between the reference systems of the EPSG registry and
// WGS 84. It finds systems by their code or name, reads definitions of systems (WKT,
// PROJJSON, PROJ strings), and needs no other program or file.
//
//	system, err := crs.Find("ETRS89 / UTM zone 32N") // or "EPSG:25832", "25832"
//	lng, lat, err := system.ToWGS84(512345, 5400000)
//
// Coordinates have the usual order of files: first the easting or the longitude, then the
// northing or the latitude, in the units of the system. Only systems with a first axis to
// the west or south have another order, which [System.Axes] returns.
//
// Projections follow IOGP's Geomatics Guidance Note 7, part 2 (the EPSG Guidance Note in
// comments), and agree with PROJ to a millimetre. The transformation to WGS 84 is chosen for
// each point, as PROJ does without grid files: the most accurate transformation for an area
// with the point. [System.AccuracyAt] returns its accuracy.
//
// The program in gen/systems generates the data; NOTICE.txt has the terms of its sources.
package crs

//go:generate go run -C ../gen/systems .

// Attribution names the sources of the data. The licences of the data require it.
const Attribution = "Reference systems: EPSG Geodetic Parameter Dataset (IOGP, epsg.org/terms-of-use.html) and Esri, " +
	"from the database of PROJ, MIT licence."
