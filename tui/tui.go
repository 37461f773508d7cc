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
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// Options configures the app: its first profile, and the settings that apply to every profile.
type Options struct {
	ProfileOptions

	Theme  string // name of a built-in theme or one of Themes
	Themes []theme.CustomTheme
	Glyphs string // auto, unicode or ascii; "" is auto
	Folder string // first folder of the file picker; "" is the working folder
	// Switch loads the options of another profile in Profiles, and may ask the keyring. It is
	// nil if there is no other profile.
	Switch func(ctx context.Context, profile string) (ProfileOptions, error)

	// Surveys limits how survey files are read.
	Surveys ordering.FileReader

	// Clipboard copies text and returns the name of the clipboard, or "" for the system's clipboard. It is
	// nil if no clipboard is known.
	Clipboard func(text string) (into string, err error)
	// ReadClipboard returns the text of the system's clipboard. It is nil if the clipboard cannot be read.
	ReadClipboard func() (string, error)
	// CopySequence returns the escape code that copies text to the terminal's clipboard, or ""
	// if the terminal has none. Nil selects the standard code.
	CopySequence func(text string) string
	// Opener opens a file or folder with the system's program for it. It is nil if there is no such program.
	Opener func(path string) error
	// Graphics reports whether the terminal may support pictures and can be queried.
	Graphics bool
	// Post sends a message to the app from another goroutine. Run and RunPlain set it.
	Post func(tea.Msg)
	// Terminal is the terminal of a guest. If it is nil, the app uses the terminal and the
	// environment variables of this process.
	Terminal *Terminal
	// OnRequest is called with every request that was sent. It may be nil.
	OnRequest func(*session.Exchange)
	// Begin is the action that opens the first section; "" opens Home.
	Begin action.ID

	out        io.Writer           // the terminal; nil if it must not be queried
	requestLog *session.RequestLog // the request log of the previous profile; nil starts a new log
	plain      bool                // set by RunPlain: the app prints lines of text and has no screen
	ended      <-chan struct{}     // closed when the run has ended; nil in tests

	// Now and After replace the clock and the timers in tests.
	Now   func() time.Time
	After func(d time.Duration, msg tea.Msg) tea.Cmd
	// LookSchedule says how often the app asks the service for changes whose response was lost. Tests set it.
	LookSchedule changes.LookSchedule
}

// ProfileOptions are the options of one profile.
type ProfileOptions = page.ProfileOptions

// Run shows the app until the user quits or ctx ends. The caller handles signals by ending
// ctx: Bubble Tea's own signal handler can block on an event loop that has ended.
func Run(ctx context.Context, opts Options) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	host, err := opts.hostTerminal(ctx)
	if err != nil {
		return err
	}
	// newProgram needs the app, so Post is set before the program exists. Post is only called while the program
	// runs.
	var program *tea.Program
	opts.Post = func(msg tea.Msg) { program.Send(msg) }
	opts.out = host.Out
	opts.ended = ctx.Done()
	colours := opts.colourProfile(host)
	app := New(opts)
	app.limiter.scrollGap = scrollGap
	app.screen, err = openScreen(ctx, host, colours)
	if err != nil {
		return errors.Join(err, app.Close())
	}
	defer app.closeScreen() // after a panic; closing the screen a second time does nothing
	program = newProgram(ctx, app, host, colours)
	if opts.isGuest() {
		host.forwardInput(ctx, opts.Post)
	}
	_, err = program.Run()
	if app.crash != nil {
		err = app.crash // why the program has ended
	}
	// Close can take long. The screen is closed first, so that ctrl+c is a signal again.
	app.closeScreen()
	return errors.Join(err, app.Close())
}

// hostTerminal returns the guest's terminal, or the terminal of this process if there is no guest.
func (o Options) hostTerminal(ctx context.Context) (*Terminal, error) {
	if o.isGuest() {
		return o.Terminal, nil
	}
	return ownTerminal(ctx)
}

// colourProfile returns the colours that the app uses in a terminal.
func (o Options) colourProfile(host *Terminal) colorprofile.Profile {
	if o.noColor() {
		// The library expects a boolean in NO_COLOR, but any value disables colours.
		return colorprofile.ASCII
	}
	return theme.DetectProfile(host.Out, host.Environ)
}

