package tui

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// pendingChanges holds confirmed changes for some seconds before they are sent,
// oldest first, and the undo history of local changes.
type pendingChanges struct {
	clock     page.AppClock
	hold      time.Duration      // how long a change is held
	note      func(page.WorkMsg) // updates background work in the status row
	broadcast func(tea.Msg) tea.Cmd
	changed   func()                     // called after a response
	failed    func(page.SentMsg) tea.Cmd // explains a failure
	waiting   []waitingChange
	sending   []waitingChange // sent, without a response yet
	numbers   int
	counted   time.Time      // the last second of a countdown
	done      []page.UndoMsg // newest last
	undone    []page.UndoMsg // newest last

	quitting bool // quit once every change has its response
}

type waitingChange struct {
	page.HeldChange
	number int
	leaves time.Time
}

// holdChange holds a change back for some seconds, in which it can be undone.
func (h *pendingChanges) holdChange(change page.HeldChange) tea.Cmd {
	if len(h.waiting) == 0 {
		h.counted = h.clock.Now()
	}
	h.waiting = append(h.waiting, waitingChange{HeldChange: change})
	return tea.Batch(h.startHolding(len(h.waiting)-1), h.clock.After(time.Second, doMsg{do: h.countSecond}))
}

// startHolding begins the countdown of a change.
func (h *pendingChanges) startHolding(i int) tea.Cmd {
	h.numbers++
	number := h.numbers
	h.waiting[i].number, h.waiting[i].leaves = number, h.clock.Now().Add(h.hold)
	return h.clock.After(h.hold, doMsg{do: func() tea.Cmd {
		return tea.Batch(h.holdAgain(), h.sendChange(number))
	}})
}

// stoppedTime is how long after a second the next one is late: the program was stopped.
const stoppedTime = 3 * time.Second

// holdAgain begins all countdowns again if the program was stopped meanwhile, when nobody
// could undo a change.
func (h *pendingChanges) holdAgain() tea.Cmd {
	now := h.clock.Now()
	wasStopped := now.Sub(h.counted) > stoppedTime
	h.counted = now
	if !wasStopped {
		return nil
	}
	var cmds []tea.Cmd
	for i := range h.waiting {
		cmds = append(cmds, h.startHolding(i))
	}
	return tea.Batch(cmds...)
}

// countSecond redraws the countdown, now and each second.
func (h *pendingChanges) countSecond() tea.Cmd {
	if len(h.waiting) == 0 {
		return nil
	}
	return tea.Batch(h.holdAgain(), h.clock.After(time.Second, doMsg{do: h.countSecond}))
}

// sendChange sends a held change, unless it was undone.
func (h *pendingChanges) sendChange(n int) tea.Cmd {
	i := slices.IndexFunc(h.waiting, func(w waitingChange) bool { return w.number == n })
	if i < 0 {
		return nil
	}
	change := h.waiting[i].HeldChange
	h.sending = append(h.sending, h.waiting[i])
	h.waiting = slices.Delete(h.waiting, i, i+1)
	h.note(page.WorkMsg{ID: heldID(n), Text: inProgress(change.Text), Done: -1})
	return func() tea.Msg {
		sent := page.SentMsg{Held: change, Err: change.Send(context.Background())}
		return doMsg{do: func() tea.Cmd { return h.noteSent(n, sent) }}
	}
}

// inProgress returns the words for a change being made: "Cancelling ORD-1" for
// "cancel ORD-1".
func inProgress(text string) string {
	verb, of, _ := strings.Cut(text, " ")
	ing := map[string]string{
		"accept": "Accepting", "reject": "Rejecting", "cancel": "Cancelling", "archive": "Archiving", "delete": "Deleting",
	}[verb]
	if ing == "" {
		return "Pending: " + text
	}
	return ing + " " + of
}

// heldID identifies a change that is being sent in the status row.
func heldID(n int) string { return fmt.Sprintf("held-%d", n) }

// noteSent records the response to a change, and quits if that was the last one
// waited for.
func (h *pendingChanges) noteSent(number int, sent page.SentMsg) tea.Cmd {
	h.changed()
	h.note(page.WorkMsg{ID: heldID(number), Over: true})
	h.sending = slices.DeleteFunc(h.sending, func(w waitingChange) bool { return w.number == number })
	h.done, h.undone = []page.UndoMsg{
		{Text: "already sent", Undo: func() (tea.Cmd, bool) { return nil, false }},
	}, nil
	told := h.broadcast(sent)
	if h.quitting = h.quitting && sent.Err == nil; h.quitting {
		return tea.Batch(told, h.sendNextOrQuit())
	}
	if sent.Err == nil {
		return tea.Batch(told, page.ShowToast(theme.Good, sent.Held.Done))
	}
	return tea.Batch(told, h.failed(sent))
}

