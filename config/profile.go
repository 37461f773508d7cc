package config

import (
	"cmp"
	"slices"
)

// Profile is one account at one service.
type Profile struct {
	Name          string `json:"name"`
	BaseURL       string `json:"baseUrl"`                // public interface, ends in /api/v1/public; empty with an operations key alone
	LegacyBaseURL string `json:"legacyBaseUrl,omitzero"` // v2 API, ends in /api/v2; may be empty
	OpsURL        string `json:"opsUrl,omitzero"`        // operations API, ends in /api/ops/v1; may be empty
	CAFile        string `json:"caFile,omitzero"`        // PEM file with additional authorities; may be empty
	State         string `json:"state,omitzero"`         // name under which its data is stored; see StateName
	Company       string `json:"company,omitzero"`       // name of the account, suggested for new orders
	Band          string `json:"band,omitzero"`          // one of Bands, or empty
	DisplaySettings
	ReadOnly      bool       `json:"readOnly"`
	AllowHTTP     bool       `json:"allowHttp"` // allow plain http to hosts other than this one
	Credential    Credential `json:"credential,omitzero"`
	OpsCredential Credential `json:"opsCredential,omitzero"`
}

// Rows returns the rows of a profile's table, with pointers to their values, in the order in which a new
// profile is written.
func (p *Profile) Rows() []TableRow {
	company := []TableRow{{"company", &p.Company, checkCompany}}
	return slices.Concat(p.settingRows(), company, p.displayRows(), []TableRow{
		{"read_only", &p.ReadOnly, nil},
		{"allow_http", &p.AllowHTTP, nil},
		{"credential", &p.Credential, nil},
		{"ops_credential", &p.OpsCredential, nil},
	})
}

// settingRows returns the rows of a profile's table that [Env.Change] writes.
func (p *Profile) settingRows() []TableRow {
	checkAddress := func(path string) func(string) string {
		return func(s string) string { return checkURL(s, path, p.AllowHTTP) }
	}
	return []TableRow{
		{"base_url", &p.BaseURL, checkAddress(publicPath)},
		{"legacy_base_url", &p.LegacyBaseURL, checkAddress(legacyPath)},
		{"ops_url", &p.OpsURL, checkAddress(opsPath)},
		{"band", &p.Band, oneOf("environment", Bands)},
		{"ca_file", &p.CAFile, checkPath},
		{"state", &p.State, checkState},
	}
}

// DisplaySettings are settings of the app's display. An empty value is not set.
type DisplaySettings struct {
	Areas   string `json:"areas,omitzero"`   // one of AreaUnits
	Times   string `json:"times,omitzero"`   // one of Clocks
	Notices string `json:"notices,omitzero"` // one of NoticeWays
}

// Values of the keys areas, times, notices and band. The first value is the default, except for band.
var (
	AreaUnits  = []string{"auto", "hectares", "km2", "acres"}
	Clocks     = []string{"local", "site"}
	NoticeWays = []string{"auto", "bell", "off"}
	Bands      = []string{"live", "test", "demo"}
)

// displayRows returns the keys of the display settings, with pointers to their values.
func (d *DisplaySettings) displayRows() []TableRow {
	return []TableRow{
		{"areas", &d.Areas, oneOf("area unit", AreaUnits)},
		{"times", &d.Times, oneOf("clock", Clocks)},
		{"notices", &d.Notices, oneOf("notice setting", NoticeWays)},
	}
}

// DisplaySettingsOf returns the display settings for a profile. If the profile does not have a setting, it is taken
// from c. If c does not have it either, it is the default.
func (c *Config) DisplaySettingsOf(p Profile) DisplaySettings {
	return DisplaySettings{
		Areas:   cmp.Or(p.Areas, c.Areas, AreaUnits[0]),
		Times:   cmp.Or(p.Times, c.Times, Clocks[0]),
		Notices: cmp.Or(p.Notices, c.Notices, NoticeWays[0]),
	}
}

// Credential names the source of a key. At most one of the first four fields is set.
type Credential struct {
	Keyring string   `json:"keyring,omitzero"`  // account name in the operating system's keyring
	Env     string   `json:"env,omitzero"`      // name of an environment variable
	Command []string `json:"command,omitempty"` // program and arguments
	File    string   `json:"file,omitzero"`     // path
	Timeout string   `json:"timeout,omitzero"`  // of Command, as a duration; [DefaultCommandTimeout] if empty
}

// IsZero reports whether no source is set.
func (c Credential) IsZero() bool {
	return c.Keyring == "" && c.Env == "" && len(c.Command) == 0 && c.File == ""
}

// rows returns the rows of a credential's table: its sources and the timeout.
func (c *Credential) rows() []TableRow {
	return []TableRow{
		{"keyring", &c.Keyring, anyText},
		{"env", &c.Env, checkVariable},
		{"file", &c.File, checkPath},
		{"command", &c.Command, nil},
		{"timeout", &c.Timeout, checkTimeout},
	}
}
