package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/zalando/go-keyring"
)

// Forget removes a profile from the configuration file. It also removes the profile's keys that
// [Env.Keep] or [Env.KeepOperations] stored, and reports whether it removed a key. Keys from
// other sources and the rest of the file are unchanged.
func (e Env) Forget(ctx context.Context, name string) (forgot bool, err error) {
	err = e.rewriteProfile(ctx, name, func(c *Config, p Profile) (string, error) {
		text, err := c.removeProfile(p)
		if err != nil {
			return "", err
		}
		forgot, err = e.forgetKeys(p, c.Path)
		return text, err
	})
	return forgot, err
}

// forgetKeys removes a profile's stored keys, and reports whether it removed a key.
func (e Env) forgetKeys(p Profile, path string) (bool, error) {
	names := []string{p.StateName(), p.Name} // earlier versions renamed the key with the profile
	forgot, err := e.forgetKey(p.Name, p.Credential, names, path)
	opsName := p.StateName() + opsKeyEnding
	forgotOps, opsErr := e.forgetKey(p.Name, p.OpsCredential, []string{opsName}, path)
	return forgot || forgotOps, errors.Join(err, opsErr)
}

// forgetKey removes the key of a credential from the keyring or its file. It removes only a key that
// [Env.Keep] has stored, under one of the given names. path is the configuration file, whose folder has the
// key files. forgetKey reports whether it removed a key.
func (e Env) forgetKey(profile string, c Credential, names []string, path string) (bool, error) {
	isKeyFile := func(name string) bool { return c.File == keyFile(path, name) }
	var err error
	if slices.Contains(names, c.Keyring) {
		err = e.Keyring.Delete(appName, c.Keyring)
	} else if slices.ContainsFunc(names, isKeyFile) {
		err = os.Remove(c.File)
	} else {
		return false, nil
	}
	if errors.Is(err, keyring.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remove the key of profile %s: %s", profile, oneLine(err.Error()))
	}
	return true, nil
}

// CanReplaceKey returns an error if [Env.Replace] cannot replace the key of the profile, because the
// key comes from a variable or a command.
func (p Profile) CanReplaceKey() error {
	if p.Credential.Keyring == "" && p.Credential.File == "" {
		const problem = "the key of profile %s is not in the keyring or a file; replace it at the source set in its credential"
		return Fault{Key: "key", Problem: fmt.Sprintf(problem, p.Name)}
	}
	return nil
}

// Replace replaces the key of a profile in the keyring or in the key file.
func (e Env) Replace(p Profile, key Secret) error {
	if err := p.CanReplaceKey(); err != nil {
		return err
	}
	if p.Credential.File != "" {
		return writeKey(p.Credential.File, key)
	}
	return keyringError(e.Keyring.Set(appName, p.Credential.Keyring, key.Reveal()))
}
