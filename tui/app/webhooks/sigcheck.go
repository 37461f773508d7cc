package webhooks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"flightdesk/api"
)

// SignedCallback is what is known of a callback. What is empty was not given, and is not
// looked at.
type SignedCallback struct {
	Body      []byte
	Signature string // of the header
	Secret    string
	Event     string // the headers
	Delivery  string
	Timestamp string

	At time.Time // when it was received
}

// CheckMark is how a check ended.
type CheckMark int

// The marks.
const (
	CheckHolds   CheckMark = iota
	CheckFails             // a receiver does not take it for this
	CheckUnknown           // it was not given, or cannot be told
)

// ReceiverCheck is one thing that a receiver looks at.
type ReceiverCheck struct {
	What string // signature, body, time
	Mark CheckMark
	Says string
}

// CallbackVerdict is whether a callback verifies, and why.
type CallbackVerdict struct {
	Verified bool
	Missing  []string // what has to be given before anything can be said
	Checks   []ReceiverCheck
	Cause    string // why it does not verify, as far as that can be told
	Advice   string // what to do about it
}

// CheckSignature examines a callback: whether it verifies, and if not, why, its
// header, its secret, its body or its time. No secret is in what it says.
func CheckSignature(c SignedCallback) CallbackVerdict {
	var v CallbackVerdict
	if len(c.Body) == 0 {
		v.Missing = append(v.Missing, "the body")
	}
	if strings.TrimSpace(c.Signature) == "" {
		v.Missing = append(v.Missing, "the signature")
	}
	if c.Secret == "" {
		v.Missing = append(v.Missing, "the secret")
	}
	if len(v.Missing) > 0 {
		return v
	}
	v.checkMAC(&c)
	v.checkBody(&c)
	v.Verified = v.Cause == ""
	return v
}

// hold notes a check that holds.
func (v *CallbackVerdict) hold(what, says string) {
	v.Checks = append(v.Checks, ReceiverCheck{what, CheckHolds, says})
}

// leave notes what cannot be checked.
func (v *CallbackVerdict) leave(what, says string) {
	v.Checks = append(v.Checks, ReceiverCheck{what, CheckUnknown, says})
}

// fail notes a check that fails. The first cause is the weightiest.
func (v *CallbackVerdict) fail(what, says, cause, advice string) {
	v.Checks = append(v.Checks, ReceiverCheck{what, CheckFails, says})
	if v.Cause == "" {
		v.Cause, v.Advice = cause, advice
	}
}

var wellFormed = regexp.MustCompile(`^sha256=[0-9a-f]{64}$`)

// checkMAC checks how the signature is written, and whether it is that of body and
// secret.
func (v *CallbackVerdict) checkMAC(c *SignedCallback) {
	const form, differs = "sha256= and 64 lower-case hexadecimal digits", "does not match this body and secret"
	if !wellFormed.MatchString(c.Signature) {
		v.fail(
			"Header",
			"expected "+form,
			"Malformed signature header.",
			"Paste the header unchanged: "+form+".",
		)
		v.leave("Signature", "not compared")
		return
	}
	v.hold("Header", form)
	switch {
	case api.VerifySignature(c.Secret, c.Signature, c.Body) == nil:
		v.hold("Signature", "matches this body and secret")
	case !json.Valid(c.Body):
		v.fail(
			"Signature",
			differs,
			"Incomplete body: not valid JSON.",
			"Part of it is missing, or something was added.",
		)
	default:
		v.fail(
			"Signature",
			differs,
			"Wrong secret or changed body.",
			"Use this endpoint's full secret, including whsec_, without spaces or quotes around it, and the exact bytes received. "+
				"Editors and programs change line endings, indentation and escapes when they save a body.",
		)
	}
}

// checkBody checks whether the body is an event, whether the headers say what it says,
// and whether the callback is of now.
func (v *CallbackVerdict) checkBody(c *SignedCallback) {
	e, err := api.DecodeEvent(c.Body)
	if err != nil {
		v.fail("Body", "not an event: no object with id and event", "The body is not an event of the service.",
			"Check that it is complete. An event is a JSON object with id and event.")
	} else {
		v.hold("Body", fmt.Sprintf(
			"event %s of %s",
			e.Event,
			cmp.Or(e.Data.Mission.MissionCode, "no mission"),
		))
		v.compareHeader("X-Service-Event", c.Event, string(e.Event))
		v.compareHeader("X-Service-Delivery", c.Delivery, e.ID)
		v.checkTime("Body time", e.Timestamp.Time, c)
	}
	sent := strings.TrimSpace(c.Timestamp)
	at, err := time.Parse(time.RFC3339, sent)
	switch {
	case sent == "":
		v.leave("X-Service-Timestamp", "not given; not checked")
	case err != nil:
		v.fail(
			"X-Service-Timestamp",
			"not a valid time; expected 2026-11-24T09:31:07Z",
			"Malformed time in the headers.",
			"Use RFC 3339, such as 2026-11-24T09:31:07Z.",
		)
	default:
		v.checkTime("X-Service-Timestamp", at, c)
	}
}

// compareHeader compares a header with what the body says.
func (v *CallbackVerdict) compareHeader(header, sent, body string) {
	switch strings.TrimSpace(sent) {
	case "":
		v.leave(header, "not given; not compared with the body")
	case body:
		v.hold(header, "matches the body")
	default:
		v.fail(header, sent+", but the body has "+body, "The headers and the body name different events.",
			"The headers belong to another callback, or a proxy changed them.")
	}
}

func (v *CallbackVerdict) checkTime(what string, at time.Time, c *SignedCallback) {
	age, side := c.At.Sub(at), " old"
	if age < 0 {
		side = " ahead"
	}
	span := formatSpan(age.Abs())
	says := span + side + "; receivers accept up to " + formatSpan(api.DefaultTolerance)
	switch {
	case at.IsZero():
		v.fail(
			what,
			"missing",
			"The body has no time.",
			"Every event of the service has a timestamp.",
		)
	case age > api.DefaultTolerance:
		v.fail(
			what,
			says,
			"Too old: "+span+".",
			"Delayed on the way, or replayed by someone who recorded it. To check one from a log, set the time it was received.",
		)
	case age < -api.DefaultTolerance:
		v.fail(
			what,
			says,
			"From the future: "+span+".",
			"The clock of this machine or of the service is wrong.",
		)
	default:
		v.hold(what, says)
	}
}

// formatSpan writes a duration in its largest unit.
func formatSpan(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours())/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d minutes", int(d.Minutes()))
	default:
		return fmt.Sprintf("%d seconds", int(d.Seconds()))
	}
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
