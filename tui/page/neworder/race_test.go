//go:build race

package neworder_test

// slowdown is how many times as long everything takes with the race detector.
const slowdown = 20
