package operations

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
)

// editRecord edits what only the v2 API shows of an order.
func (d *operationsPage) editRecord(x *orderItem) tea.Cmd {
	o := x.order
	in := commands.RecordOf(o.Details)
	q := &requestForm{
		title: "Edit order: " + o.OrderCode, yes: "save", doing: "saving the details of " + o.OrderCode,
		lines: []string{o.OrderCode + "  " + o.OrderName, d.world.companyName(o.AccountUID)},
		names: map[string]string{"pointOfContact.pocName": "pocName", "pointOfContact.pocPhone": "pocPhone", "advancedOption.flightHeight": "flightHeight"},
	}
	return d.acts.openForm(fillIn(d, q, commands.SetRecord(&in), o.UUID, func(*api.OrderDetails) requestResult {
		return requestResult{said: "Details of " + o.OrderCode + " saved"}
	}))
}

// setNotices sets who is told that an order is complete. The secret of a webhook
// is shown once.
func (d *operationsPage) setNotices(x *orderItem) tea.Cmd {
	o := x.order
	var in api.NotificationInput
	if n := o.Notifications; n != nil {
		in = api.NotificationInput{Webhook: n.Webhook, Email: n.Email}
	}
	q := &requestForm{
		title: "Completion notices: " + o.OrderCode, yes: "save", doing: "setting the notices of " + o.OrderCode,
		lines: []string{o.OrderCode + "  " + o.OrderName, d.world.companyName(o.AccountUID)},
	}
	return d.acts.openForm(fillIn(d, q, commands.SetNotifications(&in), o.UUID, func(set *api.NotificationSettings) requestResult {
		s := requestResult{said: "Completion notices of " + o.OrderCode + " saved"}
		if set.Secret != "" {
			s.then = d.showSecret("Signing secret for "+o.OrderCode, "the signing secret", set.Secret,
				"Copy the secret now: it is not shown again. The receiver verifies notices with it.")
		}
		return s
	}))
}
