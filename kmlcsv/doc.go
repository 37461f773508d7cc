// Package kmlcsv reads survey files into placemarks: KML and KMZ, tables as CSV, XLSX
// or ODS, GeoJSON, GPX, shapefiles, GeoPackages, missions of ground control programs,
// and ZIP archives of such files. It writes placemarks as KML, CSV, GeoJSON and GPX.
// Bytes go into [Parse]; a [Result] with its placemarks and warnings comes out.
//
//	data, err := os.ReadFile("sites.csv")
//	...
//	result, err := kmlcsv.Parse(data, kmlcsv.Options{Name: "sites.csv"})
//	if err != nil {
//		return err // a *kmlcsv.Error names line, column and what to do
//	}
//	for _, placemark := range result.Placemarks {
//		fmt.Println(placemark.Name, placemark.Kind(), placemark.Points())
//	}
//
// It accepts faulty encoding and structure, with a [Warning] if the result can be
// affected. It is strict on coordinates: an unreadable number is never guessed, and
// no vertex is dropped without a warning, except repeated ones. Everything happens in
// memory; nothing is fetched, opened or stored.
//
// Coordinates are orb types in WGS 84: longitude first, then latitude, in
// degrees. Areas are square metres and lengths metres on the ellipsoid.
//
// # KML
//
// Every placemark is read, at any depth. If the format is ambiguous, these rules
// apply:
//
//   - A part of a MultiGeometry is a separate placemark, "name (1)" and so on;
//     a single part keeps the name. A line of one point is a point.
//   - A placemark without a name gets the name of the nearest named folder,
//     otherwise "Placemark" and its number in the file.
//   - Points that repeat the previous one are left out. Longitudes that are up to
//     360 degrees too large or too small are corrected.
//   - Coordinates without spaces between them are read as triples if their number
//     is a multiple of three. Ambiguous values, such as decimal commas, are not read.
//   - The nameless waypoints of a DJI flight are one line.
//   - Network links are followed within the archive that the document is in. Overlays, models and updates of other
//     files are not placemarks. A DOCTYPE with declarations is refused.
//   - ExtendedData named country and city sets them, in place of the country and city
//     of the position.
//
// # Containers
//
// Every record of a file is accounted for in [Result.Accounts]: it is a site, a part of a
// site, or skipped with a reason in a warning. Every visible sheet of a workbook, every
// layer and every file of an archive is read or named. Rings of areas are holes if they
// are inside other rings, whatever their order. Points at exactly 0, 0 are skipped if the
// file has sites elsewhere.
//
// A file may have 512 MiB unless [Options] say otherwise, and is read for at most 20
// seconds. Reading needs at most 600 MB of memory beside the file. What is
// unpacked from it counts against one limit, 20 times its size but at least 64 MiB and at
// most 256 MiB, and the memory is at most ten times what is unpacked: a small archive can
// need 450 MB. Tables and KML of many short records need more, up to the limit of
// 1,500,000 sites.
//
// # Tables
//
// Columns are found by the words in their names in several languages, by the values of
// all rows, or set by the caller. A row above the header that has coordinates is data;
// titles and units are not. A row is a placemark in one of three forms: one position;
// several, such as corners, opposite corners of a rectangle, or start and end; or a
// geometry as well-known text or binary, GeoJSON, or pairs. Positions are decimal degrees, with
// hemisphere letters, or degrees, minutes and seconds, in one column or several.
// Several rows make one placemark only if there are a sequence column and a repeated
// ID; if one of its vertices is unreadable, the placemark is omitted. The warning of an
// omitted row suggests a correction if exactly one is possible. A position of 0, 0 beside
// others is omitted. [Template] returns an example.
//
// [Result.Accounts] says what became of every row. Nothing about a position is guessed:
// if a table can be read in more than one way, the error is [NeedsAnswer] and
// [Result.Questions] lists the possible answers, each with the town of the first site.
// Only unnamed columns and pairs are taken to be latitude, longitude unless the first
// number exceeds 90; a warning says so, and [Options.Axes] exchanges them.
//
// # Text
//
// A text that is no table is read line by line: each position in a line is a site, named
// by the words beside or above it. Links to maps, well-known text, UTM and MGRS are read
// too. [ParsePasted] reads a pasted text in the same way. A list of ground control points as
// OpenDroneMap has it gives one site for each point.
//
// The encoding is found by the byte order mark or by the letters; if several are likely,
// it is a question.
//
// # Reference systems
//
// Eastings and northings are converted if the file, a row or [Options] name their system, as
// a UTM zone with its hemisphere or an EPSG code. Otherwise nothing is read, and [Result.Systems] lists the
// possible systems, each with the town that the coordinates are near.
package kmlcsv
