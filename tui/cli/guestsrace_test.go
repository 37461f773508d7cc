//go:build race

package cli

// guestsMemory is the largest memory of the process in the campaign of guests, in bytes. The race
// detector needs several times the memory of the program itself.
const guestsMemory = 1600 << 20
