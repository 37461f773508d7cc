package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// settleAfter is how long a change is left to the window that sent it.
const settleAfter = time.Minute

// settleSent looks in the background for changes that were sent and are not confirmed.
func (a *App) settleSent() tea.Cmd {
	env, ctx := a.Env, a.life.Context()
	if env.Client == nil {
		return nil
	}
	return func() tea.Msg {
		if env.Decisions.Refresh() != nil {
			return nil // the next change that is sent says so
		}
		var told []tea.Cmd
		for _, e := range env.Decisions.OpenEntries(env.AccountName(), env.Client.Host(), env.Host) {
			if env.Now().Sub(e.At) < settleAfter {
				continue
			}
			if msg, settled := settleEntry(ctx, env, &e); settled {
				told = append(told, page.SendMessage(doMsg{of: env, do: func() tea.Cmd {
					a.markChanged()
					return tea.Batch(a.broadcast(page.SentMsg{}), a.showToast(msg))
				}}))
			}
		}
		return tea.BatchMsg(told)
	}
}

// settleEntry looks once for the change of an entry, and says what became of it.
func settleEntry(ctx context.Context, env *page.Env, e *ordering.LedgerEntry) (toast page.ToastMsg, settled bool) {
	look := env.ChangeSender().LookFor(e)
	switch {
	case e.Kind == ordering.EntryPlaced:
		look = env.OrderPlacer().LookFor(e)
	case e.IsQuote():
		decider := quoting.Decider{Client: env.Client, Now: env.Now}
		look = decider.LookFor(e)
	}
	settled, err := env.Decisions.LookForChange(ctx, &ordering.Change{LedgerEntry: *e, Look: look}, false)
	sent := fmt.Sprintf("%s, sent %s", e.Describe(), format.Ago(e.At, env.Now()))
	if err != nil {
		return page.ToastMsg{Role: theme.Attention, Text: sent + ": " + err.Error()}, settled
	}
	return page.ToastMsg{Role: theme.Good, Text: "Confirmed: " + sent}, settled
}
