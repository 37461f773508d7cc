package config

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/zalando/go-keyring"
)

// maxEndpointID is the maximum length of an endpoint ID.
const maxEndpointID = 64

// endpointID matches valid endpoint IDs of any length. The IDs come from the service and become part of a name
// in the keyring.
var endpointID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]*$`)

// EndpointSecrets stores the signing secrets of a profile's webhook endpoints in the
// keyring, and nowhere else.
type EndpointSecrets struct {
	ring    Keyring
	profile string
}

// EndpointSecrets returns the secret store of a profile.
func (e Env) EndpointSecrets(profile string) EndpointSecrets {
	return EndpointSecrets{e.Keyring, profile}
}

// use calls do with the name under which the keyring stores the secret of an endpoint. It ignores the error
// for a missing secret. The name contains a space, so it differs from the names of profiles.
func (s EndpointSecrets) use(endpoint string, do func(account string) error) error {
	if len(endpoint) > maxEndpointID || !endpointID.MatchString(endpoint) {
		return fmt.Errorf("the endpoint's id %.80q cannot be used to store a secret", endpoint)
	}
	err := do(s.profile + " endpoint " + endpoint)
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return keyringError(err)
}

// Get returns the secret of an endpoint, or "" if none is stored.
func (s EndpointSecrets) Get(endpoint string) (secret string, err error) {
	err = s.use(endpoint, func(account string) (err error) {
		secret, err = s.ring.Get(appName, account)
		return err
	})
	return secret, err
}

// Set stores the secret of an endpoint.
func (s EndpointSecrets) Set(endpoint, secret string) error {
	return s.use(endpoint, func(account string) error { return s.ring.Set(appName, account, secret) })
}

// Delete removes the secret of an endpoint. Deleting a missing secret is not an
// error.
func (s EndpointSecrets) Delete(endpoint string) error {
	return s.use(endpoint, func(account string) error { return s.ring.Delete(appName, account) })
}
