//go:build unix

package cli

import (
	"strings"
	"testing"

	"flightdesk/tui/cli/run"
)

func TestDoctorInATerminal(t *testing.T) {
	_, vars := served(t)
	x := inTerminal(t, append(vars, "COLORTERM=truecolor"), "doctor")
	x.sees("second generation")
	output := x.finished(run.ExitDone)
	for _, want := range []string{"100x30", "all colours", "previews of pictures in half blocks", "\x1b[32mok", "the key has orders:read"} {
		if !strings.Contains(output, want) {
			t.Errorf("no %q in %q", want, output)
		}
	}
	x = inTerminal(t, append(vars, "NO_COLOR=1"), "doctor")
	x.sees("second generation")
	if output := x.finished(run.ExitDone); !strings.Contains(output, "no colour, since NO_COLOR is set") || strings.Contains(output, "\x1b[3") {
		t.Errorf("%q", output)
	}
	for set, says := range map[string]string{
		"LANG=de_DE.ISO-8859-1": "LANG=de_DE.ISO-8859-1 is no UTF-8", "LC_ALL=C": "LC_ALL=C is no UTF-8", "LC_CTYPE=en_GB.utf8": "",
	} {
		x := inTerminal(t, append(vars, set), "doctor")
		x.sees("second generation")
		if output := x.finished(run.ExitDone); strings.Contains(output, "is no UTF-8") != (says != "") || !strings.Contains(output, says) {
			t.Errorf("%s: %q", set, output)
		}
	}
}
