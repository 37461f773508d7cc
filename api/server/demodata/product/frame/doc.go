// Package frame puts a mission on a plane: a coordinate reference system that
// survey software knows, with metres east and north of an origin to work in,
// and the ground that the mission covers there.
package frame
