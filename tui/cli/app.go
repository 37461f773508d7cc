package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	native "github.com/atotto/clipboard"
	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/widget/picture"
)

// addAppFlags adds the flags of the app to the root command.
func addAppFlags(p *program, root *cobra.Command) {
	profileFlag(root)
	root.PersistentFlags().BoolVar(&p.ReadOnly, "read-only", false,
		"in this run, refuse changes to data at the service")
	plainFlag(root)
}

// runApp runs the app with the profile that --profile names, or with the default profile. If no profile is
// configured, the app begins with the page that adds one.
func runApp(call *Call) error {
	loaded, err := config.Load(call.program.Env)
	if err != nil {
		return err
	}
	// The bindings are kept until the program ends, so the function that undoes them is not needed.
	if _, err := bindKeys(loaded); err != nil {
		return err
	}
	app := newAppRun(call)
	// This only checks that the profile exists. profileOptions resolves it again to open it.
	_, profileErr := app.resolve(call.ProfileFlag)
	if errors.Is(profileErr, config.ErrNoProfile) {
		return app.runSetup(call, loaded, profileErr) // without a terminal, it prints how to add a profile
	}
	if profileErr != nil {
		return profileErr
	}
	if !app.plain && !isTerminal(call.Out()) {
		return errors.New("standard output is not a terminal; use --plain, see flightdesk --help")
	}
	return app.run(call, func() (tui.Options, error) {
		profile, err := app.profileOptions(call, call.ProfileFlag)
		if err != nil {
			return tui.Options{}, err
		}
		return app.options(loaded, profile), nil
	})
}

// options returns the options for starting the app with a profile.
func (s *appRun) options(c *config.Config, profile tui.ProfileOptions) tui.Options {
	return tui.Options{
		ProfileOptions: profile,
		Switch:         s.switchProfile,
		Theme:          c.Theme,
		Themes:         ownThemes(c),
		Glyphs:         c.Glyphs,
	}
}

