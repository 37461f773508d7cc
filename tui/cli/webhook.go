package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui/app/columns"
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

// transportWithCA returns a transport that trusts the certificates in a file and the certificates of the system. If
// the path is "", it returns nil, which means the default transport.
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
