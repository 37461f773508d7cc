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

// MaxBytes is the size of the largest configuration file that is read.
const MaxBytes = 64 << 10

// Theme is the look of the app.
type Theme string

// The themes; None uses no colour.
const (
	Auto         Theme = "auto"
	Dark         Theme = "dark"
	Light        Theme = "light"
	HighContrast Theme = "high-contrast"
	None         Theme = "none"
)

// Glyphs are the sets of characters that the app can draw with; the
// first one goes by the terminal.
var Glyphs = []string{"auto", "unicode", "ascii"}

// Themes lists every theme.
var Themes = []Theme{Auto, Dark, Light, HighContrast, None}

// Config is what a configuration file says. Paths in it are absolute.
type Config struct {
	Path           string // the file, whether it exists or not
	Found          bool   // whether it does
	DefaultProfile string
	Theme          Theme  // Auto when unset; or the name of one of UserThemes
	DownloadDir    string // [Dirs].Downloads when unset
	Profiles       []Profile
	Ways           AppWays // of profiles that have no own
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
	State         string // what is kept for it is kept under; may be empty, see StateName
	Company       string // name of the account, suggested for new orders; may be empty
	Band          string // live, test or demo; may be empty
	Ways          AppWays
	ReadOnly      bool
	AllowHTTP     bool // plain http to other hosts than this one
	Credential    Credential
	OpsCredential Credential
}

// Credential says where a key comes from: at most one of the first four is set.
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

// Load reads the configuration file that env names. A file that is missing
// from the platform's folder is an empty configuration; one that
// FLIGHTDESK_CONFIG names has to exist. What is wrong with the contents comes
// back as [Faults].
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

// plainError drops the operation and path of a file error: the message around it
// names the file.
func plainError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Profile returns a profile by name.
func (c *Config) Profile(name string) (Profile, bool) {
	i := slices.IndexFunc(c.Profiles, func(p Profile) bool { return p.Name == name })
	if i < 0 {
		return Profile{}, false
	}
	return c.Profiles[i], true
}

// AppWays are settings of how the app shows things. Empty ones are not set.
type AppWays struct {
	Areas   string // one of AreaUnits
	Times   string // one of Clocks
	Notices string // one of NoticeWays
}

// What the keys areas, times and notices take; the first one is what holds
// where a key is in neither the profile nor the top of the file.
var (
	AreaUnits  = []string{"auto", "hectares", "km2", "acres"}
	Clocks     = []string{"local", "site"}
	NoticeWays = []string{"auto", "bell", "off"}
)

// readWays reads the keys of a table.
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

// WaysOf returns those of a profile, with those of the whole file where it has none.
func (c *Config) WaysOf(p Profile) AppWays {
	return AppWays{
		Areas:   cmp.Or(p.Ways.Areas, c.Ways.Areas, AreaUnits[0]),
		Times:   cmp.Or(p.Ways.Times, c.Ways.Times, Clocks[0]),
		Notices: cmp.Or(p.Ways.Notices, c.Ways.Notices, NoticeWays[0]),
	}
}
