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

// statusRow has the content of the status row: background work and, for toastTime, the last
// message.
type statusRow struct {
	toast  page.ToastMsg
	toasts int // number of the last message, so that an old timer does not clear a new message
	work   []page.WorkMsg
}

// showToast shows a message for toastTime.
func (ws *workspace) showToast(toast page.ToastMsg) tea.Cmd {
	number := ws.status.show(toast)
	return ws.env.Clock.After(toastTime, doMsg{do: func() tea.Cmd {
		ws.status.clear(number)
		return nil
	}})
}

// show shows a message and returns its number.
func (s *statusRow) show(toast page.ToastMsg) (number int) {
	s.toast = toast
	s.toasts++
	return s.toasts
}

// clear removes the message with the given number, if it is still shown.
func (s *statusRow) clear(number int) {
	if number == s.toasts {
		s.toast = page.ToastMsg{}
	}
}

// updateWork adds or updates the background work with the message's ID, or removes it if the work
// is over.
func (s *statusRow) updateWork(msg page.WorkMsg) {
	hasID := func(work page.WorkMsg) bool { return work.ID == msg.ID }
	if msg.Over {
		s.work = slices.DeleteFunc(s.work, hasID)
		return
	}
	i := slices.IndexFunc(s.work, hasID)
	if i < 0 {
		s.work = append(s.work, msg)
		return
	}
	s.work[i] = msg
}

// render renders the row in w cells: the work at the left and the message at the right. Without
// work the message is at the left. While a change is pending, its countdown is at the left. The message is beside the
// countdown if the countdown can be shortened enough, otherwise in a second row; the work is shown only if it fits.
func (s *statusRow) render(th *theme.Theme, held *heldQueue, now time.Time, w int) []string {
	if len(held.waiting) == 0 {
		return []string{s.renderMessage(th, w)}
	}
	drawCountdown := func(w int) string { return " " + th.PaintRole(theme.Attention, held.countdown(now, w-2)) }
	beside := format.Clean(s.toast.Text)
	if beside == "" {
		whole := drawCountdown(w)
		work := s.renderWork(th)
		if format.Width(whole)+format.Width(work)+3 > w {
			work = ""
		}
		return []string{format.FitEnds(whole, work+" ", w)}
	}
	room := w - format.Width(beside) - 2
	toast := th.PaintRole(s.toast.Role, beside)
	if room < held.minCountdownWidth(now) {
		return []string{format.FitLeft(drawCountdown(w), w), format.FitLeft(" "+toast, w)}
	}
	return []string{format.FitEnds(drawCountdown(room), toast+" ", w)}
}

// renderMessage renders the work and the message in w cells.
func (s *statusRow) renderMessage(th *theme.Theme, w int) string {
	work := s.renderWork(th)
	toast := th.PaintRole(s.toast.Role, s.toast.Text)
	if work == "" || toast == "" {
		return format.FitLeft(" "+work+toast, w)
	}
	return format.FitEnds(" "+work, toast+" ", w)
}

// renderWork renders the background work in one line, or returns "" if there is none.
func (s *statusRow) renderWork(th *theme.Theme) string {
	var parts []string
	for _, work := range s.work {
		role := theme.InProgress
		if work.Failed {
			role = theme.Bad
		}
		parts = append(parts, th.PaintRole(role, work.Text))
	}
	return strings.Join(parts, "   ")
}

// progressBar returns the progress bar for the tab of the terminal, or nil if there is no background work. It
// shows an error if any work has failed. Otherwise it shows the mean progress of all work. If the progress of
// any work is unknown, it only shows that work is going on.
func (s *statusRow) progressBar() *tea.ProgressBar {
	if len(s.work) == 0 {
		return nil
	}
	state := tea.ProgressBarDefault
	if slices.ContainsFunc(s.work, func(work page.WorkMsg) bool { return work.Failed }) {
		state = tea.ProgressBarError
	} else if slices.ContainsFunc(s.work, func(work page.WorkMsg) bool { return work.Done < 0 }) {
		state = tea.ProgressBarIndeterminate
	}
	sum := 0.0
	for _, work := range s.work {
		sum += min(1, max(0, work.Done))
	}
	return tea.NewProgressBar(state, int(100*sum/float64(len(s.work))))
}
