package deliveries

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget"
)

// fetchActions starts, pauses and cancels the downloads of the chosen files.
type fetchActions struct {
	env       *page.Env
	packages  *deliveries.PackageList
	selection *rowSelection
	news      *newFiles
	noun      string // noun for the packages, such as "deliveries"

	folderChanged func() tea.Cmd // called after the user chose another download folder; reads its files
}

// fetchReason returns why the chosen files cannot be downloaded, or "".
func (f *fetchActions) fetchReason(*row) string { return f.nothingToFetch() }

// unfinishedItems returns the downloads of the chosen files that are queued and not finished.
func (f *fetchActions) unfinishedItems() []fetch.Item {
	return f.selection.chosenFiles().unfinishedItems(f.env.Profile.Downloads)
}

// notQueued returns why an action on downloads is disabled: none of the chosen files is being downloaded. If one of
// them is, notQueued returns "".
func (f *fetchActions) notQueued(*row) string {
	if len(f.unfinishedItems()) > 0 {
		return ""
	}
	return "not being downloaded" + f.fetchAdvice()
}

// fetchKey returns the key that downloads files.
func fetchKey() string { return action.KeyOf(action.Fetch, action.Deliveries) }

// fetchAdvice returns the advice to download the chosen files, such as "; press f". Its result is appended to a
// sentence. It returns "" if no chosen file can be downloaded.
func (f *fetchActions) fetchAdvice() string {
	return page.TextIf(f.nothingToFetch() == "", "; press "+fetchKey())
}

// noDownloads returns why an action on all downloads is disabled: there is no unfinished download. If there is one,
// noDownloads returns "".
func (f *fetchActions) noDownloads(*row) string {
	if f.env.Profile.Downloads.Unfinished() > 0 {
		return ""
	}
	return "no downloads" + page.TextIf(f.nothingToFetch() == "", "; press "+fetchKey()+" to start one")
}

// downloadsRunning returns why the download folder cannot be changed: there are unfinished downloads. If there are
// none, downloadsRunning returns "".
func (f *fetchActions) downloadsRunning(*row) string {
	isRunning := f.env.Profile.Downloads.Unfinished() > 0
	return page.TextIf(isRunning, "downloads are not finished; wait, or cancel them")
}

// fetchNew downloads every file that was not downloaded before.
func (f *fetchActions) fetchNew(*row) tea.Cmd {
	return page.BackgroundCommand(f.env.Profile.Downloads.Fetch(f.news.packages...))
}

// pauseChosen pauses or resumes the downloads of the chosen files.
func (f *fetchActions) pauseChosen(*row) tea.Cmd {
	return f.pauseItems(f.unfinishedItems())
}

// pauseAll pauses or resumes all downloads.
func (f *fetchActions) pauseAll(*row) tea.Cmd {
	return f.pauseItems(f.env.Profile.Downloads.Items)
}

// nothingToFetch returns why no chosen file can be downloaded, or "" if at least one can.
func (f *fetchActions) nothingToFetch() string {
	chosen := f.selection.chosenFiles()
	if len(chosen.packagesToFetch(f.env.Profile.Downloads, f.packages.Packages)) > 0 {
		return ""
	}
	if len(chosen) > 0 {
		return f.describeFetched(chosen)
	}
	if f.selection.hasMarks() {
		return "the marked files are no longer listed"
	}
	if f.selection.current() == nil {
		return "nothing is selected"
	}
	return "the package has no files"
}

// describeFetched returns why none of the chosen files can be downloaded: they are downloaded already, or are in the
// download queue.
func (f *fetchActions) describeFetched(chosen chosenFiles) string {
	queued := len(chosen.unfinishedItems(f.env.Profile.Downloads))
	switch queued {
	case 0:
		return "already downloaded"
	case chosen.count():
		return "already in the download queue"
	default:
		return "already downloaded, or in the download queue (" + format.GroupInt(queued) + ")"
	}
}

