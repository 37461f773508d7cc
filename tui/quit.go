package tui

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/widget"
)

const quitTitle = "Quit"

// isDemo reports whether all data is deleted when the run ends.
func (o *Options) isDemo() bool { return o.ServerMode && o.Profile == session.Demo }

// quitApp quits, asking first if something would be lost or is not sent yet. A
// second press quits immediately: held changes are dropped, and a disk that does not
// answer is not waited for.
func (a *App) quitApp() tea.Cmd {
	q, asks := a.dialogs.top().(*widget.Question)
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
func (a *App) findUnsaved() func() []string {
	if a.opts.isDemo() {
		stored := a.drafts.ListStored()
		return func() (lines []string) {
			for _, d := range stored() {
				lines = append(lines, fmt.Sprintf("Draft %s (%s) is not placed.", d.Title, format.Count(d.Sites, "site")))
			}
			return lines
		}
	}
	places := []string{a.opts.Folder, a.env.Home, os.TempDir()}
	if a.opts.Terminal != nil {
		places = places[:1]
	}
	rescue, files, folder := a.drafts.Rescue(places...), a.env.FileAccess, a.opts.Drafts
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
func (a *App) askToQuit(drafts []string) tea.Cmd {
	yes := "quit"
	var lines []string
	for _, w := range a.held.waiting {
		yes, lines = "send and quit", append(lines, "Pending: "+w.Text)
	}
	losses := append(describeUnfinished(a.env.Downloads, a.opts.isDemo(), a.env.Fetch.Dir), drafts...)
	lines = append(lines, losses...)
	switch {
	case len(lines) == 0:
		return tea.Quit
	case a.opts.isDemo() && len(losses) > 0:
		lines = append(lines, "The demo deletes drafts and downloads on exit.")
	}
	a.dialogs.push(&widget.Question{
		Title: quitTitle,
		Lines: lines,
		Yes:   yes,
		No:    "back",
		OnYes: a.sendNextOrQuit,
	})
	return nil
}

// sendNextOrQuit sends the held changes in order and quits after the last response.
// A failure keeps the app open and is explained.
func (a *App) sendNextOrQuit() tea.Cmd {
	a.quitWhenSent = true
	switch {
	case len(a.held.waiting) > 0:
		return a.sendChanges(a.held.pop(1))
	case len(a.held.sending) > 0:
		return nil
	}
	return tea.Quit
}
