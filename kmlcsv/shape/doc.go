// Package shape makes the areas to survey from the points and lines that customers send: circles, rectangles,
// corridors and hulls. It also grows, shrinks, simplifies and splits areas.
//
// Shapes are computed in a plane around the geometry (see [crs.LocalPlane]). Their sizes on the ellipsoid differ from
// the requested sizes by at most 0.1 %. Geometries near a pole, or wider than 400 km from west to east, are refused.
// Geometries may cross the antimeridian. All functions are pure. Their errors are texts for users.
package shape
