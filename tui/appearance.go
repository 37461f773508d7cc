package tui

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// backgroundTime is how long to wait for the terminal to report its background
// before assuming a dark one. Nothing is drawn until then, so that the first
// frame never has the wrong colours.
const backgroundTime = 40 * time.Millisecond

// appearance holds the chosen theme and what is known of the terminal's colours.
type appearance struct {
	theme   *theme.Theme // shared by all pages
	name    string       // of the chosen theme
	themes  []theme.CustomTheme
	noColor bool
	colours colorprofile.Profile // of the terminal
	isDark  bool                 // the terminal's background
	blank   bool                 // draw nothing until the background is known
}

// isAuto reports whether the theme depends on the terminal's background.
func (p *appearance) isAuto() bool { return (p.name == "" || p.name == "auto") && !p.noColor }

// awaitBackground draws nothing until the terminal reports its background, if the theme
// depends on it.
func (p *appearance) awaitBackground(after func(time.Duration, tea.Msg) tea.Cmd) tea.Cmd {
	if !p.isAuto() {
		return nil
	}
	p.blank = true
	return after(backgroundTime, doMsg{do: func() tea.Cmd {
		p.blank = false // the terminal did not answer
		return nil
	}})
}

// lookAgain adapts to a change of the terminal's colour scheme, and asks again
// after a suspension.
func (p *appearance) lookAgain(msg tea.Msg) tea.Cmd {
	if !p.isAuto() {
		return nil
	}
	switch msg.(type) {
	case uv.DarkColorSchemeEvent:
		p.followBackground(true)
	case uv.LightColorSchemeEvent:
		p.followBackground(false)
	default:
		return tea.Batch(tea.Raw(ansi.SetModeLightDark), tea.RequestBackgroundColor)
	}
	return tea.RequestBackgroundColor // a dark scheme can have a light background
}

// followBackground applies the terminal's background to an automatic theme.
func (p *appearance) followBackground(isDark bool) {
	p.blank, p.isDark = false, isDark
	if p.isAuto() {
		p.useTheme(p.name)
	}
}

// useTheme switches to the named theme.
func (p *appearance) useTheme(name string) {
	th, err := theme.NamedOrCustom(p.themes, name, p.isDark)
	if err != nil || p.noColor {
		return
	}
	p.name, *p.theme = name, *th.ForProfile(p.colours, p.isDark)
}

// askGraphics asks the terminal for its name and version, which tell whether it
// can show pictures. Nothing waits for the answer.
func (p *appearance) askGraphics(has bool) tea.Cmd {
	if !has || p.noColor {
		return nil
	}
	return tea.RequestTerminalVersion
}

// keptUnits is the key under which the chosen units are saved.
const keptUnits = "units"

// ownUnits are the units chosen with keys and the configured ones at that time. A
// change of the configuration overrides the choice.
type ownUnits struct{ Chosen, Against format.Units }

// useUnits applies the configured units, or those chosen since.
func (a *App) useUnits() {
	units := a.opts.Units
	var own ownUnits
	if a.env.UIState.Get(keptUnits, &own) && own.Against == units {
		units = own.Chosen
	}
	a.env.Units = units
}

// said describes each choice.
var said = map[string]string{
	string(format.BySize): "m², hectares or km², by size", string(format.Hectares): "hectares",
	string(format.Km2): "km²", string(format.Acres): "acres",
	string(format.LocalClock): "local time", string(format.SiteClock): "site time",
}

// nextUnit switches to the next unit of areas, or to the other clock.
func (a *App) nextUnit(id action.ID) tea.Cmd {
	units := a.env.Units
	var text string
	if id == action.AreaUnits {
		units.Areas = nextAfter(format.AreaUnits(), cmp.Or(units.Areas, format.BySize))
		text = "Areas in " + said[string(units.Areas)]
	} else {
		units.Times = nextAfter(format.AllClocks(), cmp.Or(units.Times, format.LocalClock))
		text = "Flights in " + said[string(units.Times)]
	}
	a.env.Units = units
	a.env.UIState.Put(keptUnits, ownUnits{units, a.opts.Units})
	return tea.Batch(
		a.stacks.broadcast(page.UnitsMsg{}),
		a.env.KeepLook(),
		page.ShowToast(theme.Good, text),
	)
}

// nextAfter returns the element after one, wrapping around.
func nextAfter[T comparable](all []T, one T) T { return all[(slices.Index(all, one)+1)%len(all)] }
