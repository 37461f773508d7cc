package session

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
)

// ErrNoClipboard is that no clipboard is known to have the text.
var ErrNoClipboard = errors.New("no clipboard available")

// patience is how long a program may take to accept a text.
const patience = 2 * time.Second

// ClipboardAccess says which clipboards can be reached.
type ClipboardAccess struct {
	// System puts text into the system's clipboard; nil where nothing does.
	System func(text string) error
	// Run runs a program with text as its input.
	Run func(ctx context.Context, text, name string, args ...string) error
	tmux, screen, console,
	far bool // the system's clipboard is another machine's, or none
}

// ClipboardsOf returns what the environment says. The system's clipboard is not used over
// ssh where it belongs to the far machine: X and Wayland are brought along.
func ClipboardsOf(getenv func(string) string, system func(text string) error) ClipboardAccess {
	hasDisplay := getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != ""
	far := getenv("SSH_CONNECTION") != "" && !hasDisplay
	if runtime.GOOS == "linux" && !hasDisplay && getenv("WSL_DISTRO_NAME") == "" &&
		getenv("TERMUX_VERSION") == "" {
		far = true // its programs find no clipboard
	}
	return ClipboardAccess{
		System: system, Run: runTool, tmux: getenv("TMUX") != "", screen: getenv("STY") != "",
		console: getenv("TERM") == "linux", far: far,
	}
}

func runTool(ctx context.Context, text, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(text), patience
	return cmd.Run()
}

// Write puts text where it is known to arrive, and returns what that is: "" is
// the system's clipboard. It is [ErrNone] where nothing is known to have it.
func (w ClipboardAccess) Write(text string) (into string, err error) {
	if w.tmux && w.toTmux(text) == nil {
		into = "the tmux buffer"
	}
	switch {
	case w.HasSystem() && w.toSystem(text) == nil:
		return "", nil
	case into != "":
		return into, nil
	default:
		return "", ErrNoClipboard
	}
}

// HasSystem reports whether there is a program for the system's clipboard here.
func (w ClipboardAccess) HasSystem() bool { return w.System != nil && !w.far }

// HasTmux reports whether tmux keeps what is copied.
func (w ClipboardAccess) HasTmux() bool { return w.tmux }

// toTmux loads a buffer of tmux, which hands it on to the terminal if it can.
func (w ClipboardAccess) toTmux(text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if w.Run(ctx, text, "tmux", "load-buffer", "-w", "-") == nil {
		return nil
	}
	return w.Run(ctx, text, "tmux", "load-buffer", "-") // before tmux 3.2
}

// toSystem gives up a program that does not end.
func (w ClipboardAccess) toSystem(text string) error {
	select {
	case err := <-api.Go(func() error { return w.System(text) }):
		return err
	case <-time.After(patience):
		return context.DeadlineExceeded
	}
}

// screenLimit is how long a string is that screen passes on.
const screenLimit = 256

// Sequence asks the terminal to put text into its clipboard, through screen where
// that runs; "" where the terminal would show the sequence.
func (w ClipboardAccess) Sequence(text string) string {
	switch sequence := ansi.SetSystemClipboard(text); {
	case w.console:
		return ""
	case w.screen && !w.tmux:
		return ansi.ScreenPassthrough(sequence, screenLimit)
	default:
		return sequence
	}
}
