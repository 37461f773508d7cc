package tui

import (
	"os"

	"golang.org/x/sys/windows"
)

// setEcho turns the terminal's echo on or off.
func setEcho(f *os.File, on bool) error {
	var mode uint32
	console := windows.Handle(f.Fd())
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return err
	}
	mode &^= windows.ENABLE_ECHO_INPUT
	if on {
		mode |= windows.ENABLE_ECHO_INPUT
	}
	return windows.SetConsoleMode(console, mode)
}
