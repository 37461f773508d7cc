package deliveries

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// actions returns the actions on the rows.
func (p *Page) actions() []page.Action[*row] {
	return []page.Action[*row]{
		{ID: action.Open, WhyDisabled: p.openReason, Do: p.openRow},
		{ID: action.OpenFile, WhyDisabled: p.openFileReason, Do: p.openFile},
		{ID: action.OpenFolder, NeedsNoRow: true, WhyDisabled: p.folderReason, Do: p.openFolder},
		{ID: action.Preview, Do: p.previewFile},
		{ID: action.CopyPath, NeedsNoRow: true, Do: p.copyPath},
		{ID: action.Toggle, Do: p.toggleMark},
		{ID: action.ToggleAll, NeedsNoRow: true, Do: p.toggleAll},
		{ID: action.Flat, NeedsNoRow: true, Do: p.toggleFlat},
		{ID: action.Fetch, NeedsNoRow: true, WhyDisabled: p.fetchReason, Do: p.fetchChosen},
		{ID: action.FetchNew, NeedsNoRow: true, WhyDisabled: p.nothingNew, Do: p.fetchNew},
		{ID: action.PauseOne, NeedsNoRow: true, WhyDisabled: p.notQueued, Do: p.pauseChosen},
		{ID: action.PauseAll, NeedsNoRow: true, WhyDisabled: p.noDownloads, Do: p.pauseAll},
		{ID: action.StopFetch, NeedsNoRow: true, WhyDisabled: p.notQueued, Do: p.stopItems},
		{ID: action.Verify, WhyDisabled: p.nothingToCheck, Do: p.checkChosen},
		{ID: action.Bandwidth, NeedsNoRow: true, Do: func(*row) tea.Cmd { return openSpeedLimit(p.Env) }},
		{ID: action.FetchTo, NeedsNoRow: true, WhyDisabled: p.downloadsRunning, Do: p.fetchTo},
	}
}

// folderReason returns why no folder can be opened, or "".
func (p *Page) folderReason(*row) string { return openerReason(&p.Env.Files) }

// openerReason returns why no other program can open a file or folder, or "".
func openerReason(files *page.FileAccess) string {
	if files.Confined {
		return page.NotForGuests
	}
	return page.TextIf(files.Opener == nil, noOpener)
}

// fetchReason returns why the selected files cannot be downloaded, or "". Marked files are
// checked by [Page.fetchChosen].
func (p *Page) fetchReason(*row) string {
	if len(p.marked) > 0 {
		return ""
	}
	return p.nothingToFetch()
}

// unfinishedItems returns the downloads of the chosen files that are queued and not finished.
func (p *Page) unfinishedItems() []fetch.Item {
	return p.chosenFiles().unfinishedItems(p.Env.Profile.Downloads)
}

// notQueued returns why actions on the chosen downloads are disabled: no chosen file is being downloaded.
// Otherwise it returns "".
func (p *Page) notQueued(*row) string {
	if len(p.unfinishedItems()) > 0 {
		return ""
	}
	return "not being downloaded" + p.fetchAdvice()
}

// fetchKey returns the key that downloads files.
func fetchKey() string { return action.KeyOf(action.Fetch, action.Deliveries) }

// fetchAdvice returns the end of a sentence that advises the user to download, or "" if no chosen file can
// be downloaded.
func (p *Page) fetchAdvice() string {
	return page.TextIf(p.nothingToFetch() == "", "; press "+fetchKey())
}

// noDownloads returns why actions on all downloads are disabled: there are no unfinished downloads.
// Otherwise it returns "".
func (p *Page) noDownloads(*row) string {
	if p.Env.Profile.Downloads.Unfinished() > 0 {
		return ""
	}
	return "no downloads" + page.TextIf(p.nothingToFetch() == "", "; press "+fetchKey()+" to start one")
}

// downloadsRunning returns why the download folder cannot be changed: a download is not finished.
// Otherwise it returns "".
func (p *Page) downloadsRunning(*row) string {
	isRunning := p.Env.Profile.Downloads.Unfinished() > 0
	return page.TextIf(isRunning, "downloads are not finished; wait, or cancel them")
}

// openFile opens the row's file in the system's program for it.
func (p *Page) openFile(r *row) tea.Cmd {
	return openLocal(p.Base, pathOf(p.Env.Profile.Downloads, r), false)
}

