package config

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/zalando/go-keyring"
)

// endpointID is what the id of an endpoint may look like: it becomes part of a
// name in the keyring, and comes from the service.
var endpointID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{0,63}$`)

// EndpointSecrets keeps the signing secrets of a profile's webhook endpoints in
// the keyring, and nowhere else.
type EndpointSecrets struct {
	ring    Keyring
	profile string
}

// EndpointSecrets returns those of a profile.
func (e Env) EndpointSecrets(profile string) EndpointSecrets {
	return EndpointSecrets{e.Keyring, profile}
}

// keyringName returns the name that the keyring has a secret under. No profile's key
// has one like it: their names have no spaces.
func (s EndpointSecrets) keyringName(endpoint string) (string, error) {
	if !endpointID.MatchString(endpoint) {
		return "", fmt.Errorf("the endpoint's id %.80q cannot be used to store a secret", endpoint)
	}
	if s.ring == nil {
		return "", errors.New("no keyring on this system")
	}
	return s.profile + " endpoint " + endpoint, nil
}

// Get returns the secret of an endpoint, the zero Secret where none is kept.
func (s EndpointSecrets) Get(endpoint string) (Secret, error) {
	account, err := s.keyringName(endpoint)
	if err != nil {
		return Secret{}, err
	}
	text, err := s.ring.Get(appName, account)
	if errors.Is(err, keyring.ErrNotFound) {
		return Secret{}, nil
	}
	return NewSecret(text), keyringError(err)
}

// Set keeps the secret of an endpoint.
func (s EndpointSecrets) Set(endpoint string, secret Secret) error {
	account, err := s.keyringName(endpoint)
	if err != nil {
		return err
	}
	return keyringError(s.ring.Set(appName, account, secret.Reveal()))
}

// Delete forgets the secret of an endpoint; it need not be there.
func (s EndpointSecrets) Delete(endpoint string) error {
	account, err := s.keyringName(endpoint)
	if err != nil {
		return err
	}
	if err = s.ring.Delete(appName, account); errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return keyringError(err)
}

// keyringError says in one line that the keyring did not do it.
func keyringError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("keyring: not answering (%s)", oneLine(err.Error()))
}
