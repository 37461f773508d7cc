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
	// refreshTime is the time between two refreshes of the download progress.
	refreshTime = 250 * time.Millisecond
	// freeRefreshes is the number of refreshes between two checks of the free disk space.
	freeRefreshes = 20
	// resumeTime is the time until the app tries again to resume downloads of the last run. Each failed attempt
	// doubles it, at most maxDoublings times.
	resumeTime   = 30 * time.Second
	maxDoublings = 5
)

// downloadTimer decides when the download progress is refreshed, and when the app tries again to
// resume downloads.
type downloadTimer struct {
	refreshes   int  // number of refreshes so far
	isScheduled bool // a refresh is scheduled
	resumes     int  // number of failed attempts to resume the downloads of the last run
}

// schedule reports whether the caller must schedule a refresh, because downloads are running and no refresh
// is scheduled. It then records that a refresh is scheduled.
func (t *downloadTimer) schedule(isBusy bool) bool {
	if !isBusy || t.isScheduled {
		return false
	}
	t.isScheduled = true
	return true
}

// countRefresh records that the scheduled refresh happens now. isFreeDue is true if the free disk space must
// also be checked.
func (t *downloadTimer) countRefresh() (isFreeDue bool) {
	t.isScheduled = false
	t.refreshes++
	return t.refreshes%freeRefreshes == 0
}

// countResume records a failed attempt to resume downloads, and returns how long to wait before the next
// attempt. isFirst is true for the first failure. Later failures are not shown to the user.
func (t *downloadTimer) countResume() (wait time.Duration, isFirst bool) {
	wait = resumeTime << min(t.resumes, maxDoublings)
	t.resumes++
	return wait, t.resumes == 1
}

// refreshDownloads refreshes the download progress, and sometimes the free disk space.
func (ws *workspace) refreshDownloads() tea.Cmd {
	isFreeDue := ws.downloads.countRefresh()
	cmd := ws.reportDownloads(ws.env.Profile.Downloads.Refresh())
	if isFreeDue {
		return tea.Batch(cmd, page.BackgroundCommand(ws.env.Profile.Downloads.ReadFreeSpace()))
	}
	return cmd
}

// handleDownloadWork shows the result of background work on the downloads, unless it is about
// the downloads of another profile. If downloads of the last run could not be resumed, it
// schedules the next attempt.
func (ws *workspace) handleDownloadWork(msg deliveries.DownloadWork) tea.Cmd {
	d := ws.env.Profile.Downloads
	if msg.Downloads != d {
		return nil
	}
	cmds := []tea.Cmd{ws.reportDownloads(d.ApplyWork(msg)), ws.env.Look.SaveUIState()}
	isRepeated := false // true after a later attempt: the user has already read the message
	failedToResume := msg.Resumed && d.IsPending()
	if failedToResume {
		wait, isFirst := ws.downloads.countResume()
		cmds = append(cmds, ws.env.Clock.After(wait, doMsg{of: ws.env, do: ws.resumeDownloads}))
		isRepeated = !isFirst
	}
	toast, ok := describeDownloadWork(msg, d.Dir())
	if ok && !isRepeated {
		cmds = append(cmds, page.SendMessage(toast))
	}
	return tea.Batch(cmds...)
}

// describeDownloadWork returns the message about a failure, or about resumed downloads. ok is
// false if the user need not know about the work.
func describeDownloadWork(msg deliveries.DownloadWork, folder string) (toast page.ToastMsg, ok bool) {
	if msg.Err != nil {
		text := format.FaultText(msg.Err)
		if errors.Is(msg.Err, fetch.ErrNoSpace) {
			text = strings.ReplaceAll(text, " in "+folder, "")
			text += " Free some space, or press " + action.KeyOf(action.FetchTo, action.Deliveries) +
				" in Deliveries to select another folder."
		}
		return page.ToastMsg{Role: theme.Bad, Text: text}, true
	}
	if msg.Resumed && msg.Added > 0 {
		text := format.Count(msg.Added, "download") + " resumed · " + keyOf(action.Downloads) + " to show"
		return page.ToastMsg{Role: theme.Text, Text: text}, true
	}
	return page.ToastMsg{}, false
}

