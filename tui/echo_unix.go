//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tui

import (
	"os"

	"github.com/charmbracelet/x/termios"
)

// setEcho has a terminal show what is typed, or only the ends of lines.
func setEcho(f *os.File, on bool) error {
	now, err := termios.GetTermios(int(f.Fd()))
	if err != nil {
		return err
	}
	return termios.SetTermios(int(f.Fd()), uint32(now.Ispeed), uint32(now.Ospeed), nil, nil, nil, nil, //nolint:unconvert // their types differ between systems
		map[termios.L]bool{termios.ECHO: on, termios.ECHONL: !on})
}
