package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/theme"
)

// backgroundTime is how long a terminal may take to tell its background before
// it is taken for a dark one. Nothing is drawn meanwhile, and then never in the
// wrong colours first.
const backgroundTime = 40 * time.Millisecond

// look asks the terminal for its background where the theme goes by it, and to
// say when that changes.
func (a *App) look() tea.Cmd {
	if !a.opts.auto() {
		return nil
	}
	a.blank = true
	return tea.Batch(tea.RequestBackgroundColor, tea.Raw(ansi.SetModeLightDark), a.env.After(backgroundTime, darkMsg{}))
}

// lookAgain follows a change of the terminal's colours, or looks what they are
// after a suspension.
func (a *App) lookAgain(msg tea.Msg) tea.Cmd {
	if !a.opts.auto() {
		return nil
	}
	switch msg.(type) {
	case uv.DarkColorSchemeEvent:
		a.retheme(true)
	case uv.LightColorSchemeEvent:
		a.retheme(false)
	default:
		return tea.Batch(tea.Raw(ansi.SetModeLightDark), tea.RequestBackgroundColor)
	}
	return tea.RequestBackgroundColor // a scheme can have another background than its name says
}

// suspend hands the terminal to the shell, which wants to hear nothing of
// colours: the mode is reset before the program stops, so both messages leave
// from one goroutine.
func (a *App) suspend() tea.Cmd {
	post := a.opts.Post
	if !a.opts.auto() || post == nil {
		return tea.Suspend
	}
	return func() tea.Msg {
		post(tea.RawMsg{Msg: ansi.ResetModeLightDark})
		return tea.Suspend()
	}
}

// retheme follows the terminal's background.
func (a *App) retheme(isDark bool) {
	a.blank, a.isDark = false, isDark
	if a.opts.auto() {
		a.useTheme(a.opts.Theme)
	}
}

// useTheme draws everything in the theme of a name from now on.
func (a *App) useTheme(name string) {
	th, err := theme.With(a.opts.Themes, name, a.isDark)
	if err != nil || a.opts.noColor() {
		return
	}
	a.opts.Theme, *a.env.Theme = name, *th.For(a.colours, a.isDark)
}

// askGraphics asks a terminal that may have graphics of its own which it is;
// nothing waits for the answer.
func (a *App) askGraphics() tea.Cmd {
	if !a.opts.Graphics || a.opts.noColor() {
		return nil
	}
	return tea.RequestTerminalVersion
}
