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

// TB is the part of [testing.TB] that the driver uses. Programs that make pictures of the app implement TB without
// a test.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Driver runs a model in a test, without a terminal. It has a separate clock, so that tests do not wait, and
// runs commands immediately.
type Driver struct {
	t      TB
	model  tea.Model
	now    atomic.Pointer[time.Time] // also read by services, in other goroutines
	timers []pendingTimer
	held   []func() tea.Msg // commands that were kept back since Hold
	isHeld bool             // between Hold and Release
	// Quit is true once the model has quit.
	Quit bool
	// Raw has the escape codes that were sent to the terminal, except the views.
	Raw []string
}

type pendingTimer struct {
	at  time.Time
	msg tea.Msg
}

// Clock is the time at which every driver starts.
var Clock = time.Date(2026, 11, 24, 9, 42, 0, 0, time.FixedZone("CET", 3600))

// New returns a driver. Pass its Now and After to the model.
func New(t TB) *Driver {
	d := &Driver{t: t}
	start := Clock
	d.now.Store(&start)
	return d
}

// Now returns the time of the driver's clock.
func (d *Driver) Now() time.Time { return *d.now.Load() }

// After makes the driver send msg to the model when Advance has moved the clock by wait. It replaces the program's
// timers.
func (d *Driver) After(wait time.Duration, msg tea.Msg) tea.Cmd {
	d.timers = append(d.timers, pendingTimer{d.Now().Add(wait), msg})
	return nil
}

// Start starts a model in a window of w by h cells.
func (d *Driver) Start(m tea.Model, w, h int) {
	d.model = m
	d.runCommand(m.Init())
	d.Resize(w, h)
}

// Resize changes the size of the window.
func (d *Driver) Resize(w, h int) { d.Send(tea.WindowSizeMsg{Width: w, Height: h}) }

// Send sends a message to the model and runs the resulting commands.
func (d *Driver) Send(msg tea.Msg) {
	d.t.Helper()
	model, cmd := d.model.Update(msg)
	d.model = model
	d.runCommand(cmd)
}

// runCommand runs a command and all commands that result from it.
func (d *Driver) runCommand(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if d.isHeld {
		d.held = append(d.held, cmd)
		return
	}
	d.handleMessage(cmd())
}

func (d *Driver) handleMessage(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.QuitMsg:
		d.Quit = true
	case tea.RawMsg:
		d.Raw = append(d.Raw, fmt.Sprint(msg.Msg))
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.runCommand(cmd)
		}
	default:
		d.Send(msg)
	}
}

// Hold keeps commands back until Release, so that a test can check the screen before the commands run.
func (d *Driver) Hold() { d.isHeld = true }

// Release runs the commands that were kept back.
func (d *Driver) Release() {
	d.isHeld = false
	held := d.held
	d.held = nil
	for _, cmd := range held {
		d.runCommand(cmd)
	}
}

// Advance moves the clock forward. On the way, it sends the message of each timer at the time for which the
// timer is set.
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

// Suspend moves the clock as if the machine had been asleep. Timers that end in that time send their messages
// once, when it is over. Use Suspend instead of Advance to move the clock by days: Advance would run the
// timers of the app for every minute of these days.
func (d *Driver) Suspend(by time.Duration) {
	d.t.Helper()
	until := d.Now().Add(by)
	for i := range d.timers {
		if d.timers[i].at.Before(until) {
			d.timers[i].at = until
		}
	}
	d.now.Store(&until)
	d.Advance(0)
}

// Press presses keys by their names, such as n, enter, ctrl+s or space.
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

// Screen returns the screen as plain text, without spaces at the ends of lines.
func (d *Driver) Screen() string {
	lines := strings.Split(ansi.Strip(d.View().Content), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// View advances the clock to the end of the frame and returns the view.
func (d *Driver) View() tea.View {
	d.t.Helper()
	d.Advance(20 * time.Millisecond)
	return d.model.View()
}

// RequireText fails the test unless all texts are on the screen.
func (d *Driver) RequireText(texts ...string) {
	d.t.Helper()
	screen := d.Screen()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			d.t.Fatalf("%q is not on the screen:\n%s", text, screen)
		}
	}
}

// SeesNot is the opposite of RequireText: it fails the test if any of the texts is on the screen.
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
