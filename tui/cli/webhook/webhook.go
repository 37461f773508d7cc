// Package webhook has the commands for endpoints and the events that they get.
package webhook

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
	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
)

// Command registers, removes and tries endpoints.
func Command(p *run.Program) *cobra.Command {
	return p.Group(
		&cobra.Command{
			Use: "webhook", Short: "Register or remove an endpoint for events; try a receiver",
			Long: "Registers and removes the endpoints that an account's events are sent to. flightdesk list endpoints lists them, " +
				"flightdesk list callbacks what was sent; flightdesk listen has one for as long as it runs.",
			Example: "flightdesk webhook add https://me.example/hook",
		},
		webhookAdd(p), webhookRemove(p), webhookTest(p), webhookVerify(p),
	)
}

func webhookAdd(p *run.Program) *cobra.Command {
	known := run.Names(api.EventNames())
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
	output := run.OutputFlag(cmd, "table", "json")
	profile := run.ProfileFlag(cmd)
	return p.Command(cmd, run.Takes(cmd.Use, cmd.Example), func(cmd *cobra.Command, args []string) error {
		if req.URL = args[0]; !run.IsAddress(req.URL, "https") {
			return run.WrongUsage(cmd, "%q is no https address", req.URL)
		}
		req.Events = nil
		for _, name := range events {
			if !slices.Contains(known, name) {
				return run.WrongUsage(cmd, "--events %q is not valid; use %s", name, strings.Join(known, ", "))
			}
			req.Events = append(req.Events, api.EventName(name))
		}
		ctx := cmd.Context()
		o, err := p.Connect(ctx, *profile)
		if err == nil {
			err = o.MayChange()
		}
		if err != nil {
			return err
		}
		e, err := o.Client.Webhooks.Create(ctx, req)
		switch {
		case err != nil && ctx.Err() != nil:
			return findEndpoint(ctx, o, req.URL, err)
		case api.MaybeApplied(err):
			return fmt.Errorf("%w; whether it is registered is not known: look with flightdesk list endpoints, and remove one whose secret nobody has", err)
		case err != nil:
			return err
		}
		return printEndpoint(p, cmd.OutOrStdout(), o, e, output.Value)
	})
}

// findEndpoint looks for an endpoint whose registration was interrupted: nobody
// has its secret.
func findEndpoint(ctx context.Context, o *run.Online, address string, interrupted error) error {
	after, cancel := commands.ReadBackContext(ctx)
	defer cancel()
	for e, err := range o.Client.Webhooks.All(after) {
		if err == nil && e.URL == address {
			return run.FoundError{Said: "endpoint " + e.UUID + " has this address, and if this made it nobody has its secret: flightdesk webhook remove " + e.UUID, Err: ctx.Err()}
		}
	}
	return interrupted
}

// printEndpoint prints a new endpoint and keeps its secret, in this order: a
// keyring may wait for its owner for as long as it likes, and a secret that was
// not printed by then is lost if the program is ended.
func printEndpoint(p *run.Program, to io.Writer, o *run.Online, e *api.WebhookEndpoint, output string) error {
	if output == "json" {
		err := run.PrintValue(to, e)
		keepSecret(p, o, e)
		return err
	}
	out := bufio.NewWriter(to)
	th := run.ShellTheme(to)
	run.WriteFacts(out, th, [][2]string{
		{"Endpoint", e.UUID},
		{"Address", e.URL},
		{"Events", columns.Events(e.Events)},
		{"Description", e.Description},
		{"Secret", e.Secret},
		{"To remove it", "flightdesk webhook remove " + e.UUID},
	})
	err := out.Flush()
	run.WriteFacts(out, th, [][2]string{{"It is kept  ", keepSecret(p, o, e)}}) // as wide as the widest above
	return errors.Join(err, out.Flush())
}

// Removed is what webhook remove --output json prints.
type Removed struct {
	UUID    string `json:"uuid"`
	Removed bool   `json:"removed"`
}

func webhookRemove(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "remove ENDPOINT", Short: "Remove an endpoint: nothing more is sent to it",
		Long: "Removes an endpoint with its log, by its id as flightdesk list endpoints prints it. Nothing more is sent to it, also no " +
			"callback that waits for another try. It asks first; --yes does not. --output json prints {\"uuid\", \"removed\"}.",
		Example:           "flightdesk webhook remove 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --yes",
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	yes := cmd.Flags().Bool("yes", false, "do not ask")
	output := run.OutputFlag(cmd, "table", "json")
	profile := run.ProfileFlag(cmd)
	return p.Command(cmd, run.Takes(cmd.Use, cmd.Example), func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		o, err := p.Connect(ctx, *profile)
		if err == nil {
			err = o.MayChange()
		}
		if err != nil {
			return err
		}
		e, err := o.Client.Webhooks.Get(ctx, args[0])
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if !*yes {
			question := layout.Clean(e.URL+"  "+e.Description) + "\nIts log goes with it, and nothing more is sent there."
			sure, err := run.Confirm(ctx, cmd, question, "remove", "look at it with flightdesk list endpoints, then use --yes")
			if err != nil {
				return err
			}
			if !sure {
				return errors.New("nothing was done: remove was not typed")
			}
		}
		if err := o.Client.Webhooks.Delete(ctx, e.UUID); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		forgetSecret(p, cmd, o, e.UUID)
		if output.Value == "json" {
			return run.PrintValue(cmd.OutOrStdout(), Removed{e.UUID, true})
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), layout.Clean("removed "+e.URL))
		return err
	})
}