// copyPath copies the path of the row's file to the clipboard.
func (p *Page) copyPath(r *row) tea.Cmd {
	return p.Env.Files.CopyText(pathOf(p.Env.Profile.Downloads, r), "the path")
}

// fetchNew downloads every file that was not downloaded before.
func (p *Page) fetchNew(*row) tea.Cmd {
	return page.BackgroundCommand(p.Env.Profile.Downloads.Fetch(p.news...))
}

// pauseChosen pauses or resumes the downloads of the chosen files.
func (p *Page) pauseChosen(*row) tea.Cmd {
	return p.pauseItems(p.unfinishedItems())
}

// pauseAll pauses or resumes all downloads.
func (p *Page) pauseAll(*row) tea.Cmd {
	return p.pauseItems(p.Env.Profile.Downloads.Items)
}

// openReason returns why enter cannot open the row, or "".
func (p *Page) openReason(r *row) string {
	if p.isLocal() {
		return p.openFileReason(r)
	}
	if r.IsFile() && p.Env.Look.Width >= page.Wide {
		return p.notHere(r)
	}
	return ""
}

// nothingToFetch returns why no chosen file can be downloaded, or "" if at least one can.
func (p *Page) nothingToFetch() string {
	chosen := p.chosenFiles()
	if len(chosen.packagesToFetch(p.Env.Profile.Downloads, p.shelf.Packages)) > 0 {
		return ""
	}
	if len(chosen) > 0 {
		return "already downloaded or queued"
	}
	if len(p.marked) > 0 {
		return "the marked files are no longer listed"
	}
	if p.Current() == nil {
		return "nothing is selected"
	}
	return "the package has no files"
}

// nothingNew returns why there is no new file to download, or "" if there is one.
func (p *Page) nothingNew(*row) string {
	if len(p.news) > 0 {
		return ""
	}
	state := p.shelf.ShelfState
	if state.Err != nil {
		return "no new files are known; not all " + p.shelfNoun() + " could be loaded"
	}
	if state.Partial || state.ReadAt.IsZero() {
		return p.shelfNoun() + " are being loaded"
	}
	if p.hasUnseen {
		return "the download folder is not read yet"
	}
	if state.More {
		return "no new files in the orders that are loaded"
	}
	return "no new files"
}

// shelfNoun returns the noun for the data that the page loads.
func (p *Page) shelfNoun() string {
	if p.isDataset {
		return "files"
	}
	return "deliveries"
}

const noOpener = "no app found to open it; install xdg-utils"

// harmless lists the extensions of files that programs display and never run.
const harmless = ".jpg .jpeg .png .webp .tif .tiff .dng .pdf .csv .txt .json .geojson .kml .kmz .gpx .dxf .shp " +
	".prj .tfw .las .laz .ply .obj .glb .gltf .avi .mp4 .mov .zip"

// openFileReason returns why the selected file cannot be opened in another program, or "".
func (p *Page) openFileReason(r *row) string {
	if !r.IsFile() {
		return "no file selected; select one of a package"
	}
	if !p.isLocal() {
		return p.notHere(r)
	}
	if reason := openerReason(&p.Env.Files); reason != "" {
		return reason
	}
	extension := filepath.Ext(pathOf(p.Env.Profile.Downloads, r))
	if extension == "" {
		return "a file without an extension may be a program" + folderAdvice()
	}
	if !slices.Contains(strings.Fields(harmless), strings.ToLower(extension)) {
		return format.CutLine(format.Clean(extension), 12) + " files may run programs" + folderAdvice()
	}
	return ""
}

// folderAdvice returns the end of a sentence that advises the user to open the folder of a file.
func folderAdvice() string {
	return "; " + action.KeyOf(action.OpenFolder, action.Deliveries) + " opens the folder"
}

// notHere returns why the file of a row cannot be opened or checked: it is not downloaded, or was changed
// or deleted since.
func (p *Page) notHere(r *row) string {
	switch r.RowState(p.Env.Profile.Downloads).Step {
	case deliveries.Coming, deliveries.Waiting, deliveries.Paused:
		return "not downloaded completely yet"
	case deliveries.Changed:
		return "changed since the download; press " + fetchKey()
	case deliveries.Missing:
		return "no longer in its folder; press " + fetchKey()
	case deliveries.Unseen:
		return "the download folder is not read yet"
	default:
		return "not downloaded yet; press " + fetchKey()
	}
}

