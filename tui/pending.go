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

// holdChange holds a change back. countSeconds sends it after the countdown.
func (ws *workspace) holdChange(change page.HeldChange) tea.Cmd {
	ws.held.add(change, ws.env.Clock.Now())
	return nil
}

// sendChanges sends changes at the end of their countdowns.
func (ws *workspace) sendChanges(changes []*heldChange) tea.Cmd {
	var cmds []tea.Cmd
	for _, c := range changes {
		cmds = append(cmds, ws.sendChange(c))
	}
	return tea.Batch(cmds...)
}

func (ws *workspace) sendChange(c *heldChange) tea.Cmd {
	work := page.WorkMsg{
		ID:   fmt.Sprintf("held-%p", c),
		Text: inProgress(c.Text),
		Done: -1,
	}
	ws.status.updateWork(work)
	return func() tea.Msg {
		err := c.Send(context.Background())
		return doMsg{do: func() tea.Cmd {
			work.Over = true
			ws.status.updateWork(work)
			ws.held.finish(c)
			return ws.handleSent(page.SentMsg{Held: c.HeldChange, Err: err})
		}}
	}
}

// handleSent reports the result of a change. If the user has quit it sends the next change, or
// quits after the last one; a failure keeps the app open.
func (ws *workspace) handleSent(sent page.SentMsg) tea.Cmd {
	ws.markChanged()
	ws.history.block("already sent")
	cmd := ws.pages.broadcast(sent)
	if sent.Err != nil {
		ws.quitWhenSent = false
		return tea.Batch(cmd, ws.explainFailure(sent))
	}
	if ws.quitWhenSent {
		return tea.Batch(cmd, ws.sendNextOrQuit())
	}
	return tea.Batch(cmd, page.ShowToast(theme.Good, sent.Held.Done))
}

// explainFailure shows why a change failed: in the status row if the text fits, otherwise in a
// dialog.
func (ws *workspace) explainFailure(sent page.SentMsg) tea.Cmd {
	title := format.CapitalizeFirst(sent.Held.Text)
	reason := format.FaultText(sent.Err)
	text := title + ": " + reason
	if format.Width(text) < ws.env.Look.Width-1 {
		return page.ShowToast(theme.Bad, text)
	}
	ws.showText(theme.Bad, title, reason)
	return nil
}

// undoLast cancels the newest held change. Without one it undoes the last local change, unless a
// change is being sent.
func (ws *workspace) undoLast() tea.Cmd {
	if c := ws.held.cancelNewest(); c != nil {
		return page.ShowToast(theme.Good, "Not sent: "+c.Text)
	}
	if len(ws.held.sending) > 0 {
		return page.ShowToast(theme.Attention, "Cannot undo: already sent")
	}
	return ws.history.undo()
}

// addUndo adds a step that can be undone, and shows its text unless the step is quiet.
func (ws *workspace) addUndo(step page.UndoMsg) tea.Cmd {
	ws.history.add(step)
	if step.Quiet {
		return nil
	}
	text := format.CapitalizeFirst(step.Text)
	if ws.dialogs.top() == nil && !ws.pages.top().IsTyping() {
		text += " · u to undo"
	}
	return page.ShowToast(theme.Text, text)
}

// drawCountdown renders the row with the countdown of the next held change, if any.
func (a *App) drawCountdown() []string {
	if len(a.ws.held.waiting) == 0 {
		return nil
	}
	env := a.ws.env
	countdown := a.ws.held.countdown(env.Clock.Now(), env.Look.Width-2)
	line := " " + env.Look.Theme.PaintRole(theme.Attention, countdown)
	return []string{format.FitLeft(line, env.Look.Width)}
}

// countSeconds schedules the next tick, unless one is scheduled already or nothing counts
// seconds: no change is held and the page has no countdown. A tick redraws the screen, and sends
// the changes that are due.
func (ws *workspace) countSeconds() tea.Cmd {
	counter, ok := ws.pages.top().(page.SecondCounter)
	pageCounts := ok && counter.CountsSeconds()
	isHolding := len(ws.held.waiting) > 0
	if ws.isCounting || !isHolding && !pageCounts {
		return nil
	}
	ws.isCounting = true
	wait := time.Second
	if isHolding {
		wait = min(wait, ws.held.waiting[0].sendAt.Sub(ws.env.Clock.Now()))
	}
	return ws.env.Clock.After(wait, doMsg{do: func() tea.Cmd {
		ws.isCounting = false
		return ws.sendChanges(ws.held.popDue(ws.env.Clock.Now()))
	}})
}
