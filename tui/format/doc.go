// Package format formats the text of screens, tables and messages: numbers, sizes and times with
// their units; labels for the values of the service, and the glyph and tone of a status; and lines
// of a given width. A missing value is a dash and never 0. An unknown value of the service is shown
// unchanged after a question mark. Text from outside is cleaned of control characters.
//
// Widths are counted in terminal cells: a wide character has two, a combining character none.
package format
