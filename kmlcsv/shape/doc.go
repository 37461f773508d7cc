// Package shape makes areas to survey from the points and lines that customers send: circles,
// rectangles, corridors, hulls, grown, simplified and split areas.
//
// Shapes are computed in a plane around the geometry (see [crs.LocalPlane]), so their sizes on
// the ellipsoid are within 0.1 % of what was asked for. A geometry near a pole, or of more than
// 400 km from west to east, is refused. Geometries may cross the antimeridian. All functions
// are pure; their errors are sentences for users.
package shape
