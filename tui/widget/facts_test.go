package widget_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/widget"
)

func TestALongValueIsDirectlyBelowItsLabel(t *testing.T) {
	const id = "01a1de25-2a20-74e0-9c1b-0f6d5c3b2a19"
	for _, c := range []struct {
		name  string
		fact  widget.Fact
		lines []string
	}{
		{"a short label", widget.Text("Callback", id), []string{" Callback", "  " + id}},
		{"a long label", widget.Text("Reference of the client", id), []string{" Reference of the client", "  " + id}},
		{"no label", widget.Text("", id), []string{"  " + id}},
		{"a long label and a short value", widget.Text("Reference of the client", "PO-7"), []string{
			" Reference of the client", "             PO-7",
		}},
		{"a value of two lines", widget.Text("Note", "gate code at the reception, call first"), []string{
			" Note        gate code at the reception,", "             call first",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, line := range widget.WrapFacts(loadPlain(t), 12, 42, c.fact) {
				got = append(got, strings.TrimRight(ansi.Strip(line), " "))
			}
			if !slices.Equal(got, c.lines) {
				t.Errorf("drawn as %q, want %q", got, c.lines)
			}
		})
	}
}
