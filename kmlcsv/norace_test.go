//go:build !race

package kmlcsv

const moreUnderRace = 1
