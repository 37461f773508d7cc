//go:build !campaign

package apptest_test

// everyVariant is which of the variants are tried: those between run the same code.
const everyVariant = 4
