package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// verifiedCallback is the output of webhook verify --output json.
type verifiedCallback struct {
	Valid bool          `json:"valid"`
	ID    string        `json:"id,omitzero"`
	Event api.EventName `json:"event,omitzero"`
	Age   string        `json:"age,omitzero"` // "" unless the callback is so old that receivers refuse it
	Error string        `json:"error,omitzero"`
}

func webhookVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check the signature of a received callback",
		Long: `Checks the unchanged body of a callback against its X-Service-Signature header. FILE can be - for standard
input. If the signature is invalid, says why as far as that can be found out: the secret without whsec_ or with quotes,
a line end or a byte order mark that was added to the body, or JSON that was written again. With --callback and the
operations key, the body is also compared with the one that was sent, and the first difference is printed. If the
callback is so old that receivers refuse it, its age is printed. The exit status is 1 if the signature is invalid. --output json prints
{"valid", "id", "event", "age", "error"}.`,
		Example: `# a body saved to a file
flightdesk webhook verify body.json --signature sha256=0ac1 --secret-env HOOK_SECRET

# with the secret from the keyring
flightdesk webhook verify body.json --signature sha256=0ac1 --endpoint 01a1f8f0-4ba0-79b8-8433-3deb27c49f82`,
	}
	var f verifyFlags
	addFlags(cmd, &f.secretFlags)
	addFlags(cmd, &f)
	profileFlag(cmd)
	return definePrinting(cmd, f.verify)
}

type verifyFlags struct {
	secretFlags
	Callback  string `flag:"callback,ID of the callback whose sent body is compared; needs the operations key"`
	Signature string `flag:"signature,value of the X-Service-Signature header, sha256=…"`
}

// verify checks the callback in the arguments and prints the outcome.
func (f *verifyFlags) verify(c *Call) error {
	if f.Signature == "" {
		return wrongUsage("missing --signature: value of the X-Service-Signature header")
	}
	secret := ""
	if f.needsSecret() {
		var err error
		secret, err = f.readSecret(c)
		if err != nil {
			return err
		}
	}
	body, err := c.readInput(c.Args[0])
	if err != nil {
		return err
	}
	problem, err := f.findProblem(c, secret, body)
	if err != nil {
		return err
	}
	result := newVerifiedCallback(body, c.Service.Now())
	if problem != nil {
		result.Error = problem.Error()
		return printFailure(c, result, c.Args[0], problem)
	}
	result.Valid = true
	return c.PrintResult(result, result.validLine())
}

// needsSecret reports whether the signature is checked with the secret of the endpoint. With --callback this check is
// optional, because the received callback is compared with the sent callback. The secret is then used only if a flag
// says where it is.
func (f *verifyFlags) needsSecret() bool {
	isSecretNamed := f.Env != "" || f.Endpoint != ""
	return isSecretNamed || f.Callback == ""
}

// findProblem returns what is wrong with a received callback as problem, or nil if it is valid. It checks the
// signature with the secret, if needsSecret returns true. With --callback, it also reads the callback that the
// service sent, and compares the body and the signature with it. err is not nil if the sent callback cannot be read.
func (f *verifyFlags) findProblem(c *Call, secret string, body []byte) (problem, err error) {
	if f.needsSecret() {
		problem = verifyBody(secret, f.Signature, body)
	}
	if f.Callback == "" {
		return problem, nil
	}
	service, err := c.RequireOps()
	if err != nil {
		return nil, err
	}
	c.Service = service
	attempts, err := readAttempts(c, f.Callback)
	if err != nil {
		return nil, err
	}
	return joinProblems(problem, webhooks.CompareSent(attempts, f.Signature, body)), nil
}

// newVerifiedCallback returns a result with the fields of the event in a body. The fields stay empty if the body
// is not an event; its signature can still be valid.
func newVerifiedCallback(body []byte, now time.Time) verifiedCallback {
	event, err := api.DecodeEvent(body)
	if err != nil {
		return verifiedCallback{}
	}
	return verifiedCallback{
		ID:    event.ID,
		Event: event.Event,
		Age:   refusedAge(event, now),
	}
}

// validLine returns the output for people if the signature is valid.
func (v *verifiedCallback) validLine() string {
	line := strings.TrimSpace(fmt.Sprintf("valid signature: %s %s", v.Event, v.ID))
	if v.Age == "" {
		return line
	}
	return line + fmt.Sprintf("; sent %s ago, and receivers refuse it after %.0f minutes",
		v.Age, api.DefaultTolerance.Minutes())
}

// joinProblems joins the error of an invalid signature and the difference between the received and
// the sent callback; either can be nil. If the signature is invalid although there is no
// difference, the service signed with another secret.
func joinProblems(invalid, difference error) error {
	if invalid != nil && difference == nil {
		return fmt.Errorf("%w: body and signature are those that were sent, so they were signed with another secret", invalid)
	}
	return errors.Join(invalid, difference)
}

// verifyBody checks the signature of a body. If the signature is invalid, the error includes the reason if it
// is known.
func verifyBody(secret, signature string, body []byte) error {
	err := api.VerifySignature(secret, signature, body)
	if err == nil {
		return nil
	}
	if reason := webhooks.SignatureReason(secret, signature, body); reason != "" {
		return fmt.Errorf("%w: %s", err, reason)
	}
	return err
}

// refusedAge returns the age of an event if receivers refuse it as too old, or "".
func refusedAge(e *api.Event, now time.Time) string {
	age := now.Sub(e.Timestamp.Time)
	if !e.Timestamp.IsZero() && age > api.DefaultTolerance {
		return format.TimeLeft(now, e.Timestamp.Time, false)
	}
	return ""
}

// readAttempts returns the attempts to send a callback, oldest first, and at least one. The command must be connected
// to the operations API.
func readAttempts(c *Call, callback string) ([]ops.CallbackAttempt, error) {
	history, err := c.Service.Ops.Webhooks.History(c, callback)
	if err != nil {
		return nil, prefixError("callback "+callback, err)
	}
	if len(history.Attempts) == 0 {
		return nil, fmt.Errorf("callback %s has no attempt yet", callback)
	}
	return history.Attempts, nil
}
