//go:build unix

package cli

import (
	"strings"
	"testing"
)

func TestDoctorInATerminal(t *testing.T) {
	t.Parallel()
	_, vars := served(t)
	x := inTerminal(t, append(vars, "COLORTERM=truecolor"), "doctor")
	x.sees("v2 API")
	output := x.finished(exitDone)
	for _, want := range []string{"100x30", "all colours", "image previews: half blocks", "\x1b[32mok", "the key has orders:read"} {
		if !strings.Contains(output, want) {
			t.Errorf("no %q in %q", want, output)
		}
	}
	x = inTerminal(t, append(vars, "NO_COLOR=1"), "doctor")
	x.sees("v2 API")
	if output := x.finished(exitDone); !strings.Contains(output, "no colours because NO_COLOR is set") || strings.Contains(output, "\x1b[3") {
		t.Errorf("%q", output)
	}
	for set, says := range map[string]string{
		"LANG=de_DE.ISO-8859-1": "LANG=de_DE.ISO-8859-1 is not UTF-8, so the app draws in ASCII: ~ * .", "LC_ALL=C": "LC_ALL=C is not UTF-8", "LC_CTYPE=en_GB.utf8": "",
	} {
		x := inTerminal(t, append(vars, set), "doctor")
		x.sees("v2 API")
		if output := x.finished(exitDone); strings.Contains(output, "is not UTF-8") != (says != "") || !strings.Contains(output, says) {
			t.Errorf("%s: %q", set, output)
		}
	}
}

// Doctor uses the replies of the terminal. It does not wait long for a terminal that sends none.
func TestDoctorUsesTheRepliesOfTheTerminal(t *testing.T) {
	t.Parallel()
	_, vars := served(t)
	vars = append(vars, "LANG=C.UTF-8")
	for answer, says := range map[string][]string{
		"":                                     {"draws in Unicode: ◇ ◆", "combined emoji: only the first character is shown"},
		"\x1b[3;22R\x1b[?2027;2$y\x1b[?62;22c": {"draws in Unicode: ◇ ◆", "combined emoji: supported (mode 2027)"},
		"\x1b[3;23R\x1b[?2027;0$y\x1b[?6c":     {"ambiguous width are two cells wide, so the app draws in ASCII: ~ *"},
		"\x1b[3;24R\x1b[?6c":                   {"no UTF-8, so the app draws in ASCII"},
	} {
		x := inTerminal(t, append(vars, "TMUX="), "doctor")
		x.sees("\x1b[6n")
		x.keys(answer)
		x.sees("v2 API")
		output := x.finished(exitDone)
		for _, want := range append(says, "copies through the terminal (OSC 52)") {
			if !strings.Contains(output, want) {
				t.Errorf("%q: no %q in %q", answer, want, output)
			}
		}
	}
}
