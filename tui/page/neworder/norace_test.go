//go:build !race

package neworder_test

// slowdown is for the race detector, which is not there.
const slowdown = 1
