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
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
)

// newClient returns the client of a profile. To get the key it can ask the keyring or run a
// command.
func (p *program) newClient(ctx context.Context, s config.Settings, watch *interruption) (*api.Client, error) {
	if !s.HasKey() && s.HasOpsKey() {
		return nil, fmt.Errorf("profile %s has an operations key only; this needs a key of an account: "+
			"add a credential to the profile or set FLIGHTDESK_API_KEY", s.Name)
	}
	key, err := s.Key(ctx)
	if err != nil {
		return nil, err
	}
	options, err := connectionOptions(s, watch)
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

// newKeylessClient returns a client of the service of a profile that has an operations key
// only. It says where the service is.
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

// newOps returns the client of a profile's operations API, or nil if the profile has none.
func newOps(ctx context.Context, s config.Settings, watch *interruption) (*ops.Client, error) {
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

// connectionOptions returns the options of a client for a profile's service. Requests that change
// data are reported to watch, unless watch is nil.
func connectionOptions(s config.Settings, watch *interruption) ([]api.Option, error) {
	pool, err := s.CAs()
	if err != nil {
		return nil, err
	}
	var transport http.RoundTripper = transportTo(pool)
	if watch != nil {
		transport = watchedTransport{transport, watch}
	}
	return []api.Option{api.WithUserAgent(userAgent()), api.WithTransport(transport)}, nil
}

// transportTo returns a transport that trusts the certificates of a pool, or of the system if the
// pool is nil.
func transportTo(pool *x509.CertPool) *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost, transport.TLSClientConfig = 16, trustedTLS(pool)
	return transport
}

// fetchOptions returns the options for downloads from a profile's service.
func fetchOptions(s config.Settings, client *api.Client) (fetch.Options, error) {
	pool, err := s.CAs()
	return fetch.Options{
		UserAgent: userAgent(),
		Now:       client.Now,
		Transport: fetch.NewTransport(trustedTLS(pool)),
	}, err
}

// tryAccount finds the service of an account and reads the permissions of its key, before anything
// is stored. If the key is empty, it uses the key of the edited profile.
func (p *program) tryAccount(
	ctx context.Context, a session.TypedAccount,
) (tried session.TriedAccount, err error) {
	s := &Service{}
	if a.Edited != "" {
		if s, err = p.Resolve(a.Edited, false); err != nil {
			return tried, err
		}
	}
	if a.Edited != "" && a.Key == "" {
		key, err := s.Key(ctx)
		if err != nil {
			return tried, err
		}
		a.Key = key.Reveal()
	}
	if a.CAFile != "" {
		a.CAFile = p.Env.FilePath(a.CAFile)
		if _, err := config.LoadCAs(a.CAFile); err != nil {
			return tried, session.FieldFault{Key: session.FieldCAFile, Problem: err.Error()}
		}
	}
	s.CAFile = a.CAFile
	options, err := connectionOptions(s.Settings, nil)
	if err != nil {
		return tried, err
	}
	return session.TryAccount(ctx, a, append(options, api.WithTimeout(10*time.Second))...)
}

// trustedTLS returns a TLS configuration that trusts the certificates of a pool, or of the system
// if the pool is nil.
func trustedTLS(pool *x509.CertPool) *tls.Config {
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// userAgent returns the User-Agent header of requests.
func userAgent() string { return "flightdesk/" + Version() }

// unitsOf returns the units of areas and the form of times that the settings choose.
func unitsOf(w config.DisplaySettings) format.Units {
	return format.Units{Areas: format.AreaUnit(w.Areas), Times: format.ClockOf(w.Times)}
}

// Service is the service of a profile, with the clients that the command uses.
type Service struct {
	config.Settings
	Config *config.Config
	Client *api.Client // nil without the key of an account
	Ops    *ops.Client // nil without a key of the operations API
	Units  format.Units
}

// Resolve returns the settings of a profile without a client. With ops, settings for the operations
// API alone are enough.
func (p *program) Resolve(profile string, ops bool) (*Service, error) {
	c, err := config.Load(p.Env)
	if err != nil {
		return nil, err
	}
	s := &Service{Config: c}
	s.Settings, err = c.Resolve(profile, ops)
	s.Units = unitsOf(c.WaysOf(s.Profile))
	return s, err
}

// Connect returns the service with the client of the profile. To get the key it can ask the keyring
// or run a command.
func (c *Call) Connect() (*Service, error) {
	s, err := c.Resolve(c.Chosen, false)
	if err != nil {
		return nil, err
	}
	if s.Client, err = c.newClient(c, s.Settings, c.Interruption); err == nil {
		c.Observe(s.Client)
	}
	return s, err
}

// ConnectOps gets the client of the profile's operations API; it is nil without a key.
func (c *Call) ConnectOps() (*Service, error) {
	s, err := c.Resolve(c.Chosen, true)
	if err != nil {
		return nil, err
	}
	if s.Ops, err = newOps(c, s.Settings, c.Interruption); s.Ops != nil {
		c.Observe(s.Ops)
	}
	return s, err
}

// NeedOps returns the service with the client of the operations API, or an error that says how to
// set its key.
func (c *Call) NeedOps() (*Service, error) {
	s, err := c.ConnectOps()
	switch {
	case err != nil:
		return nil, err
	case s.OpsURL == "":
		return nil, fmt.Errorf("profile %s has no operations API; add its ops_url, or set FLIGHTDESK_OPS_URL",
			s.Name)
	case s.Ops == nil:
		return nil, fmt.Errorf("profile %s has no key of the operations API; "+
			"add its ops_credential, or set FLIGHTDESK_OPS_KEY", s.Name)
	}
	return s, nil
}

// AccountName returns the name of the account in the log of changes.
func (s *Service) AccountName() string { return cmp.Or(s.Company, s.Name) }

// accountLabel returns the name of the account in a report: its company, or the source of its key.
func (s *Service) accountLabel() string {
	switch {
	case s.Company != "":
		return s.Company
	case s.Name == config.FromEnvironment:
		return "key in FLIGHTDESK_API_KEY"
	}
	return "profile " + s.Name
}

// Now returns the time of the service's clock, or of this machine if there is no client.
func (s *Service) Now() time.Time {
	switch {
	case s != nil && s.Client != nil:
		return s.Client.Now().Local()
	case s != nil && s.Ops != nil:
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

// FindOrder returns the account's order with a code or ID. Missions that cannot be read are left out.
func (c *Call) FindOrder(code string) (*api.Order, error) {
	order, err := c.Client.Orders.Get(c, orderCode(code))
	if err != nil && !api.IsPartial(err) {
		return nil, inName(code, err)
	}
	c.Seen.NoteRow(order)
	return order, nil
}

// FindRecord returns the v2 record of the order with a code or ID.
func (c *Call) FindRecord(code string, links ...api.Deliverable) (*api.OrderRecord, error) {
	record, err := c.Client.Records.Get(c, orderCode(code), links...)
	if err != nil {
		return nil, inName(code, err)
	}
	c.Seen.NoteRow(record)
	return record, nil
}

// MayChange returns an error if the profile or this run is read-only.
func (c *Call) MayChange() error {
	c.Interruption.NoteChanging()
	switch {
	case c.ReadOnly:
		return errors.New("not allowed with --read-only; remove the flag to change something")
	case c.Service.ReadOnly:
		return fmt.Errorf("profile %s is read-only; select another with --profile to change something", c.Name)
	}
	return nil
}

// MayOrder returns an error if the profile is read-only or its key has no permission to change
// orders. If the permissions are unknown, it returns nil and the service decides.
func (c *Call) MayOrder() error {
	if err := c.MayChange(); err != nil {
		return err
	}
	grants, _ := c.Client.Scopes(c, api.ScopeOrdersWrite)
	if refused := (session.Permissions{Grants: grants}).RefusalOf(api.ScopeOrdersWrite); refused != "" {
		return fmt.Errorf("profile %s: %s", c.Name, refused)
	}
	return nil
}

// isUnavailable reports whether an error of the v2 API says that the service does not have
// that API, or does not open it to the key.
func isUnavailable(err error) bool {
	return api.IsStatus(err, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
		http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented)
}

// notAvailable returns an error that says what a service without the v2 API does not have. Other
// errors are returned unchanged.
func notAvailable(what string, err error) error {
	if api.IsStatus(err, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented) {
		return fmt.Errorf("%s are not available here: %w", what, err)
	}
	return err
}

// MayQuote returns an error if the profile has no address of the v2 API, which has quotes and
// datasets.
func (s *Service) MayQuote(what string) error {
	if s.LegacyBaseURL == "" {
		return fmt.Errorf("%s need the v2 API; add legacy_base_url to profile %s", what, s.Name)
	}
	return nil
}

// ChangeSender returns the sender of changes of the profile's account.
func (c *Call) ChangeSender() *commands.Sender {
	return &commands.Sender{
		Client:  c.Client,
		Changes: c.OpenChanges(),
		Account: c.AccountName(),
	}
}

// viewedAccount is an account that is looked into: that of the profile's key, or with
// the key of the operations API any other one, which then has no client of its own.
type viewedAccount struct {
	*Call
	Cache   *cache.Cache
	Company string
	account string // uuid, where the account is read with the key of the operations API

	Of       timeline.StorySubject // what was named; empty for the account or an endpoint
	Endpoint *api.WebhookEndpoint  // nil unless one was named
}

// ViewAccount finds what a name stands for: an order, a mission, an endpoint or, with
// the key of the operations API, the company of an account. "" is the account of
// the profile's key. An account without its key is read with that of the
// operations API.
func (c *Call) ViewAccount(name string) (*viewedAccount, error) {
	s, err := c.ConnectOps()
	if err != nil {
		return nil, err
	}
	if s.BaseURL != "" {
		s.Client, err = c.newClient(c, s.Settings, c.Interruption)
	}
	switch {
	case s.Client != nil:
		c.Observe(s.Client)
	case s.Ops == nil && err == nil:
		err = fmt.Errorf("profile %s has no service address; add base_url or ops_url", s.Name)
		fallthrough
	case s.Ops == nil:
		return nil, err
	}
	c.Service = s
	l := &viewedAccount{Call: c, Company: s.accountLabel()}
	return l, l.findAccount(strings.TrimSpace(name))
}

// findAccount searches the account of the key first, then all others.
func (l *viewedAccount) findAccount(name string) error {
	var err error
	if l.Client != nil {
		if err = l.findOwn(name); err == nil {
			l.Cache = cache.New(l.Client, l.Now)
			if l.Ops != nil {
				l.Cache.AddOperations(l.Ops)
			}
			return nil
		}
	}
	notOwn := errors.Is(err, errNotOwn)
	elsewhere := err == nil || notOwn || api.IsStatus(err, http.StatusNotFound, http.StatusForbidden)
	switch {
	case l.Ops == nil && notOwn:
		return fmt.Errorf(
			"%q is not an order or mission code or an endpoint ID; companies need the operations key",
			name,
		)
	case l.Ops == nil || !elsewhere || l.Err() != nil:
		return err
	case name == "":
		return errors.New("missing NAME: without an API key, name a company, an order, a mission or an endpoint")
	}
	place, err := commands.Find(l, l.Ops, name)
	if err != nil {
		return err
	}
	if place.AccountUID == "" {
		return fmt.Errorf("%s: a request of no known account; see flightdesk list requests --of %[1]s", name)
	}
	l.Client = nil
	l.Company = place.CompanyName
	l.account = place.AccountUID
	l.Of = timeline.StorySubject{Order: place.OrderCode, Mission: place.Mission}
	if place.OrderCode == "" {
		l.Endpoint = place.Endpoint
	}
	l.Cache = cache.NewOfAccount(l.Ops, place.AccountUID, l.Now)
	return nil
}

// errNotOwn is returned if a name is neither a code nor an ID.
var errNotOwn = errors.New("code unknown")

// findOwn finds what belongs to the account of the key. A mission is found at once with
// the key of the operations API, else by looking through the orders.
func (l *viewedAccount) findOwn(name string) (err error) {
	code, mission := orderCode(name), ""
	switch {
	case name == "":
		return nil
	case strings.HasPrefix(code, "MSN-"):
		mission = code
		if l.Ops != nil {
			if o, err := l.Ops.Orders.Get(l, code); err == nil {
				code = o.OrderCode
				break
			}
		}
		m, err := fetch.FindMission(l, l.Client, code)
		l.Of = timeline.StorySubject{Order: m.OrderCode, Mission: m.UUID}
		return inName(code, err)
	case strings.HasPrefix(code, "ORD-"):
	case strings.Count(name, "-") == 4:
		l.Endpoint, err = l.Client.Webhooks.Get(l, name)
		return inName(name, err)
	default:
		return errNotOwn
	}
	o, err := l.FindOrder(code)
	if err != nil {
		return err
	}
	l.Of.Order = o.OrderCode
	for _, m := range o.Missions {
		if m.MissionCode == mission {
			l.Of.Mission = m.UUID
		}
	}
	return nil
}

// inName returns an error with a name in front, or nil if the error is nil.
func inName(name string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// Mask replaces secrets in a text.
func (l *viewedAccount) Mask(text string) string {
	if l.Client != nil {
		return l.Client.Mask(text)
	}
	return api.Mask(text)
}

// Endpoints returns the endpoints of the account, newest first.
func (l *viewedAccount) Endpoints() Rows[*api.WebhookEndpoint] {
	if l.Client != nil {
		return l.Client.Webhooks.All(l)
	}
	return l.Ops.Webhooks.All(l, l.account)
}

// Log returns the callbacks to an endpoint, newest first.
func (l *viewedAccount) Log(endpoint string) Rows[*api.WebhookDelivery] {
	if l.Client != nil {
		return l.Client.Webhooks.AllDeliveries(l, endpoint)
	}
	return l.Ops.Webhooks.AllDeliveries(l, endpoint)
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
	at, err := commands.ParseMoment(typed, now)
	if err != nil {
		const why = `--since %q is not a valid time; use 2h, 7d, yesterday, "2026-12-01 09:30" or RFC 3339`
		err = wrongUsage(why, typed)
	}
	return at.Start(), err
}
