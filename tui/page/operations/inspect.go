package operations

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/timeline"
)

// inspectable is a pane that shows accounts, or what belongs to one.
type inspectable interface {
	// inspected is the account of what is selected, "" for nothing, and the order
	// or mission that it is.
	inspected() (account string, of timeline.Subject)
}

// inspected is what the pane has selected.
func (d *operations) inspected() (account string, of timeline.Subject) {
	if p, ok := d.now().(inspectable); ok {
		return p.inspected()
	}
	return "", of
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

func (a *accounts) inspected() (account string, of timeline.Subject) {
	if now := a.Current(); now != nil {
		account = now.UUID
	}
	return account, of
}

func (k *keys) inspected() (account string, of timeline.Subject) { return k.account.UUID, of }

func (h *hooks) inspected() (account string, of timeline.Subject) { return h.account.UUID, of }

func (q *queue) inspected() (account string, of timeline.Subject) {
	w := q.Current()
	if w == nil {
		return "", of
	}
	of.Order = w.order.OrderCode
	if w.mission != nil {
		of.Mission = w.mission.UUID
	}
	return w.order.AccountUID, of
}

// orders are those of an account, or of all.
type orders struct{ *lister[api.OpsOrder] }

func (o *orders) inspected() (account string, of timeline.Subject) {
	if now := o.Current(); now != nil {
		account, of.Order = now.AccountUID, now.OrderCode
	}
	return account, of
}

func (p *parts) inspected() (account string, of timeline.Subject) {
	if p.order == nil {
		return "", of
	}
	of.Order = p.order.OrderCode
	if x := p.Current(); x != nil && x.mission != nil {
		of.Mission = x.mission.UUID
	}
	return p.order.AccountUID, of
}
