package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
)

// heldQueue holds confirmed changes back for [page.HoldTime], so that the user can still
// cancel them, and keeps those that were sent until the service has answered. It knows
// neither the app nor the screen.
type heldQueue struct {
	waiting   []*heldChange // oldest first
	sending   []*heldChange
	checkedAt time.Time // when popDue was last called
}

type heldChange struct {
	page.HeldChange
	sendAt time.Time
}

// suspendedAfter is the delay between two checks from which on the program must have been
// suspended.
const suspendedAfter = 3 * time.Second

// add holds a change back.
func (q *heldQueue) add(change page.HeldChange, now time.Time) {
	if len(q.waiting) == 0 {
		q.checkedAt = now
	}
	q.waiting = append(q.waiting, &heldChange{change, now.Add(page.HoldTime)})
}

// popDue returns the changes to send now. After a suspension all countdowns start again,
// because the user could not cancel anything meanwhile.
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

// pop returns the n oldest changes, which count as being sent from now on.
func (q *heldQueue) pop(n int) []*heldChange {
	due := slices.Clone(q.waiting[:n])
	q.waiting = q.waiting[n:]
	q.sending = append(q.sending, due...)
	return due
}

// cancelNewest removes the newest change that is not sent yet, and returns nil if there is
// none.
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

// pendingFor returns the text of a waiting or unanswered change of an entity, or "".
func (q *heldQueue) pendingFor(id string) string {
	for _, c := range slices.Concat(q.waiting, q.sending) {
		if c.Of == id && id != "" {
			return c.Text
		}
	}
	return ""
}

// rows returns how many rows the countdown needs. It never shares its row with a message,
// which would hide that a decision is about to be sent.
func (q *heldQueue) rows() int { return min(1, len(q.waiting)) }

// countdown returns the countdown of the next change in w cells. The description is cut if
// it is too long, never the seconds and the undo key.
func (q *heldQueue) countdown(now time.Time, w int) string {
	next := q.waiting[0]
	suffix := fmt.Sprintf(" in %.0f s · u to undo", max(0, next.sendAt.Sub(now).Seconds()))
	if more := len(q.waiting) - 1; more > 0 {
		suffix += fmt.Sprintf(" · %d more", more)
	}
	return format.CutLine(format.Clean(inProgress(next.Text)), w-format.Width(suffix)) + suffix
}

var progressVerbs = map[string]string{
	"accept": "Accepting", "reject": "Rejecting", "cancel": "Cancelling", "archive": "Archiving", "delete": "Deleting",
}

// inProgress returns "Cancelling ORD-1" for "cancel ORD-1".
func inProgress(text string) string {
	verb, object, _ := strings.Cut(text, " ")
	if progressVerbs[verb] == "" {
		return "Pending: " + text
	}
	return progressVerbs[verb] + " " + object
}
