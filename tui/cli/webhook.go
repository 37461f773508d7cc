package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
		&cobra.Command{
			Use:   "webhook",
			Short: "Manage endpoints and test receivers",
			Long: `Registers and deletes endpoints for an account's events, tests receivers and verifies signatures. flightdesk
list endpoints lists the endpoints, flightdesk list callbacks the callbacks sent to them. flightdesk listen uses a
temporary endpoint.`,
			Example: `# register an endpoint for all events
flightdesk webhook register https://me.example/hook`,
		},
		webhookRegister(), webhookDelete(), webhookTest(), webhookVerify(),
	)
}

// knownEvents lists the types of events in the help.
var knownEvents = strings.Join(format.PlainTexts(api.EventNames()), ", ")

func webhookRegister() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "register URL",
		Short: "Register an endpoint and print its secret",
		Long: "Registers an https URL for all events, or those named by --events: " + knownEvents + `. The secret that signs callbacks is printed only once, and stored in the keyring if there is one. --output
json prints the endpoint as returned by the service.`,
		Example: `# all events
flightdesk webhook register https://me.example/hook

# only deliveries
flightdesk webhook register https://me.example/hook --events mission.data_delivered --description "our GIS" --output json`,
	}
	cmd.Aliases = []string{"add"}
	var req api.CreateWebhookRequest
	events := listFlag(cmd, "events", "events to send; all if omitted", api.EventNames())
	cmd.Flags().StringVar(&req.Description, "description", "", "description of the endpoint")
	check := func(args []string) error {
		if !isPlainURL(args[0], "https") {
			return errors.New("the endpoint must be an https URL, without user name, password and fragment")
		}
		return nil
	}
	return defineService(cmd, check, func(c *Call) error {
		req.URL = c.Args[0]
		req.Events = events.Values
		return registerEndpoint(c, req)
	})
}

// registerEndpoint registers an endpoint and prints it, with its secret.
func registerEndpoint(c *Call, req api.CreateWebhookRequest) error {
	if err := c.CheckWritable(); err != nil {
		return err
	}
	e, err := c.ChangeSender().RegisterEndpoint(c, req)
	if err != nil {
		return err
	}
	c.warnUnreachable(e)
	return printEndpoint(c, e)
}

// printEndpoint prints a new endpoint and then stores its secret. It prints the secret first, because
// the keyring can wait for the user without a limit: if the program is stopped meanwhile, a secret
// that is not printed is lost.
func printEndpoint(c *Call, e *api.WebhookEndpoint) error {
	const widest = "To delete it"
	printErr := c.PrintFacts(e, [][2]string{
		{"Endpoint", e.UUID},
		{"Address", e.URL},
		{"Events", columns.EventNames(e.Events)},
		{"Description", e.Description},
		{"Secret", e.Secret},
		{widest, "flightdesk webhook delete " + e.UUID},
	})
	stored := saveSecret(c, e)
	if c.Output == "json" {
		return printErr
	}
	label := format.FitLeft("Stored", len(widest)) // aligned with the lines above
	return errors.Join(printErr, c.PrintFacts(e, [][2]string{{label, stored}}))
}

// deletedEndpoint is the output of webhook delete --output json.
type deletedEndpoint struct {
	UUID    string `json:"uuid"`
	Removed bool   `json:"removed"`
}

func webhookDelete() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delete ENDPOINT",
		Short: "Delete an endpoint",
		Long: `Deletes an endpoint and its log, by its ID (see flightdesk list endpoints). Nothing more is sent to it,
including pending retries. Asks for confirmation; --yes skips it. --output json prints {"uuid", "removed"}.`,
		Example: `# in a script
flightdesk webhook delete 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --yes`,
	}
	cmd.Aliases = []string{"remove"}
	confirmFlag(cmd)
	return defineService(cmd, nil, deleteEndpoint)
}

// deleteEndpoint asks for confirmation, and deletes the endpoint in the arguments with its stored secret.
func deleteEndpoint(c *Call) error {
	if err := c.CheckWritable(); err != nil {
		return err
	}
	e, err := c.Service.Client.Webhooks.Get(c, c.Args[0])
	if err != nil {
		return prefixError(c.Args[0], err)
	}
	question := e.URL + "  " + e.Description + "\nThis stops callbacks and retries and deletes the log."
	const advice = "check with flightdesk list endpoints, then use --yes"
	if err := c.confirmChange(question, "delete", advice); err != nil {
		return err
	}
	if err := c.ChangeSender().RemoveEndpoint(c, e.UUID, e.URL); err != nil {
		return prefixError(c.Args[0], err)
	}
	deleteSecret(c, e.UUID)
	return c.PrintResult(deletedEndpoint{e.UUID, true}, "deleted "+e.URL)
}

// secretFlags are the flags that name the source of an endpoint's secret. No flag takes the secret
// itself, because other users of the machine can see arguments.
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
		secret, _ := c.program.Env.Lookup(f.Env)
		if secret == "" {
			return "", fmt.Errorf("variable %s of --secret-env is not set", f.Env)
		}
		return secret, nil
	}
	s, err := c.program.Resolve(c.ProfileFlag, false)
	if err != nil {
		return "", err
	}
	secret, err := c.program.Env.EndpointSecrets(s.StateName()).Get(f.Endpoint)
	if err != nil {
		return "", err
	}
	if secret == "" {
		return "", fmt.Errorf("no secret of endpoint %s stored for profile %s; use --secret-env", f.Endpoint, s.Name)
	}
	return secret, nil
}

// sentTest is the output of webhook test --output json.
type sentTest struct {
	commands.TestResult
	Error string `json:"error,omitzero"`
}

