// Package kmlcsv reads survey files into placemarks: KML and KMZ, tables as CSV
// or XLSX, GeoJSON, GPX, shapefiles and GeoPackages. It writes placemarks as KML,
// CSV, GeoJSON and GPX. Bytes go into [Parse]; a [Result] with its placemarks and
// warnings comes out.
//
//	data, err := os.ReadFile("sites.csv")
//	...
//	result, err := kmlcsv.Parse(data, kmlcsv.Options{Name: "sites.csv"})
//	if err != nil {
//		return err // a *kmlcsv.Error names line, column and what to do
//	}
//	for placemark, warnings := range result.All() {
//		fmt.Println(placemark.Name, placemark.Kind(), placemark.Points(), warnings)
//	}
//
// It is lenient on encoding and structure, with a [Warning] for each leniency
// that could matter, and strict on coordinates: a number that cannot be read is
// never guessed and a vertex is never dropped in silence. Everything happens in
// memory; nothing is fetched, opened or stored.
//
// Coordinates are orb types in WGS 84: longitude first, then latitude, in
// degrees. Areas are square metres and lengths metres on the ellipsoid.
//
// # KML
//
// Every placemark is read, wherever it is, with these rules where the
// format leaves a choice:
//
//   - A part of a MultiGeometry is a separate placemark, "name (1)" and so on;
//     a single part keeps the name. A line of one point is a point.
//   - A placemark without a name has that of the nearest folder with one, else
//     "Placemark" and its number in the file.
//   - Points that repeat the one before are left out. Longitudes of up to a turn
//     too many are brought back.
//   - Coordinates without spaces between them are triples, if that fits.
//     Anything ambiguous, a decimal comma above all, is not read.
//   - The nameless waypoints of a DJI flight are one line.
//   - Network links are not followed. Overlays, models and updates of other
//     files are no placemarks. A document type with declarations is refused.
//   - ExtendedData named country and city win over suggestions.
//
// # Tables
//
// Columns are found by their names in several languages, or chosen by the caller;
// titles above the header are skipped. A row is a placemark: a position in latitude
// and longitude, in decimal degrees, with hemisphere letters or in degrees, minutes
// and seconds; two corners, or start and end; or a geometry as well-known text,
// GeoJSON, or "latitude, longitude" pairs. Rows make one placemark only where a
// sequence column and an id that repeats say so; a vertex that cannot be read then
// takes the placemark with it. A row that is left out is offered with a correction,
// and what that changed, if it can be meant in one way only. [Template] is an example.
//
// # Reference systems
//
// Eastings and northings are converted where the file names their system, as a zone
// of UTM or an EPSG code, or [Options] do. Where neither does, nothing is read, and
// [Result.Systems] lists which systems they can be of and which town each leads to.
package kmlcsv
