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

// quitMsg brings the draft that quitting the demo would lose.
type quitMsg struct {
	draft    ordering.DraftNote
	hasDraft bool
}

// quit ends the app, after a question where something would be lost or has not
// been sent. Pressed again before the answer it ends the app at once.
func (a *App) quit() tea.Cmd {
	if q, ok := a.dialogs.top().(*dialog.Question); ok && q.Title == quitTitle {
		return tea.Quit // asked twice: nothing is sent
	}
	if !a.opts.isDemo() || a.drafts == nil {
		return a.askToQuit(quitMsg{})
	}
	if a.quitting {
		return tea.Quit // the draft cannot be read
	}
	a.quitting = true
	summary := a.drafts.Summary()
	return func() tea.Msg {
		note, ok := summary()
		return quitMsg{note, ok}
	}
}

// askToQuit asks whether to quit, where there is something to say about it.
func (a *App) askToQuit(msg quitMsg) tea.Cmd {
	a.quitting = false
	yes := "quit"
	var lines []string
	for _, w := range a.pending.waiting {
		yes, lines = "send and quit", append(lines, "Pending: "+w.Text)
	}
	unfinished := a.downloads.unfinished(!a.opts.isDemo())
	lines = append(lines, unfinished...)
	if a.opts.isDemo() {
		lost := append(msg.lost(), a.downloads.lost(a.opts.Fetch.Dir)...)
		if lines = append(lines, lost...); len(lost)+len(unfinished) > 0 {
			lines = append(lines, "The demo deletes drafts and downloads on exit.")
		}
	}
	if len(lines) == 0 {
		return tea.Quit
	}
	a.dialogs.push(&dialog.Question{
		Theme: a.env.Theme, Title: quitTitle, Lines: lines, Yes: yes, No: "back",
		OnYes: a.pending.sendAndQuit,
	})
	return nil
}

// lost says what of the draft the demo does not keep.
func (m quitMsg) lost() []string {
	if !m.hasDraft {
		return nil
	}
	return []string{fmt.Sprintf("Draft %s (%s) is not placed.", m.draft.Name, format.Count(m.draft.Sites, "site", "sites"))}
}
