// Package product has sample files of every kind that a mission delivers:
// photos, maps, elevation, contours, point clouds, models, a clip and a raw
// photo, in the formats of the trade.
//
// There is one small real file for each, in fixtures.zip. A mission's
// files are copies of them that are written over where their format says where on
// earth they lie: a raster's tie point, pixel scale and reference system, a
// cloud's origin and scale, a photo's position, the coordinates of contours. So
// maps cover the mission, stretched over its box. Models and clips have no place.
//
// # How the fixtures were made
//
// All are of one made-up land, 600 by 400 metres around 50.918 N, 6.9535 E, drawn
// by the generators that this package had up to commit 26550338: Files of a
// mission with the UUID "harbour", the code "Sample" and these four corners, with
// fewer pixels, points and corners where files were above 100 kB. Changed were:
//
//   - photos have Exif alone, and the panorama XMP that tells nothing but that it
//     goes all around, since positions in XMP would have to be set as well;
//   - clouds count from the south-western corner of the site;
//   - contours are MultiLineStrings of every second vertex, moved onto a square
//     from 0, 0 to 1, 1, and end with spaces, since degrees take more room;
//   - models do not name a reference system.
//
// "zip -X -9 fixtures.zip *" packs them. A file may be replaced by any other one of its
// name and format: little-endian TIFF with 20 GeoKeys shorts, LAS 1.2 with one record of
// as many and the origin in the lower corner, Exif as the first segment of a JPEG.
package product
