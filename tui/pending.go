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
func (ws *workspace) holdChange(change page.HeldChange) tea.Cmd {
	ws.held.add(change, ws.env.Clock.Now())
	return nil
}

// sendChanges sends changes that are no longer held back.
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

// handleSent reports the result of a change, and quits if the app only waited for it.
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

// explainFailure shows why a change failed, in the status row if it fits, else in a
// dialog.
func (ws *workspace) explainFailure(sent page.SentMsg) tea.Cmd {
	title, reason := format.CapitalizeFirst(sent.Held.Text), format.FaultText(sent.Err)
	if text := title + ": " + reason; format.Width(text) < ws.env.Look.Width-1 {
		return page.ShowToast(theme.Bad, text)
	}
	ws.showText(theme.Bad, title, reason)
	return nil
}

// undoLast cancels the newest held change, or else undoes the last local change.
func (ws *workspace) undoLast() tea.Cmd {
	if c := ws.held.cancelNewest(); c != nil {
		return page.ShowToast(theme.Good, "Not sent: "+c.Text)
	}
	if len(ws.held.sending) > 0 {
		return page.ShowToast(theme.Attention, "Cannot undo: already sent")
	}
	return ws.history.undo()
}

// addUndo adds an undo step and shows what was done.
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

// drawCountdown renders the countdown of held changes.
func (a *App) drawCountdown() []string {
	if len(a.ws.held.waiting) == 0 {
		return nil
	}
	line := a.ws.env.Look.Theme.PaintRole(theme.Attention, a.ws.held.countdown(a.ws.env.Clock.Now(), a.ws.env.Look.Width-2))
	return []string{format.FitLeft(" "+line, a.ws.env.Look.Width)}
}

// countSeconds schedules a redraw in a second if the page has a countdown or a change is
// held, which is sent when it is due.
func (ws *workspace) countSeconds() tea.Cmd {
	c, is := ws.pages.top().(page.SecondCounter)
	if ws.isCounting || len(ws.held.waiting) == 0 && (!is || !c.CountsSeconds()) {
		return nil
	}
	ws.isCounting = true
	wait := time.Second
	if len(ws.held.waiting) > 0 {
		wait = min(wait, ws.held.waiting[0].sendAt.Sub(ws.env.Clock.Now()))
	}
	return ws.env.Clock.After(wait, doMsg{do: func() tea.Cmd {
		ws.isCounting = false // decided again
		return ws.sendChanges(ws.held.popDue(ws.env.Clock.Now()))
	}})
}
