package run

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/config"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// NewClient returns the client of a profile. It gets the profile's key, which
// may ask the keyring or run a command.
func NewClient(ctx context.Context, s config.Settings, watch *Interruption) (*api.Client, error) {
	key, err := s.Key(ctx)
	if err != nil {
		return nil, err
	}
	options, err := connectionOptions(s, watch)
	if err != nil {
		return nil, err
	}
	options = append(options, api.WithKey(key.Reveal()))
	if s.LegacyBaseURL != "" {
		options = append(options, api.WithLegacyURL(s.LegacyBaseURL))
	}
	return api.NewClient(s.BaseURL, options...)
}

// NewOps returns the client of a profile's operations API, nil where it has
// none.
func NewOps(ctx context.Context, s config.Settings, watch *Interruption) (*ops.Client, error) {
	if s.OpsURL == "" {
		return nil, nil
	}
	key, err := s.OpsKey(ctx)
	if err != nil || key.IsZero() {
		return nil, err
	}
	options, err := connectionOptions(s, watch)
	if err != nil {
		return nil, err
	}
	return ops.NewClient(s.OpsURL, key.Reveal(), options...)
}

// connectionOptions returns how a profile's service is spoken to. Requests that change
// something are noted in watch, unless that is nil.
func connectionOptions(s config.Settings, watch *Interruption) ([]api.Option, error) {
	options := []api.Option{api.WithUserAgent(UserAgent())}
	pool, err := s.CAs()
	if err != nil || pool == nil && watch == nil {
		return options, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	if pool != nil {
		transport.TLSClientConfig = TrustedTLS(pool)
	}
	if watch != nil {
		return append(options, api.WithTransport(watchedTransport{transport, watch})), nil
	}
	return append(options, api.WithTransport(transport)), nil
}

// TryOptions returns how a service is spoken to before its key is stored; the zero
// Settings are those of one that is not configured yet.
func TryOptions(s config.Settings) ([]api.Option, error) {
	options, err := connectionOptions(s, nil)
	return append(options, api.WithTimeout(10*time.Second)), err
}

// TrustedTLS returns a TLS configuration that trusts the certificates of a pool, nil for
// the system's.
func TrustedTLS(pool *x509.CertPool) *tls.Config {
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// UserAgent returns what the program calls itself to services.
func UserAgent() string { return "flightdesk/" + Version() }

// UnitsOf returns the ways of telling areas and times.
func UnitsOf(w config.AppWays) format.Units {
	return format.Units{Areas: format.AreaUnit(w.Areas), Times: format.ClockOf(w.Times)}
}

// OnlineService is the service that a command speaks to: a profile and its client.
type OnlineService struct {
	config.Settings
	config *config.Config
	Client *api.Client
	Seen   SeenNames

	Interruption *Interruption
	readOnly     bool // by the flag
}

// AccountName returns the account that the ledger names.
func (o *OnlineService) AccountName() string { return cmp.Or(o.Company, o.Name) }

// Connect gets the client of a profile. It may ask the keyring or run a
// command for the key.
func (p *Program) Connect(ctx context.Context, profile string) (*OnlineService, error) {
	c, err := config.Load(p.Env)
	if err != nil {
		return nil, err
	}
	s, err := c.Resolve(profile)
	if err != nil {
		return nil, err
	}
	client, err := NewClient(ctx, s, p.Interruption)
	if err != nil {
		return nil, err
	}
	p.Observe(client)
	format.UseUnits(UnitsOf(c.WaysOf(s.Profile)))
	return &OnlineService{
		Settings:     s,
		config:       c,
		Client:       client,
		Interruption: p.Interruption,
		readOnly:     p.ReadOnly,
	}, nil
}

// ServiceCall is one run of a command that speaks to the service of a profile.
type ServiceCall struct {
	*OnlineService
	Cmd    *cobra.Command
	Args   []string
	Output string // table or json
}

// ServiceCommand completes cmd, which speaks to the service of a profile, and prints a
// table or JSON unless it has other formats. check says what is wrong with arguments and flags; nil for nothing.
func (p *Program) ServiceCommand(
	cmd *cobra.Command,
	check func(args []string) error,
	do func(ctx context.Context, c *ServiceCall) error,
) *cobra.Command {
	if cmd.Flag("output") == nil {
		OutputFlag(cmd, "table", "json")
	}
	profile := ProfileFlag(cmd)
	return p.Command(cmd, func(cmd *cobra.Command, args []string) error {
		if check != nil {
			if err := check(args); err != nil {
				return BadUsage(cmd, err)
			}
		}
		o, err := p.Connect(cmd.Context(), *profile)
		if err != nil {
			return err
		}
		defer p.RememberNames(o)
		return do(cmd.Context(), &ServiceCall{o, cmd, args, cmd.Flag("output").Value.String()})
	})
}

// Out returns the standard output of the command.
func (c *ServiceCall) Out() io.Writer { return c.Cmd.OutOrStdout() }

// PrintAnswer prints what came of the command: the value as JSON, or a line for people.
func (c *ServiceCall) PrintAnswer(value any, line string) error {
	return PrintAnswer(c.Out(), c.Output, value, line)
}

// MayChange returns an error where the profile is for looking only.
func (o *OnlineService) MayChange() error {
	o.Interruption.NoteChanging()
	return MayChange(o.Settings, o.readOnly)
}

// MayChange returns an error where the profile, or the flag of this run, is for looking
// only.
func MayChange(s config.Settings, flag bool) error {
	if flag {
		return errors.New("not allowed with --read-only; remove the flag to change something")
	}
	if s.ReadOnly {
		return fmt.Errorf("profile %s is read-only; select another with --profile to change something", s.Name)
	}
	return nil
}

// MayOrder returns an error where nothing about orders can be changed: the profile
// is for looking only, or its key lacks the scope. What the service does not say
// of the key is for the change itself to find out.
func (o *OnlineService) MayOrder(ctx context.Context) error {
	if err := o.MayChange(); err != nil {
		return err
	}
	grants, _ := o.Client.Scopes(ctx, api.ScopeOrdersWrite)
	for _, g := range grants {
		if refused := session.RefusalText(g.Scope, g.Grant); refused != "" {
			return fmt.Errorf("profile %s: %s", o.Name, refused)
		}
	}
	return nil
}

// MayQuote returns an error where the profile has no v2 API, which
// quotes and datasets are of.
func (o *OnlineService) MayQuote(what string) error {
	if o.LegacyBaseURL == "" {
		return fmt.Errorf("%s need the v2 API; add legacy_base_url to profile %s", what, o.Name)
	}
	return nil
}
