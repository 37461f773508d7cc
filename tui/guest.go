package tui

import (
	"io"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"flightdesk/tui/action"
	"flightdesk/tui/app/guard"
)

// Terminal is a terminal of somebody else than the user of this process: a guest, who
// gets nothing of this machine but the files of Folder and Samples.
type Terminal struct {
	In      io.Reader
	Out     io.Writer
	Environ []string           // what is known of the terminal, as NAME=value
	Zone    *time.Location     // the guest's time zone; nil is that of this machine
	Size    tea.WindowSizeMsg  // when the app starts
	Events  <-chan tea.Msg     // sizes and notes that come later; nil for none
	OnPlace func(title string) // is told the title of each page that is shown; nil for nobody
}

// guestLogBytes is what the bodies in the request log of a guest take, one of many.
const guestLogBytes = 2 << 20

// programOptions returns what Bubble Tea has to know of the terminal. Its events come once the app has its first size,
// which would replace a later one otherwise.
func (t *Terminal) programOptions(post func(tea.Msg), over <-chan struct{}) []tea.ProgramOption {
	begin := sync.OnceFunc(func() { t.forwardEvents(post, over) })
	return []tea.ProgramOption{
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			if _, is := msg.(tea.WindowSizeMsg); is {
				begin()
			}
			return msg
		}),
		tea.WithInput(t.In),
		tea.WithOutput(t.Out),
		tea.WithEnvironment(t.Environ),
		tea.WithWindowSize(t.Size.Width, t.Size.Height),
		tea.WithFPS(120), // the network adds its own delay
	}
}

// forwardEvents posts the terminal's events until the app has ended.
func (t *Terminal) forwardEvents(post func(tea.Msg), over <-chan struct{}) {
	guard.Go(func() error {
		for {
			select {
			case msg := <-t.Events:
				post(msg)
			case <-over:
				return nil
			}
		}
	})
}

// Getenv returns a variable of the terminal's environment; that of this process for nil.
func (t *Terminal) Getenv(name string) string {
	if t == nil {
		return os.Getenv(name)
	}
	return uv.Environ(t.Environ).Getenv(name)
}

// environ returns the environment that colours are looked for in, and the terminal.
func (o Options) environ() (io.Writer, []string) {
	if o.Terminal == nil {
		return os.Stdout, os.Environ()
	}
	return o.Terminal.Out, o.Terminal.Environ
}

// notOffered are the actions that would use this machine.
var notOffered = []action.ID{action.Suspend, action.FetchTo, action.TestEvent, action.ListenFeed}
