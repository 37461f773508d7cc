package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/layout"
)

func (p *program) webhookCommand() *cobra.Command {
	return p.group(
		&cobra.Command{
			Use: "webhook", Short: "Register or remove an endpoint for events; try a receiver",
			Long: "Registers and removes the endpoints that an account's events are sent to. flightdesk list endpoints lists them, " +
				"flightdesk list callbacks what was sent; flightdesk listen has one for as long as it runs.",
			Example: "flightdesk webhook add https://me.example/hook",
		},
		p.webhookAdd(), p.webhookRemove(), p.webhookTest(), p.webhookVerify(),
	)
}

func (p *program) webhookAdd() *cobra.Command {
	known := names(api.EventNames())
	cmd := &cobra.Command{
		Use: "add URL", Short: "Register an endpoint, and print its secret",
		Long: "Registers an https address for events, all of them unless --events names some: " + strings.Join(known, ", ") + ". The secret " +
			"that callbacks are signed with is printed this once, and kept in the keyring where there is one. --output json prints the endpoint as the service has it.",
		Example: "flightdesk webhook add https://me.example/hook\n" +
			"flightdesk webhook add https://me.example/hook --events mission.data_delivered --description \"our GIS\" --output json",
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	var req api.CreateWebhookRequest
	var events []string
	cmd.Flags().StringSliceVar(&events, "events", nil, "events to send; all if absent")
	cmd.Flags().StringVar(&req.Description, "description", "", "what the endpoint is for")
	_ = cmd.RegisterFlagCompletionFunc("events", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
	output := outputFlag(cmd, "table", "json")
	profile := profileFlag(cmd)
	return p.command(cmd, takes(cmd.Use, cmd.Example), func(cmd *cobra.Command, args []string) error {
		if req.URL = args[0]; !isAddress(req.URL, "https") {
			return wrongUsage(cmd, "%q is no https address", req.URL)
		}
		req.Events = nil
		for _, name := range events {
			if !slices.Contains(known, name) {
				return wrongUsage(cmd, "--events %q is not known; there are %s", name, strings.Join(known, ", "))
			}
			req.Events = append(req.Events, api.EventName(name))
		}
		ctx := cmd.Context()
		o, err := p.connect(ctx, *profile)
		if err == nil {
			err = o.mayChange()
		}
		if err != nil {
			return err
		}
		e, err := o.client.Webhooks.Create(ctx, req)
		switch {
		case err != nil && ctx.Err() != nil:
			return o.findEndpoint(ctx, req.URL, err)
		case api.MaybeApplied(err):
			return fmt.Errorf("%w; whether it is registered is not known: look with flightdesk list endpoints, and remove one whose secret nobody has", err)
		case err != nil:
			return err
		}
		return p.printEndpoint(cmd.OutOrStdout(), o, e, output.value)
	})
}

// findEndpoint looks for an endpoint whose registration was interrupted: nobody
// has its secret.
func (o *online) findEndpoint(ctx context.Context, address string, interrupted error) error {
	after, cancel := commands.ReadBackContext(ctx)
	defer cancel()
	for e, err := range o.client.Webhooks.All(after) {
		if err == nil && e.URL == address {
			return foundError{"endpoint " + e.UUID + " has this address, and if this made it nobody has its secret: flightdesk webhook remove " + e.UUID, ctx.Err()}
		}
	}
	return interrupted
}

// printEndpoint prints a new endpoint and keeps its secret, in this order: a
// keyring may wait for its owner for as long as it likes, and a secret that was
// not printed by then is lost if the program is ended.
func (p *program) printEndpoint(to io.Writer, o *online, e *api.WebhookEndpoint, output string) error {
	if output == "json" {
		err := printValue(to, e)
		p.keepSecret(o, e)
		return err
	}
	out := bufio.NewWriter(to)
	th := shellTheme(to)
	writeFacts(out, th, [][2]string{
		{"Endpoint", e.UUID},
		{"Address", e.URL},
		{"Events", columns.Events(e.Events)},
		{"Description", e.Description},
		{"Secret", e.Secret},
		{"To remove it", "flightdesk webhook remove " + e.UUID},
	})
	err := out.Flush()
	writeFacts(out, th, [][2]string{{"It is kept  ", p.keepSecret(o, e)}}) // as wide as the widest above
	return errors.Join(err, out.Flush())
}

// removed is what webhook remove --output json prints.
type removed struct {
	UUID    string `json:"uuid"`
	Removed bool   `json:"removed"`
}

func (p *program) webhookRemove() *cobra.Command {
	cmd := &cobra.Command{
		Use: "remove ENDPOINT", Short: "Remove an endpoint: nothing more is sent to it",
		Long: "Removes an endpoint with its log, by its id as flightdesk list endpoints prints it. Nothing more is sent to it, also no " +
			"callback that waits for another try. It asks first; --yes does not. --output json prints {\"uuid\", \"removed\"}.",
		Example:           "flightdesk webhook remove 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --yes",
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	yes := cmd.Flags().Bool("yes", false, "do not ask")
	output := outputFlag(cmd, "table", "json")
	profile := profileFlag(cmd)
	return p.command(cmd, takes(cmd.Use, cmd.Example), func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		o, err := p.connect(ctx, *profile)
		if err == nil {
			err = o.mayChange()
		}
		if err != nil {
			return err
		}
		e, err := o.client.Webhooks.Get(ctx, args[0])
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if !*yes {
			question := layout.Clean(e.URL+"  "+e.Description) + "\nIts log goes with it, and nothing more is sent there."
			sure, err := confirm(ctx, cmd, question, "remove", "look at it with flightdesk list endpoints, then use --yes")
			if err != nil {
				return err
			}
			if !sure {
				return errors.New("nothing was done: remove was not typed")
			}
		}
		if err := o.client.Webhooks.Delete(ctx, e.UUID); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		p.forgetSecret(cmd, o, e.UUID)
		if output.value == "json" {
			return printValue(cmd.OutOrStdout(), removed{e.UUID, true})
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), layout.Clean("removed "+e.URL))
		return err
	})
}
