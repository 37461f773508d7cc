package tui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/config/atomicfile"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/downloads"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/app/requestlog"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// Options say what the app works on.
type Options struct {
	Client     *api.Client // nil begins with connecting, which takes Setup
	Setup      *session.AccountSetup
	Ops        *api.Ops // the service's operations API; nil without a key of it
	NoOps      error    // why the key of Operations that is configured cannot be had
	Account    string   // name of the account, for the band and new orders
	Profile    string   // name of the profile, "demo" in a demo
	Band       string   // kind of the profile for its colour: live, test, demo; "" plain
	ServerMode bool     // the service runs in this process
	Host       string   // shown for the service; "" is the client's
	Theme      string   // one of theme.Names, or of Themes
	Themes     []theme.CustomTheme
	Glyphs     string // characters to draw with: auto, unicode, ascii; "" is auto
	ReadOnly   bool
	Drafts     string           // folder where drafts are kept; "" keeps them in memory
	Views      string           // file where the profile's looks are kept; "" keeps them in memory
	Notices    string           // what tells of news besides the screen: auto, bell, off; "" is auto
	Units      format.Units     // how areas and times are told, unless others were chosen since
	Known      string           // file where what the service says is kept for when it is away; "" is nowhere
	Decisions  string           // file where decisions on quotes are logged; "" keeps them in memory
	kept       *session.UIState // of Views, where that has been read already
	Folder     string           // where choosing a file begins; "" is the working folder
	Samples    string           // folder with sample survey files, "" for none

	// Profiles are the names of those that can be gone over to, and Switch
	// returns what the app works on then, from Client to Samples; it may ask the
	// keyring. Nil where there is no other.
	Profiles []string
	Switch   func(ctx context.Context, profile string) (Options, error)

	// Clipboard puts text where it is known to arrive, and says what that is: ""
	// is the system's clipboard. Nil where nothing is known.
	Clipboard func(text string) (into string, err error)
	// CopySequence asks the terminal to put text into its clipboard; nil where
	// there is none.
	CopySequence func(text string) string

	// Fetch is how deliveries are fetched; with an empty Dir into deliveries
	// below Folder.
	Fetch fetch.Options
	// Opener opens a file or a folder with the system's program for it; nil
	// where there is none.
	Opener func(path string) error
	// Graphics says that the terminal may have some of its own for pictures, and
	// can be asked.
	Graphics bool
	// Secrets is where the secrets of endpoints last; nil keeps them for the run.
	Secrets webhooks.SecretStore
	// Received is the file of the events that were received, and Listens the
	// folder where endpoints are noted that are to be removed; "" for none.
	Received, Listens string
	// Post brings a message to the app from outside of its loop; nil is Run's own.
	Post func(tea.Msg)
	// Begin is the action that goes to the section to begin with; "" is the first.
	Begin action.ID

	out   io.Writer       // the terminal, nil where it is not to be asked
	wire  *requestlog.Log // of the profiles before, to go on with
	plain bool            // there is no screen: RunPlain

	// Now and After replace the clock, in tests.
	Now   func() time.Time
	After func(d time.Duration, msg tea.Msg) tea.Cmd
	// Wait replaces waiting between two looks for what was sent, in tests.
	Wait func(context.Context, time.Duration) error
}

// Run shows the app until its user leaves or ctx ends. Signals are the caller's
// to turn into the end of ctx: with two roads to one end, the library's own
// handler can wait for an event loop that has left already.
func Run(ctx context.Context, opts Options) error {
	colours := theme.DetectProfile(os.Stdout, os.Environ())
	if opts.noColor() {
		// Any value counts; the library would read it as a truth value.
		colours = colorprofile.ASCII
	}
	program := []tea.ProgramOption{
		tea.WithContext(ctx),
		tea.WithFPS(120),
		tea.WithoutSignalHandler(),
		tea.WithColorProfile(colours),
	}
	var running *tea.Program
	opts.Post, opts.out = func(msg tea.Msg) { running.Send(msg) }, os.Stdout
	app := New(opts)
	running = tea.NewProgram(app, program...)
	app.limiter.rest = rest
	_, err := running.Run()
	if app.crash != nil {
		err = app.crash
	}
	_, _ = io.WriteString(opts.out, app.resetSequence()) // the library does not know of these
	return errors.Join(err, app.Close())
}

func (o Options) noColor() bool { return o.plain || os.Getenv("NO_COLOR") != "" }

// links tells whether the terminal may have use for links: those that do not
// know them pass them over, and the console of Linux shows what they are.
func (o Options) links() bool { return !o.plain && os.Getenv("TERM") != "linux" }

