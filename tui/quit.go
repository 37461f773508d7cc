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
func (ws *workspace) quitApp() tea.Cmd {
	q, asks := ws.dialogs.top().(*widget.Question)
	switch {
	case ws.isQuitting || asks && q.Title == quitTitle:
		return tea.Quit
	case ws.env.Drafts == nil:
		return ws.askToQuit(nil)
	}
	ws.isQuitting = true
	find := ws.findUnsaved()
	return func() tea.Msg {
		losses := find()
		return doMsg{do: func() tea.Cmd {
			ws.isQuitting = false
			return ws.askToQuit(losses)
		}}
	}
}

// findUnsaved returns what says in the background which drafts quitting would lose: those
// of a demo, or those that could not be saved, with the copies that were made of them.
func (ws *workspace) findUnsaved() func() []string {
	if ws.opts.isDemo() {
		stored := ws.env.Drafts.ListStored()
		return func() (lines []string) {
			for _, d := range stored() {
				lines = append(lines, fmt.Sprintf("Draft %s (%s) is not placed.", d.Title, format.Count(d.Sites, "site")))
			}
			return lines
		}
	}
	places := []string{ws.opts.Folder, ws.env.Files.Home, os.TempDir()}
	if ws.opts.Terminal != nil {
		places = places[:1]
	}
	rescue, files, folder := ws.env.Drafts.Rescue(places...), ws.env.Files, ws.opts.Drafts
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
func (ws *workspace) askToQuit(drafts []string) tea.Cmd {
	yes := "quit"
	var lines []string
	for _, w := range ws.held.waiting {
		yes, lines = "send and quit", append(lines, "Pending: "+w.Text)
	}
	losses := append(describeUnfinished(ws.env.Profile.Downloads, ws.opts.isDemo(), ws.env.Profile.Fetch.Dir), drafts...)
	lines = append(lines, losses...)
	switch {
	case len(lines) == 0:
		return tea.Quit
	case ws.opts.isDemo() && len(losses) > 0:
		lines = append(lines, "The demo deletes drafts and downloads on exit.")
	}
	ws.dialogs.push(&widget.Question{
		Title: quitTitle,
		Lines: lines,
		Yes:   yes,
		No:    "back",
		OnYes: ws.sendNextOrQuit,
	})
	return nil
}

// sendNextOrQuit sends the held changes in order and quits after the last response.
// A failure keeps the app open and is explained.
func (ws *workspace) sendNextOrQuit() tea.Cmd {
	ws.quitWhenSent = true
	switch {
	case len(ws.held.waiting) > 0:
		return ws.sendChanges(ws.held.pop(1))
	case len(ws.held.sending) > 0:
		return nil
	}
	return tea.Quit
}
