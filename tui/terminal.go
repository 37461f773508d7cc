package tui

import (
	"cmp"
	"errors"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
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

// resume opens the screen after a suspension, in a window that may have another size.
func (a *appearance) resume() tea.Cmd {
	size, err := sizeOf(a.app.screen.console)
	if err = errors.Join(err, a.app.screen.open()); err != nil {
		return func() tea.Msg { return page.CrashMsg{Reason: err} }
	}
	a.app.terminal.title = ""
	return tea.Batch(tea.Raw(a.app.terminal.openingCodes(a.isAuto())), func() tea.Msg { return size })
}

// suspend stops the program like ctrl+z in other programs, but not for a guest.
func (a *appearance) suspend() tea.Cmd {
	if a.app.opts.Terminal != nil {
		return nil
	}
	return tea.Suspend
}

// filterMessage has the screen take what is for the terminal alone, and give it back
// before the program stops like others on ctrl+z. Bubble Tea passes the message to
// Update once the program continues.
func (a *appearance) filterMessage(msg tea.Msg) tea.Msg {
	if a.app.screen.takeMessage(msg) {
		return nil
	}
	if _, stops := msg.(tea.SuspendMsg); stops {
		a.closeScreen()
	}
	return msg
}

func (a *appearance) closeScreen() { a.app.screen.close(a.app.terminal.closingCodes(a.isAuto())) }

// Crash is an unexpected failure. The app has ended, the terminal is restored,
// and typed text is saved.
type Crash = page.CrashMsg

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
		a.crash = &msg
	}
}

// backgroundTime is how long to wait for the terminal to report its background
// before assuming a dark one. Nothing is drawn until then, so that the first
// frame never has the wrong colours.
const backgroundTime = 40 * time.Millisecond

// appearance is what is known of the terminal's colours.
type appearance struct {
	app *App // of which it is a part

	colours colorprofile.Profile
	isDark  bool // its background
	blank   bool // draw nothing until the background is known
}

// isAuto reports whether the theme depends on the terminal's background.
func (a *appearance) isAuto() bool {
	return (a.app.opts.Theme == "" || a.app.opts.Theme == "auto") && !a.app.opts.noColor()
}

// awaitBackground draws nothing until the terminal reports its background, if the theme
// depends on it.
func (a *appearance) awaitBackground() tea.Cmd {
	if !a.isAuto() {
		return nil
	}
	a.blank = true
	return a.app.env.After(backgroundTime, doMsg{do: func() tea.Cmd {
		a.blank = false // the terminal did not answer
		return nil
	}})
}

// followBackground applies the terminal's background to an automatic theme.
func (a *appearance) followBackground(isDark bool) {
	a.blank, a.isDark = false, isDark
	if a.isAuto() {
		a.useTheme(a.app.opts.Theme)
	}
}

// useTheme switches to the named theme.
func (a *appearance) useTheme(name string) {
	th, err := theme.NamedOrCustom(a.app.opts.Themes, name, a.isDark)
	if err == nil && !a.app.opts.noColor() {
		a.app.opts.Theme, *a.app.env.Theme = name, *th.ForProfile(a.colours, a.isDark)
	}
}

// askGraphics asks the terminal for its name and version, which tell whether it
// can show pictures. Nothing waits for the answer.
func (a *appearance) askGraphics() tea.Cmd {
	if !a.app.opts.Graphics || a.app.opts.noColor() {
		return nil
	}
	return tea.Raw(ansi.RequestNameVersion)
}

// keptUnits is the key under which the chosen units are saved.
const keptUnits = "units"

// ownUnits are the units chosen with keys and the configured ones at that time. A
// change of the configuration overrides the choice.
type ownUnits struct{ Chosen, Against format.Units }

// useUnits applies the configured units, or those chosen since.
func (a *appearance) useUnits() {
	units := a.app.opts.Units
	var own ownUnits
	if a.app.env.UIState.Get(keptUnits, &own) && own.Against == units {
		units = own.Chosen
	}
	a.app.env.Units = units
}

// nextAreaUnit switches to the next unit of areas.
func (a *appearance) nextAreaUnit() tea.Cmd {
	all := format.AreaUnits()
	unit := all[(max(0, slices.Index(all, a.app.env.Units.Areas))+1)%len(all)]
	a.app.env.Units.Areas = unit
	said := map[format.AreaUnit]string{format.BySize: "m², hectares or km², by size", format.Km2: "km²"}
	return a.keepUnits("Areas in " + cmp.Or(said[unit], string(unit)))
}

// nextClock switches to the other clock.
func (a *appearance) nextClock() tea.Cmd {
	clock := format.SiteClock
	if a.app.env.Units.Times == clock {
		clock = format.LocalClock
	}
	a.app.env.Units.Times = clock
	return a.keepUnits("Flights in " + string(clock) + " time")
}

// keepUnits saves the chosen units, and says what was chosen.
func (a *appearance) keepUnits(text string) tea.Cmd {
	a.app.env.UIState.Put(keptUnits, ownUnits{a.app.env.Units, a.app.opts.Units})
	return tea.Batch(a.app.pages.broadcast(page.UnitsMsg{}), a.app.env.KeepLook(), page.ShowToast(theme.Good, text))
}
