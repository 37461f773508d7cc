package operations

import (
	"context"
	"fmt"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
)

func opsWebhooks() *opsVerb {
	return listVerb("webhooks ACCOUNT", "List an account's endpoints, newest first",
		"Lists the endpoints of an account and the result of the last callback to each.",
		"# the endpoints of an account\nflightdesk ops webhooks \"Nordwind AG\"",
		func(ctx context.Context, r *opsRun) error {
			a, err := commands.FindAccount(ctx, r.Ops, r.Args[0])
			if err != nil {
				return err
			}
			r.Seen.NoteRow(a)
			return printRows(r, run.EndpointSheet(r.Now), r.Ops.Webhooks.All(ctx, a.UUID))
		})
}

func opsDeliveries() *opsVerb {
	v := listVerb("callbacks ENDPOINT", "List the callbacks to an endpoint, newest first",
		"Lists the callbacks to an endpoint and their results.",
		"# the last 20 callbacks\nflightdesk ops callbacks 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --limit 20",
		func(ctx context.Context, r *opsRun) error {
			log := run.RowsOf(r.Ops.Webhooks.AllDeliveries(ctx, r.Args[0]), r.limit(), nil)
			return printRows(
				r,
				run.CallbackSheet(r.Now, true),
				run.EachOf(log, func(d *api.WebhookDelivery) ([]columns.ListedCallback, error) {
					return []columns.ListedCallback{{EndpointUID: r.Args[0], WebhookDelivery: *d}}, nil
				}),
			)
		})
	v.Aliases = []string{"deliveries"}
	return v.withLimit()
}

func opsWebhookTrust() *opsVerb {
	v := newVerb(
		"webhook-trust FILE",
		"Trust a receiver's certificate until the service stops",
		"Makes the service trust the certificates of a PEM file for callbacks, until it stops. Works only if the service runs with --memory or --demo. FILE can be - for standard input.",
		"# a receiver with a self-signed certificate\nflightdesk ops webhook-trust receiver.pem",
		func(ctx context.Context, r *opsRun) error {
			certificate, err := run.ReadInput(ctx, r.Cmd.InOrStdin(), r.Args[0])
			if err != nil {
				return fmt.Errorf("%s: %w", r.Args[0], err)
			}
			trusted, err := r.Ops.Webhooks.Trust(ctx, certificate)
			if err != nil {
				return fmt.Errorf("%s: %w", r.Args[0], err)
			}
			return r.PrintAnswer(trusted, fmt.Sprint("trusted until the service stops: ", trusted.Trusted))
		},
	)
	v.changes = always
	return v
}
