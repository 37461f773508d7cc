// Package format makes the text that every screen, table and message shows:
// numbers, sizes and times with their unit, nothing ever shown as 0 that is
// merely missing; labels for the service's enumerations, a value that is not
// known unchanged after a question mark, and the glyph and tone of a status;
// and lines that fit their cells. What comes from outside is made harmless.
//
// Widths are counted as the terminal counts them, a wide character as two
// cells and a combining one as none.
package format
