package tui

import (
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

// backgroundTime is how long a terminal may take to tell its background before
// it is taken for a dark one. Nothing is drawn meanwhile, and then never in the
// wrong colours first.
const backgroundTime = 40 * time.Millisecond

// appearance is how everything is drawn: the theme that was chosen, and what is
// known of the terminal.
type appearance struct {
	theme   *theme.Theme // that all pages share
	name    string       // of the chosen theme
	themes  []theme.CustomTheme
	noColor bool
	colours colorprofile.Profile // that the terminal has
	isDark  bool                 // the terminal's background
	blank   bool                 // the terminal's background is not known yet
}

func newAppearance(opts *Options, shared *theme.Theme) appearance {
	return appearance{
		theme: shared, name: opts.Theme, themes: opts.Themes, noColor: opts.noColor(),
		colours: colorprofile.TrueColor, isDark: true,
	}
}

// isAuto reports whether the theme follows the terminal's background.
func (p *appearance) isAuto() bool { return (p.name == "" || p.name == "auto") && !p.noColor }

// watchBackground asks the terminal for its background where the theme goes by it, and to
// say when that changes.
func (p *appearance) watchBackground(after func(time.Duration, tea.Msg) tea.Cmd) tea.Cmd {
	if !p.isAuto() {
		return nil
	}
	p.blank = true
	return tea.Batch(tea.RequestBackgroundColor, tea.Raw(ansi.SetModeLightDark), after(backgroundTime, darkMsg{}))
}

// lookAgain follows a change of the terminal's colours, or looks what they are
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
	return tea.RequestBackgroundColor // a scheme can have another background than its name says
}

// resetSequence has the terminal tell nothing more of its colours.
func (p *appearance) resetSequence() string {
	if !p.isAuto() {
		return ""
	}
	return ansi.ResetModeLightDark
}

// followBackground follows the terminal's background.
func (p *appearance) followBackground(isDark bool) {
	p.blank, p.isDark = false, isDark
	if p.isAuto() {
		p.useTheme(p.name)
	}
}

// useTheme draws everything in the theme of a name from now on.
func (p *appearance) useTheme(name string) {
	th, err := theme.NamedOrCustom(p.themes, name, p.isDark)
	if err != nil || p.noColor {
		return
	}
	p.name, *p.theme = name, *th.ForProfile(p.colours, p.isDark)
}

// askGraphics asks a terminal that may have graphics of its own which it is;
// nothing waits for the answer.
func (p *appearance) askGraphics(has bool) tea.Cmd {
	if !has || p.noColor {
		return nil
	}
	return tea.RequestTerminalVersion
}

// beginPreview returns what goes back to the theme of now.
func (p *appearance) beginPreview() (restore func()) {
	name := p.name
	return func() { p.useTheme(name) }
}

// keptUnits is the name under which is kept how areas and times are told.
const keptUnits = "units"

// ownUnits are what was chosen with the keys, against what the configuration
// said then. Once that says something else, it holds again.
type ownUnits struct{ Chosen, Against format.Units }

// units are how a profile has areas and times told.
type units struct {
	look       *page.PageLook
	configured format.Units
	broadcast  func(tea.Msg) tea.Cmd
}

// useUnits tells areas and times as the profile has it.
func (u *units) useUnits() {
	units := u.configured
	var own ownUnits
	if u.look.UIState.Get(keptUnits, &own) && own.Against == units {
		units = own.Chosen
	}
	format.UseUnits(units)
}

// said is what a choice means.
var said = map[string]string{
	string(format.BySize): "m², hectares or km², by size", string(format.Hectares): "hectares",
	string(format.Km2): "km²", string(format.Acres): "acres",
	string(format.LocalClock): "local time", string(format.SiteClock): "site time",
}

// nextUnit chooses the next unit of areas, or the other clock.
func (u *units) nextUnit(id action.ID) tea.Cmd {
	units := format.ChosenUnits()
	var text string
	if id == action.AreaUnits {
		units.Areas = nextAfter(format.AreaUnits(), units.Areas)
		text = "Areas in " + said[string(units.Areas)]
	} else {
		units.Times = nextAfter(format.AllClocks(), units.Times)
		text = "Flights in " + said[string(units.Times)]
	}
	format.UseUnits(units)
	u.look.UIState.Put(keptUnits, ownUnits{units, u.configured})
	return tea.Batch(u.broadcast(page.UnitsMsg{}), page.KeepLook(u.look), page.ShowToast(theme.Good, text))
}

// nextAfter returns the one that follows another, the first one after the last.
func nextAfter[T comparable](all []T, one T) T { return all[(slices.Index(all, one)+1)%len(all)] }
