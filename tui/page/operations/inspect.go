package operations

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/timeline"
)

// orders are those of an account, or of all.
type orders struct{ *lister[api.OpsOrder] }

// inspected is the account of what the pane has selected, "" for nothing, and the
// order or mission that it is.
func (d *operations) inspected() (account string, of timeline.Subject) {
	switch p := d.now().(type) {
	case *accounts:
		if a := p.Current(); a != nil {
			account = a.UUID
		}
	case *keys:
		account = p.account.UUID
	case *hooks:
		account = p.account.UUID
	case *queue:
		if w := p.Current(); w != nil {
			account, of.Order = w.order.AccountUID, w.order.OrderCode
			if w.mission != nil {
				of.Mission = w.mission.UUID
			}
		}
	case *orders:
		if o := p.Current(); o != nil {
			account, of.Order = o.AccountUID, o.OrderCode
		}
	case *parts:
		if p.order != nil {
			account, of.Order = p.order.AccountUID, p.order.OrderCode
		}
	}
	return account, of
}

// inspect opens the timeline of the selected order or mission, or how the selected
// account is, as its client sees it.
func (d *operations) inspect() tea.Cmd {
	account, of := d.inspected()
	env := d.InAccount(account, d.world.company(account))
	if of.Order != "" {
		return env.OpenStory(of, "")
	}
	return env.OpenInspect()
}