// newProgram returns the Bubble Tea program of the app. The program reads input from the terminal of this
// process, but not from a guest's terminal; see forwardInput. Events of the terminal, such as new window
// sizes, are forwarded only after Bubble Tea has sent the window size at the start. Otherwise that size could
// overwrite a newer one.
func newProgram(ctx context.Context, app *App, host *Terminal, colours colorprofile.Profile) *tea.Program {
	input := host.In
	if app.opts.isGuest() {
		input = nil
	}
	startForwarding := sync.OnceFunc(func() { host.forwardEvents(app.opts.Post, ctx.Done()) })
	return tea.NewProgram(
		app,
		tea.WithContext(ctx),
		tea.WithoutSignalHandler(),
		tea.WithColorProfile(colours),
		tea.WithoutRenderer(), // type screen renders the frames
		tea.WithFPS(1),        // Bubble Tea's frame ticks continue without a renderer
		tea.WithInput(input),
		tea.WithOutput(host.Out),
		tea.WithEnvironment(host.Environ),
		tea.WithWindowSize(host.Size.Width, host.Size.Height),
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			if _, ok := msg.(tea.WindowSizeMsg); ok {
				startForwarding()
			}
			return app.filterMessage(msg)
		}),
	)
}

// isGuest reports whether the app is shown in the terminal of a guest and not in the terminal of this process.
func (o Options) isGuest() bool { return o.Terminal != nil }

// getenv returns an environment variable of the guest's terminal, or of this process if there is no guest.
func (o Options) getenv(name string) string { return o.Terminal.Getenv(name) }

// noColor reports whether the app draws without colours, because of plain mode or NO_COLOR.
func (o Options) noColor() bool { return o.plain || o.getenv("NO_COLOR") != "" }

// newTheme returns the theme of the first frame. If the theme in the options does not exist, it returns the
// theme dark.
func (o Options) newTheme() *theme.Theme {
	if o.plain {
		return theme.LinearTheme()
	}
	name := o.Theme
	if o.noColor() {
		name = "none"
	}
	th, err := theme.NamedOrCustom(o.Themes, name, true)
	if err != nil {
		th, _ = theme.NamedTheme("dark", true)
	}
	return th
}

// canEditProfile reports whether the user can edit the current profile. This needs a config.toml and a connected
// profile.
func (o Options) canEditProfile() bool { return o.Setup != nil && o.Client != nil }

// newEnv returns the environment that all pages share, with defaults for missing options.
func (o Options) newEnv() *page.Env {
	uiState := o.UIState
	if uiState == nil {
		uiState = session.OpenUIState(o.Views)
	}
	env := &page.Env{
		Profile: page.ProfileService{
			ProfileOptions: o.ProfileOptions,
			ChangeLog:      changes.OpenLogWith(o.ChangesFile, o.LookSchedule),
		},
		Look: page.PageLook{
			Theme:   o.newTheme(),
			Remote:  o.isGuest(),
			CanEdit: o.canEditProfile(),
			Links:   !o.plain && o.getenv("TERM") != "linux",
			UIState: uiState,
		},
		Clock: page.AppClock{Now: o.clock(), After: o.timer()},
		Files: o.newFileAccess(),
	}
	env.Profile.Cache = o.newCache(env.Clock.Now)
	if o.Client != nil {
		o.addService(&env.Profile)
	}
	fetchOptions := o.Fetch
	if fetchOptions.Dir == "" {
		fetchOptions.Dir = filepath.Join(env.Files.Folder, "deliveries")
	}
	env.Profile.Downloads = deliveries.NewDownloads(fetchOptions, uiState)
	return env
}

// addService sets the parts of a profile that need a service: the host, the request log, the endpoint secrets
// and the feed.
func (o Options) addService(profile *page.ProfileService) {
	profile.Host = o.Host
	if o.Host == "" {
		profile.Host = o.Client.Host()
	}
	profile.RequestLog = o.watchedRequestLog()
	profile.Secrets = webhooks.NewSecrets(o.Secrets)
	profile.Feed = o.newFeed()
}

// clock returns the function that returns the current time: the service's time in the time
// zone of the terminal's user. Without a service it is the time of this machine.
func (o Options) clock() func() time.Time {
	if o.Now != nil {
		return o.Now
	}
	if o.Client == nil {
		return time.Now
	}
	zone, err := places.LoadZone(cmp.Or(o.getenv("TZ"), "Local"))
	if err != nil {
		zone = time.Local
	}
	connection := connectionOf(&o.ProfileOptions)
	return func() time.Time { return connection.Now().In(zone) }
}

// newFileAccess returns the access to files. A guest is confined to Folder and Samples.
func (o Options) newFileAccess() page.FileAccess {
	folder := o.Folder
	if folder == "" {
		folder, _ = os.Getwd()
	}
	home := folder
	if !o.isGuest() {
		home, _ = os.UserHomeDir()
	}
	return page.FileAccess{
		Home:      home,
		Folder:    folder,
		Samples:   o.Samples,
		Confined:  o.isGuest(),
		Free:      o.Fetch.Free,
		Clipboard: o.Clipboard,
		Opener:    o.Opener,

		ReadClipboard: o.ReadClipboard,
	}
}

