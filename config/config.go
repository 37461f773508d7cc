package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
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

// Load reads the configuration file that env names. If FLIGHTDESK_CONFIG names the file, it must exist.
// Otherwise a missing file is an empty configuration. Problems of the contents are returned as [Faults].
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

// Profile returns the named profile. If there is none, the error lists the profiles of the file.
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