// reportDownloads updates the status row and the pages after a change of the downloads, shows a
// message when all have ended, and schedules the next refresh while any download runs.
func (ws *workspace) reportDownloads(c deliveries.DownloadChange) tea.Cmd {
	d := ws.env.Profile.Downloads
	ws.status.updateWork(page.WorkMsg{
		ID:     "downloads",
		Text:   d.Line(),
		Done:   d.DoneShare(),
		Failed: d.Stuck() && !d.Busy(),
		Over:   d.Unfinished() == 0,
	})
	var cmds []tea.Cmd
	if c.StatesChanged || c.Ended {
		changed := page.DownloadsChangedMsg{Ended: c.Ended}
		cmds = append(cmds, ws.pages.broadcast(changed), ws.env.Look.SaveUIState())
	}
	hasResult := c.Err != nil || d.Fetched() > 0 || d.Sum.Count[fetch.Failed] > 0
	if c.Ended && hasResult {
		cmds = append(cmds, ws.announceEnd(c))
	}
	if ws.downloads.schedule(d.Busy()) {
		cmds = append(cmds, ws.env.Clock.After(refreshTime, doMsg{of: ws.env, do: ws.refreshDownloads}))
	}
	return tea.Batch(cmds...)
}

// announceEnd shows a message about the end of all downloads, in the app and as a notification of the
// terminal, and reads the free disk space again.
func (ws *workspace) announceEnd(c deliveries.DownloadChange) tea.Cmd {
	d := ws.env.Profile.Downloads
	toast := describeEnd(d, c, ws.env.Files.ShortPath)
	notification := ansi.Notify("flightdesk: " + format.Clean(toast.Text))
	return tea.Batch(
		ws.showToast(toast),
		page.BackgroundCommand(d.ReadFreeSpace()),
		tea.Raw(notification),
	)
}

// describeEnd returns the message about the end of all downloads. shortPath abbreviates paths.
func describeEnd(
	d *deliveries.Downloads, c deliveries.DownloadChange, shortPath func(string) string,
) page.ToastMsg {
	fetched := describeFetched(d, c.Bytes, shortPath(d.Dir()))
	if c.Err == nil {
		return page.ToastMsg{Role: theme.Good, Text: fetched}
	}
	return page.ToastMsg{Role: theme.Bad, Text: describeDownloadError(d, c.Err, fetched)}
}

// describeFetched describes the files that are now in the folder: the downloaded files, whose size is bytes,
// and the files that were already there.
func describeFetched(d *deliveries.Downloads, bytes int64, folder string) string {
	existed := d.Sum.Count[fetch.Here]
	downloaded := d.Fetched() - existed
	if downloaded == 0 {
		return fmt.Sprintf("%s already in %s", format.Count(existed, "file"), folder)
	}
	text := fmt.Sprintf("%s (%s) downloaded to %s",
		format.Count(downloaded, "file"), format.Bytes(bytes), folder)
	if existed > 0 {
		text += fmt.Sprintf(", %d already there", existed)
	}
	return text
}

// describeDownloadError describes why downloads failed. fetched describes the files that did not
// fail.
func describeDownloadError(d *deliveries.Downloads, err error, fetched string) string {
	if errors.Is(err, fetch.ErrNoSpace) {
		return err.Error() + ". Free some space, then press " + action.KeyOf(action.PauseAll, action.Deliveries) +
			" in Deliveries; partial files are kept"
	}
	failed := d.Sum.Count[fetch.Failed]
	if d.Fetched() == 0 {
		return fmt.Sprintf("%s failed: %v", format.Count(failed, "file"), err)
	}
	return fmt.Sprintf("%s; %d failed: %v", fetched, failed, err)
}

// resumeDownloads resumes the downloads that were unfinished at the end of the last run.
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

// describeUnfinished returns lines about the downloads that quitting stops, and in a demo about
// the downloaded files that quitting deletes. Downloads of a demo do not resume.
func describeUnfinished(d *deliveries.Downloads, isDemo bool, demoFolder string) []string {
	var lines []string
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
