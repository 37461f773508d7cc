// Package geomap draws geometries on a map of the world in terminal cells:
// braille dots, block elements or plain ASCII, with coasts and borders behind
// them, fills as background tints, labels that never overlap, a scale bar and
// coordinates.
//
// A [Model] has features, a theme and a view, and draws them into a rectangle of cells. It
// handles no keys or messages, does no I/O and is not safe for concurrent use.
package geomap
