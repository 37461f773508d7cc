// Package words says the service's enumerations in words people use, and gives
// every status its glyph and role. Words that are not known here are shown as
// they were sent.
package labels