// nothingNew returns why there is no new file to download, or "" if there is one.
func (f *fetchActions) nothingNew(*row) string {
	if len(f.news.packages) > 0 {
		return ""
	}
	state := f.packages.PackageListState
	if state.Err != nil {
		return "no new files are known; not all " + f.noun + " could be loaded"
	}
	if state.Partial || state.ReadAt.IsZero() {
		return f.noun + " are being loaded"
	}
	if f.news.hasUnseen {
		return "the download folder is not read yet"
	}
	isQueued := f.news.queued.total() > 0
	if isQueued && state.More {
		return "every new file of the orders that are loaded is in the download queue"
	}
	if isQueued {
		return "every new file is in the download queue"
	}
	if state.More {
		return "no new files in the orders that are loaded"
	}
	return "no new files"
}

// fetchChosen downloads the chosen files and removes all marks.
func (f *fetchActions) fetchChosen(*row) tea.Cmd {
	downloads := f.env.Profile.Downloads
	packages := f.selection.chosenFiles().packagesToFetch(downloads, f.packages.Packages)
	f.selection.clear()
	return page.BackgroundCommand(downloads.Fetch(packages...))
}

// pauseItems pauses the downloads that are waiting or running. If there are none, it resumes
// the paused and failed downloads.
func (f *fetchActions) pauseItems(items []fetch.Item) tea.Cmd {
	var active, stopped []fetch.ID
	for _, item := range items {
		switch item.State {
		case fetch.Waiting, fetch.Fetching:
			active = append(active, item.ID)
		case fetch.Paused, fetch.Failed:
			stopped = append(stopped, item.ID)
		}
	}
	f.selection.clear()
	if len(active) > 0 {
		f.env.Profile.Downloads.ChangeItems((*fetch.Queue).Pause, active)
	} else {
		f.env.Profile.Downloads.ChangeItems((*fetch.Queue).Resume, stopped)
	}
	return f.env.Profile.DownloadsTouched()
}

// stopItems asks for confirmation, then cancels the downloads of the chosen files and deletes
// the parts downloaded so far.
func (f *fetchActions) stopItems(*row) tea.Cmd {
	items := f.unfinishedItems()
	if len(items) == 0 {
		return nil
	}
	var ids []fetch.ID
	var done int64
	for _, item := range items {
		ids = append(ids, item.ID)
		done += item.Done
	}
	subject := format.Clean(items[0].Name)
	if len(items) > 1 {
		subject = format.Count(len(items), "file")
	}
	effect := "Deletes the " + format.Bytes(done) + " downloaded so far."
	if done == 0 {
		effect = "Nothing is downloaded yet."
	}
	effect += " Press " + fetchKey() + " to download again."
	stop := func() tea.Cmd {
		f.env.Profile.Downloads.ChangeItems((*fetch.Queue).Cancel, ids)
		f.selection.clear()
		return f.env.Profile.DownloadsTouched()
	}
	return f.env.Confirm("Stop download", "stop", stop, subject, effect)
}

// chooseFolder opens the dialog for the download folder.
func (f *fetchActions) chooseFolder(*row) tea.Cmd {
	downloads := f.env.Profile.Downloads
	field := &widget.Field{
		Label:  "Folder",
		TypeOn: true,
		Help:   "one subfolder per package; remembered on this machine for this profile",
	}
	setFolder := func(typed string) tea.Cmd {
		if typed == "" {
			field.Error = "enter the path of a folder"
			return nil
		}
		if err := downloads.SetDir(f.env.Files.FullPath(typed)); err != nil {
			field.Error = err.Error()
			return nil
		}
		return tea.Batch(
			f.folderChanged(),
			page.BackgroundCommand(downloads.ReadFreeSpace()),
			f.env.Look.SaveUIState(),
		)
	}
	current := f.env.Files.ShortPath(downloads.Dir())
	return f.env.PromptValue("Download folder", "", 4096, field, current, setFolder)
}