// isLocal reports whether the selected row is a downloaded file.
func (p *Page) isLocal() bool {
	r := p.Current()
	return r != nil && r.IsFile() && r.RowState(p.Env.Profile.Downloads).Step == deliveries.Here
}

// ActionScopes returns the scopes of the list. If a downloaded file is selected, the scope
// [action.LocalFile] is inserted before [action.Deliveries], so that the keys of downloaded
// files take precedence.
func (p *Page) ActionScopes() []action.Scope {
	scopes := p.List.ActionScopes()
	i := slices.Index(scopes, action.Deliveries)
	if i < 0 || !p.isLocal() {
		return scopes
	}
	return slices.Insert(slices.Clone(scopes), i, action.LocalFile)
}

// openRow previews a downloaded file, shows the details of any other file, and expands or
// collapses a package or a run of photos.
func (p *Page) openRow(r *row) tea.Cmd {
	if p.isLocal() {
		return p.previewFile(r)
	}
	if r.IsFile() {
		p.InPlace = p.Env.Look.Width < page.Wide
		return nil
	}
	p.tree.Toggle(r)
	p.changed = true
	return nil
}

// toggleMark marks or unmarks a row, and selects the next row.
func (p *Page) toggleMark(r *row) tea.Cmd {
	id := r.ID()
	if p.marked[id] {
		delete(p.marked, id)
	} else {
		p.marked[id] = true
	}
	return p.List.HandleAction(action.Down)
}

// toggleAll removes all marks. If no row is marked, it marks every file that matches the filter. The files of
// a collapsed package or run are marked with its row.
func (p *Page) toggleAll(*row) tea.Cmd {
	if len(p.marked) > 0 {
		clear(p.marked)
		return nil
	}
	for _, i := range p.Grid.FilteredRows() {
		r := p.rows.Rows[i]
		if !r.IsOpen() {
			p.marked[r.ID()] = true
		}
	}
	return nil
}

// toggleFlat switches between a flat list of files and a tree of packages. The column of
// package names is only visible in the flat list.
func (p *Page) toggleFlat(*row) tea.Cmd {
	p.tree.Flat = !p.tree.Flat
	p.changed = true
	places := p.Grid.ColumnPlaces()
	for i := range places {
		if places[i].Name == deliveries.PackageColumn {
			places[i].Off = !p.tree.Flat
		}
	}
	p.Grid.ArrangeColumns(places)
	return nil
}

// fetchChosen downloads the chosen files and removes all marks.
func (p *Page) fetchChosen(*row) tea.Cmd {
	downloads := p.Env.Profile.Downloads
	packages := p.chosenFiles().packagesToFetch(downloads, p.shelf.Packages)
	reason := p.nothingToFetch()
	clear(p.marked)
	if reason != "" {
		return page.ShowToast(theme.Text, reason)
	}
	return page.BackgroundCommand(downloads.Fetch(packages...))
}

// pauseItems pauses the downloads that are waiting or running. If there are none, it resumes
// the paused and failed downloads.
func (p *Page) pauseItems(items []fetch.Item) tea.Cmd {
	var active, stopped []fetch.ID
	for _, item := range items {
		switch item.State {
		case fetch.Waiting, fetch.Fetching:
			active = append(active, item.ID)
		case fetch.Paused, fetch.Failed:
			stopped = append(stopped, item.ID)
		}
	}
	clear(p.marked)
	if len(active) > 0 {
		p.Env.Profile.Downloads.ChangeItems((*fetch.Queue).Pause, active)
	} else {
		p.Env.Profile.Downloads.ChangeItems((*fetch.Queue).Resume, stopped)
	}
	return p.Env.Profile.DownloadsTouched()
}

// stopItems asks for confirmation, then cancels the downloads of the chosen files and deletes
// the parts downloaded so far.
func (p *Page) stopItems(*row) tea.Cmd {
	var ids []fetch.ID
	var done int64
	name := ""
	for _, item := range p.unfinishedItems() {
		ids = append(ids, item.ID)
		done += item.Done
		name = format.Clean(item.Name)
	}
	if len(ids) > 1 {
		name = format.Count(len(ids), "file")
	}
	stop := func() tea.Cmd {
		p.Env.Profile.Downloads.ChangeItems((*fetch.Queue).Cancel, ids)
		clear(p.marked)
		return p.Env.Profile.DownloadsTouched()
	}
	lost := "Deletes the " + format.Bytes(done) + " downloaded so far. Press " + fetchKey() + " to download again."
	if done == 0 {
		lost = "Nothing is downloaded yet. Press " + fetchKey() + " to download again."
	}
	return p.Env.Confirm("Stop download", "stop", stop, name, lost)
}

