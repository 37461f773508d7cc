package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/api/ops"
	"flightdesk/config"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// hasOnlyOpsKey reports whether a profile has a key of the operations API, but no key of an account.
func hasOnlyOpsKey(s config.Settings) bool { return s.HasOpsKey() && !s.HasKey() }

// newClient returns a client with the account key of a profile. To get the key it can query the
// keyring or run a command. Requests that change data are recorded in the interruption, unless it is nil.
func (p *program) newClient(ctx context.Context, s config.Settings, i *interruption) (*api.Client, error) {
	if hasOnlyOpsKey(s) {
		return nil, fmt.Errorf("profile %s has an operations key only; this needs a key of an account: "+
			"add a credential to the profile or set FLIGHTDESK_API_KEY", s.Name)
	}
	key, err := s.Key(ctx)
	if err != nil {
		return nil, err
	}
	options, err := connectionOptions(s, i)
	if err != nil {
		return nil, err
	}
	methods := session.OpenMethodFile(filepath.Join(p.Env.Dirs.State, "methods", s.StateName()+".json"))
	options = append(options, api.WithKey(key.Reveal()), methods.Option())
	if s.LegacyBaseURL != "" {
		options = append(options, api.WithLegacyURL(s.LegacyBaseURL))
	}
	return api.NewClient(s.BaseURL, options...)
}

// newKeylessClient returns a client without a key, for a profile that has only an operations key. The app
// needs the client only for the address of the service.
func newKeylessClient(s config.Settings) (*api.Client, error) {
	options, err := connectionOptions(s, nil)
	if err != nil {
		return nil, err
	}
	address := s.BaseURL
	if address == "" {
		address = config.CandidateAddresses(s.OpsURL)[0]
	}
	return api.NewClient(address, options...)
}

// newOps returns the client of a profile's operations API, or nil if the profile has no address or no key
// of that API. Requests that change data are recorded in the interruption, unless it is nil.
func newOps(ctx context.Context, s config.Settings, i *interruption) (*ops.Client, error) {
	if s.OpsURL == "" {
		return nil, nil
	}
	key, err := s.OpsKey(ctx)
	if err != nil || key.IsZero() {
		return nil, err
	}
	options, err := connectionOptions(s, i)
	if err != nil {
		return nil, err
	}
	return ops.NewClient(s.OpsURL, key.Reveal(), options...)
}

// connectionOptions returns the options of a client for a profile's service. Requests that change data are
// recorded in the interruption, unless it is nil.
func connectionOptions(s config.Settings, i *interruption) ([]api.Option, error) {
	pool, err := s.CAs()
	if err != nil {
		return nil, err
	}
	var transport http.RoundTripper = transportTo(pool)
	if i != nil {
		transport = watchedTransport{transport, i}
	}
	return []api.Option{api.WithUserAgent(userAgent()), api.WithTransport(transport)}, nil
}

// transportTo returns a transport that trusts the certificates of a pool, or of the system if the
// pool is nil.
func transportTo(pool *x509.CertPool) *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	transport.TLSClientConfig = trustedTLS(pool)
	return transport
}

// fetchOptions returns the options for downloads from a profile's service.
func fetchOptions(s config.Settings, client *api.Client) (fetch.Options, error) {
	pool, err := s.CAs()
	if err != nil {
		return fetch.Options{}, err
	}
	return fetch.Options{
		UserAgent: userAgent(),
		Now:       client.Now,
		Transport: fetch.NewTransport(trustedTLS(pool)),
	}, nil
}

// tryTimeout limits each request that tries an address or a key, because the user waits for the result.
const tryTimeout = 10 * time.Second

// tryAccount finds the service of an account and reads the permissions of its key, before anything
// is stored. If the account has no key, it uses the key of the edited profile.
func (p *program) tryAccount(ctx context.Context, a session.TypedAccount) (session.TriedAccount, error) {
	var none session.TriedAccount
	settings, err := p.editedSettings(a.Edited)
	if err != nil {
		return none, err
	}
	keepsKey := a.Edited != "" && a.Key == ""
	if keepsKey {
		key, err := settings.Key(ctx)
		if err != nil {
			return none, err
		}
		a.Key = key.Reveal()
	}
	if a.CAFile != "" {
		a.CAFile = p.Env.FilePath(a.CAFile)
		if _, err := config.LoadCAs(a.CAFile); err != nil {
			return none, session.FieldFault{Key: session.FieldCAFile, Problem: err.Error()}
		}
	}
	settings.CAFile = a.CAFile // the typed CA file replaces the CA file of an edited profile
	options, err := connectionOptions(settings, nil)
	if err != nil {
		return none, err
	}
	options = append(options, api.WithTimeout(tryTimeout))
	return session.TryAccount(ctx, a, options...)
}

