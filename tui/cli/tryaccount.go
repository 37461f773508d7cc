package cli

import (
	"context"
	"time"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui/app/session"
)

// tryTimeout limits each request that tries an address or a key, because the user waits for the result.
const tryTimeout = 10 * time.Second

// tryAccount tries the address and the key that a user has typed, before anything is stored. It finds the service and
// reads the permissions of the key. If the user edits a profile and types no key, it uses the stored key of that
// profile.
func (p *program) tryAccount(ctx context.Context, a session.TypedAccount) (session.TriedAccount, error) {
	var none session.TriedAccount
	settings, err := p.editedSettings(a.Edited)
	if err != nil {
		return none, err
	}
	keepsKey := a.Edited != "" && a.Key == ""
	if keepsKey {
		key, err := settings.Key(ctx)
		if err != nil {
			return none, err
		}
		a.Key = key.Reveal()
	}
	a.CAFile, err = p.checkCAFile(a.CAFile)
	if err != nil {
		return none, err
	}
	settings.CAFile = a.CAFile // the typed CA file replaces the CA file of an edited profile
	options, err := connectionOptions(settings, nil)
	if err != nil {
		return none, err
	}
	options = append(options, api.WithTimeout(tryTimeout))
	return session.TryAccount(ctx, a, options...)
}

// checkCAFile returns the absolute path of a typed CA file, or "" if none was typed. It fails if the file has no
// valid certificates.
func (p *program) checkCAFile(typed string) (string, error) {
	if typed == "" {
		return "", nil
	}
	path := p.Env.FilePath(typed)
	if _, err := config.LoadCAs(path); err != nil {
		return "", session.FieldFault{Key: session.FieldCAFile, Problem: err.Error()}
	}
	return path, nil
}

// editedSettings returns the settings of a profile that is edited, or the zero value for a new profile, whose name
// is "".
func (p *program) editedSettings(profile string) (config.Settings, error) {
	if profile == "" {
		return config.Settings{}, nil
	}
	const allowOpsOnly = false
	edited, err := p.Resolve(profile, allowOpsOnly)
	if err != nil {
		return config.Settings{}, err
	}
	return edited.Settings, nil
}
