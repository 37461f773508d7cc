//go:build race

package checking_test

// moreUnderRace is how much more time and memory a check may take with the race detector.
const moreUnderRace = 10