// env returns what all pages share, with what the options leave open.
func (o Options) env() *page.Env {
	name := o.Theme
	if o.noColor() {
		name = "none"
	}
	th, err := theme.NamedOrCustom(o.Themes, name, true)
	if err != nil {
		th, _ = theme.NamedTheme("dark", true) // the configuration has been checked before
	}
	if o.plain {
		th = theme.LinearTheme()
	}
	env := &page.Env{
		ProfileService: page.ProfileService{
			Client: o.Client, Ops: o.Ops, NoOps: o.NoOps, Account: cmp.Or(o.Account, o.Profile), Company: o.Account, Host: o.Host, ReadOnly: o.ReadOnly, Decisions: ledger.Open(o.Decisions),
		},
		PageLook:   page.PageLook{Theme: th, Links: o.links(), UIState: o.kept},
		AppClock:   page.AppClock{Now: o.Now, After: o.After},
		FileAccess: page.FileAccess{Folder: o.Folder, Samples: o.Samples, Clipboard: o.Clipboard, Opener: o.Opener},
	}
	if o.Wait != nil {
		env.Decisions.Wait = o.Wait
	}
	if env.UIState == nil {
		env.UIState = session.OpenUIState(o.Views)
	}
	switch {
	case env.Now != nil:
	case o.Client == nil:
		env.Now = time.Now
	default:
		env.Now = func() time.Time { return o.Client.Now().Local() }
	}
	if o.Client != nil {
		env.Host = cmp.Or(o.Host, o.Client.Host())
		env.Cache = cache.New(o.Client, env.Now)
		if env.RequestLog = o.wire; env.RequestLog == nil {
			env.RequestLog = new(requestlog.Log)
		}
		env.RequestLog.Watch(o.Client)
		if o.Ops != nil {
			env.RequestLog.Watch(o.Ops)
			env.Cache.AddOperations(o.Ops)
		}
		env.Secrets, env.Feed = webhooks.NewSecrets(o.Secrets), o.newFeed()
	}
	if env.After == nil {
		env.After = func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		}
	}
	if env.Folder == "" {
		env.Folder, _ = os.Getwd()
	}
	env.Home, _ = os.UserHomeDir()
	if o.Client != nil {
		o.Fetch.Dir = cmp.Or(o.Fetch.Dir, filepath.Join(env.Folder, "deliveries"))
		env.Downloads = downloads.New(o.Fetch, env.UIState)
	}
	return env
}

func (o Options) band() string {
	if o.ServerMode && o.Band == "" {
		return "demo"
	}
	return o.Band
}

// notices returns what tells of news besides the screen: nothing where there is none.
func (o Options) notices() string {
	if o.plain {
		return noticesOff
	}
	return o.Notices
}

// scratch is a folder of the run's own, for what other programs are handed. It
// may be used from several goroutines.
type scratch struct {
	mu   sync.Mutex
	made *atomicfile.TempFolder
}

// folder makes the folder, which only its owner can read, when it is first
// asked for.
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

// remove ends it with all that it holds.
func (s *scratch) remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		return nil
	}
	return s.made.Remove()
}

// newFeed returns what receives events while the app runs. A service on this machine
// with an operations API can reach it by itself.
func (o Options) newFeed() *webhooks.EventFeed {
	options := webhooks.FeedOptions{
		Client:  o.Client,
		Account: o.Profile,
		Runs:    webhooks.RunFolder(o.Listens),
		Log:     webhooks.OpenLog(o.Received),
	}
	if base, err := url.Parse(o.Client.BaseURL()); err == nil && o.Ops != nil && isHere(base.Hostname()) {
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

// isHere reports whether a host is this machine.
func isHere(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// leftFeeds are of profiles that were left, until they have ended.
type leftFeeds []*webhooks.EventFeed

// stopFeed ends the listening of the profile that is left. The app's end waits
// for what that has not done by then.
func (l *leftFeeds) stopFeed(f *webhooks.EventFeed) tea.Cmd {
	if f == nil {
		return nil
	}
	*l = append(slices.DeleteFunc(*l, (*webhooks.EventFeed).IsOver), f)
	return func() tea.Msg {
		if err := f.Close(); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return nil
	}
}

// closeAll ends all listening, that of the profile on the screen too. It takes as
// long as that does.
func (l *leftFeeds) closeAll(now *webhooks.EventFeed) error {
	l.stopFeed(now)
	var err error
	for _, f := range *l {
		err = errors.Join(err, f.Close())
	}
	return err
}