// sendNextOrQuit sends the held changes in order and quits after the last response.
// A failure keeps the app open and is explained.
func (h *pendingChanges) sendNextOrQuit() tea.Cmd {
	h.quitting = true
	switch {
	case len(h.waiting) > 0:
		return h.sendChange(h.waiting[0].number)
	case len(h.sending) > 0:
		return nil
	}
	return tea.Quit
}

// explainFailure shows why a change failed, in the status row if it fits, else in
// a dialog.
func explainFailure(env *page.Env, sent page.SentMsg) tea.Cmd {
	what, advice := format.ExplainError(sent.Err)
	why := strings.TrimSpace(strings.TrimSuffix(what, ".") + ". " + advice)
	if text := format.CapitalizeFirst(sent.Held.Text) + ": " + why; format.Width(text) < env.Width-1 {
		return page.ShowToast(theme.Bad, text)
	}
	env.Interrupt(
		&widget.TextDialog{
			Title: format.CapitalizeFirst(sent.Held.Text),
			Text: func(w int) []string {
				return env.Theme.RaiseLines(theme.Bad, w, why)
			},
		},
	)
	return nil
}

// undoLast cancels the newest held change, or else undoes the last local change.
func (h *pendingChanges) undoLast() tea.Cmd {
	if n := len(h.waiting); n > 0 {
		stopped := h.waiting[n-1]
		h.waiting = h.waiting[:n-1]
		return page.ShowToast(theme.Good, "Not sent: "+stopped.Text)
	}
	if len(h.sending) > 0 {
		return page.ShowToast(theme.Attention, "Cannot undo: already sent")
	}
	return moveStep(&h.done, &h.undone, "undo", func(u *page.UndoMsg) (tea.Cmd, bool) { return u.Undo() })
}

// redoLast redoes the change that was undone last.
func (h *pendingChanges) redoLast() tea.Cmd {
	return moveStep(&h.undone, &h.done, "redo", func(u *page.UndoMsg) (tea.Cmd, bool) { return u.Redo() })
}

// moveStep undoes or redoes the last step of a stack, which goes to the other one.
func moveStep(from, to *[]page.UndoMsg, verb string, do func(*page.UndoMsg) (tea.Cmd, bool)) tea.Cmd {
	n := len(*from) - 1
	if n < 0 {
		return page.ShowToast(theme.Attention, "Nothing to "+verb)
	}
	last := (*from)[n]
	*from = (*from)[:n]
	cmd, ok := do(&last)
	if !ok {
		return page.ShowToast(theme.Attention, "Cannot "+verb+": "+last.Text)
	}
	if last.Redo != nil {
		*to = append(*to, last)
	}
	return tea.Batch(cmd, page.ShowToast(theme.Good, format.CapitalizeFirst(verb)+"ne: "+last.Text))
}

const (
	maxUndoSteps = 200     // undo steps
	maxUndoSites = 200_000 // sites kept in all steps together
)

// addUndo adds an undo step and drops the oldest steps beyond the limits.
func (h *pendingChanges) addUndo(msg page.UndoMsg) tea.Cmd {
	h.done, h.undone = append(h.done, msg), nil
	weight := 0
	for i := len(h.done) - 1; i >= 0; i-- {
		weight += h.done[i].Weight
		if i < len(h.done)-1 && (weight > maxUndoSites || len(h.done)-i > maxUndoSteps) {
			h.done = slices.Delete(h.done, 0, i+1)
			break
		}
	}
	if msg.Quiet {
		return nil
	}
	return page.ShowToast(theme.Text, format.CapitalizeFirst(msg.Text)+" · u to undo")
}

// pendingFor returns the text of a held or unanswered change of an entity, or "".
func (h *pendingChanges) pendingFor(id string) string {
	for _, w := range slices.Concat(h.waiting, h.sending) {
		if w.Of == id && id != "" {
			return w.Text
		}
	}
	return ""
}

// rowCount returns the number of rows that drawRows draws.
func (h *pendingChanges) rowCount() int { return min(1, len(h.waiting)) }

// drawRows renders the countdown of the next change. The row is never shared:
// behind another message a decision would be sent unseen.
func (h *pendingChanges) drawRows(th *theme.Theme, now time.Time, w int) []string {
	if h.rowCount() == 0 {
		return nil
	}
	return []string{format.FitLeft(" "+th.PaintRole(theme.Attention, h.drawLine(now, w-2)), w)}
}

