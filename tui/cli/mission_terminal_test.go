//go:build unix

package cli

import (
	"testing"
)

// A document from outside is no text for a terminal.
func TestAPermitIsNotWrittenToATerminal(t *testing.T) {
	x := inTerminal(t, nil, "mission", "permit", "MSN-1", "--to", "-")
	x.sees("--to - cannot write a binary file to a terminal")
	x.finished(exitUsage)
}
