//go:build race

package neworder_test

// slowdown is how many times as long everything takes with the race detector.
const slowdown = 20

// largeOrder is smaller with the race detector, which looks at no other code
// for more sites.
const largeOrder = 150
