package operations

import (
	"flightdesk/api"
	"flightdesk/tui/app/commands"
)

// recordAsk edits what only the v2 API shows of an order.
func (d *operations) recordAsk(o *api.OpsOrder) *ask {
	in := commands.RecordOf(o.Details)
	q := &ask{
		title: "Edit order: " + o.OrderCode, yes: "save", doing: "saving the details of " + o.OrderCode,
		lines: []string{o.OrderCode + "  " + o.OrderName, d.world.company(o.AccountUID)},
		names: map[string]string{"pointOfContact.pocName": "pocName", "pointOfContact.pocPhone": "pocPhone", "advancedOption.flightHeight": "flightHeight"},
	}
	return fillIn(d, q, commands.SetRecord(&in), o.UUID, func(*api.OrderDetails) sent {
		return sent{said: "Details of " + o.OrderCode + " saved"}
	})
}

// noticesAsk sets who is told that an order is complete. The secret of a webhook
// is shown once.
func (d *operations) noticesAsk(o *api.OpsOrder) *ask {
	var in api.NotificationInput
	if n := o.Notifications; n != nil {
		in = api.NotificationInput{Webhook: n.Webhook, Email: n.Email}
	}
	q := &ask{
		title: "Completion notices: " + o.OrderCode, yes: "save", doing: "setting the notices of " + o.OrderCode,
		lines: []string{o.OrderCode + "  " + o.OrderName, d.world.company(o.AccountUID)},
	}
	return fillIn(d, q, commands.SetNotifications(&in), o.UUID, func(set *api.NotificationSettings) sent {
		s := sent{said: "Completion notices of " + o.OrderCode + " saved"}
		if set.Secret != "" {
			s.then = d.showSecret("Signing secret for "+o.OrderCode, "the signing secret", set.Secret,
				"Copy the secret now: it is not shown again. The receiver verifies notices with it.")
		}
		return s
	})
}
