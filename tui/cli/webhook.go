package cli

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/config"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// webhookCommand returns the group of commands that register, delete and test endpoints.
func webhookCommand() *cobra.Command {
	return defineGroup(
		newCommand(
			"webhook",
			"Manage endpoints and test receivers",
			`Registers and deletes endpoints for an account's events, tests receivers and verifies signatures. flightdesk
list endpoints lists the endpoints, flightdesk list callbacks the callbacks sent to them. flightdesk listen uses a
temporary endpoint.`,
			"# register an endpoint for all events\nflightdesk webhook register https://me.example/hook",
		),
		webhookAdd(), webhookRemove(), webhookTest(), webhookVerify(),
	)
}

var knownEvents = strings.Join(format.PlainTexts(api.EventNames()), ", ")

func webhookAdd() *cobra.Command {
	cmd := newCommand(
		"register URL",
		"Register an endpoint and print its secret",
		"Registers an https URL for all events, or those named by --events: "+knownEvents+`. The secret that signs callbacks is printed only once, and stored in the keyring if there is one. --output
json prints the endpoint as returned by the service.`,
		`# all events
flightdesk webhook register https://me.example/hook

# only deliveries
flightdesk webhook register https://me.example/hook --events mission.data_delivered --description "our GIS" --output json`,
	)
	cmd.Aliases = []string{"add"}
	var req api.CreateWebhookRequest
	events := listFlag(cmd, "events", "events to send; all if omitted", api.EventNames())
	addFlag(cmd, "description,description of the endpoint", &req.Description)
	check := func(args []string) error {
		if req.URL = args[0]; !IsAddress(req.URL, "https") {
			return errors.New("the endpoint must be an https URL, without user name, password and fragment")
		}
		req.Events = events.Values
		return nil
	}
	return defineService(cmd, check, func(c *Call) error {
		if err := c.MayChange(); err != nil {
			return err
		}
		e, err := c.ChangeSender().RegisterEndpoint(c, req)
		if err != nil {
			return err
		}
		c.warnUnreachable(e)
		return printEndpoint(c, e)
	})
}

// printEndpoint prints a new endpoint and then stores its secret. Printing comes first because a
// keyring can wait for its user without limit, and a secret that is not printed is lost if the program
// is ended during that time.
func printEndpoint(c *Call, e *api.WebhookEndpoint) error {
	err := c.PrintFacts(e, [][2]string{
		{"Endpoint", e.UUID},
		{"Address", e.URL},
		{"Events", columns.EventNames(e.Events)},
		{"Description", e.Description},
		{"Secret", e.Secret},
		{"To delete it", "flightdesk webhook delete " + e.UUID},
	})
	stored := keepSecret(c, e)
	if c.Output != "json" {
		err = errors.Join(err, c.PrintFacts(e, [][2]string{{"Stored      ", stored}})) // as wide as the widest above
	}
	return err
}

// removedEndpoint is what webhook delete --output json prints.
type removedEndpoint struct {
	UUID    string `json:"uuid"`
	Removed bool   `json:"removed"`
}

func webhookRemove() *cobra.Command {
	cmd := newCommand(
		"delete ENDPOINT",
		"Delete an endpoint",
		`Deletes an endpoint and its log, by its ID (see flightdesk list endpoints). Nothing more is sent to it,
including pending retries. Asks for confirmation; --yes skips it. --output json prints {"uuid", "removed"}.`,
		"# in a script\nflightdesk webhook delete 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --yes",
	)
	cmd.Aliases = []string{"remove"}
	confirmFlag(cmd)
	return defineService(cmd, nil, func(c *Call) error {
		if err := c.MayChange(); err != nil {
			return err
		}
		e, err := c.Client.Webhooks.Get(c, c.Args[0])
		if err != nil {
			return inName(c.Args[0], err)
		}
		question := e.URL + "  " + e.Description + "\nThis stops callbacks and retries and deletes the log."
		without := "check with flightdesk list endpoints, then use --yes"
		if err := c.confirmChange(question, "delete", without); err != nil {
			return err
		}
		if err := c.ChangeSender().RemoveEndpoint(c, e.UUID, e.URL); err != nil {
			return inName(c.Args[0], err)
		}
		forgetSecret(c, e.UUID)
		return c.PrintAnswer(removedEndpoint{e.UUID, true}, "deleted "+e.URL)
	})
}

// secretFlags are the flags that name the source of an endpoint's secret. The secret itself is never
// an argument, because other users of the machine can see arguments.
type secretFlags struct {
	Env      string `flag:"secret-env,environment variable with the secret"`
	Endpoint string `flag:"endpoint,endpoint whose secret is in the keyring"`
}

