package layout_test

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/layout"
)

func TestLink(t *testing.T) {
	for target, want := range map[string]bool{
		"https://hooks.example/flightdesk?a=b":      true,
		"http://127.0.0.1:8080/":                    true,
		"file:///home/k%C3%A4the/photo.jpg":         true,
		"file://elsewhere/etc":                      false,
		"file:relative":                             false,
		"javascript:alert(1)":                       false,
		"ssh://host/":                               false,
		"https://user:secret@host/":                 false,
		"https://":                                  false,
		"https://host/\x1b]0;title\a":               false,
		"https://host/a b":                          false,
		"https://höst/":                             false,
		"https://host/" + strings.Repeat("a", 2000): false,
		"": false,
	} {
		got := layout.Link(lipgloss.NewStyle(), "a \x1b[31mfile", target)
		if linked := strings.Contains(got, "\x1b]8;;"+target); linked != want || strings.Contains(got, "\x1b]8;") != want {
			t.Errorf("%.60q is linked: %v, want %v: %q", target, linked, want, got)
		}
		if text := ansi.Strip(got); text != "a ␛[31mfile" || layout.Width(got) != layout.Width(text) {
			t.Errorf("%.60q reads %q", target, text)
		}
	}
	if got := layout.Link(lipgloss.NewStyle(), "", "https://host/"); got != "" {
		t.Errorf("no text reads %q", got)
	}
	cut := layout.CutLine(layout.Link(lipgloss.NewStyle(), "a long name", "https://host/"), 6)
	if ansi.Strip(cut) != "a lon…" || strings.Count(cut, "\x1b]8;;") != 2 {
		t.Errorf("a cut link is %q: it has to end", cut)
	}
}
