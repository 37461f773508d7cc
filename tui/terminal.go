package tui

import (
	"cmp"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
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

// queryTerminal saves the terminal's title and queries character widths, and the background
// for a theme that depends on it. It writes at once: Bubble Tea would ask with its first
// frame, and the answer would come one frame later.
func (t *terminal) queryTerminal(background bool) {
	if t.out == nil {
		return
	}
	format.SumCodePoints(true) // until the terminal confirms grapheme clusters
	asked := theme.WidthProbe
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
		format.SumCodePoints(false)
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
		case <-api.Go(func() error { f(); return nil }):
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

// backgroundTime is how long to wait for the terminal to report its background
// before assuming a dark one. Nothing is drawn until then, so that the first
// frame never has the wrong colours.
const backgroundTime = 40 * time.Millisecond

// appearance is what is known of the terminal's colours.
type appearance struct {
	*App // of which it is a part

	colours colorprofile.Profile
	isDark  bool // its background
	blank   bool // draw nothing until the background is known
}

// isAuto reports whether the theme depends on the terminal's background.
func (a *appearance) isAuto() bool {
	return (a.opts.Theme == "" || a.opts.Theme == "auto") && !a.opts.noColor()
}

// awaitBackground draws nothing until the terminal reports its background, if the theme
// depends on it.
func (a *appearance) awaitBackground() tea.Cmd {
	if !a.isAuto() {
		return nil
	}
	a.blank = true
	return a.env.After(backgroundTime, doMsg{do: func() tea.Cmd {
		a.blank = false // the terminal did not answer
		return nil
	}})
}

// lookAgain adapts to a change of the terminal's colour scheme, and asks again
// after a suspension.
func (a *appearance) lookAgain(msg tea.Msg) tea.Cmd {
	if !a.isAuto() {
		return nil
	}
	switch msg.(type) {
	case uv.DarkColorSchemeEvent:
		a.followBackground(true)
	case uv.LightColorSchemeEvent:
		a.followBackground(false)
	default:
		return tea.Batch(tea.Raw(ansi.SetModeLightDark), tea.RequestBackgroundColor)
	}
	return tea.RequestBackgroundColor // a dark scheme can have a light background
}

// followBackground applies the terminal's background to an automatic theme.
func (a *appearance) followBackground(isDark bool) {
	a.blank, a.isDark = false, isDark
	if a.isAuto() {
		a.useTheme(a.opts.Theme)
	}
}

// useTheme switches to the named theme.
func (a *appearance) useTheme(name string) {
	th, err := theme.NamedOrCustom(a.opts.Themes, name, a.isDark)
	if err == nil && !a.opts.noColor() {
		a.opts.Theme, *a.env.Theme = name, *th.ForProfile(a.colours, a.isDark)
	}
}

// askGraphics asks the terminal for its name and version, which tell whether it
// can show pictures. Nothing waits for the answer.
func (a *appearance) askGraphics() tea.Cmd {
	if !a.opts.Graphics || a.opts.noColor() {
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
func (a *appearance) useUnits() {
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
func (a *appearance) nextUnit(id action.ID) tea.Cmd {
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
		a.broadcast(page.UnitsMsg{}),
		a.env.KeepLook(),
		page.ShowToast(theme.Good, text),
	)
}

// nextAfter returns the element after one, wrapping around.
func nextAfter[T comparable](all []T, one T) T { return all[(slices.Index(all, one)+1)%len(all)] }