// readSecret reads the secret from the source that the flags name.
func (f *secretFlags) readSecret(c *Call) (string, error) {
	if (f.Env == "") == (f.Endpoint == "") {
		return "", wrongUsage("missing secret: use either --secret-env or --endpoint")
	}
	if f.Env != "" {
		secret, _ := c.Env.Lookup(f.Env)
		if secret == "" {
			return "", fmt.Errorf("variable %s of --secret-env is not set", f.Env)
		}
		return secret, nil
	}
	s, err := c.Resolve(c.Chosen, false)
	if err != nil {
		return "", err
	}
	secret, err := c.Env.EndpointSecrets(s.StateName()).Get(f.Endpoint)
	if err == nil && secret == "" {
		err = fmt.Errorf("no secret of endpoint %s stored for profile %s; use --secret-env", f.Endpoint, s.Name)
	}
	return secret, err
}

// sentTest is what webhook test --output json prints; took is in milliseconds.
type sentTest struct {
	commands.TestResult
	Error string `json:"error,omitzero"`
}

func webhookTest() *cobra.Command {
	cmd := newCommand(
		"test URL",
		"Send a signed test event to a receiver",
		`Sends an event of a placeholder mission (MSN-0) from this machine to a receiver, signed like the service's
callbacks. The service is not involved. Asks for confirmation if the receiver is on another machine; --yes skips it.
The exit status is 1 if the receiver rejects the event. Events: `+knownEvents+`. --output json prints {"to", "event", "id", "ok", "status",
"took", "answer", "error"}; took is in milliseconds.`,
		`# with the secret from a variable
flightdesk webhook test http://127.0.0.1:3000/hook --secret-env HOOK_SECRET

# with the secret from the keyring
flightdesk webhook test http://127.0.0.1:3000/hook --event mission.data_delivered --endpoint 01a1f8f0-4ba0-79b8-8433-3deb27c49f82`,
	)
	var f secretFlags
	addFlags(cmd, &f)
	profileFlag(cmd)
	event := listFlag(cmd, "event", "type of event to send", api.EventNames())
	event.Values, event.many = []api.EventName{api.EventFlightScheduled}, false
	cmd.Flag("event").DefValue = event.String()
	confirmFlag(cmd)
	ca := ""
	addFlag(cmd, "ca,file with a certificate to trust for the receiver (PEM)", &ca)
	return definePrinting(cmd, func(c *Call) error {
		target, err := commands.ParseReceiver(c.Args[0])
		if err != nil {
			return badUsage(err)
		}
		secret, err := f.readSecret(c)
		if err != nil {
			return err
		}
		trusted, err := trustingTransport(ca)
		if err != nil {
			return err
		}
		if !commands.IsLoopback(target.Hostname()) {
			question := c.Args[0] + "\nThis sends a signed test event to another machine. Its receiver will treat it as real."
			if err := c.confirmChange(question, "test", "use --yes"); err != nil {
				return err
			}
		}
		sent := commands.SendTest(c, target, secret, event.Values[0], time.Now(), trusted)
		err = sent.ProblemError()
		line := fmt.Sprintf("%s %s: %s in %d ms", sent.Event, sent.ID, sent.Status, sent.Took)
		return printOutcome(c, sentTest{sent, textOfError(err)}, sent.To, line, err)
	})
}

