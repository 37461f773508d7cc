package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/theme"
)

// backgroundTimeout is how long to wait for the terminal to report its background
// before assuming a dark one. Nothing is drawn until then, so that the first
// frame never has the wrong colours.
const backgroundTimeout = 40 * time.Millisecond

// appearance has the chosen theme and the colours of the terminal.
type appearance struct {
	custom    []theme.CustomTheme
	noColor   bool
	chosen    string // name of the theme; "" and "auto" follow the terminal's background
	colours   colorprofile.Profile
	isDark    bool // the terminal's background
	isWaiting bool // for the terminal's background; nothing is drawn
}

// newAppearance returns the appearance of a terminal with a dark background and all
// colours.
func newAppearance(opts *Options) appearance {
	return appearance{
		custom:  opts.Themes,
		noColor: opts.noColor(),
		chosen:  opts.Theme,
		colours: colorprofile.TrueColor,
		isDark:  true,
	}
}

// isAuto reports whether the theme depends on the terminal's background.
func (l *appearance) isAuto() bool {
	return (l.chosen == "" || l.chosen == "auto") && !l.noColor
}

// use switches to the named theme, which replaces the one that is drawn in.
func (l *appearance) use(name string, drawn *theme.Theme) {
	th, err := theme.NamedOrCustom(l.custom, name, l.isDark)
	if err != nil || l.noColor {
		return
	}
	l.chosen = name
	*drawn = *th.ForProfile(l.colours, l.isDark)
}

// setColours applies the colours that the terminal can show.
func (l *appearance) setColours(profile colorprofile.Profile, drawn *theme.Theme) {
	l.colours = profile
	l.use(l.chosen, drawn)
}

// setBackground applies the terminal's background to an automatic theme.
func (l *appearance) setBackground(isDark bool, drawn *theme.Theme) {
	l.isWaiting = false
	l.isDark = isDark
	if l.isAuto() {
		l.use(l.chosen, drawn)
	}
}

// names returns the names of the themes to choose from.
func (l *appearance) names() []string {
	if l.noColor {
		return nil
	}
	names := theme.ThemeNames()
	for _, custom := range l.custom {
		names = append(names, custom.Name)
	}
	return names
}

// awaitBackground draws nothing until the terminal reports its background, if the theme
// depends on it.
func (a *App) awaitBackground() tea.Cmd {
	if !a.look.isAuto() {
		return nil
	}
	a.look.isWaiting = true
	return a.ws.env.Clock.After(backgroundTimeout, doMsg{do: func() tea.Cmd {
		a.look.isWaiting = false // the terminal did not answer
		return nil
	}})
}

// queryGraphics asks the terminal for its name and version, which tell whether it
// can show pictures. Nothing waits for the answer.
func (a *App) queryGraphics() tea.Cmd {
	if !a.opts.Graphics || a.look.noColor {
		return nil
	}
	return tea.Raw(ansi.RequestNameVersion)
}
