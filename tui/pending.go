package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
)

// pending is what has been confirmed and not left yet, the oldest first, and how
// the last change of the program's own can be taken back.
type pending struct {
	clock     page.Clock
	note      func(page.WorkMsg) // keeps what is known of work in the background
	broadcast func(tea.Msg) tea.Cmd
	failed    func(page.SentMsg) tea.Cmd // says why something was not sent
	waiting   []waiting
	sending   []waiting // has left, and is not answered yet
	numbers   int
	done      []page.UndoMsg // the newest last
	undone    []page.UndoMsg // likewise

	quitting bool // the program ends when all of it is answered
}

type waiting struct {
	page.Pending
	number int
	leaves time.Time
}

type (
	leaveMsg struct{ number int }
	// secondMsg redraws the seconds that are left.
	secondMsg struct{}
)

// hold keeps something back for a while.
func (h *pending) hold(change page.Pending) tea.Cmd {
	h.numbers++
	n := h.numbers
	h.waiting = append(h.waiting, waiting{change, n, h.clock.Now().Add(page.HoldTime)})
	return tea.Batch(h.clock.After(page.HoldTime, leaveMsg{n}), h.clock.After(time.Second, secondMsg{}))
}

// leave sends what was held, unless it was stopped.
func (h *pending) leave(n int) tea.Cmd {
	i := slices.IndexFunc(h.waiting, func(w waiting) bool { return w.number == n })
	if i < 0 {
		return nil
	}
	change := h.waiting[i].Pending
	h.sending = append(h.sending, h.waiting[i])
	h.waiting = slices.Delete(h.waiting, i, i+1)
	h.note(page.WorkMsg{ID: leaving(n), Text: doing(change.Text), Done: -1})
	return func() tea.Msg {
		return leftMsg{n, page.SentMsg{Held: change, Err: change.Send(context.Background())}}
	}
}

// doing is a change as it is being made: "cancel ORD-1" as "Cancelling ORD-1".
func doing(text string) string {
	verb, of, _ := strings.Cut(text, " ")
	ing := map[string]string{
		"accept": "Accepting", "reject": "Rejecting", "cancel": "Cancelling", "archive": "Archiving", "delete": "Deleting",
	}[verb]
	if ing == "" {
		return "Pending: " + text
	}
	return ing + " " + of
}

func leaving(n int) string { return fmt.Sprintf("held-%d", n) }

type leftMsg struct {
	number int
	sent   page.SentMsg
}

// left notes that something was answered, and ends the program where that was
// the last it waited for.
func (h *pending) left(msg leftMsg) tea.Cmd {
	h.note(page.WorkMsg{ID: leaving(msg.number), Over: true})
	h.sending = slices.DeleteFunc(h.sending, func(w waiting) bool { return w.number == msg.number })
	h.done, h.undone = []page.UndoMsg{{Text: "already sent", Undo: func() (tea.Cmd, bool) { return nil, false }}}, nil
	told := h.broadcast(msg.sent)
	if h.quitting = h.quitting && msg.sent.Err == nil; h.quitting {
		return tea.Batch(told, h.sendNextOrQuit())
	}
	if msg.sent.Err == nil {
		return tea.Batch(told, page.Toast(theme.Good, msg.sent.Held.Done))
	}
	return tea.Batch(told, h.failed(msg.sent))
}

// sendAndQuit sends what is waiting, one after the other, and quits once the
// last is answered. A failure keeps the app open, and says why.
func (h *pending) sendAndQuit() tea.Cmd {
	h.quitting = true
	return h.sendNextOrQuit()
}

func (h *pending) sendNextOrQuit() tea.Cmd {
	switch {
	case len(h.waiting) > 0:
		return h.leave(h.waiting[0].number)
	case len(h.sending) > 0:
		return nil
	}
	return tea.Quit
}

// explainFailure says why something was not sent: in the status row where it
// fits, else in a dialog.
func explainFailure(env *page.Env, sent page.SentMsg) tea.Cmd {
	what, advice := labels.Explain(sent.Err)
	why := strings.TrimSpace(strings.TrimSuffix(what, ".") + ". " + advice)
	if text := format.Sentence(sent.Held.Text) + ": " + why; layout.Width(text) < env.Width-1 {
		return page.Toast(theme.Bad, text)
	}
	env.Overlay(dialog.Sudden(&dialog.Reader{Theme: env.Theme, Title: format.Sentence(sent.Held.Text), Text: func(w int) []string {
		var lines []string
		for _, l := range layout.Wrap(why, w) {
			lines = append(lines, layout.Text(env.Theme.Raised(theme.Bad), l))
		}
		return lines
	}}, env.Now))
	return nil
}