// newCache returns the cache of the profile's account, or of all accounts if the profile has
// only an operations key.
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

// timer returns a function for delayed messages. It returns a command that waits for the duration d
// and then sends the message.
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

// watchedRequestLog returns the request log, which from now on records the requests of this profile's clients.
// If the user has switched from another profile, this is the log of that profile. Otherwise it is a new log.
func (o Options) watchedRequestLog() *session.RequestLog {
	log := o.requestLog
	if log == nil {
		log = &session.RequestLog{Also: o.OnRequest}
		if o.isGuest() {
			log.Bytes = guestLogBytes
		}
	}
	log.Watch(o.Client)
	if o.Ops != nil {
		log.Watch(o.Ops)
	}
	return log
}

// environment returns the environment of the profile, which determines the colour of the first row.
// If this process runs the service and no environment is configured, the environment is "demo".
func (o Options) environment() string {
	if o.ServerMode && o.Band == "" {
		return "demo"
	}
	return o.Band
}

// notices returns the notification mode: off in plain mode, and the bell if the terminal is not
// known to show notifications.
func (o Options) notices() string {
	if o.plain {
		return noticesOff
	}
	if o.Notices != noticesOff && !canNotify(o.getenv) {
		return noticesBell
	}
	return o.Notices
}

// newFeed returns the feed that receives callbacks while the app runs. If the service runs on this machine
// and the profile has an operations key, the feed asks the service to trust its certificate, so that the
// service can call the feed directly.
func (o Options) newFeed() *webhooks.EventFeed {
	options := webhooks.FeedOptions{
		ReceivingAccount: webhooks.ReceivingAccount{
			Client:  o.Client,
			Account: o.Profile,
			Runs:    webhooks.RunFolder(o.Listens),
		},
		Log: webhooks.OpenLog(o.Received),
	}
	base, err := url.Parse(o.Client.BaseURL())
	isLocal := err == nil && commands.IsLoopback(base.Hostname())
	if isLocal && o.Ops != nil {
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

// Terminal is a terminal in which the app is shown. In Options it is the terminal of a guest, who can access only
// the files of Folder and Samples on this machine.
type Terminal struct {
	In      io.Reader
	Out     io.Writer
	Environ []string           // environment variables that describe the terminal, as NAME=value
	Size    tea.WindowSizeMsg  // size of the window when the app starts
	Events  <-chan tea.Msg     // later window sizes, and notes to the user; may be nil
	OnPlace func(title string) // called with the title of each page that is shown; may be nil
	// Work waits for the guest's turn and then calls a function, so that guests share the processor. If Work
	// is nil, functions are called at once.
	Work func(work func())

	console uv.Console // the console of this process; nil for a guest
}

// guestLogBytes limits the size of the bodies in a guest's request log. A server has many
// guests.
const guestLogBytes = 2 << 20

// forwardEvents posts the terminal's events in the background until ended is closed.
func (t *Terminal) forwardEvents(post func(tea.Msg), ended <-chan struct{}) {
	api.Go(func() error {
		for {
			select {
			case msg := <-t.Events:
				post(msg)
			case <-ended:
				return nil
			}
		}
	})
}

// forwardInput reads the keys and other input of the terminal in the background, and posts them to the app.
// It ends when ctx has ended and the current Read of In has returned. An error of In ends the app.
// forwardInput replaces Bubble Tea's reader, which never ends if a key is waiting when the program ends, and
// would keep the whole app in memory.
func (t *Terminal) forwardInput(ctx context.Context, post func(tea.Msg)) {
	events := make(chan uv.Event)
	reader := uv.NewTerminalReader(t.In, t.Getenv("TERM"))
	readErr := api.Go(func() error {
		defer close(events)
		return reader.StreamEvents(ctx, events)
	})
	api.Go(func() error {
		for event := range events {
			post(event)
		}
		if err := <-readErr; err != nil {
			post(page.CrashMsg{Reason: err})
		}
		return nil
	})
}

// work runs a function, after waiting for the guest's turn if the terminal has a Work function.
func (t *Terminal) work(do func()) {
	if t == nil || t.Work == nil {
		do()
		return
	}
	t.Work(do)
}

// Getenv returns an environment variable of the terminal, or of this process if t is nil.
func (t *Terminal) Getenv(name string) string {
	if t == nil {
		return os.Getenv(name)
	}
	return uv.Environ(t.Environ).Getenv(name)
}

// notOffered are the actions that guests cannot use, because these actions access this machine.
var notOffered = []action.ID{action.Suspend, action.FetchTo, action.TestEvent, action.ListenFeed, action.AddAccount}
