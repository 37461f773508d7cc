// Package labels shows the service's enumerations as labels, and gives every
// status its glyph and tone. Values that are not known here appear unchanged
// after a question mark.
package labels
