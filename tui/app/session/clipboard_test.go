package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"flightdesk/tui/app/session"
)

func TestTextIsWrittenToTheAvailableClipboard(t *testing.T) {
	broken := errors.New("no display")
	for _, tt := range []struct {
		name    string
		vars    map[string]string
		system  error // of the program for the system's clipboard
		none    bool  // there is no such program
		oldTmux bool
		into    string
		ran     string
		err     error
	}{
		{name: "a display", vars: map[string]string{"DISPLAY": ":0"}},
		{name: "a display that does not answer", vars: map[string]string{"DISPLAY": ":0"}, system: broken, err: session.ErrNoClipboard},
		{name: "no program", none: true, err: session.ErrNoClipboard},
		{name: "far away", vars: map[string]string{"SSH_CONNECTION": "a b"}, err: session.ErrNoClipboard},
		{name: "far away, with X", vars: map[string]string{"SSH_CONNECTION": "a b", "DISPLAY": ":10"}},
		{name: "tmux", vars: map[string]string{"TMUX": "/tmp/x"}, system: broken, into: "the tmux buffer", ran: "tmux load-buffer -w -"},
		{name: "old tmux", vars: map[string]string{"TMUX": "/tmp/x"}, none: true, oldTmux: true, into: "the tmux buffer", ran: "tmux load-buffer -w -; tmux load-buffer -"},
		{name: "tmux on a display", vars: map[string]string{"TMUX": "/tmp/x", "DISPLAY": ":0"}, ran: "tmux load-buffer -w -"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			system := func(string) error { return tt.system }
			if tt.none {
				system = nil
			}
			way := session.ClipboardsOf(func(name string) string { return tt.vars[name] }, system)
			var ran []string
			way.Run = func(_ context.Context, text, name string, args ...string) error {
				if text != "ORD-1" {
					t.Errorf("it is given %q", text)
				}
				ran = append(ran, name+" "+strings.Join(args, " "))
				if tt.oldTmux && len(ran) == 1 {
					return errors.New("unknown flag -w")
				}
				return nil
			}
			into, err := way.Write("ORD-1")
			if into != tt.into || !errors.Is(err, tt.err) || strings.Join(ran, "; ") != tt.ran {
				t.Errorf("into %q, %v, after %q", into, err, ran)
			}
		})
	}
}

func TestTheSequenceDependsOnTheTerminal(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"TERM", "xterm", "\x1b]52;c;T1JELTE=\a"},
		{"TMUX", "/tmp/x", "\x1b]52;c;T1JELTE=\a"},
		{"STY", "1.pts", "\x1bP\x1b]52;c;T1JELTE=\a\x1b\\"},
		{"TERM", "linux", ""},
	} {
		way := session.ClipboardsOf(func(name string) string { return map[string]string{tt.name: tt.value}[name] }, nil)
		if got := way.Sequence("ORD-1"); got != tt.want {
			t.Errorf("%s=%s: %q", tt.name, tt.value, got)
		}
	}
}

func TestOnlyTheSystemsClipboardOfThisMachineIsRead(t *testing.T) {
	paste := func() (string, error) { return "47.1, 8.5", nil }
	for _, tt := range []struct {
		name string
		vars map[string]string
		text string
	}{
		{name: "a display", vars: map[string]string{"DISPLAY": ":0"}, text: "47.1, 8.5"},
		{name: "far away", vars: map[string]string{"SSH_CONNECTION": "a b"}},
		{name: "tmux without a display", vars: map[string]string{"TMUX": "/tmp/x"}},
	} {
		way := session.ClipboardsOf(func(name string) string { return tt.vars[name] }, func(string) error { return nil })
		way.Paste = paste
		text, err := way.Read()
		if text != tt.text || (err == nil) != (tt.text != "") {
			t.Errorf("%s: %q, %v; want %q", tt.name, text, err, tt.text)
		}
	}
	way := session.ClipboardsOf(func(string) string { return ":0" }, func(string) error { return nil })
	if text, err := way.Read(); !errors.Is(err, session.ErrNoClipboard) {
		t.Errorf("without a way to read it is %q, %v", text, err)
	}
	way.Paste = func() (string, error) { return "half", errors.New("no answer") }
	if text, err := way.Read(); text != "" || err == nil {
		t.Errorf("a failed reading is %q, %v", text, err)
	}
}
