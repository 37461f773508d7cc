package webhooks

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui/format"
)

// CheckSignature returns the event of a callback if a receiver with the secret would accept it at the given time.
// Otherwise the error explains what to check, without the secret. Headers that are missing are taken from the body,
// except the signature.
func CheckSignature(secret string, h http.Header, body []byte, at time.Time) (*api.Event, error) {
	if e, err := api.DecodeEvent(body); err == nil {
		for name, value := range map[string]string{
			api.HeaderEvent: string(e.Event), api.HeaderDelivery: e.ID,
			api.HeaderTimestamp: e.Timestamp.Format(time.RFC3339Nano),
		} {
			h.Set(name, cmp.Or(h.Get(name), value))
		}
	}
	r := api.Receiver{Secret: secret, Now: func() time.Time { return at }}
	e, err := r.VerifyCallback(h, body)
	if err != nil {
		return nil, fmt.Errorf("%w. %s", err, signatureAdvice(err, secret, h, body))
	}
	return e, nil
}

// signatureAdvice returns a sentence that tells the user what to check after a callback was rejected. err
// is the reason.
func signatureAdvice(err error, secret string, h http.Header, body []byte) string {
	if errors.Is(err, api.ErrTimestamp) {
		return "It was delayed or replayed, or a clock is wrong. To check one from a log, enter the time it was received."
	}
	if !errors.Is(err, api.ErrSignature) {
		return "Headers and body must be complete and of the same callback; a proxy may have changed them."
	}
	if reason := SignatureReason(secret, h.Get(api.HeaderSignature), body); reason != "" {
		return format.CapitalizeFirst(reason) + "."
	}
	if !json.Valid(body) {
		return "The body is not valid JSON: part of it is missing, or something was added."
	}
	return "Use the full secret, including whsec_, without spaces or quotes, and the exact bytes received: " +
		"editors and programs change line endings, indentation and escapes."
}

// SecretStore stores the signing secret of each endpoint permanently, for instance in the keyring.
type SecretStore interface {
	Get(endpoint string) (secret string, err error) // "" if there is none
	Set(endpoint, secret string) error
	Delete(endpoint string) error
}

// EndpointSecrets has the signing secrets of endpoints. They are stored in a permanent store or, without
// one, for this run only. It is safe for concurrent use. Get, Set and Delete may access the system's
// keyring and block until the user unlocks it.
type EndpointSecrets struct {
	store SecretStore // nil: secrets are kept for this run only

	asking sync.Mutex // held while a secret is read from the store

	mu     sync.Mutex        // never held while the store is accessed, because drawing waits for it
	held   map[string]string // "" for an endpoint without a stored secret
	stored map[string]bool   // endpoints whose secret is in the store, not only in memory
}

// NewSecrets returns the secrets in a store. If store is nil, secrets are kept for this run only.
func NewSecrets(store SecretStore) *EndpointSecrets {
	return &EndpointSecrets{store: store, held: map[string]string{}, stored: map[string]bool{}}
}

// Get returns the secret of an endpoint, or "". It reads each secret from the store only
// once.
func (k *EndpointSecrets) Get(endpoint string) (string, error) {
	if secret, known := k.lookUp(endpoint); known || k.store == nil {
		return secret, nil
	}
	k.asking.Lock()
	defer k.asking.Unlock()
	if secret, known := k.lookUp(endpoint); known {
		return secret, nil
	}
	secret, err := k.store.Get(endpoint)
	k.mu.Lock()
	defer k.mu.Unlock()
	if newer, isSet := k.held[endpoint]; isSet { // set or deleted while the store was read
		return newer, nil
	}
	if err != nil {
		return secret, err
	}
	k.held[endpoint] = secret
	k.stored[endpoint] = secret != ""
	return secret, nil
}

func (k *EndpointSecrets) lookUp(endpoint string) (secret string, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	secret, known = k.held[endpoint]
	return secret, known
}

// cacheSecret keeps the secret of an endpoint in memory and marks it as not stored.
func (k *EndpointSecrets) cacheSecret(endpoint, secret string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held[endpoint] = secret
	k.stored[endpoint] = false
}

// markStored records that the secret of an endpoint is in the store. It does nothing if the secret was
// changed or deleted meanwhile.
func (k *EndpointSecrets) markStored(endpoint, secret string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held[endpoint] == secret {
		k.stored[endpoint] = true
	}
}

// Set keeps a secret for this run and stores it. lasts is true if the secret is stored permanently. It is false if
// there is no store, or if the store fails and Set returns its error.
func (k *EndpointSecrets) Set(endpoint, secret string) (lasts bool, err error) {
	k.cacheSecret(endpoint, secret)
	if k.store == nil {
		return false, nil
	}
	if err := k.store.Set(endpoint, secret); err != nil {
		return false, err
	}
	k.markStored(endpoint, secret)
	return true, nil
}

// IsKeyringSilent reports whether err says that a secret was not stored because there is no keyring or it
// does not respond.
func IsKeyringSilent(err error) bool { return errors.Is(err, config.ErrNoKeyring) }

// Delete deletes a secret.
func (k *EndpointSecrets) Delete(endpoint string) error {
	k.cacheSecret(endpoint, "")
	if k.store == nil {
		return nil
	}
	return k.store.Delete(endpoint)
}

// IsKnown reports whether the secret of an endpoint is in memory.
func (k *EndpointSecrets) IsKnown(endpoint string) bool {
	secret, _ := k.lookUp(endpoint)
	return secret != ""
}

// IsStored reports whether the secret of an endpoint is in memory and in the permanent store.
func (k *EndpointSecrets) IsStored(endpoint string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.stored[endpoint] && k.held[endpoint] != ""
}

// WasRead reports whether the result of [EndpointSecrets.IsStored] is certain for an endpoint. It is
// uncertain until the secret was read from the store without an error.
func (k *EndpointSecrets) WasRead(endpoint string) bool {
	_, wasRead := k.lookUp(endpoint)
	return wasRead || k.store == nil
}

// Format implements [fmt.Formatter], so that the secrets cannot be printed by mistake.
func (k *EndpointSecrets) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("secrets of endpoints")) }
