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

type repeatedAnswer = page.QuestionAnswer[repeated]

// repeatOrder asks for the order in full, with all its missions.
func repeatOrder(b page.Base, q *page.Question, o *api.Order) tea.Cmd {
	code := o.OrderCode
	return page.AskInBackground(b, q, func(ctx context.Context) (repeated, error) {
		whole, err := b.Cache.Details.AskNow(ctx, code)
		return repeated{whole}, err
	})
}

// beginDraft makes a new draft of what was read.
func beginDraft(env *page.Env, msg repeatedAnswer) tea.Cmd {
	switch {
	case !msg.TakeAnswer():
		return nil
	case msg.Err != nil:
		what, advice := labels.ExplainError(msg.Err)
		return page.ShowToast(theme.Bad, "Order again: "+what+" "+advice)
	}
	return env.OrderAgain(msg.Value.order)
}

// notAgain says why no order can be begun from this one, "" where one can.
func notAgain(o *api.Order, q *page.Question) string {
	switch {
	case o == nil:
		return "no order"
	case q.IsOpen():
		return "the order is still loading"
	}
	return ""
}
