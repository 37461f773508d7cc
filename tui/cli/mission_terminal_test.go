//go:build unix

package cli

import (
	"testing"

	"flightdesk/tui/cli/run"
)

// A document from outside is no text for a terminal.
func TestAPermitIsNotWrittenToATerminal(t *testing.T) {
	x := inTerminal(t, nil, "mission", "permit", "MSN-1", "--to", "-")
	x.sees("--to - is for a pipe or a file")
	x.finished(run.ExitUsage)
}
