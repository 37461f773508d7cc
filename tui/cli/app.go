package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/atotto/clipboard"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui"
	"flightdesk/tui/layout"
	"flightdesk/tui/widget/picture"
)

// appFlags adds the flags of the app to the root command.
func (p *program) appFlags(root *cobra.Command) action {
	profile := profileFlag(root)
	readOnly := root.Flags().Bool("read-only", false, "offer nothing that changes the service")
	plain := plainFlag(root)
	return func(cmd *cobra.Command, _ []string) error {
		c, err := config.Load(p.env)
		if err != nil {
			return err
		}
		if _, err := bindKeys(c); err != nil {
			return err
		}
		app := &appRun{env: p.env, readOnly: *readOnly, shown: shownOn(cmd, *plain)}
		_, err = c.Resolve(*profile)
		switch {
		case errors.Is(err, config.ErrNoProfile) && !app.shown.plain && isTerminal(cmd.OutOrStdout()):
			return app.run(cmd.Context(), tui.Options{
				Theme: string(c.Theme), Themes: ownThemes(c), Setup: app.setup(), Switch: app.change,
			})
		case errors.Is(err, config.ErrNoProfile):
			if _, failed := io.WriteString(cmd.OutOrStdout(), firstRun(c.Path)); failed != nil {
				return failed
			}
		}
		if err != nil {
			return err
		}
		if !app.shown.plain && !isTerminal(cmd.OutOrStdout()) {
			return errors.New("the app needs a terminal, and standard output is none; --plain needs none, see flightdesk --help")
		}
		options, err := app.options(cmd.Context(), c, *profile)
		if err != nil {
			return err
		}
		return app.run(cmd.Context(), options)
	}
}

// firstRun is shown where nothing is configured, and there is no terminal.
func firstRun(path string) string {
	return fmt.Sprintf(`Nothing is configured yet.

To look around without an account, on a service in this process:

  flightdesk demo

To work with your account, write this file

  %s

with the address of the service and where your API key comes from:

  [profiles.prod]
  base_url = "https://desk.example/api/v1/public"
  legacy_base_url = "https://desk.example/api/v2"
  credential = { keyring = "prod" }

In place of keyring, a credential takes env, command or file.
flightdesk config check then says whether all is well.
`, layout.Clean(path))
}

// newClient returns the client of a profile. It gets the profile's key, which
// may ask the keyring or run a command.
func newClient(ctx context.Context, s config.Settings, watch *interruption) (*api.Client, error) {
	key, err := s.Key(ctx)
	if err != nil {
		return nil, err
	}
	options, err := connection(s, watch)
	if err != nil {
		return nil, err
	}
	options = append(options, api.WithKey(key.Reveal()))
	if s.LegacyBaseURL != "" {
		options = append(options, api.WithLegacyURL(s.LegacyBaseURL))
	}
	return api.NewClient(s.BaseURL, options...)
}

// newOps returns the client of a profile's operations desk, nil where it has
// none.
func newOps(ctx context.Context, s config.Settings, watch *interruption) (*api.Ops, error) {
	if s.OpsURL == "" {
		return nil, nil
	}
	key, err := s.OpsKey(ctx)
	if err != nil || key.IsZero() {
		return nil, err
	}
	options, err := connection(s, watch)
	if err != nil {
		return nil, err
	}
	return api.NewOps(s.OpsURL, key.Reveal(), options...)
}

// connection is how a profile's service is spoken to. Requests that change
// something are noted in watch, unless that is nil.
func connection(s config.Settings, watch *interruption) ([]api.Option, error) {
	options := []api.Option{api.WithUserAgent(userAgent())}
	pool, err := s.CAs()
	if err != nil || pool == nil && watch == nil {
		return options, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	if pool != nil {
		transport.TLSClientConfig = trust(pool)
	}
	if watch != nil {
		return append(options, api.WithTransport(watchedTransport{transport, watch})), nil
	}
	return append(options, api.WithTransport(transport)), nil
}

// trust is a TLS configuration that trusts the certificates of a pool, nil for
// the system's.
func trust(pool *x509.CertPool) *tls.Config {
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

func userAgent() string { return "flightdesk/" + version() }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// show runs the app. Whatever ends it, the terminal is as it was before.
func show(ctx context.Context, o tui.Options) error {
	before, err := term.GetState(os.Stdin.Fd())
	if err == nil {
		defer func() { _ = term.Restore(os.Stdin.Fd(), before) }()
	}
	if !clipboard.Unsupported {
		o.Clipboard = clipboard.WriteAll
	}
	o.Opener, o.Graphics = opener(), picture.MayHave(os.Getenv)
	err = tui.Run(ctx, o)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
