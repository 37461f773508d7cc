//go:build campaign

package apptest_test

// everyVariant is that all variants are tried.
const everyVariant = 1
