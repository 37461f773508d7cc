package tui

import (
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// Escape codes that save and restore the terminal's title.
const (
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"
)

// terminal holds what is known of the terminal besides its colours.
type terminal struct {
	out      io.Writer // nil if there is none to ask
	glyphs   theme.Terminal
	hasTitle bool   // the terminal can restore its title
	hasModes bool   // it says which modes it has
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
		return terminal{glyphs: theme.Terminal{Setting: setting}}
	}
	return terminal{
		out:      out,
		glyphs:   theme.TerminalOf(setting, getenv),
		hasTitle: keepsTitle(getenv),
		hasModes: answersModes(getenv),
	}
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

// queryTerminal saves the terminal's title and queries character widths and modes, and the
// background for a theme that depends on it. It writes at once, before the first frame.
func (t *terminal) queryTerminal(background bool) {
	if t.out == nil {
		return
	}
	format.SumCodePoints(true) // until the terminal confirms grapheme clusters
	codes := theme.WidthProbe + t.openingCodes(background)
	if t.hasModes {
		codes += ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore
	}
	_, _ = io.WriteString(t.out, codes)
}

// openingCodes returns the escape codes to send when the app begins or goes on, besides
// those of the screen.
func (t *terminal) openingCodes(background bool) (codes string) {
	if t.hasTitle {
		codes = pushTitle
	}
	if background {
		codes += ansi.RequestBackgroundColor + ansi.SetModeLightDark
	}
	return codes
}

// closingCodes returns those to send when the app ends or is suspended.
func (t *terminal) closingCodes(background bool) (codes string) {
	if background {
		codes = ansi.ResetModeLightDark
	}
	if t.hasTitle {
		codes += popTitle
	}
	return codes
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
		if hasClusters(msg) {
			format.SumCodePoints(false)
			return true
		}
	}
	return false
}

// hasClusters reports whether the terminal says that it measures grapheme clusters.
func hasClusters(msg tea.ModeReportMsg) bool {
	return msg.Mode == ansi.ModeUnicodeCore && msg.Value != ansi.ModeNotRecognized && msg.Value != ansi.ModePermanentlyReset
}

// setTitle returns the command that sets the window title, nil if it is unchanged.
func (t *terminal) setTitle(title string) tea.Cmd {
	if title = t.glyphs.GlyphSet().DrawText(title); !t.hasTitle || title == t.title {
		return nil
	}
	t.title = title
	return tea.Raw(ansi.SetWindowTitle(title))
}
