package widget_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
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
		{"a name and a long address", widget.Text("Client", "Käthe Brüggemann · kaethe.brueggemann@wind.example"), []string{
			" Client      Käthe Brüggemann", "             kaethe.brueggemann", "             @wind.example",
		}},
		{"a name and a short address", widget.Text("Client", "Käthe Brüggemann · kb@wind.example"), []string{
			" Client      Käthe Brüggemann", "             kb@wind.example",
		}},
		{"no label", widget.Text("", id), []string{"  " + id}},
		{"a long label and a short value", widget.Text("Reference of the client", "PO-7"), []string{
			" Reference of the client", "             PO-7",
		}},
		{"a glyph before two lines", widget.Toned("Status", "✗ rejected by the receiver for good", theme.Bad), []string{
			" Status      ✗ rejected by the receiver", "               for good",
		}},
		{"a web address", widget.Text("To", "gis.nordlicht.invalid/ingest/survey"), []string{
			" To          gis.nordlicht.invalid/ingest", "             /survey",
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

func TestTheColourOfAStatusIsOnlyInItsGlyph(t *testing.T) {
	th := tuitest.LoadTheme(t, "dark")
	for _, c := range []struct{ name, value, glyph, words string }{
		{"a glyph", "✗ rejected", "✗ ", "rejected"},
		{"words only", "rejected by the service", "rejected by the service", ""},
		{"a word of one letter", "A rejection", "A rejection", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := th.PaintRole(theme.Bad, c.glyph) + th.PaintText(c.words)
			line := widget.FactLines(th, 10, 60, widget.Toned("Status", c.value, theme.Bad))[0]
			if !strings.HasSuffix(line, want) {
				t.Errorf("drawn as %q, want the end %q", line, want)
			}
		})
	}
}