// openSpeedLimit opens the dialog for the speed limit of all downloads.
func openSpeedLimit(env *page.Env) tea.Cmd {
	downloads := env.Profile.Downloads
	value := "none"
	if rate := downloads.Rate(); rate > 0 {
		value = strings.ReplaceAll(format.Bytes(rate), " ", "")
	}
	field := &widget.Field{Label: "At most", Help: "per second: 500kB, 10MB or none"}
	setLimit := func(typed string) tea.Cmd {
		rate, err := parseLimit(typed)
		if err != nil {
			field.Error = err.Error()
			return nil
		}
		text := "No speed limit for downloads"
		if rate > 0 {
			text = "Downloads limited to " + format.Bytes(rate) + " per second"
		}
		downloads.SetRate(rate)
		return tea.Batch(env.Profile.DownloadsTouched(), page.ShowToast(theme.Good, text))
	}
	return env.PromptValue("Speed limit", "", 20, field, value, setLimit)
}

// parseLimit parses a speed limit in bytes per second, or returns 0 if text says that there
// is no limit: "", "0" or "none".
func parseLimit(text string) (int64, error) {
	if text == "" || text == "0" || strings.EqualFold(text, "none") {
		return 0, nil
	}
	return fetch.ParseRate(text)
}

// fetchTo opens the dialog for the download folder.
func (p *Page) fetchTo(*row) tea.Cmd {
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
		if err := p.Env.Profile.Downloads.SetDir(p.Env.Files.FullPath(typed)); err != nil {
			field.Error = err.Error()
			return nil
		}
		return tea.Batch(
			p.lookAgain(),
			page.BackgroundCommand(p.Env.Profile.Downloads.ReadFreeSpace()),
			p.Env.Look.SaveUIState(),
		)
	}
	current := p.Env.Files.ShortPath(p.Env.Profile.Downloads.Dir())
	return p.Env.PromptValue("Download folder", "", 4096, field, current, setFolder)
}

// pathOf returns the local path of the row's file, or of the first file of a package or run.
// If that path is unknown or r is nil, it returns the download folder.
func pathOf(downloads *deliveries.Downloads, r *row) string {
	if r != nil && len(r.Package.Files) > 0 {
		state := r.Package.FileState(downloads, max(0, r.File))
		if state.Path != "" {
			return state.Path
		}
	}
	return downloads.Dir()
}

// openFolder opens the folder of the row's file, or the download folder if the file has no
// local path.
func (p *Page) openFolder(r *row) tea.Cmd {
	path := pathOf(p.Env.Profile.Downloads, r)
	if path != p.Env.Profile.Downloads.Dir() {
		path = filepath.Dir(path)
	}
	return openLocal(p.Base, path, true)
}

// OpenFolder opens the download folder.
func OpenFolder(b page.Base) tea.Cmd { return openLocal(b, b.Env.Profile.Downloads.Dir(), true) }

// openLocal opens a downloaded file, or a folder of downloads, in the system's program for it.
// A toast shows the result.
func openLocal(b page.Base, path string, folder bool) tea.Cmd {
	dir := b.Env.Profile.Downloads.Dir()
	opener := b.Env.Files.Opener
	return func() tea.Msg {
		full, err := localPath(dir, path, folder)
		if err == nil {
			err = opener(full)
		}
		if err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: format.Clean(err.Error())}
		}
		return page.ToastMsg{Role: theme.Good, Text: "Opened " + b.Env.Files.ShortPath(full)}
	}
}

// localPath returns the absolute path of a file below dir, or of a folder if isFolder is true. It fails
// for a path outside of dir and for a symbolic link.
func localPath(dir, path string, isFolder bool) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(relative) {
		return "", fmt.Errorf("%s is not in %s", path, dir)
	}
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%s does not exist", path)
	}
	if err != nil {
		return "", err
	}
	var isExpected bool
	if isFolder {
		isExpected = info.IsDir()
	} else {
		isExpected = info.Mode().IsRegular()
	}
	if !isExpected && isFolder {
		return "", fmt.Errorf("%s is not a folder", path)
	}
	if !isExpected { // for example a symbolic link, which Lstat does not follow
		return "", fmt.Errorf("%s is not a downloaded file", path)
	}
	return path, nil
}
