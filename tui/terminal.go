package tui

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
	"flightdesk/tui/app/guard"
	"flightdesk/tui/glyph"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
)

// Escape codes that save and restore the terminal's title.
const (
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"
)

// terminal holds what is known of the terminal besides its colours.
type terminal struct {
	out      io.Writer // nil if there is none to ask
	glyphs   glyph.Terminal
	hasTitle bool   // the terminal can restore its title
	title    string // set last
	focus    focus
}

// focus is whether the window has the keyboard, as far as the terminal reports
// it.
type focus int

const (
	focusUnknown focus = iota
	focused
	away
)

// newTerminal returns what the environment variables tell of the terminal.
func newTerminal(out io.Writer, setting string, getenv func(string) string) terminal {
	if out == nil {
		return terminal{glyphs: glyph.Terminal{Setting: setting}}
	}
	return terminal{out: out, glyphs: glyph.TerminalOf(setting, getenv), hasTitle: keepsTitle(getenv)}
}

// keepsTitle reports whether the terminal can save and restore its title. Others
// would keep the app's title after the app has ended.
func keepsTitle(getenv func(string) string) bool {
	if getenv("TMUX") != "" {
		return true
	}
	name, _, _ := strings.Cut(getenv("TERM"), "-")
	switch name {
	case "", "linux", "dumb", "cons25", "vt100", "vt220", "screen", "st", "rxvt":
		return false
	}
	return true
}

// queryTerminal saves the terminal's title and queries character widths, and the background
// for a theme that depends on it. It writes at once: Bubble Tea would ask with its first
// frame, and the answer would come one frame later.
func (t *terminal) queryTerminal(background bool) {
	if t.out == nil {
		return
	}
	layout.SumCodePoints(true) // until the terminal confirms grapheme clusters
	asked := glyph.Probe
	if t.hasTitle {
		asked += pushTitle
	}
	if background {
		asked += ansi.RequestBackgroundColor + ansi.SetModeLightDark
	}
	_, _ = io.WriteString(t.out, asked)
}

// takeAnswer handles an answer of the terminal and reports whether everything must be
// redrawn.
func (t *terminal) takeAnswer(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.CursorPositionMsg:
		before := t.glyphs.GlyphSet()
		t.glyphs.TakeColumn(msg.X)
		return t.glyphs.GlyphSet() != before
	case tea.ModeReportMsg:
		if msg.Mode != ansi.ModeUnicodeCore || msg.Value == ansi.ModeNotRecognized ||
			msg.Value == ansi.ModePermanentlyReset {
			return false
		}
		layout.SumCodePoints(false)
		return true
	}
	return false
}

// setTitle returns the command that sets the window title, nil if it is unchanged.
func (t *terminal) setTitle(title string) tea.Cmd {
	if title = t.glyphs.GlyphSet().DrawText(title); !t.hasTitle || title == t.title {
		return nil
	}
	t.title = title
	return tea.Raw(ansi.SetWindowTitle(title))
}

// resume sets the title again after a suspension.
func (t *terminal) resume() tea.Cmd {
	if !t.hasTitle {
		return nil
	}
	t.title = ""
	return tea.Raw(pushTitle)
}

// GiveBack resets the terminal when the app cannot do so itself.
func GiveBack(w io.Writer) {
	title := ""
	if keepsTitle(os.Getenv) {
		title = popTitle
	}
	_, _ = io.WriteString(
		w,
		ansi.ResetModeSynchronizedOutput+ansi.ResetModifyOtherKeys+ansi.PopKittyKeyboard(1)+
			ansi.ResetModeAltScreenSaveCursor+ansi.SetModeTextCursorEnable+ansi.ResetModeBracketedPaste+ansi.ResetModeFocusEvent+
			ansi.ResetModeMouseButtonEvent+ansi.ResetModeMouseAnyEvent+ansi.ResetModeMouseExtSgr+ansi.ResetModeUnicodeCore+
			ansi.ResetModeLightDark+ansi.ResetBackgroundColor+ansi.ResetForegroundColor+ansi.ResetProgressBar+ansi.ResetStyle+title,
	)
}

// suspend stops the program like ctrl+z in other programs. The codes that Bubble
// Tea does not reset are sent before, from the same goroutine.
func suspend(reset string, post func(tea.Msg)) tea.Cmd {
	if reset == "" || post == nil {
		return tea.Suspend
	}
	return func() tea.Msg {
		post(tea.RawMsg{Msg: reset})
		return tea.Suspend()
	}
}

// Crash is an unexpected failure. The app has ended, the terminal is restored,
// and typed text is saved.
type Crash struct {
	Reason any
	Stack  []byte
}

// Error returns the failure without its stack.
func (c *Crash) Error() string { return fmt.Sprintf("internal error: %v", c.Reason) }

// Crashed returns the failure that ended the app, or nil.
func (a *App) Crashed() *Crash { return a.crash }

// guardUpdate turns a panic in Update or View into the app's end. Bubble Tea
// would print it to the terminal with whatever it contains.
func (a *App) guardUpdate(end *tea.Cmd) {
	if r := recover(); r != nil {
		a.keepCrash(page.CrashMsg{Reason: r, Stack: debug.Stack()})
		if end != nil {
			*end = tea.Quit
		}
	}
}

// guardCommand turns a panic in a command, or in commands that it returns, into
// the app's end.
func guardCommand(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		var msg tea.Msg
		if err := api.Guard(func() error { msg = cmd(); return nil }); err != nil {
			return page.CrashMsg{Reason: err}
		}
		if batch, ok := msg.(tea.BatchMsg); ok {
			all := make(tea.BatchMsg, len(batch))
			for i, each := range batch {
				all[i] = guardCommand(each)
			}
			return all
		}
		return msg
	}
}

// crashTime is how long cleaning up may take after a panic, which may have left
// locks held.
const crashTime = 2 * time.Second

// withinTime returns a function that calls f and gives up after d.
func withinTime(d time.Duration, f func()) func() {
	return func() {
		select {
		case <-guard.Go(func() error { f(); return nil }):
		case <-time.After(d):
		}
	}
}

// keepCrash records the first failure.
func (a *App) keepCrash(msg page.CrashMsg) {
	for p, ok := msg.Reason.(*api.PanicError); ok; p, ok = msg.Reason.(*api.PanicError) {
		msg = page.CrashMsg{Reason: p.Value, Stack: p.Stack} // the stack of the goroutine that failed
	}
	if a.crash == nil {
		a.crash = &Crash{msg.Reason, msg.Stack}
	}
}
