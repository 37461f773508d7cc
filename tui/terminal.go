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

// The title that a terminal had is kept in it, and comes back.
const (
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"
)

// terminal is what is known of the terminal besides its colours.
type terminal struct {
	out      io.Writer // nil where there is none to ask
	glyphs   glyph.Terminal
	hasTitle bool   // it has one, and gives the old one back
	title    string // that was set last
	focus    focus
}

// focus is whether the window has the keys, as far as the terminal tells.
type focus int

const (
	focusUnknown focus = iota
	focused
	away
)

// newTerminal begins with what the environment says, where there is a terminal.
func newTerminal(out io.Writer, setting string, getenv func(string) string) terminal {
	if out == nil {
		return terminal{glyphs: glyph.Terminal{Setting: setting}}
	}
	return terminal{out: out, glyphs: glyph.TerminalOf(setting, getenv), hasTitle: keepsTitle(getenv)}
}

// keepsTitle tells whether a terminal has a title and gives back the one before.
// Those that do not would keep the app's when it has ended.
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

// ask has the terminal keep its title, and tell how wide characters are. It is
// called before anything is drawn: what is asked is seen for a moment. Nothing
// waits for the answer.
func (t *terminal) ask() {
	if t.out == nil {
		return
	}
	layout.SumCodePoints(true) // until it grants clusters
	asked := glyph.Probe
	if t.hasTitle {
		asked += pushTitle
	}
	_, _ = io.WriteString(t.out, asked)
}

// hear takes an answer, and reports whether all is to be drawn anew.
func (t *terminal) hear(msg tea.Msg) bool {
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

// entitle has the terminal show a title; nil where it does.
func (t *terminal) entitle(title string) tea.Cmd {
	if title = t.glyphs.GlyphSet().DrawText(title); !t.hasTitle || title == t.title {
		return nil
	}
	t.title = title
	return tea.Raw(ansi.SetWindowTitle(title))
}

// reset gives back the title.
func (t *terminal) reset() string {
	if !t.hasTitle {
		return ""
	}
	return popTitle
}

// resume takes the title again after a suspension.
func (t *terminal) resume() tea.Cmd {
	if !t.hasTitle {
		return nil
	}
	t.title = ""
	return tea.Raw(pushTitle)
}

// GiveBack resets a terminal that the app has, where the app cannot do so itself.
func GiveBack(w io.Writer) {
	title := ""
	if keepsTitle(os.Getenv) {
		title = popTitle
	}
	_, _ = io.WriteString(w, ansi.ResetModeSynchronizedOutput+ansi.ResetModifyOtherKeys+ansi.PopKittyKeyboard(1)+
		ansi.ResetModeAltScreenSaveCursor+ansi.SetModeTextCursorEnable+ansi.ResetModeBracketedPaste+ansi.ResetModeFocusEvent+
		ansi.ResetModeMouseButtonEvent+ansi.ResetModeMouseAnyEvent+ansi.ResetModeMouseExtSgr+ansi.ResetModeUnicodeCore+
		ansi.ResetModeLightDark+ansi.ResetBackgroundColor+ansi.ResetForegroundColor+ansi.ResetProgressBar+ansi.ResetStyle+title)
}

// suspend hands the terminal to the shell, with what the library does not reset
// reset before the program stops: both messages leave from one goroutine.
func suspend(reset string, post func(tea.Msg)) tea.Cmd {
	if reset == "" || post == nil {
		return tea.Suspend
	}
	return func() tea.Msg {
		post(tea.RawMsg{Msg: reset})
		return tea.Suspend()
	}
}

// Crash is something that went wrong and never should. The app has ended, the
// terminal is as it was, and what was typed is kept.
type Crash struct {
	Reason any
	Stack  []byte
}

// Error says what went wrong, without the stack.
func (c *Crash) Error() string { return fmt.Sprintf("internal error: %v", c.Reason) }

// Crashed returns what went wrong, nil where nothing did.
func (a *App) Crashed() *Crash { return a.crash }

// guardUpdate turns a panic in Update or View into the app's end. Left to Bubble Tea
// it would be printed to the terminal as it is, with whatever it contains.
func (a *App) guardUpdate(end *tea.Cmd) {
	if r := recover(); r != nil {
		a.keepCrash(page.CrashMsg{Reason: r, Stack: debug.Stack()})
		if end != nil {
			*end = tea.Quit
		}
	}
}

// guardCommand turns a panic of a command, or of one that it returns, into the app's
// end.
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

// crashTime is how long what may have been interrupted by a panic, with its
// locks held, may take to end.
const crashTime = 2 * time.Second

// withinTime returns f, given up after a while.
func withinTime(d time.Duration, f func()) func() {
	return func() {
		select {
		case <-guard.Go(func() error { f(); return nil }):
		case <-time.After(d):
		}
	}
}

// keepCrash keeps the first thing that went wrong.
func (a *App) keepCrash(msg page.CrashMsg) {
	for p, ok := msg.Reason.(*api.PanicError); ok; p, ok = msg.Reason.(*api.PanicError) {
		msg = page.CrashMsg{Reason: p.Value, Stack: p.Stack} // of the goroutine that it began in
	}
	if a.crash == nil {
		a.crash = &Crash{msg.Reason, msg.Stack}
	}
}
