package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/widget/picture"
)

// appFlags adds the flags of the app to the root command and returns the action that runs the
// app.
func appFlags(p *program, root *cobra.Command) action {
	profileFlag(root)
	root.PersistentFlags().BoolVar(&p.ReadOnly, "read-only", false,
		"in this run, refuse changes to data at the service")
	plainFlag(root)
	return func(call *Call) error {
		c, err := config.Load(call.Env)
		if err != nil {
			return err
		}
		if _, err := bindKeys(c); err != nil {
			return err
		}
		app := newAppRun(call)
		_, err = app.resolve(call.Chosen)
		if errors.Is(err, config.ErrNoProfile) {
			return app.connect(call, c, err)
		}
		if err != nil {
			return err
		}
		if !app.plain && !isTerminal(call.Out()) {
			return errors.New("standard output is not a terminal; use --plain, see flightdesk --help")
		}
		return app.run(call, func() (tui.Options, error) {
			begun, err := app.options(call, call.Chosen)
			return app.begin(c, begun), err
		})
	}
}

// begin returns the options of the app for a start with a profile.
func (s *appRun) begin(c *config.Config, first tui.ProfileOptions) tui.Options {
	return tui.Options{
		ProfileOptions: first, Switch: s.change,
		Theme: c.Theme, Themes: ownThemes(c), Glyphs: c.Glyphs,
	}
}

// connect runs the app from its page that adds a profile, in a terminal or as plain lines. If
// that is not possible, or the lines on standard input end before a profile is added, it prints
// how to add one and returns noProfile.
func (s *appRun) connect(call *Call, c *config.Config, noProfile error) error {
	if s.plain || isTerminal(call.Out()) {
		err := s.run(call, func() (tui.Options, error) {
			return s.begin(c, tui.ProfileOptions{Setup: s.setup()}), nil
		})
		if err != nil || s.connected.Load() || isTerminal(s.cmd.InOrStdin()) {
			return err
		}
	}
	fmt.Fprintf(call.Out(), firstRun, format.Clean(c.Path))
	return noProfile
}

// firstRun is printed if there is no profile and no terminal.
const firstRun = `No profile configured.

To try it with sample data; no account needed:

  flightdesk demo

To add your account (asks for the API key):

  flightdesk login desk.example

Or write this file

  %s

with the address of the service and the source of your API key:

  [profiles.prod]
  base_url = "https://desk.example/api/v1/public"
  legacy_base_url = "https://desk.example/api/v2"
  credential = { keyring = "prod" }

A credential can use env, command or file instead of keyring.
Then run flightdesk config check.
`

// plainFlag adds the flag --plain.
func plainFlag(cmd *cobra.Command) {
	addFlag(cmd, "plain,text lines for screen readers and pipes; default if TERM is dumb", new(bool))
}

// newAppRun returns a run of the app. It uses plain lines with --plain or a dumb terminal.
func newAppRun(c *Call) *appRun {
	plain, _ := c.Cmd.Flags().GetBool("plain")
	return &appRun{
		program: c.program,
		cmd:     c.Cmd,
		plain:   plain || os.Getenv("TERM") == "dumb",
	}
}

