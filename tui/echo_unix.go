//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package tui

import (
	"os"

	"github.com/charmbracelet/x/termios"
)

// setEcho turns the terminal's echo on or off. Line breaks are always echoed.
func setEcho(f *os.File, on bool) error {
	current, err := termios.GetTermios(int(f.Fd()))
	if err != nil {
		return err
	}
	inSpeed := uint32(current.Ispeed)  //nolint:unconvert // its type differs between systems
	outSpeed := uint32(current.Ospeed) //nolint:unconvert // its type differs between systems
	flags := map[termios.L]bool{
		termios.ECHO:   on,
		termios.ECHONL: !on,
	}
	return termios.SetTermios(int(f.Fd()), inSpeed, outSpeed, nil, nil, nil, nil, flags)
}