// drawLine renders the countdown in w cells. The description is cut if needed,
// never the seconds and the undo key.
func (h *pendingChanges) drawLine(now time.Time, w int) string {
	next := h.waiting[0]
	tail := fmt.Sprintf(
		" in %d s · u to undo",
		max(0, int(next.leaves.Sub(now).Round(time.Second)/time.Second)),
	)
	if more := len(h.waiting) - 1; more > 0 {
		tail = fmt.Sprintf("%s · %d more", tail, more)
	}
	return format.CutLine(format.Clean(inProgress(next.Text)), w-format.Width(tail)) + tail
}

const quitTitle = "Quit"

// isDemo reports whether all data is deleted when the run ends.
func (o *Options) isDemo() bool { return o.ServerMode && o.Profile == session.Demo }

// quitLosses carries the drafts that quitting the demo would delete, or why drafts could
// not be saved, with the copies that were made of them.
type quitLosses struct {
	drafts []ordering.StoredDraft
	err    error
	copies []string
}

// quitApp quits, asking first if something would be lost or is not sent yet. A
// second press quits immediately.
func (a *App) quitApp() tea.Cmd {
	if q, ok := a.dialogs.topDialog().(*widget.Question); ok && q.Title == quitTitle {
		return tea.Quit // pressed twice: held changes are dropped
	}
	if a.drafts == nil {
		return a.askToQuit(quitLosses{})
	}
	if a.quitting {
		return tea.Quit // pressed twice, the disk does not answer
	}
	a.quitting = true
	ask := func(losses func() quitLosses) tea.Cmd {
		return func() tea.Msg {
			of := losses()
			return doMsg{do: func() tea.Cmd { return a.askToQuit(of) }}
		}
	}
	if a.opts.isDemo() {
		summary := a.drafts.ListStored()
		return ask(func() quitLosses { return quitLosses{drafts: summary()} })
	}
	places := []string{a.opts.Folder, a.env.Home, os.TempDir()}
	if a.opts.Terminal != nil {
		places = places[:1]
	}
	rescue := a.drafts.Rescue(places...)
	return ask(func() quitLosses {
		copies, err := rescue()
		return quitLosses{err: err, copies: copies}
	})
}

// askToQuit quits, or asks if there is something to confirm.
func (a *App) askToQuit(msg quitLosses) tea.Cmd {
	a.quitting = false
	yes := "quit"
	var lines []string
	for _, w := range a.pending.waiting {
		yes, lines = "send and quit", append(lines, "Pending: "+w.Text)
	}
	if msg.err != nil {
		lines = append(lines, msg.describeUnsaved(a.opts.Drafts, &a.env.FileAccess)...)
	}
	unfinished := a.downloads.describeUnfinished(!a.opts.isDemo())
	lines = append(lines, unfinished...)
	if a.opts.isDemo() {
		lost := a.downloads.describeLost(a.opts.Fetch.Dir)
		for _, d := range msg.drafts {
			sites := format.Count(d.Sites, "site")
			lost = append(lost, fmt.Sprintf("Draft %s (%s) is not placed.", d.Title, sites))
		}
		if lines = append(lines, lost...); len(lost)+len(unfinished) > 0 {
			lines = append(lines, "The demo deletes drafts and downloads on exit.")
		}
	}
	if len(lines) == 0 {
		return tea.Quit
	}
	a.dialogs.pushDialog(&widget.Question{
		Title: quitTitle, Lines: lines, Yes: yes, No: "back",
		OnYes: a.pending.sendNextOrQuit,
	})
	return nil
}

// describeUnsaved says why drafts were not saved, and where their copies are.
func (m quitLosses) describeUnsaved(folder string, files *page.FileAccess) []string {
	lines := []string{"The draft could not be saved: " + format.DescribeFileFault(m.err) + "."}
	if len(m.copies) == 0 {
		return append(lines, "No other folder could be written. Quitting deletes the draft.")
	}
	for _, path := range m.copies {
		lines = append(lines, "Saved a copy: "+files.ShortPath(path))
	}
	return append(lines, "To continue with it later, move it to "+files.ShortPath(folder)+".")
}

// settleAfter is how long a change is left to the window that sent it.
const settleAfter = time.Minute

// settleSent looks in the background for changes that were sent and are not confirmed.
func (a *App) settleSent() tea.Cmd {
	env, ctx := a.env, a.reading.ctx
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
					a.reading.markChanged()
					return tea.Batch(a.stacks.broadcast(page.SentMsg{}), a.status.show(msg))
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
