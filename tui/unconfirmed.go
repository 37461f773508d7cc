package tui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// resolveAfter is the age from which the app looks for an unconfirmed change. A newer change may still get its
// response, in the window that sent it.
const resolveAfter = time.Minute

// resolveSent looks in the background for changes that were sent but not confirmed, and shows each
// outcome that it finds.
func (ws *workspace) resolveSent() tea.Cmd {
	env := ws.env
	ctx := ws.life.Context()
	profile := &env.Profile
	if profile.Client == nil || profile.NoAccount {
		return nil
	}
	drafts := env.Drafts
	return func() tea.Msg {
		if profile.ChangeLog.Refresh() != nil {
			return nil // sending the next change reads the log again, and shows the error then
		}
		var cmds tea.BatchMsg
		for _, entry := range oldEntries(env) {
			toast, settled := resolveEntry(ctx, env, &entry)
			if !settled {
				continue
			}
			draft := entry.Request.Draft
			orders, _ := drafts.ReadOrders(draft) // reads the log again, which was readable a moment ago
			show := func() tea.Cmd { return ws.showSettled(draft, orders, toast) }
			cmds = append(cmds, page.SendMessage(doMsg{of: env, do: show}))
		}
		return cmds
	}
}

// oldEntries returns the unconfirmed changes of the profile's account that are older than resolveAfter.
func oldEntries(env *page.Env) []changes.Change {
	profile := &env.Profile
	entries := profile.ChangeLog.OpenEntries(profile.AccountName(), profile.Client.Host(), profile.Host)
	isNew := func(entry changes.Change) bool { return env.Clock.Now().Sub(entry.At) < resolveAfter }
	return slices.DeleteFunc(entries, isNew)
}

// showSettled updates the draft and the pages when the outcome of a change has become known, and shows a message
// about the outcome.
func (ws *workspace) showSettled(draftID string, orders ordering.DraftOrders, toast page.ToastMsg) tea.Cmd {
	ws.markChanged()
	return tea.Batch(
		ws.updateDraft(draftID, orders),
		ws.pages.broadcast(page.SentMsg{}),
		ws.showToast(toast),
	)
}

// updateDraft records the orders of a draft if it is the current draft. If all sites of the draft were
// ordered, it removes the draft. If the new order page is open, the draft stays, and the page shows the
// order.
func (ws *workspace) updateDraft(id string, orders ordering.DraftOrders) tea.Cmd {
	draft := ws.env.Drafts.Current
	if draft == nil || draft.ID != id {
		return nil
	}
	draft.UpdateOrders(orders)
	_, _, isOpen := ws.pages.findPage(isNewOrder)
	if isOpen || !draft.IsPlaced() {
		return nil
	}
	return page.DoInBackground(ws.env.Drafts.RemoveCurrent(), nil)
}

// resolveEntry asks the service once whether an unconfirmed change was made. It returns a message about the
// outcome. settled is false if the outcome is still unknown.
func resolveEntry(
	ctx context.Context, env *page.Env, entry *changes.Change,
) (toast page.ToastMsg, settled bool) {
	attempt := attemptOf(env, entry)
	settled, err := env.Profile.ChangeLog.LookForChange(ctx, attempt, false)
	text := fmt.Sprintf("%s, sent %s", attempt.Describe(), format.Ago(entry.At, env.Clock.Now()))
	if err != nil {
		return page.ToastMsg{Role: theme.Attention, Text: text + ": " + err.Error()}, settled
	}
	return page.ToastMsg{Role: theme.Good, Text: "Confirmed: " + text}, settled
}

// attemptOf returns the attempt for an unconfirmed change, an entry of the log of changes. Look of the
// attempt asks the service whether the change was made.
func attemptOf(env *page.Env, entry *changes.Change) *changes.Attempt {
	if entry.Kind == changes.OrderPlaced {
		return env.Profile.OrderPlacer().AttemptOf(entry)
	}
	look := env.Profile.ChangeSender().LookFor(entry)
	if entry.IsQuote() {
		decider := quoting.Decider{Client: env.Profile.Client, Now: env.Clock.Now}
		look = decider.LookFor(entry)
	}
	return &changes.Attempt{Change: *entry, Look: look}
}
