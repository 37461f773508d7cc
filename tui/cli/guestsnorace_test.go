//go:build !race

package cli

// guestsMemory is the largest memory of the process in the campaign of guests, in bytes.
const guestsMemory = 400 << 20
