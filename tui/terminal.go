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

// terminal has the properties of the terminal, except its colours.
type terminal struct {
	out      io.Writer // nil if the terminal must not be queried
	glyphs   theme.Terminal
	hasTitle bool   // the terminal can restore its title
	hasModes bool   // the terminal can be asked which modes it supports
	title    string // the window title that was set last
	focus    focus
}

// focus says whether the window has the keyboard focus, if the terminal reports that.
type focus int

const (
	focusUnknown focus = iota
	focused
	away
)

// newTerminal returns the properties of the terminal that can be derived from environment variables. setting
// is the configured glyph set. out is nil if the terminal must not be queried.
func newTerminal(out io.Writer, setting string, getenv func(string) string) terminal {
	if out == nil {
		return terminal{glyphs: theme.Terminal{Setting: setting}}
	}
	return terminal{
		out:      out,
		glyphs:   theme.TerminalOf(setting, getenv),
		hasTitle: canRestoreTitle(getenv),
		hasModes: canQueryModes(getenv),
	}
}

// canRestoreTitle reports whether the terminal can save and restore its title. A terminal that cannot would keep
// the app's title after the app has ended.
func canRestoreTitle(getenv func(string) string) bool {
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

// queryTerminal saves the terminal's title and queries its character widths and modes. If
// asksBackground is true, it also queries the background. It writes the queries immediately, before
// the first frame.
func (t *terminal) queryTerminal(asksBackground bool) {
	if t.out == nil {
		return
	}
	format.SumCodePoints(true) // until the terminal confirms grapheme clusters
	codes := theme.WidthProbe + t.openingCodes(asksBackground)
	if t.hasModes {
		codes += ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore
	}
	_, _ = io.WriteString(t.out, codes)
}

// openingCodes returns the escape codes that save the terminal's title. If asksBackground is true, they also
// ask the terminal to report its background, now and after each change. The app sends the codes when it
// starts or continues after a suspension.
func (t *terminal) openingCodes(asksBackground bool) string {
	codes := ""
	if t.hasTitle {
		codes = pushTitle
	}
	if asksBackground {
		codes += ansi.RequestBackgroundColor + ansi.SetModeLightDark
	}
	return codes
}

// closingCodes returns the escape codes that undo openingCodes. The app sends them when it ends or is
// suspended.
func (t *terminal) closingCodes(asksBackground bool) string {
	codes := ""
	if asksBackground {
		codes = ansi.ResetModeLightDark
	}
	if t.hasTitle {
		codes += popTitle
	}
	return codes
}

// handleReply handles the terminal's reply to a query and reports whether everything must be
// redrawn.
func (t *terminal) handleReply(msg tea.Msg) bool {
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

// hasClusters reports whether a reply says that the terminal can measure text in grapheme
// clusters.
func hasClusters(msg tea.ModeReportMsg) bool {
	if msg.Mode != ansi.ModeUnicodeCore {
		return false
	}
	return msg.Value != ansi.ModeNotRecognized && msg.Value != ansi.ModePermanentlyReset
}

// setTitle returns the command that sets the window title. It returns nil if the title is unchanged, or if
// the terminal could not restore its own title later.
func (t *terminal) setTitle(title string) tea.Cmd {
	title = t.glyphs.GlyphSet().DrawText(title)
	if !t.hasTitle || title == t.title {
		return nil
	}
	t.title = title
	return tea.Raw(ansi.SetWindowTitle(title))
}
