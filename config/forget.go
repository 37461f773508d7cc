package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/zalando/go-keyring"
)

// Forget removes a profile from the configuration file, and its API key if [Env.Keep]
// stored it; forgot reports whether there was such a key. Keys from other sources and
// the rest of the file are unchanged.
func (e Env) Forget(ctx context.Context, name string) (forgot bool, err error) {
	path, err := e.existingPath()
	if err != nil {
		return false, err
	}
	return forgot, e.rewriteFile(ctx, path, func(c *Config) (string, error) {
		p, err := c.findProfile(name)
		if err != nil {
			return "", err
		}
		text, err := c.editProfile(p, nil)
		if err == nil {
			forgot, err = e.forgetKey(p, path)
		}
		return text, err
	})
}

// forgetKey removes a profile's key, and reports whether there was one to remove.
func (e Env) forgetKey(p Profile, path string) (bool, error) {
	var err error
	switch {
	case p.Credential.Keyring == p.Name && p.Name != "" && e.Keyring != nil:
		err = e.Keyring.Delete(appName, p.Name)
	case p.Credential.File == keyFile(path, p.Name):
		err = os.Remove(p.Credential.File)
	default:
		return false, nil
	}
	if errors.Is(err, keyring.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remove the key of profile %s: %s", p.Name, oneLine(err.Error()))
	}
	return true, nil
}

// CanReplaceKey returns an error if [Env.Replace] cannot store another key, because it
// comes from a variable or a command.
func (p Profile) CanReplaceKey() error {
	if p.Credential.Keyring == "" && p.Credential.File == "" {
		return fmt.Errorf(
			"the key of profile %s is not in the keyring or a file; replace it at the source set in its credential",
			p.Name,
		)
	}
	return nil
}

// Replace stores a key in the place of the old one, the keyring or a file.
func (e Env) Replace(p Profile, key Secret) error {
	if err := p.CanReplaceKey(); err != nil {
		return err
	}
	if p.Credential.File != "" {
		return writeKey(p.Credential.File, key)
	}
	if e.Keyring == nil {
		return errors.New("no keyring on this system; use env, command or file")
	}
	return keyringError(e.Keyring.Set(appName, p.Credential.Keyring, key.Reveal()))
}
