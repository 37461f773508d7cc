// Package product makes the files that a mission delivers: photos, maps,
// elevation, contours, point clouds, models, a clip and raw photos, in the
// formats of the trade. All are drawn from one made-up land, so that they
// agree, and are the same bytes every time.
//
// A Frame puts the mission on a plane and a Ground says what it covers there;
// the Land is made from a seed; TIFF directories, contour lines and files
// written in pieces are what the formats are built from.
package product