// undo stops what has not left, the newest first, or else takes back the last
// change.
func (h *pending) undo() tea.Cmd {
	if n := len(h.waiting); n > 0 {
		stopped := h.waiting[n-1]
		h.waiting = h.waiting[:n-1]
		return page.Toast(theme.Good, "Not sent: "+stopped.Text)
	}
	if n := len(h.sending); n > 0 {
		return page.Toast(theme.Attention, "Cannot undo: already sent")
	}
	last, ok := pop(&h.done)
	if !ok {
		return page.Toast(theme.Attention, "Nothing to undo")
	}
	cmd, ok := last.Undo()
	if !ok {
		return page.Toast(theme.Attention, "Cannot undo: "+last.Text)
	}
	if last.Redo != nil {
		h.undone = append(h.undone, last)
	}
	return tea.Batch(cmd, page.Toast(theme.Good, "Undone: "+last.Text))
}

// redo does again what was undone last.
func (h *pending) redo() tea.Cmd {
	last, ok := pop(&h.undone)
	if !ok {
		return page.Toast(theme.Attention, "Nothing to redo")
	}
	cmd, ok := last.Redo()
	if !ok {
		return page.Toast(theme.Attention, "Cannot redo: "+last.Text)
	}
	h.done = append(h.done, last)
	return tea.Batch(cmd, page.Toast(theme.Good, "Redone: "+last.Text))
}

// pop takes the last of a stack, if there is one.
func pop(stack *[]page.UndoMsg) (last page.UndoMsg, ok bool) {
	n := len(*stack)
	if n == 0 {
		return last, false
	}
	last = (*stack)[n-1]
	*stack = (*stack)[:n-1]
	return last, true
}

const (
	mostUndone  = 200     // changes that can be undone
	heaviestAll = 200_000 // sites that are kept for that
)

// keepUndo remembers how a change can be taken back; what is old or much is
// forgotten.
func (h *pending) keepUndo(msg page.UndoMsg) tea.Cmd {
	h.done, h.undone = append(h.done, msg), nil
	weight := 0
	for i := len(h.done) - 1; i >= 0; i-- {
		weight += h.done[i].Weight
		if i < len(h.done)-1 && (weight > heaviestAll || len(h.done)-i > mostUndone) {
			h.done = slices.Delete(h.done, 0, i+1)
			break
		}
	}
	if msg.Quiet {
		return nil
	}
	return page.Toast(theme.Text, format.Sentence(msg.Text)+" · u to undo")
}

// of is what is held or on its way that changes something, "" for nothing.
func (h *pending) of(id string) string {
	for _, w := range slices.Concat(h.waiting, h.sending) {
		if w.Of == id && id != "" {
			return w.Text
		}
	}
	return ""
}

// isBusy reports whether something is not sent or not answered yet.
func (h *pending) isBusy() bool { return len(h.waiting)+len(h.sending) > 0 }

// height is how many rows it has.
func (h *pending) height() int { return min(1, len(h.waiting)) }

// rows is the row that says what is about to leave. It is never shared: with a
// message in its place a decision would leave unseen.
func (h *pending) rows(th *theme.Theme, now time.Time, w int) []string {
	if h.height() == 0 {
		return nil
	}
	return []string{layout.Left(" "+layout.Text(th.Style(theme.Attention), h.line(now, w-2)), w)}
}

// line is what its row says of it in w cells. What is cut is what it is,
// never how long it waits and what stops it.
func (h *pending) line(now time.Time, w int) string {
	next := h.waiting[0]
	tail := fmt.Sprintf(" in %d s · u to undo", max(0, int(next.leaves.Sub(now).Round(time.Second)/time.Second)))
	if more := len(h.waiting) - 1; more > 0 {
		tail = fmt.Sprintf("%s · %d more", tail, more)
	}
	return layout.Cut(layout.Clean(doing(next.Text)), w-layout.Width(tail)) + tail
}

// tick redraws the seconds while there is something to count.
func (h *pending) tick() tea.Cmd {
	if len(h.waiting) == 0 {
		return nil
	}
	return h.clock.After(time.Second, secondMsg{})
}
