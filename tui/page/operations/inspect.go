package operations

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/timeline"
)

// orderList are those of an account, or of all.
type orderList struct{ *listPane[api.OpsOrder] }

// inspectedSubject returns the account of what the pane has selected, "" for nothing, and the
// order or mission that it is.
func (d *operationsPage) inspectedSubject() (account string, of timeline.StorySubject) {
	switch p := d.currentPane().(type) {
	case *accountList:
		if a := p.Current(); a != nil {
			account = a.UUID
		}
	case *keyList:
		account = p.account.UUID
	case *endpointList:
		account = p.account.UUID
	case *taskQueue:
		if w := p.Current(); w != nil {
			account, of.Order = w.order.AccountUID, w.order.OrderCode
			if w.mission != nil {
				of.Mission = w.mission.UUID
			}
		}
	case *orderList:
		if o := p.Current(); o != nil {
			account, of.Order = o.AccountUID, o.OrderCode
		}
	case *orderParts:
		if p.order != nil {
			account, of.Order = p.order.AccountUID, p.order.OrderCode
		}
	}
	return account, of
}

// openTimeline opens the timeline of the selected order or mission, or how the selected
// account is, as its client sees it.
func (d *operationsPage) openTimeline() tea.Cmd {
	account, of := d.inspectedSubject()
	env := d.InAccount(account, d.world.companyName(account))
	if of.Order != "" {
		return env.OpenStory(of, "")
	}
	return env.OpenInspect()
}
