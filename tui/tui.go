package tui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// Options configure the app: the profile that it begins with, and what stays over a
// switch of the profile.
type Options struct {
	ProfileOptions

	Theme  string // name of a built-in theme or one of Themes
	Themes []theme.CustomTheme
	Glyphs string // auto, unicode or ascii; "" is auto
	Folder string // where the file picker begins; "" is the working folder
	// Switch returns what belongs to another one of Profiles, and may ask the keyring;
	// nil if there is no other.
	Switch func(ctx context.Context, profile string) (ProfileOptions, error)

	// Surveys limits how survey files are read.
	Surveys ordering.FileReader

	// Clipboard copies text and returns where it went, "" for the system's
	// clipboard. Nil if no clipboard is known.
	Clipboard func(text string) (into string, err error)
	// CopySequence returns the escape code that copies text to the terminal's
	// clipboard; nil for none.
	CopySequence func(text string) string
	// Opener opens a file or folder with the system's program; nil for none.
	Opener func(path string) error
	// Graphics reports whether the terminal may support pictures and can be
	// asked.
	Graphics bool
	// Post sends a message to the app from other goroutines; Run sets it.
	Post func(tea.Msg)
	// Terminal is where a guest sees the app; nil is the terminal of this process.
	Terminal *Terminal
	// OnRequest is told of each request that was sent; nil for nobody.
	OnRequest func(*session.Exchange)
	// Begin is the action that opens the first section; "" is Home's.
	Begin action.ID

	out   io.Writer           // the terminal; nil if it must not be asked
	wire  *session.RequestLog // continues over a switch of profiles
	plain bool                // set by RunPlain: lines of text, no screen
	ended <-chan struct{}     // closed when the run has ended; nil never is

	// Now and After replace the clock in tests.
	Now   func() time.Time
	After func(d time.Duration, msg tea.Msg) tea.Cmd
}

// ProfileOptions are what the app shows with a profile.
type ProfileOptions = page.ProfileOptions

// Run shows the app until the user quits or ctx ends. The caller handles signals
// by ending ctx: Bubble Tea's own handler can block on an event loop that has
// ended.
func Run(ctx context.Context, opts Options) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	host := opts.Terminal
	if host == nil {
		own, err := ownTerminal(ctx)
		if err != nil {
			return err
		}
		host = own
	}
	colours := theme.DetectProfile(host.Out, host.Environ)
	if opts.noColor() {
		// Any value counts; the library would read it as a truth value.
		colours = colorprofile.ASCII
	}
	var running *tea.Program
	opts.Post, opts.out = func(msg tea.Msg) { running.Send(msg) }, host.Out
	opts.ended = ctx.Done()
	app := New(opts)
	app.limiter.rest, app.screen = rest, newScreen(host, colours)
	if err := app.screen.open(); err != nil {
		return errors.Join(err, app.Close())
	}
	defer app.closeScreen()
	app.screen.drawFrames(ctx)
	begin := sync.OnceFunc(func() { host.forwardEvents(opts.Post, ctx.Done()) })
	running = tea.NewProgram(
		app,
		tea.WithContext(ctx),
		tea.WithoutSignalHandler(),
		tea.WithColorProfile(colours),
		tea.WithoutRenderer(), // see screen
		tea.WithFPS(1),        // its ticks go on without a renderer
		tea.WithInput(host.In),
		tea.WithOutput(host.Out),
		tea.WithEnvironment(host.Environ),
		tea.WithWindowSize(host.Size.Width, host.Size.Height),
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			if _, is := msg.(tea.WindowSizeMsg); is {
				begin() // the first size would replace a later one
			}
			return app.filterMessage(msg)
		}),
	)
	_, err := running.Run()
	if app.crash != nil {
		err = app.crash
	}
	app.closeScreen() // ctrl+c is a signal again, should closing take long
	return errors.Join(err, app.Close())
}

func (o Options) noColor() bool { return o.plain || o.Terminal.Getenv("NO_COLOR") != "" }

// newTheme returns the theme that is drawn in.
func (o Options) newTheme() *theme.Theme {
	name := o.Theme
	switch {
	case o.plain:
		return theme.LinearTheme()
	case o.noColor():
		name = "none"
	}
	th, err := theme.NamedOrCustom(o.Themes, name, true)
	if err != nil {
		th, _ = theme.NamedTheme("dark", true) // the configuration was validated before
	}
	return th
}

// newEnv returns the environment shared by all pages, with defaults for missing
// options.
func (o Options) newEnv() *page.Env {
	env := &page.Env{
		Profile: page.ProfileService{ProfileOptions: o.ProfileOptions, Decisions: ordering.OpenLedger(o.Decisions)},
		Look: page.PageLook{
			Theme:   o.newTheme(),
			Remote:  o.Terminal != nil,
			Links:   !o.plain && o.Terminal.Getenv("TERM") != "linux",
			UIState: o.UIState,
		},
		Clock: page.AppClock{Now: o.Now, After: o.timer()},
		Files: page.FileAccess{
			Folder:    o.Folder,
			Samples:   o.Samples,
			Confined:  o.Terminal != nil,
			Free:      o.Fetch.Free,
			Clipboard: o.Clipboard,
			Opener:    o.Opener,
		},
	}
	if env.Look.UIState == nil {
		env.Look.UIState = session.OpenUIState(o.Views)
	}
	switch {
	case env.Clock.Now != nil:
	case o.Client == nil:
		env.Clock.Now = time.Now
	default:
		// Of whoever looks at the terminal.
		zone, err := places.LoadZone(cmp.Or(o.Terminal.Getenv("TZ"), "Local"))
		if err != nil {
			zone = time.Local
		}
		connection := connectionOf(&o.ProfileOptions)
		env.Clock.Now = func() time.Time { return connection.Now().In(zone) }
	}
	env.Profile.Cache = o.newCache(env.Clock.Now)
	if o.Client != nil {
		env.Profile.Host = cmp.Or(o.Host, o.Client.Host())
		if env.Profile.RequestLog = o.wire; env.Profile.RequestLog == nil {
			env.Profile.RequestLog = o.newRequestLog()
		}
		env.Profile.RequestLog.Watch(o.Client)
		if o.Ops != nil {
			env.Profile.RequestLog.Watch(o.Ops)
		}
		env.Profile.Secrets, env.Profile.Feed = webhooks.NewSecrets(o.Secrets), o.newFeed()
	}
	if env.Files.Folder == "" {
		env.Files.Folder, _ = os.Getwd()
	}
	if env.Files.Home = env.Files.Folder; o.Terminal == nil {
		env.Files.Home, _ = os.UserHomeDir()
	}
	o.Fetch.Dir = cmp.Or(o.Fetch.Dir, filepath.Join(env.Files.Folder, "deliveries"))
	env.Profile.Downloads = deliveries.NewDownloads(o.Fetch, env.Look.UIState)
	return env
}

