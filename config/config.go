package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
)

// MaxBytes is the maximum size of a configuration file in bytes.
const MaxBytes = 64 << 10

// Built-in themes. None uses no colour.
const (
	Auto         = "auto"
	Dark         = "dark"
	Light        = "light"
	HighContrast = "high-contrast"
	None         = "none"
)

// Glyphs lists the character sets that the app can draw with; "auto" depends on the
// terminal.
var Glyphs = []string{"auto", "unicode", "ascii"}

// Themes lists the built-in themes.
var Themes = []string{Auto, Dark, Light, HighContrast, None}

// Config is the content of a configuration file. Its paths are absolute.
type Config struct {
	Path            string       `json:"path"`  // path of the file, even if it does not exist
	Found           bool         `json:"found"` // the file exists
	DefaultProfile  string       `json:"defaultProfile,omitzero"`
	Theme           string       `json:"theme"`           // Auto when unset; or the name of one of UserThemes
	Glyphs          string       `json:"glyphs,omitzero"` // one of Glyphs, "" when unset
	DownloadDir     string       `json:"downloadDir"`     // [Dirs].Downloads when unset
	DisplaySettings              // for profiles without these settings
	Profiles        []Profile    `json:"profiles"`
	UserThemes      []UserTheme  `json:"themes,omitempty"`
	Keys            []KeyBinding `json:"keys,omitempty"`

	env  Env
	text string // text of the file
}

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

// Load reads the configuration file that env names. If the file is missing from the
// platform's folder, the configuration is empty; a file named by FLIGHTDESK_CONFIG
// must exist. Problems of the contents are returned as [Faults].
func Load(env Env) (*Config, error) {
	path, err := env.Path()
	if err != nil {
		return nil, err
	}
	data, err := readFile(path, MaxBytes, false)
	isMissing := errors.Is(err, fs.ErrNotExist)
	if isMissing && env.getVariable("FLIGHTDESK_CONFIG") != "" {
		return nil, Faults{{File: path, Problem: "file not found; check FLIGHTDESK_CONFIG"}}
	}
	if err != nil && !isMissing {
		return nil, Faults{{File: path, Problem: err.Error()}}
	}
	return parseFile(path, data, env)
}

// readFile reads a regular file of a limited size. If private is set, it rejects a file that
// users other than its owner can access. On Windows that is not checked, because access
// rights are not part of the mode, and the folders of a user are private by default.
func readFile(path string, limit int64, private bool) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, plainError(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > limit:
		return nil, fmt.Errorf("larger than %d KiB", limit>>10)
	case private && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		text := "has mode %04o, so others can read the key; run: chmod 600 %q"
		return nil, fmt.Errorf(text, info.Mode().Perm(), path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, plainError(err)
	}
	return data, nil
}

// plainError removes the operation and the path from a file error, because the caller's message
// names the file.
func plainError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Profile returns the profile with a name, or a fault that lists the profiles of the file.
func (c *Config) Profile(name string) (Profile, error) {
	for _, p := range c.Profiles {
		if p.Name == name {
			return p, nil
		}
	}
	return Profile{}, Fault{File: c.Path, Problem: c.noProfile(name)}
}

func (c *Config) hasProfile(name string) bool {
	return slices.ContainsFunc(c.Profiles, func(p Profile) bool { return p.Name == name })
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

// oneOf returns a check that a text is one of the known values. The error text calls the value by
// kind, such as "theme".
func oneOf(kind string, known []string) func(string) string {
	return func(s string) string {
		if slices.Contains(known, s) {
			return ""
		}
		return "unknown " + kind + "; use " + strings.Join(known, ", ")
	}
}

// DisplaySettingsOf returns the display settings for a profile. A setting that the profile does not
// have is taken from c, or else is the default.
func (c *Config) DisplaySettingsOf(p Profile) DisplaySettings {
	return DisplaySettings{
		Areas:   cmp.Or(p.Areas, c.Areas, AreaUnits[0]),
		Times:   cmp.Or(p.Times, c.Times, Clocks[0]),
		Notices: cmp.Or(p.Notices, c.Notices, NoticeWays[0]),
	}
}
