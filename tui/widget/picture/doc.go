// Package picture draws images in cells: two pixels in each, one above the
// other, in the image's own colours, or without colour in shades.
package picture
