package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// holdChange holds a change back; countSeconds sends it when its time is over.
func (a *App) holdChange(change page.HeldChange) tea.Cmd {
	a.held.add(change, a.env.Now())
	return nil
}

// sendChanges sends changes that are no longer held back.
func (a *App) sendChanges(changes []*heldChange) tea.Cmd {
	var cmds []tea.Cmd
	for _, c := range changes {
		cmds = append(cmds, a.sendChange(c))
	}
	return tea.Batch(cmds...)
}

func (a *App) sendChange(c *heldChange) tea.Cmd {
	work := page.WorkMsg{
		ID:   fmt.Sprintf("held-%p", c),
		Text: inProgress(c.Text),
		Done: -1,
	}
	a.status.updateWork(work)
	return func() tea.Msg {
		err := c.Send(context.Background())
		return doMsg{do: func() tea.Cmd {
			work.Over = true
			a.status.updateWork(work)
			a.held.finish(c)
			return a.handleSent(page.SentMsg{Held: c.HeldChange, Err: err})
		}}
	}
}

// handleSent reports the result of a change, and quits if the app only waited for it.
func (a *App) handleSent(sent page.SentMsg) tea.Cmd {
	a.markChanged()
	a.history.block("already sent")
	cmd := a.pages.broadcast(sent)
	if sent.Err != nil {
		a.quitWhenSent = false
		return tea.Batch(cmd, a.explainFailure(sent))
	}
	if a.quitWhenSent {
		return tea.Batch(cmd, a.sendNextOrQuit())
	}
	return tea.Batch(cmd, page.ShowToast(theme.Good, sent.Held.Done))
}

// explainFailure shows why a change failed, in the status row if it fits, else in a
// dialog.
func (a *App) explainFailure(sent page.SentMsg) tea.Cmd {
	title, reason := format.CapitalizeFirst(sent.Held.Text), format.FaultText(sent.Err)
	if text := title + ": " + reason; format.Width(text) < a.env.Width-1 {
		return page.ShowToast(theme.Bad, text)
	}
	a.showText(theme.Bad, title, reason)
	return nil
}

// undoLast cancels the newest held change, or else undoes the last local change.
func (a *App) undoLast() tea.Cmd {
	if c := a.held.cancelNewest(); c != nil {
		return page.ShowToast(theme.Good, "Not sent: "+c.Text)
	}
	if len(a.held.sending) > 0 {
		return page.ShowToast(theme.Attention, "Cannot undo: already sent")
	}
	return a.history.undo()
}

// addUndo adds an undo step and shows what was done.
func (a *App) addUndo(step page.UndoMsg) tea.Cmd {
	a.history.add(step)
	if step.Quiet {
		return nil
	}
	text := format.CapitalizeFirst(step.Text)
	if a.dialogs.top() == nil && !a.pages.top().IsTyping() {
		text += " · u to undo"
	}
	return page.ShowToast(theme.Text, text)
}

// drawCountdown renders the countdown of held changes.
func (a *App) drawCountdown() []string {
	if len(a.held.waiting) == 0 {
		return nil
	}
	line := a.env.Theme.PaintRole(theme.Attention, a.held.countdown(a.env.Now(), a.env.Width-2))
	return []string{format.FitLeft(" "+line, a.env.Width)}
}

// countSeconds schedules a redraw in a second if the page has a countdown or a change is
// held, which is sent when it is due.
func (a *App) countSeconds() tea.Cmd {
	c, is := a.pages.top().(page.SecondCounter)
	if a.counting || len(a.held.waiting) == 0 && (!is || !c.CountsSeconds()) {
		return nil
	}
	a.counting = true
	wait := time.Second
	if len(a.held.waiting) > 0 {
		wait = min(wait, a.held.waiting[0].sendAt.Sub(a.env.Now()))
	}
	return a.env.After(wait, doMsg{do: func() tea.Cmd {
		a.counting = false // decided again
		return a.sendChanges(a.held.popDue(a.env.Now()))
	}})
}
