package config

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"github.com/zalando/go-keyring"
)

const appName = "flightdesk"

// Dirs lists the folders that the program uses. All paths are absolute.
type Dirs struct {
	Home      string // replaces a leading ~
	Config    string // folder of config.toml
	State     string // drafts and crash files
	Downloads string // delivery files, unless download_dir is set
}

// Keyring stores secrets in the operating system's keyring.
type Keyring struct {
	// Get returns the secret of an account, or [keyring.ErrNotFound].
	Get func(service, account string) (string, error)
	// Set stores the secret of an account.
	Set func(service, account, secret string) error
	// Delete removes the secret of an account, or returns [keyring.ErrNotFound].
	Delete func(service, account string) error
}

// Env has what a configuration depends on besides its file: environment variables, folders and the keyring.
// Tests replace it.
type Env struct {
	Lookup  func(name string) (string, bool) // an environment variable
	Keyring Keyring
	Dirs    Dirs
}

// SystemEnv returns the environment of the running process.
func SystemEnv() Env {
	if u, err := user.Current(); err == nil && xdg.Home == "/" && os.Getenv("HOME") == "" { // started by systemd
		_ = os.Setenv("HOME", u.HomeDir)
		xdg.Reload()
	}
	return Env{
		Lookup:  os.LookupEnv,
		Keyring: Keyring{keyring.Get, keyring.Set, keyring.Delete},
		Dirs: Dirs{
			Home:      xdg.Home,
			Config:    filepath.Join(xdg.ConfigHome, appName),
			State:     filepath.Join(xdg.StateHome, appName),
			Downloads: filepath.Join(xdg.UserDirs.Download, appName),
		},
	}
}

func (e Env) getVariable(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// Path returns the path of the configuration file, which need not exist:
// FLIGHTDESK_CONFIG, or else config.toml in the platform's folder.
func (e Env) Path() (string, error) {
	if path := e.getVariable("FLIGHTDESK_CONFIG"); path != "" {
		return filepath.Abs(path)
	}
	if !filepath.IsAbs(e.Dirs.Config) {
		return "", errors.New("no home folder; set FLIGHTDESK_CONFIG to the path of config.toml")
	}
	return filepath.Join(e.Dirs.Config, "config.toml"), nil
}

// FilePath returns the absolute path of a file that a person typed: ~/ is the home folder,
// and a relative path starts at the working folder. It is "" for "".
func (e Env) FilePath(typed string) string {
	if typed == "" {
		return ""
	}
	path := filepath.FromSlash(typed)
	if rest, ok := strings.CutPrefix(path, "~"+string(filepath.Separator)); ok {
		return filepath.Join(e.Dirs.Home, rest)
	}
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}
