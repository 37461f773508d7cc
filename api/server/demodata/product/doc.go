// Package product makes the files that a mission delivers: photos, maps,
// elevation, contours, point clouds, models, a clip and raw photos, in the
// formats of the trade. All are drawn from one made-up land, so that they
// agree, and are the same bytes every time.
package product
