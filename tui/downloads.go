package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

const (
	// refreshTime is how often the progress of downloads is redrawn; the free disk space
	// is checked with every freeRefreshes-th time.
	refreshTime   = 250 * time.Millisecond
	freeRefreshes = 20
	// resumeTime is the time until downloads that could not be resumed are tried again. It
	// doubles with each attempt, maxDoublings times at most.
	resumeTime   = 30 * time.Second
	maxDoublings = 5
)

// downloadTimer has the times at which downloads are looked at.
type downloadTimer struct {
	refreshes   int
	isScheduled bool // a refresh is scheduled
	resumes     int  // how often the downloads of the last run could not all be resumed
}

// schedule reports whether a refresh must be scheduled: while downloads are running one
// always is.
func (t *downloadTimer) schedule(isBusy bool) bool {
	if !isBusy || t.isScheduled {
		return false
	}
	t.isScheduled = true
	return true
}

// countRefresh records that the scheduled refresh is made, and reports whether the free
// disk space is due to be checked.
func (t *downloadTimer) countRefresh() (isFreeDue bool) {
	t.isScheduled = false
	t.refreshes++
	return t.refreshes%freeRefreshes == 0
}

// countResume records that downloads could not be resumed, and returns the time until the
// next attempt. isFirst says that it was the first attempt, whose failure is reported.
func (t *downloadTimer) countResume() (wait time.Duration, isFirst bool) {
	wait = resumeTime << min(t.resumes, maxDoublings)
	t.resumes++
	return wait, t.resumes == 1
}

// refreshDownloads refreshes the progress, and from time to time the free disk
// space.
func (ws *workspace) refreshDownloads() tea.Cmd {
	isFreeDue := ws.downloads.countRefresh()
	cmd := ws.reportDownloads(ws.env.Profile.Downloads.Refresh())
	if isFreeDue {
		return tea.Batch(cmd, page.BackgroundCommand(ws.env.Profile.Downloads.AskFree()))
	}
	return cmd
}

// handleDownloadWork shows the result of work on the downloads. A late result for another
// profile is ignored.
func (ws *workspace) handleDownloadWork(msg deliveries.DownloadWork) tea.Cmd {
	d := ws.env.Profile.Downloads
	if msg.Desk != d {
		return nil
	}
	cmds := []tea.Cmd{ws.reportDownloads(d.Take(msg)), ws.env.Look.KeepLook()}
	if msg.Back && d.IsPending() {
		wait, isFirst := ws.downloads.countResume()
		cmds = append(cmds, ws.env.Clock.After(wait, doMsg{of: ws.env, do: ws.resumeDownloads}))
		if !isFirst {
			return tea.Batch(cmds...)
		}
	}
	if toast, ok := describeDownloadWork(msg, d.Dir()); ok {
		cmds = append(cmds, page.SendMessage(toast))
	}
	return tea.Batch(cmds...)
}

// describeDownloadWork returns the message about a failure, or about downloads that are
// resumed; ok is false if there is nothing to say.
func describeDownloadWork(msg deliveries.DownloadWork, folder string) (toast page.ToastMsg, ok bool) {
	if msg.Err != nil {
		text := format.FaultText(msg.Err)
		if errors.Is(msg.Err, fetch.ErrNoSpace) {
			text = strings.ReplaceAll(text, " in "+folder, "")
			text += " Free some space, or press e to select another folder."
		}
		return page.ToastMsg{Role: theme.Bad, Text: text}, true
	}
	if msg.Back && msg.Added > 0 {
		text := format.Count(msg.Added, "download") + " resumed · " + keyOf(action.Downloads) + " to show"
		return page.ToastMsg{Role: theme.Text, Text: text}, true
	}
	return page.ToastMsg{}, false
}

// reportDownloads announces changes of the downloads and schedules the next refresh
// while any are running.
func (ws *workspace) reportDownloads(c deliveries.DownloadChange) tea.Cmd {
	d := ws.env.Profile.Downloads
	ws.status.updateWork(page.WorkMsg{
		ID:     "downloads",
		Text:   d.Line(),
		Done:   d.Done(),
		Failed: d.Stuck() && !d.Busy(),
		Over:   d.Unfinished() == 0,
	})
	var cmds []tea.Cmd
	if c.States || c.Ended {
		cmds = append(cmds, ws.pages.broadcast(page.DownloadsChangedMsg{Ended: c.Ended}), ws.env.Look.KeepLook())
	}
	if c.Ended && (d.Fetched()+d.Sum.Count[fetch.Failed] > 0 || c.Err != nil) {
		toast := describeEnd(d, c, ws.env.Files.ShortPath)
		cmds = append(cmds, ws.showToast(toast), page.BackgroundCommand(d.AskFree()),
			tea.Raw(ansi.Notify("flightdesk: "+format.Clean(toast.Text))))
	}
	if ws.downloads.schedule(d.Busy()) {
		cmds = append(cmds, ws.env.Clock.After(refreshTime, doMsg{of: ws.env, do: ws.refreshDownloads}))
	}
	return tea.Batch(cmds...)
}

// describeEnd returns the message shown when all downloads have ended. shortPath
// abbreviates paths.
func describeEnd(d *deliveries.Downloads, c deliveries.DownloadChange, shortPath func(string) string) page.ToastMsg {
	done, failed := d.Fetched(), d.Sum.Count[fetch.Failed]
	text := fmt.Sprintf("%s (%s) downloaded to %s",
		format.Count(done, "file"), format.Bytes(c.Bytes), shortPath(d.Dir()))
	if c.Err == nil {
		return page.ToastMsg{Role: theme.Good, Text: text}
	}
	switch {
	case errors.Is(c.Err, fetch.ErrNoSpace):
		text = c.Err.Error() + ". Free some space, then press P; partial files are kept"
	case done == 0:
		text = fmt.Sprintf("%s failed: %v", format.Count(failed, "file"), c.Err)
	default:
		text = fmt.Sprintf("%s; %d failed: %v", text, failed, c.Err)
	}
	return page.ToastMsg{Role: theme.Bad, Text: text}
}

// resumeDownloads resumes the downloads of the last run.
func (ws *workspace) resumeDownloads() tea.Cmd {
	if ws.env.Profile.NoAccount {
		return nil
	}
	return page.BackgroundCommand(ws.env.Profile.Downloads.ComeBack(ws.env.Profile.Client))
}

// toggleDownloads shows or hides the downloads panel.
func (ws *workspace) toggleDownloads() tea.Cmd {
	d := ws.env.Profile.Downloads
	d.Toggle(panelRows(d, ws.env.Look.Height) > 0)
	return nil
}

// describeUnfinished says which downloads quitting would stop. They resume at the next
// start, except in a demo, which also deletes the downloaded files in its folder.
func describeUnfinished(d *deliveries.Downloads, isDemo bool, demoFolder string) (lines []string) {
	if d.Busy() {
		lines = append(lines, d.Line())
		if !isDemo {
			lines = append(lines, "Downloads resume at the next start.")
		}
	}
	if !isDemo || d.Dir() != demoFolder {
		return lines
	}
	if n := d.Fetched(); n > 0 {
		lines = append(lines, format.Count(n, "downloaded file")+" in the demo folder.")
	}
	return lines
}