// newCache returns the read model of the profile's account, or of all accounts if there is only
// an operations key.
func (o Options) newCache(now func() time.Time) *cache.Cache {
	if o.NoAccount {
		return cache.NewOfOperations(o.Ops, now)
	}
	c := cache.New(o.Client, now)
	if o.Client != nil && o.Ops != nil {
		c.AddOperations(o.Ops)
	}
	return c
}

// timer returns what sends a message after a time.
func (o Options) timer() func(d time.Duration, msg tea.Msg) tea.Cmd {
	if o.After != nil {
		return o.After
	}
	return func(d time.Duration, msg tea.Msg) tea.Cmd {
		return func() tea.Msg {
			select {
			case <-time.After(d):
				return msg
			case <-o.ended:
				return nil
			}
		}
	}
}

func (o Options) newRequestLog() *session.RequestLog {
	l := &session.RequestLog{Also: o.OnRequest}
	if o.Terminal != nil {
		l.Bytes = guestLogBytes
	}
	return l
}

func (o Options) band() string {
	if o.ServerMode && o.Band == "" {
		return "demo"
	}
	return o.Band
}

// notices returns the notification mode; lines of text have none.
func (o Options) notices() string {
	switch {
	case o.plain:
		return noticesOff
	case o.Notices != noticesOff && !canNotify(o.Terminal.Getenv):
		return noticesBell
	}
	return o.Notices
}

// scratch is a temporary folder for files handed to other programs. It is safe
// for concurrent use.
type scratch struct {
	mu   sync.Mutex
	made *atomicfile.TempFolder
}

// folder returns the path, creating the folder on first use, readable only by its
// owner.
func (s *scratch) folder() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		atomicfile.RemoveAbandoned()
		made, err := atomicfile.NewTempFolder("")
		if err != nil {
			return "", err
		}
		s.made = made
	}
	return s.made.Path, nil
}

// remove deletes the folder with its files.
func (s *scratch) remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		return nil
	}
	return s.made.Remove()
}

// newFeed returns the feed that receives callbacks while the app runs. A service
// on this machine that has an operations API can call it directly.
func (o Options) newFeed() *webhooks.EventFeed {
	runs := webhooks.RunFolder(o.Listens)
	account := webhooks.ReceivingAccount{
		Client:  o.Client,
		Account: o.Profile,
		Runs:    runs,
	}
	options := webhooks.FeedOptions{ReceivingAccount: account, Log: webhooks.OpenLog(o.Received)}
	if base, err := url.Parse(o.Client.BaseURL()); err == nil && o.Ops != nil && commands.IsLoopback(base.Hostname()) {
		options.Trust = func(ctx context.Context, pem []byte) error {
			_, err := o.Ops.Webhooks.Trust(ctx, pem)
			return err
		}
	}
	if o.Post != nil {
		options.Wake = func() { o.Post(page.HeardMsg{}) }
	}
	return webhooks.NewFeed(options)
}

// Terminal is a terminal of somebody else than the user of this process: a guest, who
// gets nothing of this machine but the files of Folder and Samples.
type Terminal struct {
	In      io.Reader
	Out     io.Writer
	Environ []string           // what is known of the terminal, as NAME=value
	Size    tea.WindowSizeMsg  // when the app starts
	Events  <-chan tea.Msg     // sizes and notes that come later; nil for none
	OnPlace func(title string) // is told the title of each page that is shown; nil for nobody
	Work    func(work func())  // runs each piece of the app's work when the guest may work; nil runs it at once

	console uv.Console // of this process; nil for a guest's
}

// guestLogBytes is what the bodies in the request log of a guest take, one of many.
const guestLogBytes = 2 << 20

// forwardEvents posts the terminal's events until the app has ended.
func (t *Terminal) forwardEvents(post func(tea.Msg), over <-chan struct{}) {
	api.Go(func() error {
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

// work runs a piece of the app's work when the guest may work.
func (t *Terminal) work(do func()) {
	if t == nil || t.Work == nil {
		do()
		return
	}
	t.Work(do)
}

// Getenv returns a variable of the terminal's environment; that of this process for nil.
func (t *Terminal) Getenv(name string) string {
	if t == nil {
		return os.Getenv(name)
	}
	return uv.Environ(t.Environ).Getenv(name)
}

// notOffered are the actions that would use this machine.
var notOffered = []action.ID{action.Suspend, action.FetchTo, action.TestEvent, action.ListenFeed}
