//go:build !race

package neworder_test

// slowdown is for the race detector, which is not there.
const slowdown = 1

// largeOrder is how many sites the largest order has that is worked on.
const largeOrder = 1000
