// Package picture draws images in cells: two pixels per cell, one above the other, in the
// colours of the image, or in shades without colour.
package picture
