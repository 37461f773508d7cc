//go:build race

package apptest_test

// everyVariant is which of the variants are tried with the race detector: those
// between run the same code.
const everyVariant = 4
