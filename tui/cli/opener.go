package cli

import (
	"fmt"
	"os/exec"
	"runtime"

	"flightdesk/tui/app/guard"
)

// opener returns what opens a file or a folder with the system's program for
// it, nil where there is none. No shell is asked, and the path is absolute, so
// that it is never taken for an option or an address.
func opener() func(path string) error {
	name, args := openerOf(runtime.GOOS)
	program, err := exec.LookPath(name)
	if err != nil {
		return nil
	}
	return func(path string) error {
		cmd := exec.Command(program, append(args[:len(args):len(args)], path)...) //nolint:noctx // it outlasts the app
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("could not start %s: %w", name, err)
		}
		guard.Go(cmd.Wait) // it may last as long as it likes
		return nil
	}
}

// openerOf returns the program of an operating system, and what stands before the
// path.
func openerOf(system string) (name string, args []string) {
	switch system {
	case "windows":
		return "rundll32.exe", []string{"url.dll,FileProtocolHandler"}
	case "darwin":
		return "open", nil
	default:
		return "xdg-open", nil
	}
}
