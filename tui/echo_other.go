//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package tui

import "os"

// setEcho does nothing: what is typed is always shown here.
func setEcho(*os.File, bool) error { return nil }
