//go:build race

package kmlcsv

// moreUnderRace is how much more is allocated with the race detector, which has a pool
// drop what patterns keep in it.
const moreUnderRace = 10
