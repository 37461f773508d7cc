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

// ErrNoClipboard is returned if no clipboard is available.
var ErrNoClipboard = errors.New("no clipboard available")

// clipboardTimeout is the timeout for a clipboard program.
const clipboardTimeout = 2 * time.Second

// ClipboardAccess says which clipboards are available.
type ClipboardAccess struct {
	// System writes text to the system's clipboard; nil if there is none.
	System func(text string) error
	// Paste reads the system's clipboard; nil if it cannot be read.
	Paste func() (string, error)
	// Run runs a program with text as its input.
	Run func(ctx context.Context, text, name string, args ...string) error

	tmux    bool // the app runs in tmux
	screen  bool // the app runs in screen
	console bool // the terminal is the Linux console
	far     bool // this process cannot reach the clipboard of the user's desktop, for instance over ssh
}

// ClipboardsOf detects from environment variables which clipboards are available. Over ssh, the system's
// clipboard belongs to the remote machine. It is not used then, unless X or Wayland is forwarded.
func ClipboardsOf(getenv func(string) string, system func(text string) error) ClipboardAccess {
	hasDisplay := getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != ""
	isRemote := getenv("SSH_CONNECTION") != ""
	hasOwnTools := getenv("WSL_DISTRO_NAME") != "" || getenv("TERMUX_VERSION") != ""
	needsDisplay := runtime.GOOS == "linux" && !hasOwnTools // for the clipboard programs
	return ClipboardAccess{
		System:  system,
		Run:     runTool,
		tmux:    getenv("TMUX") != "",
		screen:  getenv("STY") != "",
		console: getenv("TERM") == "linux",
		far:     !hasDisplay && (isRemote || needsDisplay),
	}
}

func runTool(ctx context.Context, text, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin = strings.NewReader(text)
	cmd.WaitDelay = clipboardTimeout
	return cmd.Run()
}

// Write writes text to the system's clipboard and, inside tmux, also to the tmux buffer. into is "" if the
// text is in the system's clipboard, or "the tmux buffer" if it is only there. If neither succeeds, Write
// returns [ErrNoClipboard].
func (w ClipboardAccess) Write(text string) (into string, err error) {
	isInTmux := w.tmux && w.toTmux(text) == nil
	if w.HasSystem() && w.toSystem(text) == nil {
		return "", nil
	}
	if isInTmux {
		return "the tmux buffer", nil
	}
	return "", ErrNoClipboard
}

// Read returns the text of the system's clipboard. It does not request the clipboard from the terminal
// with an escape sequence, because many terminals then ask the user for permission.
func (w ClipboardAccess) Read() (string, error) {
	if w.Paste == nil || !w.HasSystem() {
		return "", ErrNoClipboard
	}
	var text string
	err := withTimeout(func() (err error) {
		text, err = w.Paste()
		return err
	})
	if err != nil {
		return "", err
	}
	return text, nil
}

// HasSystem reports whether the system's clipboard is available.
func (w ClipboardAccess) HasSystem() bool { return w.System != nil && !w.far }

// HasTmux reports whether the app runs in tmux.
func (w ClipboardAccess) HasTmux() bool { return w.tmux }

// toTmux loads text into a tmux buffer. tmux 3.2 and later also pass it to the terminal's clipboard.
func (w ClipboardAccess) toTmux(text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), clipboardTimeout)
	defer cancel()
	if w.Run(ctx, text, "tmux", "load-buffer", "-w", "-") == nil {
		return nil
	}
	return w.Run(ctx, text, "tmux", "load-buffer", "-") // before tmux 3.2
}

// toSystem writes to the system's clipboard with a timeout.
func (w ClipboardAccess) toSystem(text string) error {
	return withTimeout(func() error { return w.System(text) })
}

// withTimeout calls do in the background. It returns an error if do takes longer than clipboardTimeout.
func withTimeout(do func() error) error {
	select {
	case err := <-api.Go(do):
		return err
	case <-time.After(clipboardTimeout):
		return context.DeadlineExceeded
	}
}

// screenLimit is the maximum length in bytes of an escape sequence that the program screen forwards to the
// terminal.
const screenLimit = 256

// Sequence returns the escape sequence that sets the terminal's clipboard to text. It returns "" for the
// Linux console, which would print the sequence instead.
func (w ClipboardAccess) Sequence(text string) string {
	if w.console {
		return ""
	}
	sequence := ansi.SetSystemClipboard(text)
	if w.screen && !w.tmux {
		return ansi.ScreenPassthrough(sequence, screenLimit)
	}
	return sequence
}
