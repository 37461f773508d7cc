// Package contour draws lines of equal height on a grid.
package contour
