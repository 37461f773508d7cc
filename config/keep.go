package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/BurntSushi/toml"

	"flightdesk/config/atomicfile"
)

// KeptProfile describes where a new profile and its key were stored.
type KeptProfile struct {
	Path    string // the configuration file
	KeyFile string // the file with the key; "" where the keyring has it
	Reason  string // why the keyring does not have the key
}

// Validate returns an error if the name or an address of a new profile is invalid. It
// does not check the credential.
func (p Profile) Validate() error {
	if !profileName.MatchString(p.Name) {
		return Fault{
			Key:     "name",
			Problem: "not a valid profile name; use up to 40 letters, digits, '.', '_' and '-', not starting with '_' or '-'",
		}
	}
	for _, address := range []struct{ key, value, path string }{
		{"base_url", p.BaseURL, publicPath}, {"legacy_base_url", p.LegacyBaseURL, legacyPath}, {"ops_url", p.OpsURL, opsPath},
	} {
		if address.value == "" && address.key != "base_url" {
			continue
		}
		if problem := checkURL(address.value, address.path, p.AllowHTTP); problem != "" {
			return Fault{Key: address.key, Problem: problem}
		}
	}
	return nil
}

// Keep adds a profile to the configuration file, which it creates if necessary, and
// stores its API key in the keyring; if that fails, in a file beside the configuration
// that only its owner can read. The existing text of the file is unchanged.
func (e Env) Keep(ctx context.Context, p Profile, key Secret) (kept KeptProfile, err error) {
	if err := p.Validate(); err != nil {
		return kept, err
	}
	if kept.Path, err = e.Path(); err != nil {
		return kept, err
	}
	if err := os.MkdirAll(filepath.Dir(kept.Path), 0o700); err != nil {
		return kept, fmt.Errorf("create configuration folder: %w", err)
	}
	return kept, e.rewriteFile(ctx, kept.Path, func(c *Config, before []byte) ([]byte, error) {
		if _, known := c.Profile(p.Name); known {
			return nil, Fault{
				Key:     "name",
				Problem: fmt.Sprintf("a profile %q already exists; use another name", p.Name),
			}
		}
		var err error
		p.State = c.freeState(p.Name)
		if p.Credential, err = e.keepKey(p.Name, key, &kept); err != nil {
			return nil, err
		}
		return withProfile(before, c, p)
	})
}

// rewriteFile replaces the text of the configuration file, which need not exist, under
// a lock. The new text must be a valid configuration.
func (e Env) rewriteFile(
	ctx context.Context,
	path string,
	change func(c *Config, before []byte) ([]byte, error),
) (err error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	lock, err := atomicfile.WaitLock(ctx, atomicfile.LockPath(path))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, plainError(err))
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	c, err := Load(e)
	if err != nil && !isMissing(path) {
		return err
	}
	before := []byte{}
	if c == nil {
		c = &Config{}
	} else if c.Found {
		if before, err = readFile(path, MaxBytes); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	text, err := change(c, before)
	if err != nil {
		return err
	}
	if _, err := parseFile(path, text, e); err != nil {
		return err
	}
	return replaceFile(path, text)
}

// lockTimeout limits how long to wait for another program that changes the file.
const lockTimeout = 5 * time.Second

// replaceFile writes a file that only its owner can read.
func replaceFile(path string, data []byte) error {
	if err := atomicfile.ReplaceFile(path, data, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, plainError(err))
	}
	return nil
}

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// keepKey stores the key and returns where.
func (e Env) keepKey(name string, key Secret, kept *KeptProfile) (Credential, error) {
	if e.Keyring == nil {
		kept.Reason = "no keyring"
	} else if err := e.Keyring.Set(appName, name, key.Reveal()); err != nil {
		kept.Reason = oneLine(err.Error())
	} else {
		return Credential{Keyring: name}, nil
	}
	kept.KeyFile = keyFile(kept.Path, name)
	if err := replaceFile(kept.KeyFile, []byte(key.Reveal()+"\n")); err != nil {
		return Credential{}, err
	}
	return Credential{File: name + ".key"}, nil // beside the configuration
}

// withProfile appends a profile to the text of a file. A single profile that was used
// implicitly becomes the default.
func withProfile(before []byte, c *Config, p Profile) ([]byte, error) {
	values := map[string]any{"base_url": p.BaseURL}
	for key, value := range map[string]string{
		"legacy_base_url": p.LegacyBaseURL, "ops_url": p.OpsURL, "company": p.Company, "band": p.Band, "state": p.State,
	} {
		if value != "" {
			values[key] = value
		}
	}
	for key, set := range map[string]bool{"read_only": p.ReadOnly, "allow_http": p.AllowHTTP} {
		if set {
			values[key] = true
		}
	}
	credential := map[string]string{"keyring": p.Credential.Keyring}
	if p.Credential.File != "" {
		credential = map[string]string{"file": p.Credential.File}
	}
	values["credential"] = credential
	var b bytes.Buffer
	if len(c.Profiles) == 1 && c.DefaultProfile == "" {
		fmt.Fprintf(&b, "default_profile = %q\n", c.Profiles[0].Name)
	}
	b.Write(before)
	if len(before) > 0 && !bytes.HasSuffix(before, []byte("\n")) {
		b.WriteByte('\n')
	}
	if len(before) > 0 {
		b.WriteByte('\n')
	}
	encoder := toml.NewEncoder(&b)
	encoder.Indent = ""
	if err := encoder.Encode(map[string]any{"profiles": map[string]any{p.Name: values}}); err != nil {
		return nil, fmt.Errorf("write profile: %w", err)
	}
	return b.Bytes(), nil
}

// keyFile returns the path of a profile's key outside the keyring.
func keyFile(path, name string) string { return filepath.Join(filepath.Dir(path), name+".key") }
