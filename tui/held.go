package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// heldQueue delays confirmed changes for [page.HoldTime], so that the user can still cancel them. It also has
// the changes that were sent but not answered yet.
type heldQueue struct {
	waiting   []*heldChange // not sent yet, oldest first
	sending   []*heldChange // sent, not answered yet
	checkedAt time.Time     // when popDue was last called
}

type heldChange struct {
	page.HeldChange
	sendAt time.Time
}

// suspendedAfter is the longest time between two calls of popDue. After a longer time the
// program must have been suspended.
const suspendedAfter = 3 * time.Second

// add holds a change back.
func (q *heldQueue) add(change page.HeldChange, now time.Time) {
	if len(q.waiting) == 0 {
		q.checkedAt = now
	}
	q.waiting = append(q.waiting, &heldChange{change, now.Add(page.HoldTime)})
}

// popDue removes and returns the changes to send now. After a suspension all countdowns start again, because the
// user could not cancel anything during the suspension.
func (q *heldQueue) popDue(now time.Time) []*heldChange {
	wasSuspended := now.Sub(q.checkedAt) > suspendedAfter
	q.checkedAt = now
	if wasSuspended {
		for _, c := range q.waiting {
			c.sendAt = now.Add(page.HoldTime)
		}
		return nil
	}
	n := 0
	for n < len(q.waiting) && !now.Before(q.waiting[n].sendAt) {
		n++
	}
	return q.pop(n)
}

// pop moves the n oldest waiting changes to the changes being sent, and returns them.
func (q *heldQueue) pop(n int) []*heldChange {
	due := slices.Clone(q.waiting[:n])
	q.waiting = q.waiting[n:]
	q.sending = append(q.sending, due...)
	return due
}

// cancelNewest removes and returns the newest change that is not sent yet, or returns nil if there
// is none.
func (q *heldQueue) cancelNewest() *heldChange {
	n := len(q.waiting)
	if n == 0 {
		return nil
	}
	newest := q.waiting[n-1]
	q.waiting = q.waiting[:n-1]
	return newest
}

// finish removes a change that the service has answered.
func (q *heldQueue) finish(c *heldChange) {
	q.sending = slices.DeleteFunc(q.sending, func(other *heldChange) bool { return other == c })
}

// pendingFor returns the text of a waiting or unanswered change of the entity or the part with an ID, or "".
func (q *heldQueue) pendingFor(id string) string {
	if id == "" {
		return ""
	}
	for _, c := range slices.Concat(q.waiting, q.sending) {
		if c.Of == id || slices.Contains(c.Parts, id) {
			return c.Text
		}
	}
	return ""
}

// countdown returns the countdown of the next change in at most w cells. The description of the
// change is cut if it is too long, never the seconds and the undo key. A change must be waiting.
func (q *heldQueue) countdown(now time.Time, w int) string {
	suffix := q.countdownSuffix(now)
	return format.CutLine(q.countdownText(), w-format.Width(suffix)) + suffix
}

// countdownText returns the description of the next change.
func (q *heldQueue) countdownText() string { return format.Clean(inProgress(q.waiting[0].Text)) }

// countdownSuffix returns the end of the countdown: the seconds and the undo key.
func (q *heldQueue) countdownSuffix(now time.Time) string {
	seconds := max(0, q.waiting[0].sendAt.Sub(now).Seconds())
	undoKey := keyOf(action.Undo)
	if more := len(q.waiting) - 1; more > 0 { // undo stops the newest change, which is not the next one
		return fmt.Sprintf(" in %.0f s · %d more · %s to undo the last", seconds, more, undoKey)
	}
	return fmt.Sprintf(" in %.0f s · %s to undo", seconds, undoKey)
}

// minCountdownText is the number of cells that the description of a pending change keeps beside a message.
const minCountdownText = 16

// minCountdownWidth returns the smallest number of cells for the countdown beside a message, with a margin on each
// side.
func (q *heldQueue) minCountdownWidth(now time.Time) int {
	return min(minCountdownText, format.Width(q.countdownText())) + format.Width(q.countdownSuffix(now)) + 2
}

var progressVerbs = map[string]string{
	"accept":  "Accepting",
	"reject":  "Rejecting",
	"cancel":  "Cancelling",
	"archive": "Archiving",
	"delete":  "Deleting",
}

// inProgress returns "Cancelling ORD-1" for "cancel ORD-1".
func inProgress(text string) string {
	verb, object, _ := strings.Cut(text, " ")
	if progressVerbs[verb] == "" {
		return "Pending: " + text
	}
	return progressVerbs[verb] + " " + object
}

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

// handleSent shows the result of a change that was sent. If the user has quit and waits for the changes, it
// sends the next change, or ends the app after the last one. A failed change keeps the app open.
func (ws *workspace) handleSent(sent page.SentMsg) tea.Cmd {
	ws.markChanged()
	if sent.Err == nil || api.MaybeApplied(sent.Err) {
		ws.history.block("already sent")
	}
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

// countSeconds schedules a tick, in one second at most, while a change is held or the page shows a countdown.
// A tick redraws the screen, and sends the held changes whose time is over.
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
