package deliveries

import (
	"cmp"
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

// acts are what can be done with the rows.
func (p *Page) acts() []page.Act[*row] {
	unqueued := func(*row) string {
		return page.TextIf(len(p.chosenItems()) == 0, "not being downloaded; press f")
	}
	return []page.Act[*row]{
		{ID: action.Open, Off: p.notShown, Do: p.openRow},
		{ID: action.OpenFile, Off: p.notOpened, Do: func(r *row) tea.Cmd {
			return openLocal(p.Base, p.pathOf(r), false)
		}},
		{ID: action.OpenFolder, Any: true, Do: p.openFolder, Off: func(*row) string {
			return page.TextIf(p.Env.Files.Opener == nil, noOpener)
		}},
		{ID: action.Preview, Do: p.previewFile},
		{ID: action.CopyPath, Any: true, Do: func(r *row) tea.Cmd { return p.Env.Files.CopyText(p.pathOf(r), "the path") }},
		{ID: action.Toggle, Do: p.toggleMark},
		{ID: action.ToggleAll, Any: true, Do: p.toggleAll},
		{ID: action.Flat, Any: true, Do: p.toggleFlat},
		{ID: action.Fetch, Any: true, Do: p.fetchChosen, Off: func(*row) string {
			return page.TextIf(len(p.marked) == 0, p.nothingToFetch())
		}},
		{ID: action.FetchNew, Any: true, Off: p.nothingNew, Do: func(*row) tea.Cmd {
			return page.BackgroundCommand(p.Env.Profile.Downloads.Fetch(p.news...))
		}},
		{
			ID:  action.PauseOne,
			Any: true,
			Off: unqueued,
			Do:  func(*row) tea.Cmd { return p.pauseItems(p.chosenItems()) },
		},
		{ID: action.PauseAll, Any: true, Off: func(*row) string {
			return page.TextIf(p.Env.Profile.Downloads.Unfinished() == 0, "no downloads; press f to start one")
		}, Do: func(*row) tea.Cmd { return p.pauseItems(p.Env.Profile.Downloads.Items) }},
		{ID: action.StopFetch, Any: true, Off: unqueued, Do: p.stopItems},
		{ID: action.Verify, Do: p.checkChosen, Off: p.nothingToCheck},
		{ID: action.Bandwidth, Any: true, Do: p.askBandwidth},
		{ID: action.FetchTo, Any: true, Do: p.fetchTo, Off: func(*row) string {
			return page.TextIf(p.Env.Profile.Downloads.Unfinished() > 0, "downloads are running; wait, or press C to cancel them")
		}},
	}
}

// notShown says why a row does not open here.
func (p *Page) notShown(r *row) string {
	if p.isLocal() {
		return p.notOpened(r)
	}
	return page.TextIf(r.IsFile() && p.Env.Look.Width >= page.Wide, notHere)
}

// nothingToFetch returns why no chosen file can be fetched, "" if one can.
func (p *Page) nothingToFetch() string {
	switch chosen := p.chosenFiles(); {
	case len(p.wantedPackages()) > 0:
		return ""
	case len(chosen) > 0:
		return allFetched
	case p.Current() == nil:
		return "nothing is selected"
	}
	return "the package has no files"
}

// nothingNew returns why no new file can be fetched, "" if one can.
func (p *Page) nothingNew(*row) string {
	switch s := p.shelf.ShelfState; {
	case len(p.news) > 0:
		return ""
	case s.Err != nil:
		return "no new files are known; not all deliveries could be loaded"
	case s.Partial || s.ReadAt.IsZero():
		return "deliveries are being loaded"
	case s.More:
		return "no new files in the orders that are loaded"
	}
	return "no new files"
}

const (
	noOpener   = "no app found to open it; install xdg-utils"
	allFetched = "everything is downloaded or queued"
)

// harmless are the endings of files that programs show and do not run.
const harmless = ".jpg .jpeg .png .tif .tiff .dng .pdf .csv .txt .json .geojson .kml .kmz .gpx .dxf .shp " +
	".las .laz .ply .obj .glb .gltf .avi .mp4 .mov .zip"

// notOpened says why the selected file cannot be opened in another program.
func (p *Page) notOpened(r *row) string {
	end := filepath.Ext(p.pathOf(r))
	switch {
	case !r.IsFile():
		return "no file selected; select one of a package"
	case !p.isLocal():
		return notHere
	case p.Env.Files.Opener == nil:
		return noOpener
	case !slices.Contains(strings.Fields(harmless), strings.ToLower(end)):
		return format.CutLine(format.Clean(end), 12) + " files may run programs; O opens the folder"
	}
	return ""
}

const notHere = "not downloaded yet; press f"

// isLocal reports whether the selected row is a file that was downloaded.
func (p *Page) isLocal() bool {
	r := p.Current()
	return r != nil && r.IsFile() && r.RowStanding(p.Env.Profile.Downloads).Step == deliveries.Here
}

// ActionScopes returns those of the list, those of a file that was downloaded before them.
func (p *Page) ActionScopes() []action.Scope {
	scopes := p.List.ActionScopes()
	if i := slices.Index(scopes, action.Deliveries); i >= 0 && p.isLocal() {
		scopes = slices.Insert(slices.Clone(scopes), i, action.LocalFile)
	}
	return scopes
}

// openRow opens or shuts a package or a run of files, or shows a file: what is in
// it where it is here, else more about it.
func (p *Page) openRow(r *row) tea.Cmd {
	switch {
	case p.isLocal():
		return p.previewFile(r)
	case r.IsFile():
		p.InPlace = p.Env.Look.Width < page.Wide
	default:
		p.tree.Turned[r.ID()], p.changed = !p.tree.Turned[r.ID()], true
	}
	return nil
}

// toggleMark marks a row, and selects the next one.
func (p *Page) toggleMark(r *row) tea.Cmd {
	if id := r.ID(); p.marked[id] {
		delete(p.marked, id)
	} else {
		p.marked[id] = true
	}
	return p.List.HandleAction(action.Down)
}

// toggleAll marks all files, or none where some are marked.
func (p *Page) toggleAll(*row) tea.Cmd {
	if len(p.marked) > 0 {
		clear(p.marked)
		return nil
	}
	for _, r := range p.rows.Rows {
		if !r.IsPackage() {
			p.marked[r.ID()] = true
		}
	}
	return nil
}

// toggleFlat shows files alone, or below their packages.
func (p *Page) toggleFlat(*row) tea.Cmd {
	p.tree.Flat, p.changed = !p.tree.Flat, true
	places := p.Grid.ColumnPlaces()
	for i := range places {
		if places[i].Name == deliveries.PackageColumn {
			places[i].Off = !p.tree.Flat
		}
	}
	p.Grid.ArrangeColumns(places)
	return nil
}

// wantedPackages returns the chosen files that are neither here nor on their way.
func (p *Page) wantedPackages() (wanted []fetch.Package) {
	chosen := p.chosenFiles()
	for _, pkg := range p.shelf.Packages {
		some := pkg.Package
		some.Files = nil
		for _, k := range chosen[pkg] {
			switch pkg.FileState(p.Env.Profile.Downloads, k).Step {
			case deliveries.Here, deliveries.Coming, deliveries.Waiting:
			default:
				some.Files = append(some.Files, pkg.Files[k])
			}
		}
		if len(some.Files) > 0 {
			wanted = append(wanted, some)
		}
	}
	return wanted
}

// fetchChosen fetches what is chosen.
func (p *Page) fetchChosen(*row) tea.Cmd {
	wanted, nothing := p.wantedPackages(), p.nothingToFetch()
	clear(p.marked)
	if nothing != "" {
		return page.ShowToast(theme.Text, nothing)
	}
	return page.BackgroundCommand(p.Env.Profile.Downloads.Fetch(wanted...))
}

// pauseItems pauses downloads, or where none of them moves goes on with them.
func (p *Page) pauseItems(items []fetch.Item) tea.Cmd {
	var moving, still []fetch.ID
	for _, it := range items {
		switch it.State {
		case fetch.Waiting, fetch.Fetching:
			moving = append(moving, it.ID)
		case fetch.Paused, fetch.Failed:
			still = append(still, it.ID)
		}
	}
	clear(p.marked)
	if len(moving) > 0 {
		p.Env.Profile.Downloads.ChangeItems((*fetch.Queue).Pause, moving)
	} else {
		p.Env.Profile.Downloads.ChangeItems((*fetch.Queue).Resume, still)
	}
	return p.Env.Profile.DownloadsTouched()
}

// stopItems takes downloads out, after a question.
func (p *Page) stopItems(*row) tea.Cmd {
	var ids []fetch.ID
	done, name := int64(0), ""
	for _, it := range p.chosenItems() {
		ids, done, name = append(ids, it.ID), done+it.Done, format.Clean(it.Name)
	}
	if len(ids) > 1 {
		name = format.Count(len(ids), "file")
	}
	stop := func() tea.Cmd {
		p.Env.Profile.Downloads.ChangeItems((*fetch.Queue).Cancel, ids)
		clear(p.marked)
		return p.Env.Profile.DownloadsTouched()
	}
	lost := "Deletes the " + format.Bytes(done) + " downloaded so far. Press f to download again."
	return p.Env.AskFirst("Stop download", "stop", stop, name, lost)
}

// askBandwidth asks how much of the line all downloads may take.
func (p *Page) askBandwidth(*row) tea.Cmd {
	value := "none"
	if rate := p.Env.Profile.Downloads.Rate(); rate > 0 {
		value = strings.ReplaceAll(format.Bytes(rate), " ", "")
	}
	f := &widget.Field{Label: "At most", Help: "per second: 500kB, 10MB or none"}
	return p.Env.AskValue("Speed limit", "", 20, f, value, func(typed string) tea.Cmd {
		rate, said := int64(0), "No speed limit for downloads"
		if typed != "" && typed != "0" && !strings.EqualFold(typed, "none") {
			var err error
			if rate, err = fetch.ParseRate(typed); err != nil {
				f.Error = err.Error()
				return nil
			}
			said = "Downloads limited to " + format.Bytes(rate) + " per second"
		}
		p.Env.Profile.Downloads.SetRate(rate)
		return tea.Batch(p.Env.Profile.DownloadsTouched(), page.ShowToast(theme.Good, said))
	})
}

// fetchTo asks for the folder to fetch into.
func (p *Page) fetchTo(*row) tea.Cmd {
	f := &widget.Field{
		Label:  "Folder",
		TypeOn: true,
		Help:   "one subfolder per package; remembered on this machine for this profile",
	}
	now := p.Env.Files.ShortPath(p.Env.Profile.Downloads.Dir())
	return p.Env.AskValue("Download folder", "", 4096, f, now, func(typed string) tea.Cmd {
		err := errors.New("enter the path of a folder")
		if typed != "" {
			err = p.Env.Profile.Downloads.SetDir(p.Env.Files.FullPath(typed))
		}
		if err != nil {
			f.Error = err.Error()
			return nil
		}
		return tea.Batch(
			p.lookAgain(),
			page.BackgroundCommand(p.Env.Profile.Downloads.AskFree()),
			p.Env.Look.KeepLook(),
		)
	})
}

// pathOf returns where the file of a row is, or the first of its files; the folder of
// downloads where that is not known.
func (p *Page) pathOf(r *row) string {
	path := ""
	if r != nil && len(r.Package.Files) > 0 {
		path = r.Package.FileState(p.Env.Profile.Downloads, max(0, r.File)).Path
	}
	return cmp.Or(path, p.Env.Profile.Downloads.Dir())
}

// openFolder opens the folder of a row's file.
func (p *Page) openFolder(r *row) tea.Cmd {
	path := p.pathOf(r)
	if path != p.Env.Profile.Downloads.Dir() {
		path = filepath.Dir(path)
	}
	return openLocal(p.Base, path, true)
}

// OpenFolder opens the folder that is fetched into.
func OpenFolder(b page.Base) tea.Cmd { return openLocal(b, b.Env.Profile.Downloads.Dir(), true) }

// openLocal opens a file or a folder of downloads in the system's program for it. What comes
// of it is a toast.
func openLocal(b page.Base, path string, folder bool) tea.Cmd {
	dir, opener := b.Env.Profile.Downloads.Dir(), b.Env.Files.Opener
	return func() tea.Msg {
		full, err := localPath(dir, path, folder)
		if err == nil {
			err = opener(full)
		}
		if err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: format.Clean(err.Error())}
		}
		return page.ToastMsg{Role: theme.Good, Text: "opened " + b.Env.Files.ShortPath(full)}
	}
}

// localPath returns the full path of a file or a folder below dir. Links are not followed out of it.
func localPath(dir, path string, folder bool) (string, error) {
	dir, err1 := filepath.Abs(dir)
	path, err2 := filepath.Abs(path)
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	if within, err := filepath.Rel(dir, path); err != nil || !filepath.IsLocal(within) {
		return "", fmt.Errorf("%s is not in %s", path, dir)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("%s does not exist yet; f creates it", path)
	case err != nil:
		return "", err
	case folder != info.IsDir() || !folder && !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a downloaded file", path)
	}
	return path, nil
}
