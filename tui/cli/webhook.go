package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// WebhookCommand registers, deletes and tests endpoints.
func WebhookCommand(p *Program) *cobra.Command {
	return p.Group(
		&cobra.Command{
			Use:   "webhook",
			Short: "Manage endpoints and test receivers",
			Long: `Registers and deletes endpoints for an account's events, tests receivers and verifies signatures. flightdesk
list endpoints lists the endpoints, flightdesk list callbacks the callbacks sent to them. flightdesk listen uses a
temporary endpoint.`,
			Example: "# register an endpoint for all events\nflightdesk webhook register https://me.example/hook",
		},
		webhookAdd(p), webhookRemove(p), webhookTest(p), webhookVerify(p),
	)
}

// eventsFlag is the flag that names events.
type eventsFlag []string

var knownEvents = Names(api.EventNames())

func (f *eventsFlag) addFlag(cmd *cobra.Command, usage string) {
	cmd.Flags().StringSliceVar((*[]string)(f), "events", nil, usage)
	CompleteValues(cmd, "events", knownEvents)
}

// checkNames returns an error where an event is not known.
func (f eventsFlag) checkNames() error {
	for _, name := range f {
		if err := CheckKnown("--events", name, knownEvents); err != nil {
			return err
		}
	}
	return nil
}

func (f eventsFlag) names() (events []api.EventName) {
	for _, name := range f {
		events = append(events, api.EventName(name))
	}
	return events
}

func webhookAdd(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "register URL", Aliases: []string{"add"},
		Short: "Register an endpoint and print its secret",
		Long: "Registers an https URL for all events, or those named by --events: " + strings.Join(
			knownEvents,
			", ",
		) + `. The secret that signs callbacks is printed only once, and stored in the keyring if there is one. --output
json prints the endpoint as returned by the service.`,
		Example: `# all events
flightdesk webhook register https://me.example/hook

# only deliveries
flightdesk webhook register https://me.example/hook --events mission.data_delivered --description "our GIS" --output json`,
	}
	var req api.CreateWebhookRequest
	var events eventsFlag
	events.addFlag(cmd, "events to send; all if omitted")
	cmd.Flags().StringVar(&req.Description, "description", "", "description of the endpoint")
	check := func(args []string) error {
		if req.URL = args[0]; !IsAddress(req.URL, "https") {
			return fmt.Errorf("%q is not an https URL", req.URL)
		}
		req.Events = events.names()
		return events.checkNames()
	}
	return p.ServiceCommand(cmd, check, func(ctx context.Context, c *Call) error {
		if err := c.MayChange(); err != nil {
			return err
		}
		e, err := c.ChangeSender().RegisterEndpoint(ctx, req)
		if err != nil {
			return ExplainInterruption(ctx, err)
		}
		return printEndpoint(c, e)
	})
}

// printEndpoint prints a new endpoint and keeps its secret, in this order: a
// keyring may wait for its owner for as long as it likes, and a secret that was
// not printed by then is lost if the program is ended.
func printEndpoint(c *Call, e *api.WebhookEndpoint) error {
	if c.Output == "json" {
		err := PrintValue(c.Out(), e)
		keepSecret(c, e)
		return err
	}
	err := c.PrintFacts(e, [][2]string{
		{"Endpoint", e.UUID},
		{"Address", e.URL},
		{"Events", columns.EventNames(e.Events)},
		{"Description", e.Description},
		{"Secret", e.Secret},
		{"To delete it", "flightdesk webhook delete " + e.UUID},
	})
	stored := [][2]string{{"Stored      ", keepSecret(c, e)}} // as wide as the widest above
	return errors.Join(err, c.PrintFacts(e, stored))
}

// RemovedEndpoint is what webhook delete --output json prints.
type RemovedEndpoint struct {
	UUID    string `json:"uuid"`
	Removed bool   `json:"removed"`
}

func webhookRemove(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete ENDPOINT", Aliases: []string{"remove"},
		Short: "Delete an endpoint",
		Long: `Deletes an endpoint and its log, by its ID (see flightdesk list endpoints). Nothing more is sent to it,
including pending retries. Asks for confirmation; --yes skips it. --output json prints {"uuid", "removed"}.`,
		Example: "# in a script\nflightdesk webhook delete 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --yes",
	}
	ConfirmFlag(cmd)
	return p.ServiceCommand(cmd, nil, func(ctx context.Context, c *Call) error {
		if err := c.MayChange(); err != nil {
			return err
		}
		e, err := c.Client.Webhooks.Get(ctx, c.Args[0])
		if err != nil {
			return InName(c.Args[0], err)
		}
		question := format.Clean(
			e.URL+"  "+e.Description,
		) + "\nThis stops callbacks and retries and deletes the log."
		without := "check with flightdesk list endpoints, then use --yes"
		if err := ConfirmChange(cmd, question, "delete", without, "changed"); err != nil {
			return err
		}
		if err := c.ChangeSender().RemoveEndpoint(ctx, e.UUID, e.URL); err != nil {
			return ExplainInterruption(ctx, InName(c.Args[0], err))
		}
		forgetSecret(c, e.UUID)
		return c.PrintAnswer(RemovedEndpoint{e.UUID, true}, "deleted "+e.URL)
	})
}
