package orders

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// repeated is an order read in full, to begin a new one from.
type repeated struct{ order *api.Order }

type repeatedAnswer = page.Answer[repeated]

// again asks for the order in full, with all its missions.
func again(b page.Base, q *page.Question, o *api.Order) tea.Cmd {
	code := o.OrderCode
	return page.Ask(b, q, func(ctx context.Context) (repeated, error) {
		whole, err := b.Cache.Details.Ask(ctx, code)
		return repeated{whole}, err
	})
}

// begins makes a new draft of what was read.
func begins(env *page.Env, msg repeatedAnswer) tea.Cmd {
	switch {
	case !msg.Take():
		return nil
	case msg.Err != nil:
		what, advice := labels.Explain(msg.Err)
		return page.Toast(theme.Bad, "Order again: "+what+" "+advice)
	}
	return env.OrderAgain(msg.Value.order)
}

// notAgain says why no order can be begun from this one, "" where one can.
func notAgain(o *api.Order, q *page.Question) string {
	switch {
	case o == nil:
		return "no order"
	case q.Open():
		return "the order is still loading"
	}
	return ""
}