func webhookTest() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test URL",
		Short: "Send a signed test event to a receiver",
		Long: `Sends an event of a placeholder mission (MSN-0) from this machine to a receiver, signed like the service's
callbacks. The service is not involved. Asks for confirmation if the receiver is on another machine; --yes skips it.
The exit status is 1 if the receiver rejects the event. Events: ` + knownEvents + `. --output json prints {"to", "event", "id", "ok", "status",
"took", "answer", "error"}; took is in milliseconds.`,
		Example: `# with the secret from a variable
flightdesk webhook test http://127.0.0.1:3000/hook --secret-env HOOK_SECRET

# with the secret from the keyring
flightdesk webhook test http://127.0.0.1:3000/hook --event mission.data_delivered --endpoint 01a1f8f0-4ba0-79b8-8433-3deb27c49f82`,
	}
	var f testFlags
	addFlags(cmd, &f.secretFlags)
	addFlags(cmd, &f)
	f.event = &choice[api.EventName]{known: api.EventNames()}
	addChoice(cmd, "event", "type of event to send", f.event)
	f.event.setDefault(cmd.Flag("event"), defaultTestEvent)
	profileFlag(cmd)
	confirmFlag(cmd)
	return definePrinting(cmd, f.sendTest)
}

// defaultTestEvent is the type of the test event unless --event selects another.
const defaultTestEvent = api.EventFlightScheduled

// testFlags are the flags of webhook test.
type testFlags struct {
	secretFlags
	CAFile string `flag:"ca,file with a certificate to trust for the receiver (PEM)"`
	event  *choice[api.EventName]
}

// sendTest sends a test event to the receiver in the arguments and prints the outcome.
func (f *testFlags) sendTest(c *Call) error {
	target, err := commands.ParseReceiver(c.Args[0])
	if err != nil {
		return badUsage(err) // without the URL, which can contain a password
	}
	secret, err := f.readSecret(c)
	if err != nil {
		return err
	}
	transport, err := transportWithCA(f.CAFile)
	if err != nil {
		return err
	}
	// The user is asked last, after everything that can prevent the test.
	if err := confirmTest(c, target); err != nil {
		return err
	}
	sent := commands.SendTest(c, target, secret, f.eventName(), time.Now(), transport)
	if problem := sent.ProblemError(); problem != nil {
		return printFailure(c, sentTest{TestResult: sent, Error: problem.Error()}, sent.To, problem)
	}
	line := fmt.Sprintf("%s %s: %s in %d ms", sent.Event, sent.ID, sent.Status, sent.Took)
	return c.PrintResult(sentTest{TestResult: sent}, line)
}

// confirmTest asks the user to confirm a test event, unless the receiver is on this machine.
func confirmTest(c *Call, receiver *url.URL) error {
	if commands.IsLoopback(receiver.Hostname()) {
		return nil
	}
	question := c.Args[0] + "\nThis sends a signed test event to another machine. Its receiver will treat it as real."
	return c.confirmChange(question, "test", "use --yes")
}

// eventName returns the type of the event to send. --event "" means the default.
func (f *testFlags) eventName() api.EventName {
	if len(f.event.Values) == 0 {
		return defaultTestEvent
	}
	return f.event.Values[0]
}

// errorMessage returns the text of an error, or "" if it is nil.
func errorMessage(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// printFailure returns the failure of a command, with the name of its subject in front. With --output json it
// also prints the value; for people it prints nothing.
func printFailure(c *Call, value any, subject string, failure error) error {
	failure = prefixError(subject, failure)
	if c.Output != "json" {
		return failure
	}
	return errors.Join(printValue(c.Out(), value), failure)
}

// transportWithCA returns a transport that trusts the certificates in a file and the certificates of
// the system. If the path is "", it returns nil, which stands for the default transport.
func transportWithCA(path string) (http.RoundTripper, error) {
	pool, err := config.LoadCAs(path)
	if err != nil {
		return nil, fmt.Errorf("--ca: %w", err)
	}
	if pool == nil {
		return nil, nil
	}
	return transportTo(pool), nil
}

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

// verifyFlags are the flags of webhook verify.
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

// needsSecret reports whether the signature is checked with the secret. The comparison of --callback needs no
// secret, but uses one if the flags name it.
func (f *verifyFlags) needsSecret() bool {
	isSecretNamed := f.Env != "" || f.Endpoint != ""
	return isSecretNamed || f.Callback == ""
}

// findProblem returns what is wrong with a received callback, or nil. It checks the signature with the secret,
// if the flags need the secret. With --callback, it also compares the body and the signature with the callback that
// the service sent; err is the error of reading that callback.
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

// joinProblems joins the error of an invalid signature and the difference between the received and the sent
// callback; either can be nil. If the signature is invalid although there is no difference, the secret is not the
// one that the service signed with.
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

// readAttempts returns the attempts to send a callback, oldest first. There is at least one. It needs a connection
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

// saveSecret stores the secret of a new endpoint in the keyring, where the app finds it. It returns a
// text for the user that says where the secret is stored.
func saveSecret(c *Call, e *api.WebhookEndpoint) string {
	if e.Secret == "" {
		return ""
	}
	if err := c.program.Env.EndpointSecrets(c.Service.StateName()).Set(e.UUID, e.Secret); err != nil {
		return "not stored; copy it now: " + err.Error()
	}
	return "in the keyring"
}

// deleteSecret deletes the stored secret of a deleted endpoint. If that fails, it prints a warning.
func deleteSecret(c *Call, uuid string) {
	secrets := c.program.Env.EndpointSecrets(c.Service.StateName())
	secret, err := secrets.Get(uuid)
	if err != nil || secret == "" {
		return // nothing is stored
	}
	if err := secrets.Delete(uuid); err != nil {
		fmt.Fprintln(c.Stderr(), format.Clean("could not delete its secret from the keyring: "+err.Error()))
	}
}
