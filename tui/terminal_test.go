package tui

import (
	"bytes"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

func variables(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

// raw returns the escape codes that a command sends to the terminal.
func raw(t *testing.T, cmd tea.Cmd) string {
	t.Helper()
	if cmd == nil {
		return ""
	}
	msg, ok := cmd().(tea.RawMsg)
	if !ok {
		t.Fatal("the command sends nothing to the terminal")
	}
	return msg.Msg.(string)
}

func TestTerminalTitleIsSavedAndSet(t *testing.T) {
	defer format.SumCodePoints(false)
	var out bytes.Buffer
	term := newTerminal(&out, "", variables(map[string]string{"TERM": "xterm-256color"}))
	term.queryTerminal(false)
	if out.String() != theme.WidthProbe+pushTitle+ansi.RequestModeSynchronizedOutput+ansi.RequestModeUnicodeCore {
		t.Errorf("it is asked %q", out.String())
	}
	out.Reset()
	term.queryTerminal(true)
	if want := ansi.RequestBackgroundColor + ansi.SetModeLightDark; !strings.Contains(out.String(), want) {
		t.Errorf("for an automatic theme it is asked %q", out.String())
	}
	if got := raw(t, term.setTitle("flightdesk · Home")); got != ansi.SetWindowTitle("flightdesk · Home") {
		t.Errorf("the title is set with %q", got)
	}
	if term.setTitle("flightdesk · Home") != nil {
		t.Error("the same title is set again")
	}
}

func TestTitleIsSetOnlyIfItCanBeRestored(t *testing.T) {
	defer format.SumCodePoints(false)
	for name, want := range map[string]bool{
		"xterm": true, "xterm-kitty": true, "alacritty": true, "tmux-256color": true, "foot": true,
		"linux": false, "vt100": false, "screen": false, "screen-256color": false, "st-256color": false, "dumb": false, "": false,
	} {
		var out bytes.Buffer
		term := newTerminal(&out, "", variables(map[string]string{"TERM": name}))
		term.queryTerminal(false)
		has := term.setTitle("Home") != nil && term.hasTitle && strings.Contains(out.String(), pushTitle)
		if has != want {
			t.Errorf("TERM=%s: title %v", name, has)
		}
	}
	if !canRestoreTitle(variables(map[string]string{"TERM": "screen-256color", "TMUX": "/tmp/x"})) {
		t.Error("tmux has no title")
	}
}

func TestTerminalRepliesChangeTheGlyphs(t *testing.T) {
	defer format.SumCodePoints(false)
	var out bytes.Buffer
	term := newTerminal(&out, "", variables(map[string]string{"TERM": "xterm", "LANG": "C.UTF-8"}))
	term.queryTerminal(false)
	if wide := format.Width("e\u0301👍🏽"); wide != 5 {
		t.Errorf("before it grants clusters a text takes %d cells", wide)
	}
	for _, tt := range []struct {
		msg  tea.Msg
		anew bool
		set  theme.GlyphSet
	}{
		{tea.CursorPositionMsg{X: 21}, false, theme.Unicode},
		{tea.CursorPositionMsg{X: 22}, true, theme.Narrow},
		{tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeNotRecognized}, false, theme.Narrow},
		{tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset}, false, theme.Narrow},
		{tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset}, true, theme.Narrow},
	} {
		if anew := term.handleReply(tt.msg); anew != tt.anew || term.glyphs.GlyphSet() != tt.set {
			t.Errorf("%+v: drawn anew %v in set %d", tt.msg, anew, term.glyphs.GlyphSet())
		}
	}
	if wide := format.Width("e\u0301👍🏽"); wide != 3 {
		t.Errorf("after it has granted clusters a text takes %d cells", wide)
	}
}

func TestNoQueriesWithoutATerminal(t *testing.T) {
	term := newTerminal(nil, "ascii", variables(map[string]string{"TERM": "xterm", "LANG": "C"}))
	term.queryTerminal(false)
	if term.setTitle("Home") != nil || term.hasTitle || term.glyphs.GlyphSet() != theme.ASCII {
		t.Errorf("%+v", term)
	}
}
