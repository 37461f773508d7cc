//go:build !race

package cli

// guestsMemory bounds the process in the campaign of guests, in bytes.
const guestsMemory = 400 << 20
