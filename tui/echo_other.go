//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package tui

import "os"

// setEcho does nothing, because the terminal's echo cannot be changed on this system.
func setEcho(*os.File, bool) error { return nil }
