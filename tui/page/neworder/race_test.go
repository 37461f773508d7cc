//go:build race

package neworder_test

// slowdown is the factor for time limits with the race detector.
const slowdown = 20

// largeOrder is smaller with the race detector, because more sites run the same code.
const largeOrder = 150
