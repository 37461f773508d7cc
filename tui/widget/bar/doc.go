// Package bar draws horizontal bars that compare values, to an eighth of a
// cell. It knows nothing of what the values are.
package bar
