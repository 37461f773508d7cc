package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// ErrNoProfile is returned if neither the file nor the variables name a service.
var ErrNoProfile = errors.New("no profile configured; run flightdesk login to add one, or flightdesk demo")

// ErrUndecided is returned if the file has several profiles and none is selected.
var ErrUndecided = errors.New("several profiles but no default_profile; select one with --profile")

// FromEnvironment is the name of the profile made only from environment variables.
const FromEnvironment = "environment"

// Settings is a profile with the environment variables applied.
type Settings struct {
	Profile
	apiKey, opsKey Secret            // keys in environment variables; if empty, the stored credentials are used
	From           map[string]string // key of the profile → variable that set it
	env            Env
}

// Resolve returns the settings of the named profile. If name is "", it uses default_profile, or the only
// profile of the file. If the file has no profiles, the settings come from environment variables. In that
// case FLIGHTDESK_BASE_URL must be set, or FLIGHTDESK_OPS_URL if ops is true.
func (c *Config) Resolve(name string, ops bool) (Settings, error) {
	profile, err := c.chooseProfile(cmp.Or(name, c.DefaultProfile), ops)
	if err != nil {
		return Settings{}, err
	}
	s := Settings{Profile: profile, From: map[string]string{}, env: c.env}
	if err := s.applyVariables(); err != nil {
		return s, err
	}
	return s, nil
}

// chooseProfile returns the named profile, or the only profile of the file if name is "". If the file has no
// profiles, an environment variable must set the address of the service. It then returns an empty profile. If
// ops is true, the address of the operations API is enough.
func (c *Config) chooseProfile(name string, ops bool) (Profile, error) {
	if name != "" {
		return c.Profile(name)
	}
	if len(c.Profiles) == 1 {
		return c.Profiles[0], nil
	}
	if len(c.Profiles) > 1 {
		return Profile{}, fmt.Errorf("%s: %w; %s", c.Path, ErrUndecided, c.knownNames())
	}
	hasAddress := c.env.getVariable("FLIGHTDESK_BASE_URL") != ""
	hasOpsAddress := ops && c.env.getVariable("FLIGHTDESK_OPS_URL") != ""
	if !hasAddress && !hasOpsAddress {
		return Profile{}, ErrNoProfile
	}
	return Profile{Name: FromEnvironment}, nil
}

func (c *Config) noProfile(name string) string {
	if len(c.Profiles) == 0 {
		return fmt.Sprintf("no profile %q; add it with flightdesk login ADDRESS --name %[1]s", name)
	}
	return fmt.Sprintf("no profile %q; %s", name, c.knownNames())
}

func (c *Config) knownNames() string {
	var names []string
	for _, p := range c.Profiles {
		names = append(names, p.Name)
	}
	return "profiles in the file: " + strings.Join(names, ", ")
}

// applyVariables overrides the profile with environment variables. A key must never be sent to an origin for
// which it was not configured. If a variable changes the origin of the public API, the other addresses of the
// profile are therefore dropped, and the key for the new origin must come from a variable.
func (s *Settings) applyVariables() error {
	s.applyKeys()
	configured := s.Profile
	if err := s.applyAddresses(); err != nil {
		return err
	}
	if s.isMoved("base_url", s.BaseURL, configured.BaseURL) {
		s.dropOtherAddresses()
	}
	return s.checkKeyOrigins(configured)
}

// applyKeys sets the keys from environment variables.
func (s *Settings) applyKeys() {
	s.apiKey = NewSecret(s.env.getVariable("FLIGHTDESK_API_KEY"))
	if !s.apiKey.IsZero() {
		s.From["credential"] = "FLIGHTDESK_API_KEY"
	}
	s.opsKey = NewSecret(s.env.getVariable("FLIGHTDESK_OPS_KEY"))
	if !s.opsKey.IsZero() {
		s.From["ops_credential"] = "FLIGHTDESK_OPS_KEY"
	}
}

// applyAddresses sets the addresses from environment variables.
func (s *Settings) applyAddresses() error {
	if err := s.applyAddress(&s.BaseURL, "base_url", "FLIGHTDESK_BASE_URL", publicPath); err != nil {
		return err
	}
	err := s.applyAddress(&s.LegacyBaseURL, "legacy_base_url", "FLIGHTDESK_LEGACY_BASE_URL", legacyPath)
	if err != nil {
		return err
	}
	return s.applyAddress(&s.OpsURL, "ops_url", "FLIGHTDESK_OPS_URL", opsPath)
}

// applyAddress sets an address from an environment variable, if the variable is set. key is the key of the address in
// the profile. The address must end in path.
func (s *Settings) applyAddress(field *string, key, variable, path string) error {
	address := s.env.getVariable(variable)
	if address == "" {
		return nil
	}
	if problem := checkURL(address, path, s.AllowHTTP); problem != "" {
		return fmt.Errorf("%s: %s", variable, problem)
	}
	*field = address
	s.From[key] = variable
	return nil
}

// dropOtherAddresses removes the addresses of the v2 API and the operations API, unless a variable set
// them.
func (s *Settings) dropOtherAddresses() {
	if s.From["legacy_base_url"] == "" {
		s.LegacyBaseURL = ""
	}
	if s.From["ops_url"] == "" {
		s.OpsURL = ""
	}
}

// checkKeyOrigins returns an error if a key of the profile would be sent to an origin that is set by a
// variable, not by the profile.
func (s *Settings) checkKeyOrigins(configured Profile) error {
	isBaseMoved := s.isMoved("base_url", s.BaseURL, configured.BaseURL)
	isLegacyMoved := s.isMoved("legacy_base_url", s.LegacyBaseURL, configured.BaseURL, configured.LegacyBaseURL)
	usesProfileKey := s.apiKey.IsZero() && !s.Credential.IsZero()
	if usesProfileKey && (isBaseMoved || isLegacyMoved) {
		return fmt.Errorf(
			"a variable overrides the address of profile %s, whose key is not sent to other addresses; also set FLIGHTDESK_API_KEY",
			s.Name,
		)
	}
	isOpsMoved := s.isMoved("ops_url", s.OpsURL, configured.BaseURL, configured.OpsURL)
	usesProfileOpsKey := s.opsKey.IsZero() && !s.OpsCredential.IsZero()
	if usesProfileOpsKey && isOpsMoved {
		return fmt.Errorf(
			"FLIGHTDESK_OPS_URL overrides the address of profile %s, whose key is not sent to other addresses; also set FLIGHTDESK_OPS_KEY",
			s.Name,
		)
	}
	return nil
}

// isMoved reports whether an environment variable has set an address to a new origin: the origin differs from the
// origins of all configured addresses. key is the key of the address in the profile, such as "ops_url".
func (s *Settings) isMoved(key, address string, configured ...string) bool {
	isFromVariable := s.From[key] != ""
	if !isFromVariable {
		return false
	}
	hasSameOrigin := func(other string) bool { return originOf(other) == originOf(address) }
	return !slices.ContainsFunc(configured, hasSameOrigin)
}

// originOf returns the origin (scheme, host and port) of an address, or "" if the address is invalid.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}
