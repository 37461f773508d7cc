//go:build unix

package cli

import (
	"testing"
)

// A permit is a binary file, which must not be written to a terminal.
func TestAPermitIsNotWrittenToATerminal(t *testing.T) {
	x := inTerminal(t, nil, "mission", "permit", "MSN-1", "--to", "-")
	x.sees("--to - cannot write a binary file to a terminal")
	x.finished(exitUsage)
}
