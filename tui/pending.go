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
	*App // of which it is a part

	waiting   []*waitingChange
	sending   []*waitingChange // sent, without a response yet
	counted   time.Time        // the last second of the countdown
	done      []page.UndoMsg   // newest last
	undone    []page.UndoMsg   // newest last
	quitsLast bool             // quit once every change has its response
}

type waitingChange struct {
	page.HeldChange
	leaves time.Time
}

// holdChange holds a change back for some seconds, in which it can be undone.
func (a *pendingChanges) holdChange(change page.HeldChange) tea.Cmd {
	now := a.Now()
	if len(a.waiting) == 0 {
		a.counted = now
	}
	a.waiting = append(a.waiting, &waitingChange{change, now.Add(page.HoldTime)})
	return nil // countSeconds sends it
}

// stoppedTime is how long after a second the next one is late: the program was stopped.
const stoppedTime = 3 * time.Second

// sendDue sends the changes whose time is over. All countdowns begin again if the program
// was stopped meanwhile, when nobody could undo a change.
func (a *pendingChanges) sendDue() tea.Cmd {
	now := a.Now()
	wasStopped := now.Sub(a.counted) > stoppedTime
	a.counted = now
	var cmds []tea.Cmd
	for _, w := range slices.Clone(a.waiting) {
		if wasStopped {
			w.leaves = now.Add(page.HoldTime)
		} else if !now.Before(w.leaves) {
			cmds = append(cmds, a.sendChange(w))
		}
	}
	return tea.Batch(cmds...)
}