// editedSettings returns the settings of a profile that is edited, or the zero value for a new profile, whose name
// is "".
func (p *program) editedSettings(profile string) (config.Settings, error) {
	if profile == "" {
		return config.Settings{}, nil
	}
	const allowOpsOnly = false
	edited, err := p.Resolve(profile, allowOpsOnly)
	if err != nil {
		return config.Settings{}, err
	}
	return edited.Settings, nil
}

// trustedTLS returns a TLS configuration that trusts the certificates of a pool, or of the system
// if the pool is nil.
func trustedTLS(pool *x509.CertPool) *tls.Config {
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// userAgent returns the User-Agent header of requests.
func userAgent() string { return "flightdesk/" + Version() }

// unitsOf returns the unit of areas and the format of times in the settings.
func unitsOf(w config.DisplaySettings) format.Units {
	return format.Units{Areas: format.AreaUnit(w.Areas), Times: format.ClockSetting(w.Times)}
}

// Service is the service of a profile, with clients of its APIs.
type Service struct {
	config.Settings
	Config *config.Config
	Client *api.Client // nil without the key of an account
	Ops    *ops.Client // nil without a key of the operations API
	Units  format.Units
}

// Resolve returns the settings of a profile, without clients. Without a configured profile, an environment
// variable must set the address of the public API or, if allowOpsOnly is set, of the operations API.
func (p *program) Resolve(profile string, allowOpsOnly bool) (*Service, error) {
	c, err := config.Load(p.Env)
	if err != nil {
		return nil, err
	}
	s := &Service{Config: c}
	s.Settings, err = c.Resolve(profile, allowOpsOnly)
	s.Units = unitsOf(c.DisplaySettingsOf(s.Profile))
	return s, err
}

// Connect returns the service of the profile with a client of the account. To get the key it can
// query the keyring or run a command. If the profile is valid but its client cannot be created, it returns
// both the service and the error.
func (c *Call) Connect() (*Service, error) {
	s, err := c.program.Resolve(c.ProfileFlag, false)
	if err != nil {
		return nil, err
	}
	s.Client, err = c.program.newClient(c, s.Settings, c.program.Interruption)
	if err != nil {
		return s, err
	}
	c.program.Observe(s.Client)
	return s, nil
}

// ConnectOps returns the service of the profile with a client of the operations API, or without a
// client if the profile has no key of that API. If the profile is valid but its client cannot be
// created, it returns both the service and the error.
func (c *Call) ConnectOps() (*Service, error) {
	s, err := c.program.Resolve(c.ProfileFlag, true)
	if err != nil {
		return nil, err
	}
	s.Ops, err = newOps(c, s.Settings, c.program.Interruption)
	if err != nil {
		return s, err
	}
	if s.Ops != nil {
		c.program.Observe(s.Ops)
	}
	return s, nil
}

// RequireOps returns the service with a client of the operations API. If the profile has no key of
// that API, the error says how to set it.
func (c *Call) RequireOps() (*Service, error) {
	s, err := c.ConnectOps()
	if err != nil {
		return nil, err
	}
	if s.OpsURL == "" {
		return nil, fmt.Errorf("profile %s has no operations API; add its ops_url, or set FLIGHTDESK_OPS_URL",
			s.Name)
	}
	if s.Ops == nil {
		return nil, noOpsKeyError(s)
	}
	return s, nil
}

// noOpsKeyError returns the error for a profile that has the address of the operations API, but no key.
func noOpsKeyError(s *Service) error {
	return fmt.Errorf("profile %s has no key of the operations API; "+
		"add its ops_credential, or set FLIGHTDESK_OPS_KEY", s.Name)
}

// AccountName returns the name of the account in the log of changes.
func (s *Service) AccountName() string { return cmp.Or(s.Company, s.Name) }

// accountLabel returns the name of the account in a report: its company, or the source of its key.
func (s *Service) accountLabel() string {
	if s.Company != "" {
		return s.Company
	}
	if s.Name == config.FromEnvironment {
		return "key in FLIGHTDESK_API_KEY"
	}
	return "profile " + s.Name
}

// Now returns the time of the service's clock, or of this machine's clock if s is nil or has no
// client.
func (s *Service) Now() time.Time {
	if s != nil && s.Client != nil {
		return s.Client.Now().Local()
	}
	if s != nil && s.Ops != nil {
		return s.Ops.Now().Local()
	}
	return time.Now()
}

// Host returns the host and port of the service.
func (s *Service) Host() string {
	if s.Client != nil {
		return s.Client.Host()
	}
	return s.Ops.Host()
}

// FindOrder returns the order of the account that has a code or ID. If some missions of the order cannot be
// read, it returns the order without them and no error.
func (c *Call) FindOrder(code string) (*api.Order, error) {
	order, err := c.Service.Client.Orders.Get(c, orderCode(code))
	if err != nil && !api.IsPartial(err) {
		return nil, prefixError(code, err)
	}
	c.Names.AddRow(order)
	return order, nil
}

// FindRecord returns the v2 record of the order that has a code or ID. If products are given, the record has
// the download links of these products only.
func (c *Call) FindRecord(code string, products ...api.Deliverable) (*api.OrderRecord, error) {
	record, err := c.Service.Client.Records.Get(c, orderCode(code), products...)
	if err != nil {
		return nil, prefixError(code, err)
	}
	c.Names.AddRow(record)
	return record, nil
}

// CheckWritable returns an error if the profile or this run is read-only.
func (c *Call) CheckWritable() error {
	c.program.Interruption.MarkChanging()
	if c.program.ReadOnly {
		return errors.New("not allowed with --read-only; remove the flag to change something")
	}
	if c.Service.ReadOnly {
		return fmt.Errorf("profile %s is read-only; select another with --profile to change something", c.Service.Name)
	}
	return nil
}

// CheckCanOrder returns an error if the profile is read-only or its key has no permission to change
// orders. If the permissions are unknown, it returns nil and the service decides.
func (c *Call) CheckCanOrder() error {
	if err := c.CheckWritable(); err != nil {
		return err
	}
	grants, _ := c.Service.Client.Scopes(c, api.ScopeOrdersWrite)
	permissions := session.Permissions{Grants: grants}
	if refusal := permissions.RefusalOf(api.ScopeOrdersWrite); refusal != "" {
		return fmt.Errorf("profile %s: %s", c.Service.Name, refusal)
	}
	return nil
}

// isUnavailable reports whether an error means that the service does not have the v2 API, or
// refuses it to the key.
func isUnavailable(err error) bool {
	return isMissingAPI(err) || api.IsStatus(err, http.StatusUnauthorized, http.StatusForbidden)
}

// isMissingAPI reports whether an error means that the service does not have the v2 API.
func isMissingAPI(err error) bool {
	return api.IsStatus(err, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone,
		http.StatusNotImplemented)
}

// explainUnavailable returns an error for the user. If err means that the service does not have the v2 API, the
// text says that the given feature of the API, such as "quotes", is not available. Other errors are unchanged.
func explainUnavailable(feature string, err error) error {
	if isMissingAPI(err) {
		return fmt.Errorf("%s are not available here: %w", feature, err)
	}
	return err
}

// CheckHasV2 returns an error if the profile has no address of the v2 API. The error names the feature that
// needs the API, such as "quotes".
func (s *Service) CheckHasV2(feature string) error {
	if s.LegacyBaseURL == "" {
		return fmt.Errorf("%s need the v2 API; add legacy_base_url to profile %s", feature, s.Name)
	}
	return nil
}

// ChangeSender returns a sender of changes for the profile's account, with the log of changes.
func (c *Call) ChangeSender() *commands.Sender {
	return &commands.Sender{
		Client:  c.Service.Client,
		Changes: c.program.OpenChanges(),
		Account: c.Service.AccountName(),
	}
}

// prefixError returns an error with a name in front, or nil if the error is nil.
func prefixError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// parseSince parses a value of --since: a time, a day, or a duration before now.
func parseSince(typed string, now time.Time) (time.Time, error) {
	if typed == "" {
		return time.Time{}, nil
	}
	ago, err := api.ParseDuration(strings.TrimSuffix(strings.TrimSpace(typed), " ago"))
	if err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	moment, err := commands.ParseMoment(typed, now)
	if err != nil {
		return time.Time{}, wrongUsage(
			`--since %q is not a valid time; use 2h, 7d, yesterday, "2026-12-01 09:30" or RFC 3339`, typed)
	}
	return moment.Start(), nil
}
