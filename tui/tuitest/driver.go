package tuitest

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/theme"
)

// TB is what the driver needs of a test. A program that draws pictures of the
// app brings its own.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Driver drives one model.
type Driver struct {
	t      TB
	model  tea.Model
	now    atomic.Pointer[time.Time] // services in the test read it, too
	timers []pendingTimer
	held   []func() tea.Msg
	hold   bool
	// Quit is set once the model has quit.
	Quit bool
	// Raw is what the terminal was sent besides the view.
	Raw []string
}

type pendingTimer struct {
	at  time.Time
	msg tea.Msg
}

// Clock is when every driven app starts.
var Clock = time.Date(2026, 11, 24, 9, 42, 0, 0, time.FixedZone("CET", 3600))

// New makes a driver; the model is made with its clock and timers.
func New(t TB) *Driver {
	d, at := &Driver{t: t}, Clock
	d.now.Store(&at)
	return d
}

// Now returns the driver's clock.
func (d *Driver) Now() time.Time { return *d.now.Load() }

// After takes the place of the program's timers.
func (d *Driver) After(wait time.Duration, msg tea.Msg) tea.Cmd {
	d.timers = append(d.timers, pendingTimer{d.Now().Add(wait), msg})
	return nil
}

// Start begins the model in a window of w by h cells.
func (d *Driver) Start(m tea.Model, w, h int) {
	d.model = m
	d.runCommand(m.Init())
	d.Resize(w, h)
}

// Resize changes the window.
func (d *Driver) Resize(w, h int) { d.Send(tea.WindowSizeMsg{Width: w, Height: h}) }

// Send gives the model a message and runs what comes of it.
func (d *Driver) Send(msg tea.Msg) {
	d.t.Helper()
	model, cmd := d.model.Update(msg)
	d.model = model
	d.runCommand(cmd)
}

// runCommand runs a command and all that follow from it.
func (d *Driver) runCommand(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if d.hold {
		d.held = append(d.held, cmd)
		return
	}
	d.takeMessage(cmd())
}

func (d *Driver) takeMessage(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.QuitMsg:
		d.Quit = true
		return
	case tea.RawMsg:
		d.Raw = append(d.Raw, fmt.Sprint(msg.Msg))
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.runCommand(cmd)
		}
		return
	}
	d.Send(msg)
}

// Hold keeps commands back until Release, to see what is shown meanwhile.
func (d *Driver) Hold() { d.hold = true }

// Release runs the commands that were held back.
func (d *Driver) Release() {
	d.hold = false
	held := d.held
	d.held = nil
	for _, cmd := range held {
		d.runCommand(cmd)
	}
}

// Advance moves the clock and fires the timers that are due.
func (d *Driver) Advance(by time.Duration) {
	d.t.Helper()
	until := d.Now().Add(by)
	for {
		slices.SortStableFunc(d.timers, func(a, b pendingTimer) int { return a.at.Compare(b.at) })
		if len(d.timers) == 0 || d.timers[0].at.After(until) {
			break
		}
		due := d.timers[0]
		d.timers = d.timers[1:]
		d.now.Store(&due.at)
		d.Send(due.msg)
	}
	d.now.Store(&until)
}

// Press presses keys by their names: n, enter, ctrl+s, space.
func (d *Driver) Press(keys ...string) {
	d.t.Helper()
	for _, name := range keys {
		key, known := action.KeyPress(name)
		if !known {
			d.t.Fatalf("no key is named %q", name)
		}
		d.Send(key)
	}
}

// Type types a text letter by letter.
func (d *Driver) Type(text string) {
	d.t.Helper()
	for _, r := range text {
		d.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// Paste pastes a text.
func (d *Driver) Paste(text string) {
	d.t.Helper()
	d.Send(tea.PasteMsg{Content: text})
}

// Screen returns what is shown, as plain text without spaces at line ends.
func (d *Driver) Screen() string {
	lines := strings.Split(ansi.Strip(d.View().Content), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// View returns the view once its frame is over.
func (d *Driver) View() tea.View {
	d.t.Helper()
	d.Advance(20 * time.Millisecond)
	return d.model.View()
}

// RequireText fails the test unless every text is on the screen.
func (d *Driver) RequireText(texts ...string) {
	d.t.Helper()
	screen := d.Screen()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			d.t.Fatalf("%q is not on the screen:\n%s", text, screen)
		}
	}
}

// SeesNot fails the test if one of the texts is on the screen.
func (d *Driver) SeesNot(texts ...string) {
	d.t.Helper()
	screen := d.Screen()
	for _, text := range texts {
		if strings.Contains(screen, text) {
			d.t.Fatalf("%q is on the screen:\n%s", text, screen)
		}
	}
}

// LoadTheme returns a theme by its name.
func LoadTheme(t TB, name string) *theme.Theme {
	t.Helper()
	th, err := theme.NamedTheme(name, true)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return th
}
