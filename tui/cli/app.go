package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"flightdesk/config"
	"flightdesk/tui"
	"flightdesk/tui/format"
	"flightdesk/tui/widget/picture"
)

// appFlags adds the flags of the app to the root command.
func appFlags(p *Program, root *cobra.Command) Action {
	ProfileFlag(root)
	root.PersistentFlags().
		BoolVar(&p.ReadOnly, "read-only", false, "in this run, refuse changes to data at the service")
	plainFlag(root)
	return func(ctx context.Context, call *Call) error {
		c, err := config.Load(p.Env)
		if err != nil {
			return err
		}
		if _, err := BindKeys(c); err != nil {
			return err
		}
		app := newAppRun(call)
		if _, err = c.Resolve(call.Chosen, false); errors.Is(err, config.ErrNoProfile) {
			return app.connect(ctx, call, c, err)
		}
		if err != nil {
			return err
		}
		if !app.plain && !IsTerminal(call.Out()) {
			return errors.New("standard output is not a terminal; use --plain, see flightdesk --help")
		}
		return app.run(ctx, func() (tui.Options, error) {
			begun, err := app.options(ctx, c, call.Chosen)
			return app.begin(c, begun), err
		})
	}
}

// begin returns the options of the app, which begins with a profile.
func (s *appRun) begin(c *config.Config, first tui.ProfileOptions) tui.Options {
	return tui.Options{
		ProfileOptions: first, Switch: s.change,
		Theme: c.Theme, Themes: OwnThemes(c), Glyphs: c.Glyphs,
	}
}

// connect begins with the page that adds a profile, where somebody can fill it in:
// in a terminal, or by the lines of the plain mode. Elsewhere, or where those end
// without one, it says what to do.
func (s *appRun) connect(ctx context.Context, call *Call, c *config.Config, noProfile error) error {
	if s.plain || IsTerminal(call.Out()) {
		err := s.run(
			ctx,
			func() (tui.Options, error) { return s.begin(c, tui.ProfileOptions{Setup: s.setup()}), nil },
		)
		in, isFile := s.cmd.InOrStdin().(io.Writer)
		if err != nil || s.connected.Load() || isFile && IsTerminal(in) {
			return err
		}
	}
	if _, err := io.WriteString(call.Out(), firstRun(c.Path)); err != nil {
		return err
	}
	return noProfile
}

// firstRun returns shown where nothing is configured, and there is no terminal.
func firstRun(path string) string {
	return fmt.Sprintf(`No profile configured.

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
`, format.Clean(path))
}

// showScreen runs the app. Whatever ends it, the terminal is as it was before.
func showScreen(ctx context.Context, o tui.Options) error {
	before, err := term.GetState(os.Stdin.Fd())
	if err == nil {
		defer func() { _ = term.Restore(os.Stdin.Fd(), before) }()
	}
	defer printsGoroutines(before)()
	way := ReachableClipboards()
	o.Clipboard, o.CopySequence = way.Write, way.Sequence
	o.Opener, o.Graphics = opener(), picture.MayHave(os.Getenv)
	return tui.Run(ctx, o)
}

// plainFlag adds the flag for the linear form.
func plainFlag(cmd *cobra.Command) {
	cmd.Flags().
		Bool("plain", false, "text lines for screen readers and pipes; default if TERM is dumb")
}

// newAppRun returns a run of the app by a command.
func newAppRun(c *Call) *appRun {
	plain, _ := c.Cmd.Flags().GetBool("plain")
	return &appRun{Program: c.Program, cmd: c.Cmd, plain: plain || os.Getenv("TERM") == "dumb"}
}

// show shows the app as it was asked for.
func (s *appRun) show(ctx context.Context, o tui.Options) (err error) {
	if s.plain {
		err = tui.RunPlain(ctx, o, s.cmd.InOrStdin(), s.cmd.OutOrStdout())
	} else {
		err = showScreen(ctx, o)
	}
	return cmp.Or(ctx.Err(), err)
}
