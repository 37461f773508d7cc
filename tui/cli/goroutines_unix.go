//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"

	"flightdesk/api"
	"flightdesk/tui"
)

// printsGoroutines gives the terminal back before SIGQUIT has the goroutines
// printed, which else would end up in the app's screen. It holds until the
// function that it returns is called.
func printsGoroutines(before *term.State) (stop func()) {
	came, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(came, syscall.SIGQUIT)
	api.Go(func() error {
		select {
		case <-came:
		case <-over:
			return nil
		}
		tui.GiveBack(os.Stdout)
		if before != nil {
			_ = term.Restore(os.Stdin.Fd(), before)
		}
		signal.Reset(syscall.SIGQUIT)
		return syscall.Kill(os.Getpid(), syscall.SIGQUIT) // the runtime prints them, and ends the program
	})
	return func() {
		signal.Stop(came)
		close(over)
	}
}