// sendChange sends a held change.
func (a *pendingChanges) sendChange(w *waitingChange) tea.Cmd {
	isIt := func(other *waitingChange) bool { return other == w }
	a.waiting = slices.DeleteFunc(a.waiting, isIt)
	a.sending = append(a.sending, w)
	work := page.WorkMsg{
		ID:   fmt.Sprintf("held-%p", w),
		Text: inProgress(w.Text),
		Done: -1,
	}
	a.note(work)
	return func() tea.Msg {
		err := w.Send(context.Background())
		return doMsg{do: func() tea.Cmd {
			work.Over = true
			a.note(work)
			a.sending = slices.DeleteFunc(a.sending, isIt)
			return a.noteSent(page.SentMsg{Held: w.HeldChange, Err: err})
		}}
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

// noteSent records the response to a change, and quits if that was the last one
// waited for.
func (a *pendingChanges) noteSent(sent page.SentMsg) tea.Cmd {
	a.markChanged()
	a.done, a.undone = []page.UndoMsg{
		{Text: "already sent", Undo: func() (tea.Cmd, bool) { return nil, false }},
	}, nil
	told := a.broadcast(sent)
	a.quitsLast = a.quitsLast && sent.Err == nil
	switch {
	case a.quitsLast:
		return tea.Batch(told, a.sendNextOrQuit())
	case sent.Err == nil:
		return tea.Batch(told, page.ShowToast(theme.Good, sent.Held.Done))
	}
	return tea.Batch(told, a.explainFailure(sent))
}

// sendNextOrQuit sends the held changes in order and quits after the last response.
// A failure keeps the app open and is explained.
func (a *pendingChanges) sendNextOrQuit() tea.Cmd {
	a.quitsLast = true
	switch {
	case len(a.waiting) > 0:
		return a.sendChange(a.waiting[0])
	case len(a.sending) > 0:
		return nil
	}
	return tea.Quit
}

// explainFailure shows why a change failed, in the status row if it fits, else in
// a dialog.
func (a *pendingChanges) explainFailure(sent page.SentMsg) tea.Cmd {
	title, why := format.CapitalizeFirst(sent.Held.Text), format.FaultText(sent.Err)
	if text := title + ": " + why; format.Width(text) < a.Width-1 {
		return page.ShowToast(theme.Bad, text)
	}
	a.showText(theme.Bad, title, why)
	return nil
}

// undoLast cancels the newest held change, or else undoes the last local change.
func (a *pendingChanges) undoLast() tea.Cmd {
	if n := len(a.waiting); n > 0 {
		stopped := a.waiting[n-1]
		a.waiting = a.waiting[:n-1]
		return page.ShowToast(theme.Good, "Not sent: "+stopped.Text)
	}
	if len(a.sending) > 0 {
		return page.ShowToast(theme.Attention, "Cannot undo: already sent")
	}
	return moveStep(&a.done, &a.undone, "undo")
}

// redoLast redoes the change that was undone last.
func (a *pendingChanges) redoLast() tea.Cmd {
	return moveStep(&a.undone, &a.done, "redo")
}

// moveStep undoes the last step of a stack, and puts what undoes that on the other one.
func moveStep(from, to *[]page.UndoMsg, verb string) tea.Cmd {
	n := len(*from) - 1
	if n < 0 {
		return page.ShowToast(theme.Attention, "Nothing to "+verb)
	}
	last := (*from)[n]
	*from = (*from)[:n]
	cmd, ok := last.Undo()
	if !ok {
		return page.ShowToast(theme.Attention, "Cannot "+verb+": "+last.Text)
	}
	if last.Redo != nil {
		last.Undo, last.Redo = last.Redo, last.Undo
		*to = append(*to, last)
	}
	return tea.Batch(cmd, page.ShowToast(theme.Good, format.CapitalizeFirst(verb)+"ne: "+last.Text))
}

// Undo steps keep at most so many sites together, and each counts as some.
const (
	maxUndoSites = 200_000
	sitesPerStep = 1000
)

// addUndo adds an undo step and drops the oldest steps beyond the limit.
func (a *pendingChanges) addUndo(msg page.UndoMsg) tea.Cmd {
	a.done, a.undone = append(a.done, msg), nil
	weight := 0
	for i, step := range slices.Backward(a.done) {
		weight += step.Weight + sitesPerStep
		if weight > maxUndoSites && i < len(a.done)-1 {
			a.done = slices.Delete(a.done, 0, i+1)
			break
		}
	}
	if msg.Quiet {
		return nil
	}
	text := format.CapitalizeFirst(msg.Text)
	if a.topDialog() == nil && !a.top().IsTyping() {
		text += " · u to undo"
	}
	return page.ShowToast(theme.Text, text)
}

// pendingFor returns the text of a held or unanswered change of an entity, or "".
func (a *pendingChanges) pendingFor(id string) string {
	for _, w := range slices.Concat(a.waiting, a.sending) {
		if w.Of == id && id != "" {
			return w.Text
		}
	}
	return ""
}

// countdownRows returns the number of rows of the countdown. Its row is never shared:
// behind another message a decision would be sent unseen.
func (a *pendingChanges) countdownRows() int { return min(1, len(a.waiting)) }

// drawCountdown renders the rows of the countdown.
func (a *pendingChanges) drawCountdown() []string {
	if len(a.waiting) == 0 {
		return nil
	}
	line := a.Theme.PaintRole(theme.Attention, a.describeCountdown(a.Width-2))
	return []string{format.FitLeft(" "+line, a.Width)}
}

// describeCountdown tells the next change in w cells. The description is cut if needed,
// never the seconds and the undo key.
func (a *pendingChanges) describeCountdown(w int) string {
	next := a.waiting[0]
	tail := fmt.Sprintf(" in %.0f s · u to undo", max(0, next.leaves.Sub(a.Now()).Seconds()))
	if more := len(a.waiting) - 1; more > 0 {
		tail = fmt.Sprintf("%s · %d more", tail, more)
	}
	return format.CutLine(format.Clean(inProgress(next.Text)), w-format.Width(tail)) + tail
}

const quitTitle = "Quit"

// isDemo reports whether all data is deleted when the run ends.
func (o *Options) isDemo() bool { return o.ServerMode && o.Profile == session.Demo }

// quitApp quits, asking first if something would be lost or is not sent yet. A
// second press quits immediately: held changes are dropped, and a disk that does not
// answer is not waited for.
func (a *pendingChanges) quitApp() tea.Cmd {
	q, asks := a.topDialog().(*widget.Question)
	switch {
	case a.quitting || asks && q.Title == quitTitle:
		return tea.Quit
	case a.drafts == nil:
		return a.askToQuit(nil)
	}
	a.quitting = true
	find := a.findUnsaved()
	return func() tea.Msg {
		losses := find()
		return doMsg{do: func() tea.Cmd {
			a.quitting = false
			return a.askToQuit(losses)
		}}
	}
}

// findUnsaved returns what says in the background which drafts quitting would lose: those
// of a demo, or those that could not be saved, with the copies that were made of them.
func (a *pendingChanges) findUnsaved() func() []string {
	if a.opts.isDemo() {
		stored := a.drafts.ListStored()
		return func() (lines []string) {
			for _, d := range stored() {
				lines = append(lines, fmt.Sprintf("Draft %s (%s) is not placed.", d.Title, format.Count(d.Sites, "site")))
			}
			return lines
		}
	}
	places := []string{a.opts.Folder, a.Home, os.TempDir()}
	if a.opts.Terminal != nil {
		places = places[:1]
	}
	rescue, files, folder := a.drafts.Rescue(places...), a.FileAccess, a.opts.Drafts
	return func() []string {
		copies, err := rescue()
		if err == nil {
			return nil
		}
		lines := []string{"The draft could not be saved: " + format.DescribeFileFault(err) + "."}
		if len(copies) == 0 {
			return append(lines, "No other folder could be written. Quitting deletes the draft.")
		}
		for _, path := range copies {
			lines = append(lines, "Saved a copy: "+files.ShortPath(path))
		}
		return append(lines, "To continue with it later, move it to "+files.ShortPath(folder)+".")
	}
}

// askToQuit quits, or asks if there is something to confirm: changes that are held, drafts
// or downloads.
func (a *pendingChanges) askToQuit(drafts []string) tea.Cmd {
	yes := "quit"
	var lines []string
	for _, w := range a.waiting {
		yes, lines = "send and quit", append(lines, "Pending: "+w.Text)
	}
	losses := append(a.describeDownloads(), drafts...)
	lines = append(lines, losses...)
	switch {
	case len(lines) == 0:
		return tea.Quit
	case a.opts.isDemo() && len(losses) > 0:
		lines = append(lines, "The demo deletes drafts and downloads on exit.")
	}
	a.pushDialog(&widget.Question{
		Title: quitTitle,
		Lines: lines,
		Yes:   yes,
		No:    "back",
		OnYes: a.sendNextOrQuit,
	})
	return nil
}

// settleAfter is how long a change is left to the window that sent it.
const settleAfter = time.Minute

// settleSent looks in the background for changes that were sent and are not confirmed.
func (a *pendingChanges) settleSent() tea.Cmd {
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
