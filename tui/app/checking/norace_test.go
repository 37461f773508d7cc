//go:build !race

package checking_test

const moreUnderRace = 1
