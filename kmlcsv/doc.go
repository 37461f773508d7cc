// Package kmlcsv reads survey files into placemarks: KML, KMZ and CSV from the
// tools of the field, and writes placemarks as KML, CSV and GeoJSON.
//
// It is lenient on encoding and structure, with a [Warning] for each leniency,
// and strict on coordinates: a number that cannot be read is never guessed and
// a vertex is never dropped in silence. Everything happens in memory; nothing
// is fetched, opened or stored.
//
// Coordinates are orb types in WGS 84: longitude first, then latitude, in
// degrees. Areas are square metres and lengths metres on the ellipsoid.
package kmlcsv
