package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// toastTime is how long a message stays in the status row.
const toastTime = 6 * time.Second

// statusRow is the content of the status row: background work and, for some seconds,
// the last message.
type statusRow struct {
	toast  page.ToastMsg
	toasts int // numbers the messages; an old timer must not clear a new message
	work   []page.WorkMsg
}

// showToast displays a message for toastTime.
func (ws *workspace) showToast(toast page.ToastMsg) tea.Cmd {
	number := ws.status.show(toast)
	return ws.env.Clock.After(toastTime, doMsg{do: func() tea.Cmd {
		ws.status.clear(number)
		return nil
	}})
}

// show displays a message and returns its number.
func (s *statusRow) show(toast page.ToastMsg) (number int) {
	s.toast = toast
	s.toasts++
	return s.toasts
}

// clear removes the message with a number, if it is still shown.
func (s *statusRow) clear(number int) {
	if number == s.toasts {
		s.toast = page.ToastMsg{}
	}
}

// updateWork adds, updates or removes an entry of the background work.
func (s *statusRow) updateWork(msg page.WorkMsg) {
	i := slices.IndexFunc(s.work, func(w page.WorkMsg) bool { return w.ID == msg.ID })
	switch {
	case msg.Over && i >= 0:
		s.work = slices.Delete(s.work, i, i+1)
	case msg.Over:
	case i >= 0:
		s.work[i] = msg
	default:
		s.work = append(s.work, msg)
	}
}

// render renders the row in w cells: work at the left and the message at the right. Without
// work the message is at the left.
func (s *statusRow) render(th *theme.Theme, w int) string {
	var parts []string
	for _, work := range s.work {
		role := theme.InProgress
		if work.Failed {
			role = theme.Bad
		}
		parts = append(parts, th.PaintRole(role, work.Text))
	}
	work := strings.Join(parts, "   ")
	toast := th.PaintRole(s.toast.Role, s.toast.Text)
	if work == "" || toast == "" {
		return format.FitLeft(" "+work+toast, w)
	}
	return format.FitEnds(" "+work, toast+" ", w)
}

// progressBar returns the progress bar of the terminal's tab: the mean of all work,
// or an error state if any failed; nil without work.
func (s *statusRow) progressBar() *tea.ProgressBar {
	if len(s.work) == 0 {
		return nil
	}
	state, sum := tea.ProgressBarDefault, 0.0
	for _, work := range s.work {
		switch {
		case work.Failed:
			state = tea.ProgressBarError
		case work.Done < 0 && state == tea.ProgressBarDefault:
			state = tea.ProgressBarIndeterminate
		}
		sum += min(1, max(0, work.Done))
	}
	return tea.NewProgressBar(state, int(100*sum/float64(len(s.work))))
}
