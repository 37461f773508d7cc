// Package field is one line of text being edited.
package field