// show runs the app in the terminal, or as plain lines, until it ends.
func (s *appRun) show(ctx context.Context, o tui.Options) error {
	var err error
	if s.plain {
		err = tui.RunPlain(ctx, o, s.cmd.InOrStdin(), s.cmd.OutOrStdout())
	} else {
		clipboards := reachableClipboards()
		o.Clipboard = clipboards.Write
		o.CopySequence = clipboards.Sequence
		o.ReadClipboard = clipboards.Read
		o.Opener = opener()
		o.Graphics = picture.MayHave(os.Getenv)
		err = tui.Run(ctx, o)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// appRun is one run of the app. It opens the profiles that the user switches to, and the demo.
type appRun struct {
	*program
	cmd   *cobra.Command          // has the input and output of the app
	plain bool                    // lines of text instead of a full screen
	ended context.CancelCauseFunc // called if the service of the demo stops with an error
	demo  *demoService            // nil until the user starts the demo

	connected atomic.Bool // whether the app switched to a profile
}

// options returns the options of the app for a profile, or for the default profile if chosen
// is "". It reads the configuration again, because the file may have changed, and can ask the
// keyring or run a command for the key.
func (s *appRun) options(ctx context.Context, chosen string) (o tui.ProfileOptions, err error) {
	of, err := s.resolve(chosen)
	if err != nil {
		return o, err
	}
	settings := of.Settings
	noAccount := !settings.HasKey() && settings.HasOpsKey()
	newClient := s.newClient
	if noAccount {
		newClient = func(context.Context, config.Settings, *interruption) (*api.Client, error) {
			return newKeylessClient(settings)
		}
	}
	client, err := newClient(ctx, settings, nil)
	if err != nil {
		return o, err
	}
	names := profileNames(of.Config)
	if !slices.Contains(names, settings.Name) {
		names = append(names, settings.Name) // the one that variables make
	}
	downloads, err := fetchOptions(settings, client)
	if err != nil {
		return o, err
	}
	downloads.Dir = of.Config.DownloadDir
	setup := s.setup()
	if settings.Name == config.FromEnvironment {
		setup = nil // there is no profile to edit
	}
	ops, noOps := newOps(ctx, settings, nil) // the account can be worked with all the same
	if noAccount && ops == nil {
		return o, cmp.Or(noOps, fmt.Errorf("profile %s has an operations key but no ops_url", settings.Name))
	}
	o = tui.ProfileOptions{
		Ops: ops, NoOps: noOps,
		Fetch: downloads, Client: client, Company: settings.Company, Profile: settings.Name, Band: settings.Band,
		Units: of.Units, Notices: of.Config.WaysOf(settings.Profile).Notices,
		NoAccount: noAccount, ReadOnly: settings.ReadOnly || s.ReadOnly,
		Secrets:  s.Env.EndpointSecrets(settings.StateName()),
		Profiles: names, Setup: setup,
	}
	o.KeepIn(s.Env.Dirs.State, settings.StateName())
	if noAccount {
		o.Setup = nil // its form is that of an account
		o.Known = ""
	}
	return o, nil
}

// resolve returns the settings of a profile. Without a profile it returns settings from the
// variables of the operations API, if they are set.
func (s *appRun) resolve(chosen string) (*Service, error) {
	service, err := s.Resolve(chosen, false)
	if errors.Is(err, config.ErrNoProfile) {
		return s.Resolve(chosen, true)
	}
	return service, err
}

// openProfile returns the options of the app for an SSH user, with the profile of the user's
// name in a configuration file. Variables of this process that begin with FLIGHTDESK_ are
// ignored; the variables that credentials name are used.
func openProfile(ctx context.Context, file, user string) (tui.Options, error) {
	env := config.SystemEnv()
	env.Lookup = func(name string) (string, bool) {
		if name == "FLIGHTDESK_CONFIG" {
			return file, true
		}
		if strings.HasPrefix(name, "FLIGHTDESK_") {
			return "", false
		}
		return os.LookupEnv(name)
	}
	c, err := config.Load(env)
	if err != nil {
		return tui.Options{}, err
	}
	s := &appRun{program: &program{Env: env}}
	opened, err := s.options(ctx, user)
	return s.begin(c, opened), err
}

// change returns the options of the app for another profile, or for the running demo.
func (s *appRun) change(ctx context.Context, profile string) (o tui.ProfileOptions, err error) {
	defer func() { s.connected.CompareAndSwap(false, err == nil) }()
	if profile == session.Demo && s.demo != nil {
		return s.demo.options, nil
	}
	if profile == config.FromEnvironment {
		profile = ""
	}
	return s.options(ctx, profile)
}

// setup returns the functions of the page that adds a profile.
func (s *appRun) setup() *session.AccountSetup {
	return &session.AccountSetup{
		Try:     s.tryAccount,
		Current: func(profile string) (session.TypedAccount, error) { return session.CurrentAccount(s.Env, profile) },
		Keep: func(ctx context.Context, a session.TypedAccount) (session.KeptNotice, error) {
			return session.KeepAccount(ctx, s.Env, a)
		},
		Demo: func(ctx context.Context) (err error) {
			if s.demo == nil {
				s.demo, err = startDemo(context.WithoutCancel(ctx), s.ended, newDemoWorld())
			}
			return err
		},
	}
}

// run runs the app with the options that open returns, and closes the demo at the end.
func (s *appRun) run(ctx context.Context, open func() (tui.Options, error)) (err error) {
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.ended = cancel
	defer func() { //nolint:contextcheck // the demo is closed also when ctx has ended
		if s.demo != nil {
			err = errors.Join(err, s.demo.Close())
		}
	}()
	o, err := open()
	if err != nil {
		return err
	}
	err = s.show(running, o)
	if running.Err() != nil && ctx.Err() == nil {
		return context.Cause(running)
	}
	return err
}

// opener returns a function that opens a file or folder with the system's default program, or
// nil if there is no such program. The path must be absolute, so that the program cannot read
// it as an option or an address; no shell is used.
func opener() func(path string) error {
	call := openerOf(runtime.GOOS)
	program, err := exec.LookPath(call[0])
	if err != nil {
		return nil
	}
	return func(path string) error {
		cmd := exec.Command(program, append(call[1:], path)...) //nolint:noctx // it outlasts the app
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("could not start %s: %w", program, err)
		}
		api.Go(cmd.Wait) // the program can run longer than the app
		return nil
	}
}

// openerOf returns the program of an operating system that opens files, and its arguments
// before the path.
func openerOf(system string) []string {
	switch system {
	case "windows":
		return []string{"rundll32.exe", "url.dll,FileProtocolHandler"}
	case "darwin":
		return []string{"open"}
	default:
		return []string{"xdg-open"}
	}
}
