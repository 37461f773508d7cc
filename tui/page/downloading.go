package page

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/downloads"
)

// DownloadsTouchedMsg says that something was asked of the download queue, so
// that its state is read again.
type DownloadsTouchedMsg struct{ Desk *downloads.State }

// DownloadsTouched returns the command that says so.
func DownloadsTouched(env *Env) tea.Cmd {
	desk := env.Downloads
	return func() tea.Msg { return DownloadsTouchedMsg{desk} }
}

// DownloadsChangedMsg tells every page that files are in other states than
// before. Ended reports whether nothing is left to do: the files on disk are to
// be read again then.
type DownloadsChangedMsg struct{ Ended bool }

// BackgroundCommand runs work in the background and sends its result; it is nil if work
// is.
func BackgroundCommand[T any](work func() T) tea.Cmd {
	if work == nil {
		return nil
	}
	return func() tea.Msg { return work() }
}
