package cli

import (
	"fmt"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
)

func opsWebhooks() *opsCommand {
	return newListCommand("webhooks", func(c *Call) error {
		a, err := commands.FindAccount(c, c.Service.Ops, c.Args[0])
		if err != nil {
			return err
		}
		c.Names.AddRow(a)
		return printEndpoints(c, c.Service.Ops.Webhooks.All(c, a.UUID))
	})
}

func opsCallbacks() *opsCommand {
	v := newListCommand("callbacks", func(c *Call) error {
		log := c.Service.Ops.Webhooks.AllDeliveries(c, c.Args[0])
		return printCallbacks(c, true, eachOf(log, func(d *api.WebhookDelivery) ([]columns.ListedCallback, error) {
			return []columns.ListedCallback{{EndpointUID: c.Args[0], WebhookDelivery: *d}}, nil
		}))
	})
	return v.withLimit()
}

func opsWebhookTrust() *opsCommand {
	return newCustomCommand("webhook-trust", func(c *Call) error {
		certificate, err := c.readInput(c.Args[0])
		if err != nil {
			return err
		}
		trusted, err := commands.TrustCertificate(commands.Target{Context: c, Client: c.Service.Ops}, certificate)
		if err != nil {
			return prefixError(c.Args[0], err)
		}
		return c.PrintResult(trusted, fmt.Sprint("trusted until the service stops: ", trusted.Trusted))
	})
}
