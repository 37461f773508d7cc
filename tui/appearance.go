package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/theme"
)

// backgroundTimeout is how long to wait for the terminal to report its background. After that, the app
// assumes a dark background. It draws nothing while it waits, so that the first frame never has the wrong
// colours.
const backgroundTimeout = 40 * time.Millisecond

// appearance has the chosen theme and the colours of the terminal.
type appearance struct {
	custom    []theme.CustomTheme
	noColor   bool
	chosen    string // name of the theme; "" and "auto" follow the terminal's background
	colours   colorprofile.Profile
	isDark    bool // the terminal's background is dark
	isWaiting bool // the terminal has not reported its background yet; nothing is drawn
}

// newAppearance returns the appearance to use until the terminal has described itself: a dark background and
// all colours.
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

// use switches to the named theme. It overwrites current, the theme that all pages share. It does nothing if
// the theme does not exist.
func (l *appearance) use(name string, current *theme.Theme) {
	th, err := theme.NamedOrCustom(l.custom, name, l.isDark)
	if err != nil || l.noColor {
		return
	}
	l.chosen = name
	*current = *th.ForProfile(l.colours, l.isDark)
}

// setColours reduces the theme to the colours that the terminal can show.
func (l *appearance) setColours(profile colorprofile.Profile, current *theme.Theme) {
	l.colours = profile
	l.use(l.chosen, current)
}

// setBackground records the terminal's background, and applies it to an automatic theme.
func (l *appearance) setBackground(isDark bool, current *theme.Theme) {
	l.isWaiting = false
	l.isDark = isDark
	if l.isAuto() {
		l.use(l.chosen, current)
	}
}

// names returns the names of the themes that the user can choose. Without colours there is no
// choice.
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

// awaitBackground stops drawing until the terminal reports its background, at most for
// backgroundTimeout. It does nothing if the theme does not depend on the background. after returns
// a command that sends a message later.
func (l *appearance) awaitBackground(after func(time.Duration, tea.Msg) tea.Cmd) tea.Cmd {
	if !l.isAuto() {
		return nil
	}
	l.isWaiting = true
	return after(backgroundTimeout, doMsg{do: func() tea.Cmd {
		l.isWaiting = false
		return nil
	}})
}

// queryGraphics asks the terminal for its name and version, which show whether it supports pictures. Nothing
// waits for the reply. It does not ask if canHavePictures is false or colours are off.
func (l *appearance) queryGraphics(canHavePictures bool) tea.Cmd {
	if !canHavePictures || l.noColor {
		return nil
	}
	return tea.Raw(ansi.RequestNameVersion)
}
