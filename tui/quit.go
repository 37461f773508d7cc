package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/widget/dialog"
)

const quitTitle = "Quit"

// isDemo reports whether everything that is made here ends with the run.
func (a *App) isDemo() bool { return a.opts.ServerMode && a.opts.Profile == session.Demo }

// quitMsg brings the draft that quitting the demo would lose.
type quitMsg struct {
	draft    ordering.DraftNote
	hasDraft bool
}

// quit ends the app, after a question where something would be lost or has not
// been sent. Pressed again before the answer it ends the app at once.
func (a *App) quit() tea.Cmd {
	if n := len(a.dialogs); n > 0 {
		if q, ok := a.dialogs[n-1].(*dialog.Question); ok && q.Title == quitTitle {
			return tea.Quit // asked twice: nothing is sent
		}
	}
	if !a.isDemo() || a.drafts == nil {
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
		yes, lines = "send and quit", append(lines, w.Text+" has not been sent yet.")
	}
	lines = append(lines, a.unfinished()...)
	if a.isDemo() {
		lines = append(lines, a.lostWithDemo(msg)...)
	}
	if len(lines) == 0 {
		return tea.Quit
	}
	a.dialogs = append(a.dialogs, &dialog.Question{
		Theme: a.env.Theme, Title: quitTitle, Lines: lines, Yes: yes, No: "stay",
		OnYes: a.pending.sendAndQuit,
	})
	return nil
}

// lostWithDemo says what the demo does not keep.
func (a *App) lostWithDemo(msg quitMsg) []string {
	var lines []string
	if msg.hasDraft {
		lines = append(lines, fmt.Sprintf("The draft %s, %s, is not placed.", msg.draft.Name, format.Count(msg.draft.Sites, "site", "sites")))
	}
	if a.env.Downloads != nil && a.env.Downloads.Dir() == a.opts.Fetch.Dir {
		done := func(it fetch.Item) bool { return it.State != fetch.Done && it.State != fetch.Here }
		if n := len(slices.DeleteFunc(slices.Clone(a.env.Downloads.Items), done)); n > 0 {
			lines = append(lines, format.Count(n, "downloaded file lies", "downloaded files lie")+" in the demo's folder.")
		}
	}
	if len(lines) > 0 || len(a.unfinished()) > 0 {
		lines = append(lines, "The demo keeps nothing: what is here is lost.")
	}
	return lines
}
