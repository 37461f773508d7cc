//go:build !linux

package fetch

// bootID returns "": it is not known here, so only what was forced to the disk counts.
func bootID() string { return "" }
