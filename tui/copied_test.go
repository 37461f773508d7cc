package tui_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestCopyShowsWhereTheTextIs(t *testing.T) {
	for _, tt := range []struct {
		name     string
		into     string
		err      error
		sequence func(string) string
		says     string
		asked    bool
	}{
		{"the system's clipboard", "", nil, asked, "Copied ORD-100249", true},
		{"tmux", "the tmux buffer", nil, asked, "Copied ORD-100249 to the tmux buffer", true},
		{"the terminal's alone", "", errors.New("no display"), asked, "Sent to the terminal's clipboard: ORD-100249 · alt+y to show it", true},
		{"none", "", errors.New("no display"), func(string) string { return "" }, "No clipboard: ORD-100249 · alt+y to show it", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := apptest.Open(t, 120, 30, func(o *tui.Options) {
				o.Clipboard = func(string) (string, error) { return tt.into, tt.err }
				o.CopySequence = tt.sequence
			})
			d.Screen()
			d.Press("y")
			d.RequireText(tt.says)
			if slices.Contains(d.Raw, "<ORD-100249>") != tt.asked {
				t.Errorf("the terminal is sent %q", d.Raw)
			}
		})
	}
}

func TestCopiedTextCanBeShown(t *testing.T) {
	d := apptest.Open(t, 100, 30, func(o *tui.Options) { o.CopySequence = asked })
	d.Press("alt+y")
	d.RequireText("copied text: nothing copied yet")
	d.Screen()
	d.Press("ctrl+y", "alt+y")
	d.RequireText("Copied text", "the table, 17 rows", "ORD-100249", "Select the text with the mouse")
	if got := d.View().MouseMode; got != tea.MouseModeNone {
		t.Errorf("the mouse is in mode %v", got)
	}
	for _, line := range strings.Split(d.Screen(), "\n")[4:20] {
		if strings.ContainsAny(line, "│┃▸") {
			t.Errorf("something is beside the text: %q", line)
		}
	}
	d.Press("esc")
	d.RequireText("Orders")
	if d.View().MouseMode == tea.MouseModeNone {
		t.Error("the mouse is not the app's again")
	}
}

func asked(text string) string { return "<" + text + ">" }
