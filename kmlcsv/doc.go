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
// It accepts faulty encoding and structure, with a [Warning] if the fault can affect the
// result. It is strict on coordinates: an unreadable number is never guessed, and no
// vertex is dropped without a warning, except repeated vertices. Everything happens in
// memory; nothing is fetched, opened or stored.
//
// Coordinates are orb types in WGS 84: longitude first, then latitude, in degrees. Areas
// are in square metres and lengths in metres, both measured on the ellipsoid.
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
//   - A point that repeats the previous point is left out. Longitudes that are up to
//     360 degrees too large or too small are corrected.
//   - Coordinates without spaces between them are read as triples if their number
//     is a multiple of three. Ambiguous values, such as decimal commas, are not read.
//   - The nameless waypoints of a DJI flight are joined into one line.
//   - Network links are followed if they name a file in the same archive. Overlays, models
//     and updates of other files are not placemarks. A DOCTYPE with declarations is refused.
//   - ExtendedData named country or city sets the country or city of the placemark.
//     Otherwise both are looked up by the position.
//
// # Containers
//
// [Result.Accounts] counts every record of a file: as a site, as a part of a site, or as
// skipped, with the reason in a warning. Every visible sheet of a workbook, every layer
// and every file of an archive is either read or named in a warning. Rings of areas are
// holes if they are inside other rings, in whatever order the file lists them. Points at
// exactly 0, 0 are skipped if the file has sites elsewhere.
//
// The largest file is 512 MiB unless [Options] say otherwise, and reading takes at most 20
// seconds. Reading needs at most 600 MB of memory in addition to the file. Unpacked data
// counts against one limit, which is 20 times the size of the file but at least 64 MiB and
// at most 256 MiB. The memory is at most ten times the unpacked data: a small archive can
// need 450 MB. Tables and KML with many short records need more memory, up to the limit of
// 1,500,000 sites.
//
// # Tables
//
// Columns are found by the words in their names in several languages, by the values of
// all rows, or set by the caller. A row above the header that has coordinates is data;
// titles and units are not. A row is a placemark in one of three forms: one position;
// several positions, such as corners, opposite corners of a rectangle, or start and end;
// or a geometry as well-known text or binary, GeoJSON, or pairs. Positions are decimal
// degrees, degrees with hemisphere letters, or degrees, minutes and seconds, in one column
// or several. Several rows make one placemark only if there are a sequence column and a
// repeated ID; if one of its vertices is unreadable, the placemark is omitted. The warning
// of an omitted row suggests a correction if exactly one is possible. A position of 0, 0
// is omitted if the table has other positions. [Template] returns an example.
//
// [Result.Accounts] counts the rows that became sites and the rows that did not. Nothing
// about a position is guessed: if a table can be read in more than one way, the error is
// [NeedsAnswer] and [Result.Questions] lists the possible answers, each with the town of
// the first site. There is one exception: unnamed columns and pairs are read as latitude,
// longitude unless the first number exceeds 90. A warning then says so, and
// [Options.Axes] exchanges them.
//
// # Text
//
// A text that is not a table is read line by line: each position in a line is a site,
// named by the words in the same line or in the line above. Links to maps, well-known
// text, UTM and MGRS are read too. [ParsePasted] reads a pasted text in the same way. A
// list of ground control points in the format of OpenDroneMap gives one site for each
// point.
//
// The encoding is found by the byte order mark or by the letters. If several encodings are
// likely, [Result.Questions] asks for it.
//
// # Reference systems
//
// Eastings and northings are converted if the file, a row or [Options] name their system,
// as a UTM zone with its hemisphere or an EPSG code. Otherwise nothing is read, and
// [Result.Systems] lists the possible systems, each with the town near the coordinates.
//
// # Files
//
// What decides how a file is read, in the order in which it is decided:
//
//   - parse.go has the options and the result, code.go the codes of errors and warnings.
//     detect.go finds out the format, decode.go and charset.go the encoding. work.go has the
//     limits.
//   - archive.go reads the members of archives. workbook.go reads the sheets of workbooks as
//     tables, from xlsx.go, xlsxsheet.go and ods.go.
//   - text.go decides whether a text is a table, well-known text, lines with positions, or a
//     list in labelled.go or controls.go. records.go splits tables into rows, and commas.go
//     repairs unquoted decimal commas.
//   - csv.go has the order of the steps for tables, tablerows.go the rows. header.go finds the
//     header and the columns by their names, columnvalues.go by the values in them.
//     headerwords.go, columns.go, labels.go, corners.go and cornername.go know the names.
//   - grid.go decides on the unit and the reference system of a table. systemname.go knows
//     short names of systems, datum.go and zone.go the datum and the UTM zone of a row, and
//     system.go which coordinates a system can have. hints.go orders the systems in questions,
//     and package crs converts coordinates.
//   - ask.go decides which coordinate is first and what the letter O means, or asks.
//     question.go has the questions.
//   - group.go and merged.go decide which rows are one site.
//
// How positions and geometries are read:
//
//   - position.go reads the coordinates of a row, angle.go degrees with signs and letters,
//     number.go plain numbers. geometrycell.go and cell.go read cells with a geometry, and
//     description.go cells with a name, a country or a city.
//   - typed.go reads a position that a user typed, utm.go UTM, MGRS and plus codes, wkt.go
//     well-known text, binary.go well-known binary, and wkb.go its hexadecimal digits.
//   - kml.go, kmlplacemark.go, coordinates.go, scanner.go and element.go read KML. geojson.go,
//     jsonvalue.go, jsonpoints.go and otherjson.go read JSON. gpx.go, shapefile.go, dbf.go,
//     geopackage.go and mission.go read what their names say; gis.go has what these formats share.
//
// What happens to every site:
//
//   - build.go checks the geometry, adds the placemark and its warnings, and account.go
//     counts the record. rings.go finds out which rings are holes, crossing.go whether a
//     boundary crosses itself, and zero.go which sites have no position. measure.go has areas
//     and lengths, conversion.go the accuracy of conversions, label.go clean names, and
//     place.go countries and cities. mend.go corrects mistyped positions.
//   - write.go writes placemarks.
//
// Every file uses pattern.go, which compiles regular expressions when they are first used.
package kmlcsv
