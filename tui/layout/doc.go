// Package layout fits text into terminal cells: what comes from outside is made
// harmless, and nothing is ever wider or higher than its rectangle.
//
// Widths are counted as the terminal counts them, a wide character as two
// cells and a combining one as none.
package layout
