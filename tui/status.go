package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// toastTime is how long a line stays in the status row.
const toastTime = 6 * time.Second

// status is what the status row has to say: what runs in the background, and
// for some seconds what was just done.
type status struct {
	toast  page.ToastMsg
	toasts int // numbers them, so that an old one's end does not clear a new one
	work   []page.WorkMsg
	after  func(time.Duration, tea.Msg) tea.Cmd
}

type toastOverMsg struct{ number int }

// show shows a line for some seconds.
func (s *status) show(toast page.ToastMsg) tea.Cmd {
	s.toast = toast
	s.toasts++
	return s.after(toastTime, toastOverMsg{s.toasts})
}

func (s *status) over(msg toastOverMsg) {
	if msg.number == s.toasts {
		s.toast = page.ToastMsg{}
	}
}

// note keeps what is known of work in the background.
func (s *status) note(msg page.WorkMsg) {
	i := slices.IndexFunc(s.work, func(w page.WorkMsg) bool { return w.ID == msg.ID })
	switch {
	case i < 0 && !msg.Over:
		s.work = append(s.work, msg)
	case i >= 0 && msg.Over:
		s.work = slices.Delete(s.work, i, i+1)
	case i >= 0:
		s.work[i] = msg
	}
}

// line draws the row: work at the left, and at the right what was just done; ""
// where there is nothing.
func (s *status) line(th *theme.Theme, w int) string {
	toast := layout.CleanText(th.Style(s.toast.Role), s.toast.Text)
	var parts []string
	for _, work := range s.work {
		role := theme.InProgress
		if work.Failed {
			role = theme.Bad
		}
		parts = append(parts, layout.CleanText(th.Style(role), work.Text))
	}
	work := strings.Join(parts, "   ")
	switch {
	case work == "" && toast == "":
		return ""
	case work == "":
		return layout.FitLeft(" "+toast, w)
	case toast == "":
		return layout.FitLeft(" "+work, w)
	default:
		return layout.FitEnds(" "+work, toast+" ", w)
	}
}

// progress returns what the terminal's tab shows: nothing without work, the mean of
// what is done, or that something needs somebody.
func (s *status) progress() *tea.ProgressBar {
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
