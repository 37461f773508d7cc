package operations

import (
	"context"
	"fmt"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
)

func opsWebhooks() opsVerb {
	return opsVerb{
		use: "webhooks ACCOUNT", short: "List an account's endpoints, newest first", rows: true,
		long:    "Lists the endpoints of an account and the result of the last callback to each.",
		example: "# the endpoints of an account\nflightdesk ops webhooks \"Nordwind AG\"",
		do: func(ctx context.Context, r *opsRun, args []string) error {
			a, err := r.findAccount(ctx, args[0])
			if err != nil {
				return err
			}
			s := run.EndpointSheet(r.Now)
			r.seen.NoteAccount(a)
			return printRows(r, s, r.Webhooks.All(ctx, a.UUID))
		},
	}
}

func opsDeliveries() opsVerb {
	return opsVerb{
		use:   "deliveries ENDPOINT",
		short: "List the callbacks to an endpoint, newest first",
		rows:  true,

		long:    "Lists the callbacks to an endpoint and their results.",
		example: "# the last 20 callbacks\nflightdesk ops deliveries 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --limit 20",
		limited: true,
		do: func(ctx context.Context, r *opsRun, args []string) error {
			log := run.RowsOf(r.Webhooks.AllDeliveries(ctx, args[0]), r.limit, nil)
			return printRows(r, run.CallbackSheet(r.Now, true), run.EachOf(log, func(d *api.WebhookDelivery) ([]columns.ListedCallback, error) {
				return []columns.ListedCallback{{EndpointUID: args[0], WebhookDelivery: *d}}, nil
			}))
		},
	}
}

func opsResend() opsVerb {
	return verbOf(commands.ResendCallback(), opsVerb{
		short:   "Resend a callback with the same id",
		long:    "Resends a callback by its uuid (see flightdesk ops deliveries). A receiver can recognise a duplicate by its id.",
		example: "# resend a failed callback\nflightdesk ops resend-callback 01a1f8f0-4ba0-79b8-8433-3deb27c49f82",
	}, nil)
}

func opsResendNotice() opsVerb {
	return verbOf(commands.ResendNotice(), opsVerb{
		short:   "Resend a completion notice with the same id",
		long:    "Resends the notice that an order is complete, by its uuid (see flightdesk timeline). An e-mail arrives a second time.",
		example: "# resend a failed notice\nflightdesk ops resend-notice 01a1f8f0-4ba0-79b8-8433-3deb27c49f82",
	}, nil)
}

func opsTestWebhook() opsVerb {
	return verbOf(commands.TestEndpoint(new(api.EventName)), opsVerb{
		row:   "test-webhook",
		short: "Send a test event to an endpoint",
		long: "Sends an event of a placeholder mission (MSN-0) to an endpoint, even if it is not subscribed to the event. Events: " +
			strings.Join(run.Names(api.EventNames()), ", ") + ".",
		example: "# a test of data_delivered\nflightdesk ops test-endpoint 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 mission.data_delivered",
	}, nil)
}

func opsWebhookTrust() opsVerb {
	return opsVerb{
		use:     "webhook-trust FILE",
		short:   "Trust a receiver's certificate until the service stops",
		changes: always,
		long:    "Makes the service trust the certificates of a PEM file for callbacks, until it stops. Works only with --memory or --demo. - reads standard input.",
		example: "# a receiver with a self-signed certificate\nflightdesk ops webhook-trust receiver.pem",
		do: func(ctx context.Context, r *opsRun, args []string) error {
			certificate, err := run.ReadInput(ctx, r.cmd.InOrStdin(), args[0])
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			trusted, err := r.Webhooks.Trust(ctx, certificate)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return r.printAnswer(trusted, "trusted until the service stops: %d", trusted.Trusted)
		},
	}
}
