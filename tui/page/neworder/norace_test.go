//go:build !race

package neworder_test

// slowdown is the factor for time limits; it is larger with the race detector.
const slowdown = 1

// largeOrder is the number of sites of the largest order in tests.
const largeOrder = 1000
