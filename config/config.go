package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// MaxBytes is the maximum size of a configuration file in bytes.
const MaxBytes = 64 << 10

// Theme is the name of a colour theme.
type Theme string

// Built-in themes. None uses no colour.
const (
	Auto         Theme = "auto"
	Dark         Theme = "dark"
	Light        Theme = "light"
	HighContrast Theme = "high-contrast"
	None         Theme = "none"
)

// Glyphs lists the character sets that the app can draw with; "auto" depends on the
// terminal.
var Glyphs = []string{"auto", "unicode", "ascii"}

// Themes lists the built-in themes.
var Themes = []Theme{Auto, Dark, Light, HighContrast, None}

// Config is the contents of a configuration file. Its paths are absolute.
type Config struct {
	Path           string // the file, whether it exists or not
	Found          bool   // whether it does
	DefaultProfile string
	Theme          Theme  // Auto when unset; or the name of one of UserThemes
	DownloadDir    string // [Dirs].Downloads when unset
	Profiles       []Profile
	Ways           AppWays // of profiles without such settings
	Glyphs         string  // one of Glyphs, "" when unset
	UserThemes     []UserTheme
	Keys           []KeyBinding

	env Env
}

// Profile is one account at one service.
type Profile struct {
	Name          string
	BaseURL       string // public interface, ends in /api/v1/public
	LegacyBaseURL string // v2 API, ends in /api/v2; may be empty
	OpsURL        string // operations API, ends in /api/ops/v1; may be empty
	CAFile        string // PEM of further authorities to trust; may be empty
	State         string // name under which its data is stored; empty until it is renamed, see StateName
	Company       string // name of the account, suggested for new orders; may be empty
	Band          string // live, test or demo; may be empty
	Ways          AppWays
	ReadOnly      bool
	AllowHTTP     bool // allow plain http to hosts other than this one
	Credential    Credential
	OpsCredential Credential
}

// Credential names the source of a key. At most one of the first four fields is set.
type Credential struct {
	Keyring string        // account name in the operating system's keyring
	Env     string        // name of an environment variable
	Command []string      // program and arguments
	File    string        // path
	Timeout time.Duration // for Command; [DefaultCommandTimeout] when 0
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
	data, err := readFile(path, MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist) && env.getVariable("FLIGHTDESK_CONFIG") == "":
		return &Config{Path: path, Theme: Auto, DownloadDir: env.Dirs.Downloads, env: env}, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, Faults{{File: path, Problem: "file not found; check FLIGHTDESK_CONFIG"}}
	case err != nil:
		return nil, Faults{{File: path, Problem: err.Error()}}
	}
	return parseFile(path, data, env)
}

func readFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, plainError(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, plainError(err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, plainError(err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("larger than %d KiB; too large for a configuration", limit>>10)
	}
	return data, nil
}

// plainError drops the operation and path from a file error, since the message around
// it names the file.
func plainError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Profile returns the profile of that name, and whether it exists.
func (c *Config) Profile(name string) (Profile, bool) {
	i := slices.IndexFunc(c.Profiles, func(p Profile) bool { return p.Name == name })
	if i < 0 {
		return Profile{}, false
	}
	return c.Profiles[i], true
}

// AppWays contains display settings of the app. Empty ones are not set.
type AppWays struct {
	Areas   string // one of AreaUnits
	Times   string // one of Clocks
	Notices string // one of NoticeWays
}

// Values of the keys areas, times and notices. The first is the default.
var (
	AreaUnits  = []string{"auto", "hectares", "km2", "acres"}
	Clocks     = []string{"local", "site"}
	NoticeWays = []string{"auto", "bell", "off"}
)

// readWays reads the display settings of a table.
func (t *tomlTable) readWays() AppWays {
	return AppWays{
		Areas:   t.readText("areas", oneOf("area unit", AreaUnits)),
		Times:   t.readText("times", oneOf("clock", Clocks)),
		Notices: t.readText("notices", oneOf("notice setting", NoticeWays)),
	}
}

func oneOf(what string, known []string) func(string) string {
	return func(s string) string {
		if slices.Contains(known, s) {
			return ""
		}
		return "unknown " + what + "; use " + strings.Join(known, ", ")
	}
}

// WaysOf returns the display settings of a profile, with those of the file for the
// ones it does not set.
func (c *Config) WaysOf(p Profile) AppWays {
	return AppWays{
		Areas:   cmp.Or(p.Ways.Areas, c.Ways.Areas, AreaUnits[0]),
		Times:   cmp.Or(p.Ways.Times, c.Ways.Times, Clocks[0]),
		Notices: cmp.Or(p.Ways.Notices, c.Ways.Notices, NoticeWays[0]),
	}
}
