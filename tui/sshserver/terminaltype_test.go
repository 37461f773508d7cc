package sshserver

import (
	"strings"
	"testing"
)

func TestATerminalTypeHasAtMost64Characters(t *testing.T) {
	for name, isValid := range map[string]bool{
		"xterm-256color":          true,
		strings.Repeat("x", 64):   true,
		strings.Repeat("x", 65):   false,
		"":                        false,
		"xterm\n":                 false,
		"../../etc/passwd":        false,
		"x" + string(rune(0x200)): false,
	} {
		if isTerminalType(name) != isValid {
			t.Errorf("%q: %v", name, !isValid)
		}
	}
}
