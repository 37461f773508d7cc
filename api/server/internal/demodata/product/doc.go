// Package product creates sample files of every type that a mission delivers: photos,
// maps, elevation, contours, point clouds, models, a video clip and a raw photo, in
// common formats.
//
// fixtures.zip has a small real file of each type. The files of a mission are copies of
// these, with changes where the format stores the location: the tie point, pixel scale
// and reference system of a raster, the origin and scale of a point cloud, the position
// of a photo, and the coordinates of contours. So maps are stretched over the bounding
// box of the mission. Models and clips have no location. To show what a check of a
// delivery finds, a raster can miss a part of the site or be in another reference system.
//
// # How the fixtures were made
//
// All of them show the same invented land, 600 by 400 metres around 50.918 N, 6.9535 E. Commit
// 26550338 is the last one that contains their generators: its function Files has created them for
// a mission with the UUID "harbour", the code "Sample" and these four corners. Files that would
// have had more than 100 kB have fewer pixels, points and corners. Changes since then:
//
//   - photos have only Exif, and the panorama's XMP only says that it covers 360 degrees,
//     because positions in XMP would have to be changed too;
//   - point clouds count from the south-western corner of the site;
//   - contours are MultiLineStrings of every second vertex, moved to a square from 0, 0
//     to 1, 1, and end with spaces, because degrees need more characters;
//   - models do not name a reference system.
//
// "zip -X -9 fixtures.zip *" creates the archive. A file can be replaced by another one
// with the same name and format: little-endian TIFF with 20 GeoKeys shorts, LAS 1.2 with
// one record of the same size and the origin in the lower corner, and JPEG with Exif as
// the first segment.
package product