func textOfError(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// printOutcome prints what came of a command on something: the value, or a line for
// people where it went well.
func printOutcome(c *Call, value any, on, line string, err error) error {
	if err != nil && c.Output != "json" {
		return inName(on, err)
	}
	return errors.Join(c.PrintAnswer(value, line), inName(on, err))
}

// trustingTransport returns a transport that trusts the certificates of a file as well as the
// system's; nil without a file.
func trustingTransport(path string) (http.RoundTripper, error) {
	pool, err := config.LoadCAs(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--ca: %w", err)
	case pool == nil:
		return nil, nil
	}
	return transportTo(pool), nil
}

// verifiedCallback is what webhook verify --output json prints.
type verifiedCallback struct {
	Valid bool          `json:"valid"`
	ID    string        `json:"id,omitzero"`
	Event api.EventName `json:"event,omitzero"`
	Age   string        `json:"age,omitzero"` // if receivers refuse the callback for it
	Error string        `json:"error,omitzero"`
}

func webhookVerify() *cobra.Command {
	cmd := newCommand(
		"verify FILE",
		"Check the signature of a received callback",
		`Checks the unchanged body of a callback against its X-Service-Signature header. FILE can be - for standard
input. If the signature is invalid, says why as far as that can be found out: the secret without whsec_ or with quotes,
a line end or a byte order mark that was added to the body, or JSON that was written again. With --callback and the
operations key, the body is also compared with the one that was sent, and the first difference is printed. An age at
which receivers refuse a callback is named. The exit status is 1 if the signature is invalid. --output json prints
{"valid", "id", "event", "age", "error"}.`,
		`# a body saved to a file
flightdesk webhook verify body.json --signature sha256=0ac1 --secret-env HOOK_SECRET

# with the secret from the keyring
flightdesk webhook verify body.json --signature sha256=0ac1 --endpoint 01a1f8f0-4ba0-79b8-8433-3deb27c49f82`,
	)
	var f secretFlags
	addFlags(cmd, &f)
	profileFlag(cmd)
	callback := ""
	addFlag(cmd, "callback,ID of the callback whose sent body is compared; needs the operations key", &callback)
	signature := ""
	addFlag(cmd, "signature,value of the X-Service-Signature header, sha256=…", &signature)
	return definePrinting(cmd, func(c *Call) error {
		if signature == "" {
			return wrongUsage("missing --signature: value of the X-Service-Signature header")
		}
		secret := ""
		if callback == "" || f.Env != "" || f.Endpoint != "" {
			var err error
			if secret, err = f.readSecret(c); err != nil {
				return err
			}
		}
		body, err := c.readInput(c.Args[0])
		if err != nil {
			return err
		}
		err, unread := c.checkReceived(secret, signature, callback, body)
		if unread != nil {
			return unread
		}
		v := verifiedCallback{Valid: err == nil, Error: textOfError(err)}
		if e, wrong := api.DecodeEvent(body); wrong == nil {
			v.ID, v.Event = e.ID, e.Event
			v.Age = refusedAge(e, c.Now())
		}
		line := strings.TrimSpace(fmt.Sprintf("valid signature: %s %s", v.Event, v.ID))
		if v.Age != "" {
			line += fmt.Sprintf("; sent %s ago, and receivers refuse it after %s", v.Age, api.DefaultTolerance)
		}
		return printOutcome(c, v, c.Args[0], line, err)
	})
}

// checkReceived checks a signature with the secret, and compares it and the body with those of
// a callback; either is left out if it is "". The second error says that the callback could
// not be read.
func (c *Call) checkReceived(secret, signature, callback string, body []byte) (invalid, err error) {
	if secret != "" {
		invalid = verifyBody(secret, signature, body)
	}
	if callback == "" {
		return invalid, nil
	}
	compared, err := c.compareSent(callback, signature, body)
	if err != nil {
		return nil, err
	}
	if invalid != nil && compared == nil {
		return fmt.Errorf("%w: body and signature are those that were sent, so the secret is of another endpoint", invalid), nil
	}
	return errors.Join(invalid, compared), nil
}

// verifyBody checks the signature of a body. The error says why it does not match, if that can be
// determined.
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
		return format.TimeLeft(e.Timestamp.Time, now, false)
	}
	return ""
}

// compareSent compares a body and a signature with the attempts of a callback, newest first. The
// second error is set if the attempts could not be read.
func (c *Call) compareSent(callback, signature string, body []byte) (difference, err error) {
	if c.Service, err = c.NeedOps(); err != nil {
		return nil, err
	}
	history, err := c.Ops.Webhooks.History(c, callback)
	if err != nil {
		return nil, inName("callback "+callback, err)
	}
	if len(history.Attempts) == 0 {
		return nil, fmt.Errorf("callback %s has no attempt yet", callback)
	}
	return compareAttempts(history.Attempts, signature, body), nil
}

// compareAttempts returns how a body and a signature differ from the newest attempt of a callback, or
// nil if they match any attempt.
func compareAttempts(attempts []ops.CallbackAttempt, signature string, body []byte) (difference error) {
	for _, a := range slices.Backward(attempts) {
		text := webhooks.BodyDifference([]byte(a.Body), body)
		switch {
		case text != "":
			if difference == nil {
				difference = errors.New(text)
			}
		case headerOf(a.Headers).Get(api.HeaderSignature) != signature:
			return fmt.Errorf("the body is that of attempt %d, but the signature is not", a.Number)
		default:
			return nil
		}
	}
	return difference
}

// headerOf returns the HTTP headers of an attempt.
func headerOf(sent map[string]string) http.Header {
	h := http.Header{}
	for name, value := range sent {
		h.Set(name, value)
	}
	return h
}

// keepSecret stores the secret of a new endpoint for the app and prints where it is stored.
func keepSecret(c *Call, e *api.WebhookEndpoint) string {
	if e.Secret == "" {
		return ""
	}
	if err := c.Env.EndpointSecrets(c.StateName()).Set(e.UUID, e.Secret); err != nil {
		return "not stored; copy it now: " + err.Error()
	}
	return "in the keyring"
}

// forgetSecret deletes the stored secret of a deleted endpoint. If that fails, it prints a warning.
func forgetSecret(c *Call, uuid string) {
	secrets := c.Env.EndpointSecrets(c.StateName())
	if kept, err := secrets.Get(uuid); err != nil || kept == "" {
		return // there is none to forget
	}
	if err := secrets.Delete(uuid); err != nil {
		fmt.Fprintln(c.Trouble(), format.Clean("could not delete its secret from the keyring: "+err.Error()))
	}
}
