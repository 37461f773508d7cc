package tui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// resume opens the screen after a suspension, in a window that may have another size.
func (a *App) resume() tea.Cmd {
	size, err := sizeOf(a.screen.console)
	if err = errors.Join(err, a.screen.open()); err != nil {
		return func() tea.Msg { return page.CrashMsg{Reason: err} }
	}
	a.terminal.title = ""
	return tea.Batch(tea.Raw(a.terminal.openingCodes(a.look.isAuto())), func() tea.Msg { return size })
}

// suspend stops the program like ctrl+z in other programs, but not for a guest.
func (a *App) suspend() tea.Cmd {
	if a.opts.Terminal != nil {
		return nil
	}
	return tea.Suspend
}

// filterMessage has the screen take what is for the terminal alone, and give it back
// before the program stops like others on ctrl+z. Bubble Tea passes the message to
// Update once the program continues.
func (a *App) filterMessage(msg tea.Msg) tea.Msg {
	if a.screen.takeMessage(msg) {
		return nil
	}
	if _, stops := msg.(tea.SuspendMsg); stops {
		a.closeScreen()
	}
	return msg
}

func (a *App) closeScreen() { a.screen.close(a.terminal.closingCodes(a.look.isAuto())) }
