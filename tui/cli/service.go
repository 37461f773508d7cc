package cli

import (
	"cmp"
	"fmt"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/config"
	"flightdesk/tui/format"
)

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

// CheckHasV2 returns an error if the profile has no address of the v2 API. The error names the feature that
// needs the API, such as "quotes".
func (s *Service) CheckHasV2(feature string) error {
	if s.LegacyBaseURL == "" {
		return fmt.Errorf("%s need the v2 API; add legacy_base_url to profile %s", feature, s.Name)
	}
	return nil
}
