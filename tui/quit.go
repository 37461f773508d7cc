package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/widget/dialog"
)

const quitTitle = "Quit"

// isDemo reports whether everything that is made here ends with the run.
func (o *Options) isDemo() bool { return o.ServerMode && o.Profile == session.Demo }

// quitMsg brings the drafts that quitting the demo would lose.
type quitMsg []ordering.StoredDraft

// quitApp ends the app, after a question where something would be lost or has not
// been sent. Pressed again before the answer it ends the app at once.
func (a *App) quitApp() tea.Cmd {
	if q, ok := a.dialogs.topDialog().(*dialog.Question); ok && q.Title == quitTitle {
		return tea.Quit // asked twice: nothing is sent
	}
	if !a.opts.isDemo() || a.drafts == nil {
		return a.askToQuit(nil)
	}
	if a.quitting {
		return tea.Quit // the draft cannot be read
	}
	a.quitting = true
	summary := a.drafts.ListStored()
	return func() tea.Msg { return quitMsg(summary()) }
}

// askToQuit asks whether to quit, where there is something to say about it.
func (a *App) askToQuit(msg quitMsg) tea.Cmd {
	a.quitting = false
	yes := "quit"
	var lines []string
	for _, w := range a.pending.waiting {
		yes, lines = "send and quit", append(lines, "Pending: "+w.Text)
	}
	unfinished := a.downloads.describeUnfinished(!a.opts.isDemo())
	lines = append(lines, unfinished...)
	if a.opts.isDemo() {
		lost := append(msg.describeLost(), a.downloads.describeLost(a.opts.Fetch.Dir)...)
		if lines = append(lines, lost...); len(lost)+len(unfinished) > 0 {
			lines = append(lines, "The demo deletes drafts and downloads on exit.")
		}
	}
	if len(lines) == 0 {
		return tea.Quit
	}
	a.dialogs.pushDialog(&dialog.Question{
		Theme: a.env.Theme, Title: quitTitle, Lines: lines, Yes: yes, No: "back",
		OnYes: a.pending.sendAndQuit,
	})
	return nil
}

// describeLost says which drafts the demo does not keep.
func (m quitMsg) describeLost() (lines []string) {
	for i := range m {
		lines = append(lines, fmt.Sprintf("Draft %s (%s) is not placed.", m[i].Note.Name, format.Count(m[i].Note.Sites, "site", "sites")))
	}
	return lines
}
