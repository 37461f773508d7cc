// Package format writes numbers, sizes and times the way every screen shows
// them: the unit in the cell, nothing ever shown as 0 that is merely missing.
package format
