package tui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// resume opens the screen again after a suspension. The window can have another size now.
func (a *App) resume() tea.Cmd {
	size, sizeErr := sizeOf(a.screen.console)
	openErr := a.screen.open()
	if err := errors.Join(sizeErr, openErr); err != nil {
		return page.SendMessage(page.CrashMsg{Reason: err})
	}
	a.terminal.title = "" // the title was restored; the next update sets it again
	codes := a.terminal.openingCodes(a.look.isAuto())
	return tea.Batch(tea.Raw(codes), page.SendMessage(size))
}

// suspend stops the program, like ctrl+z in other programs. It does nothing for a guest.
func (a *App) suspend() tea.Cmd {
	if a.opts.Terminal != nil {
		return nil
	}
	return tea.Suspend
}

// filterMessage handles a message before Update gets it. It returns nil if only the screen needs the message.
// Before a suspension it restores the terminal. Bubble Tea passes the same message to Update when the program
// continues.
func (a *App) filterMessage(msg tea.Msg) tea.Msg {
	if a.screen.handleMessage(msg) {
		return nil
	}
	if _, isSuspend := msg.(tea.SuspendMsg); isSuspend {
		a.closeScreen()
	}
	return msg
}

func (a *App) closeScreen() { a.screen.close(a.terminal.closingCodes(a.look.isAuto())) }