// runSetup runs the app, beginning with the page that adds a profile. It returns nil if the user adds a profile, or
// quits the app in a terminal.
//
// Otherwise it prints how to add a profile and returns the error noProfile. This happens if output is not a terminal,
// so that the app cannot run, or if piped input ends before a profile is added.
func (s *appRun) runSetup(call *Call, c *config.Config, noProfile error) error {
	if s.plain || isTerminal(call.Out()) {
		err := s.run(call, func() (tui.Options, error) {
			return s.options(c, tui.ProfileOptions{Setup: s.setup()}), nil
		})
		if err != nil {
			return err
		}
		if s.hasSwitched.Load() || isTerminal(s.cmd.InOrStdin()) {
			return nil
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

func plainFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("plain", false, "text lines for screen readers and pipes; default if TERM is dumb")
}

// newAppRun returns a run of the app, which uses plain lines with --plain or if TERM is dumb.
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
		err = tui.Run(ctx, withTerminal(o))
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// withTerminal returns a copy of the options with what this terminal and this system can do: the clipboards, the
// program that opens files, and the display of pictures.
func withTerminal(o tui.Options) tui.Options {
	clipboards := findClipboards()
	o.Clipboard = clipboards.Write
	o.CopySequence = clipboards.Sequence
	o.ReadClipboard = clipboards.Read
	o.Opener = opener()
	o.Graphics = picture.MayHave(os.Getenv)
	return o
}

// appRun is one run of the app. It opens the profiles that the user switches to, and the demo.
type appRun struct {
	*program
	cmd    *cobra.Command          // has the input and output of the app
	plain  bool                    // lines of text instead of a full screen
	cancel context.CancelCauseFunc // ends the app; called if the service of the demo stops with an error
	demo   *demoService            // nil until the user starts the demo

	hasSwitched atomic.Bool // whether the app has switched to a profile
}

// profileOptions returns the options of the app for a profile, or for the default profile if the name
// is "". It reads the configuration again, because the file may have changed. To get the key it can
// query the keyring or run a command.
func (s *appRun) profileOptions(ctx context.Context, name string) (tui.ProfileOptions, error) {
	service, err := s.resolve(name)
	if err != nil {
		return tui.ProfileOptions{}, err
	}
	if hasOnlyOpsKey(service.Settings) {
		return s.operationsOptions(ctx, service)
	}
	return s.accountOptions(ctx, service)
}

// accountOptions returns the options of the app for a profile with the key of an account.
func (s *appRun) accountOptions(ctx context.Context, service *Service) (tui.ProfileOptions, error) {
	client, err := s.newClient(ctx, service.Settings, nil)
	if err != nil {
		return tui.ProfileOptions{}, err
	}
	o, err := s.commonOptions(service, client)
	if err != nil {
		return o, err
	}
	// After an error of the operations API the app starts without it, and shows the error in Operations.
	o.Ops, o.NoOps = newOps(ctx, service.Settings, nil)
	isConfigured := service.Name != config.FromEnvironment
	if isConfigured {
		o.Setup = s.setup()
	}
	return o, nil
}

// operationsOptions returns the options of the app for a profile that has only an operations key.
func (s *appRun) operationsOptions(ctx context.Context, service *Service) (tui.ProfileOptions, error) {
	client, err := newKeylessClient(service.Settings)
	if err != nil {
		return tui.ProfileOptions{}, err
	}
	o, err := s.commonOptions(service, client)
	if err != nil {
		return o, err
	}
	o.Ops, err = newOps(ctx, service.Settings, nil)
	if err != nil {
		return o, err
	}
	if o.Ops == nil {
		return o, fmt.Errorf("profile %s has an operations key but no ops_url", service.Name)
	}
	o.NoAccount = true
	o.Known = "" // no file of offline data, which is stored only for an account
	return o, nil
}

// commonOptions returns the options of the app that do not depend on the key of a profile.
func (s *appRun) commonOptions(service *Service, client *api.Client) (tui.ProfileOptions, error) {
	settings := service.Settings
	downloads, err := fetchOptions(settings, client)
	if err != nil {
		return tui.ProfileOptions{}, err
	}
	downloads.Dir = service.Config.DownloadDir
	o := tui.ProfileOptions{
		Client:   client,
		ReadOnly: settings.ReadOnly || s.ReadOnly,
		Company:  settings.Company,
		Profile:  settings.Name,
		Profiles: switchableProfiles(service),
		Band:     settings.Band,
		Units:    service.Units,
		Notices:  service.Config.DisplaySettingsOf(settings.Profile).Notices,
		Fetch:    downloads,
		Secrets:  s.Env.EndpointSecrets(settings.StateName()),
	}
	o.SetPaths(s.Env.Dirs.State, settings.StateName())
	return o, nil
}

// switchableProfiles returns the names of the profiles that the app can switch to. These are the configured
// profiles and the current profile, which is not configured if only environment variables define it.
func switchableProfiles(s *Service) []string {
	names := profileNames(s.Config)
	if !slices.Contains(names, s.Name) {
		names = append(names, s.Name)
	}
	return names
}

// resolve returns the settings of a profile. If no profile is configured, environment variables can define one: the
// address of the public API or, if that is missing, the address of the operations API in FLIGHTDESK_OPS_URL.
func (s *appRun) resolve(name string) (*Service, error) {
	service, err := s.Resolve(name, false)
	if errors.Is(err, config.ErrNoProfile) {
		return s.Resolve(name, true)
	}
	return service, err
}

// openProfile returns the options of the app for an SSH user. The user's profile is the profile with the
// user's name in a configuration file. The credentials in the file can name environment variables of this
// process. Variables whose names begin with FLIGHTDESK_ are ignored, because they would override every profile.
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
	profile, err := s.profileOptions(ctx, user)
	if err != nil {
		return tui.Options{}, err
	}
	return s.options(c, profile), nil
}

// switchProfile returns the options of the app for another profile, or for the running demo.
func (s *appRun) switchProfile(ctx context.Context, profile string) (tui.ProfileOptions, error) {
	if profile == session.Demo && s.demo != nil {
		s.hasSwitched.Store(true)
		return s.demo.options, nil
	}
	if profile == config.FromEnvironment {
		profile = ""
	}
	o, err := s.profileOptions(ctx, profile)
	if err != nil {
		return o, err
	}
	s.hasSwitched.Store(true)
	return o, nil
}

// setup returns the functions with which the app adds and edits profiles and starts the demo.
func (s *appRun) setup() *session.AccountSetup {
	return &session.AccountSetup{
		Try: s.tryAccount,
		Current: func(profile string) (session.TypedAccount, error) {
			return session.CurrentAccount(s.Env, profile)
		},
		Save: func(ctx context.Context, a session.TypedAccount) (session.SaveNotice, error) {
			return session.SaveAccount(ctx, s.Env, a)
		},
		Demo: func(ctx context.Context) (err error) {
			if s.demo != nil {
				return nil
			}
			s.demo, err = startDemo(context.WithoutCancel(ctx), s.cancel, newDemoServer())
			return err
		},
	}
}

// run runs the app with the options that getOptions returns. At the end it closes the demo, if the app
// started one.
func (s *appRun) run(ctx context.Context, getOptions func() (tui.Options, error)) (err error) {
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.cancel = cancel
	defer func() { //nolint:contextcheck // the demo is closed also when ctx has ended
		if s.demo != nil {
			err = errors.Join(err, s.demo.Close())
		}
	}()
	o, err := getOptions() // after s.cancel is set, because it can start the demo
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
	name, args := openCommand(runtime.GOOS)
	program, err := exec.LookPath(name)
	if err != nil {
		return nil
	}
	return func(path string) error {
		cmd := exec.Command(program, append(slices.Clone(args), path)...) //nolint:noctx // it outlasts the app
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("could not start %s: %w", program, err)
		}
		api.Go(cmd.Wait) // the program can run longer than the app
		return nil
	}
}

// openCommand returns the program that opens files on the given operating system, and the arguments in front of the
// path.
func openCommand(system string) (program string, args []string) {
	switch system {
	case "windows":
		return "rundll32.exe", []string{"url.dll,FileProtocolHandler"}
	case "darwin":
		return "open", nil
	default:
		return "xdg-open", nil
	}
}

// findClipboards returns the clipboards that the app can use from this terminal.
func findClipboards() session.ClipboardAccess {
	if native.Unsupported {
		return session.ClipboardsOf(os.Getenv, nil)
	}
	clipboards := session.ClipboardsOf(os.Getenv, native.WriteAll)
	clipboards.Paste = native.ReadAll
	return clipboards
}
