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
func (ws *workspace) settleSent() tea.Cmd {
	env, ctx, drafts := ws.env, ws.life.Context(), ws.env.Drafts
	if env.Profile.Client == nil || env.Profile.NoAccount {
		return nil
	}
	return func() tea.Msg {
		if env.Profile.Decisions.Refresh() != nil {
			return nil // the next change that is sent says so
		}
		var told []tea.Cmd
		for _, e := range env.Profile.Decisions.OpenEntries(env.Profile.AccountName(), env.Profile.Client.Host(), env.Profile.Host) {
			if env.Clock.Now().Sub(e.At) < settleAfter {
				continue
			}
			msg, settled := settleEntry(ctx, env, &e)
			if !settled {
				continue
			}
			orders, _ := drafts.ReadOrders(e.Draft) // the entry itself was read already
			told = append(told, page.SendMessage(doMsg{of: env, do: func() tea.Cmd {
				ws.markChanged()
				return tea.Batch(ws.updateDraft(e.Draft, orders), ws.pages.broadcast(page.SentMsg{}), ws.showToast(msg))
			}}))
		}
		return tea.BatchMsg(told)
	}
}

// updateDraft updates the draft that is worked on with its orders. The draft is forgotten if
// they have all of its sites, unless its page is open and shows the order then.
func (ws *workspace) updateDraft(id string, orders ordering.DraftOrders) tea.Cmd {
	d := ws.env.Drafts.Current
	if d == nil || d.ID != id {
		return nil
	}
	d.UpdateOrders(orders)
	_, _, isOpen := ws.pages.findPage(isNewOrder)
	if isOpen || !d.IsPlaced() {
		return nil
	}
	return page.KeepInBackground(ws.env.Drafts.Forget(), nil)
}

// settleEntry looks once for the change of an entry, and says what became of it.
func settleEntry(ctx context.Context, env *page.Env, e *ordering.LedgerEntry) (toast page.ToastMsg, settled bool) {
	change := &ordering.Change{LedgerEntry: *e, Look: env.Profile.ChangeSender().LookFor(e)}
	switch {
	case e.Kind == ordering.EntryPlaced:
		change = env.Profile.OrderPlacer().ChangeOf(e)
	case e.IsQuote():
		decider := quoting.Decider{Client: env.Profile.Client, Now: env.Clock.Now}
		change.Look = decider.LookFor(e)
	}
	settled, err := env.Profile.Decisions.LookForChange(ctx, change, false)
	sent := fmt.Sprintf("%s, sent %s", change.Describe(), format.Ago(e.At, env.Clock.Now()))
	if err != nil {
		return page.ToastMsg{Role: theme.Attention, Text: sent + ": " + err.Error()}, settled
	}
	return page.ToastMsg{Role: theme.Good, Text: "Confirmed: " + sent}, settled
}
