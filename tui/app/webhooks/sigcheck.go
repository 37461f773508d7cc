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
	"flightdesk/tui/format"
)

// CheckSignature returns the event of a callback that a receiver with a secret accepts at a
// time, or why it does not and what to look at, without the secret. A header that is not
// given is taken from the body, but for the signature.
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
	advice := "Headers and body must be complete and of the same callback; a proxy may have changed them."
	switch {
	case err == nil:
		return e, nil
	case errors.Is(err, api.ErrTimestamp):
		advice = "It was delayed or replayed, or a clock is wrong. To check one from a log, enter the time it was received."
	case !errors.Is(err, api.ErrSignature):
	case !json.Valid(body):
		advice = "The body is not valid JSON: part of it is missing, or something was added."
	default:
		advice = "Use the full secret, including whsec_, without spaces or quotes, and the exact bytes received: " +
			"editors and programs change line endings, indentation and escapes."
	}
	if errors.Is(err, api.ErrSignature) {
		if reason := SignatureReason(secret, h.Get(api.HeaderSignature), body); reason != "" {
			advice = format.CapitalizeFirst(reason) + "."
		}
	}
	return nil, fmt.Errorf("%w. %s", err, advice)
}

// SecretStore keeps secrets beyond this run, by the endpoint's id.
type SecretStore interface {
	Get(endpoint string) (secret string, err error) // "" where there is none
	Set(endpoint, secret string) error
	Delete(endpoint string) error
}

// EndpointSecrets keeps the signing secrets of endpoints: in a store, where they last,
// and else for this run. It is safe for concurrent use; its methods but Known may ask the system's keyring, and take as long as that does.
type EndpointSecrets struct {
	store SecretStore // nil: they are kept for this run only

	asking sync.Mutex // one secret is read of the store at a time

	mu   sync.Mutex        // never held while the store is asked: what is drawn waits for it
	held map[string]string // "" for one that is known to be kept nowhere
}

// NewSecrets returns the secrets of a store, which may be nil.
func NewSecrets(store SecretStore) *EndpointSecrets {
	return &EndpointSecrets{store: store, held: map[string]string{}}
}

// Get returns the secret of an endpoint, "" where none is kept. It asks the
// store once for each.
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
	if now, known := k.held[endpoint]; known { // set or forgotten while the store was asked
		return now, nil
	}
	if err == nil {
		k.held[endpoint] = secret
	}
	return secret, err
}

func (k *EndpointSecrets) lookUp(endpoint string) (secret string, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	secret, known = k.held[endpoint]
	return secret, known
}

func (k *EndpointSecrets) holdSecret(endpoint, secret string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held[endpoint] = secret
}

// Set keeps a secret. Where the store does not take it, it is kept for this run,
// and err says why.
func (k *EndpointSecrets) Set(endpoint, secret string) (lasts bool, err error) {
	k.holdSecret(endpoint, secret)
	if k.store == nil {
		return false, nil
	}
	err = k.store.Set(endpoint, secret)
	return err == nil, err
}

// Delete forgets a secret.
func (k *EndpointSecrets) Delete(endpoint string) error {
	k.holdSecret(endpoint, "")
	if k.store == nil {
		return nil
	}
	return k.store.Delete(endpoint)
}

// IsKnown reports whether a secret of an endpoint is at hand, without asking the
// store.
func (k *EndpointSecrets) IsKnown(endpoint string) bool {
	secret, _ := k.lookUp(endpoint)
	return secret != ""
}

// Format keeps the secrets out of whatever is printed.
func (k *EndpointSecrets) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("secrets of endpoints")) }
