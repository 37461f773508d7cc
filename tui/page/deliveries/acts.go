package deliveries

import (
	"cmp"
	"context"
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
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// DisabledReason says why an action is off.
func (p *Page) DisabledReason(id action.ID) string {
	r := p.Current()
	why := ""
	switch id {
	case action.Open, action.OpenFile:
		why = p.notOpened(id, r)
	case action.Toggle, action.Fetch:
		why = p.notWanted(id, r)
	case action.FetchNew:
		why = reasonUnless(p.news.files > 0, "no new files")
	case action.PauseOne, action.StopFetch:
		why = reasonUnless(
			slices.ContainsFunc(p.chosenItems(), func(it fetch.Item) bool { return !it.State.IsFinal() }),
			"not being downloaded",
		)
	case action.PauseAll:
		why = reasonUnless(p.Downloads.Unfinished() > 0, "no downloads")
	case action.OpenFolder:
		return p.noOpener("")
	case action.FetchTo:
		why = reasonUnless(p.Downloads.Unfinished() == 0, "downloads are running; wait, or press C to cancel them")
	}
	return cmp.Or(why, p.Page.DisabledReason(id))
}

func reasonUnless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

// notOpened says why a row cannot be opened.
func (p *Page) notOpened(id action.ID, r *deliveries.DeliveryRow) string {
	switch {
	case id == action.Open:
		return reasonUnless(r == nil || !r.IsFile() || p.Width < listpage.Wide, notHere)
	case r == nil || !r.IsFile():
		return "no file selected"
	case !p.isLocal():
		return notHere
	}
	return p.noOpener(r.RowStanding(p.Downloads).Path)
}

// notWanted says why a row cannot be marked or downloaded.
func (p *Page) notWanted(id action.ID, r *deliveries.DeliveryRow) string {
	if r == nil {
		return "no file"
	}
	return reasonUnless(
		id != action.Fetch || len(p.marked) > 0 || len(p.wantedPackages()) > 0,
		"everything is downloaded or queued",
	)
}

const notHere = "not downloaded yet; press f"

// isLocal reports whether the selected row is a file that was downloaded.
func (p *Page) isLocal() bool {
	r := p.Current()
	return r != nil && r.IsFile() && r.RowStanding(p.Downloads).Step == deliveries.Here
}

// ActionScopes returns those of the list, those of a file that was downloaded before them.
func (p *Page) ActionScopes() []action.Scope {
	scopes := p.Page.ActionScopes()
	if i := slices.Index(scopes, action.Deliveries); i >= 0 && p.isLocal() {
		scopes = slices.Insert(slices.Clone(scopes), i, action.LocalFile)
	}
	return scopes
}

// harmless are the endings of files that programs show and do not run.
var harmless = []string{
	".jpg",
	".jpeg",
	".png",
	".tif",
	".tiff",
	".dng",
	".pdf",
	".csv",
	".txt",
	".json",
	".geojson",
	".kml",
	".kmz",
	".gpx",
	".dxf",
	".shp",
	".las",
	".laz",
	".ply",
	".obj",
	".glb",
	".gltf",
	".avi",
	".mp4",
	".mov",
	".zip",
}

// noOpener says why a file cannot be opened; with no path it is about a folder.
func (p *Page) noOpener(path string) string {
	switch {
	case p.Opener == nil:
		return "no app found to open files"
	case path != "" && !slices.Contains(harmless, strings.ToLower(filepath.Ext(path))):
		return layout.CutLine(layout.Clean(filepath.Ext(path)), 12) + " files may run programs; O opens the folder"
	}
	return ""
}

func (p *Page) performAction(id action.ID) tea.Cmd {
	switch id {
	case action.Fetch:
		return p.fetchChosen()
	case action.FetchNew:
		return p.fetchNew()
	case action.PauseOne:
		return p.pauseItems(p.chosenItems())
	case action.PauseAll:
		return p.pauseItems(p.Downloads.Items)
	case action.StopFetch:
		return p.stopItems()
	case action.Preview, action.OpenFile, action.OpenFolder:
		return p.useFile(id)
	case action.CopyPath:
		return page.CopyText(&p.FileAccess, p.Current().RowStanding(p.Downloads).Path, "the path")
	case action.Bandwidth:
		p.askBandwidth()
	case action.FetchTo:
		p.fetchTo()
	case action.Toggle, action.ToggleAll, action.Flat:
		p.markRows(id)
	default:
		return p.Page.HandleAction(id)
	}
	return nil
}

// openRow opens or shuts a package or a run of files, or shows a file: what is in
// it where it is here, else more about it.
func (p *Page) openRow(r *deliveries.DeliveryRow) tea.Cmd {
	switch {
	case p.isLocal():
		return p.useFile(action.Preview)
	case r.IsFile():
		p.InPlace = p.Width < listpage.Wide
	default:
		p.tree.Turned[r.ID()], p.changed = !p.tree.Turned[r.ID()], true
	}
	return nil
}

// markRows marks rows, or shows them flat.
func (p *Page) markRows(id action.ID) {
	switch id {
	case action.Toggle:
		if id := p.Current().ID(); p.marked[id] {
			delete(p.marked, id)
		} else {
			p.marked[id] = true
		}
		p.Page.HandleAction(action.Down)
	case action.ToggleAll:
		if len(p.marked) > 0 {
			clear(p.marked)
			return
		}
		for _, r := range p.rows.Rows {
			if !r.IsPackage() {
				p.marked[r.ID()] = true
			}
		}
	case action.Flat:
		p.tree.Flat, p.changed = !p.tree.Flat, true
		places := p.List.Grid.ColumnPlaces()
		for i := range places {
			if places[i].Name == deliveries.PackageColumn {
				places[i].Off = !p.tree.Flat
			}
		}
		p.List.Grid.ArrangeColumns(places)
	}
}

// wantedPackages returns the chosen files that are neither here nor on their way.
func (p *Page) wantedPackages() (wanted []fetch.Package) {
	chosen := filesOf(p.chosenRows())
	for _, pkg := range p.shelf.Packages {
		var some []fetch.File
		for _, k := range chosen[pkg] {
			switch pkg.FileStanding(p.Downloads, k).Step {
			case deliveries.Here, deliveries.Coming, deliveries.Waiting:
			default:
				some = append(some, pkg.Files[k])
			}
		}
		if len(some) > 0 {
			wanted = append(wanted, pkg.WithFiles(some))
		}
	}
	return wanted
}

// fetchChosen fetches what is chosen.
func (p *Page) fetchChosen() tea.Cmd {
	wanted := p.wantedPackages()
	clear(p.marked)
	if len(wanted) == 0 {
		return page.ShowToast(theme.Text, "everything is downloaded or queued")
	}
	return page.BackgroundCommand(p.Downloads.Fetch(wanted...))
}

// fetchNew fetches what no fetch has brought.
func (p *Page) fetchNew() tea.Cmd {
	var wanted []fetch.Package
	for _, pkg := range p.shelf.Packages {
		if fresh := pkg.NewFiles(p.Downloads); len(fresh) > 0 {
			wanted = append(wanted, pkg.WithFiles(fresh))
		}
	}
	return page.BackgroundCommand(p.Downloads.Fetch(wanted...))
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
		p.Downloads.Pause(moving...)
	} else {
		p.Downloads.Resume(still...)
	}
	return page.DownloadsTouched(p.Env)
}

// stopItems takes downloads out, after a question.
func (p *Page) stopItems() tea.Cmd {
	var ids []fetch.ID
	done, name := int64(0), ""
	for _, it := range p.chosenItems() {
		if !it.State.IsFinal() {
			ids, done, name = append(ids, it.ID), done+it.Done, layout.Clean(it.Name)
		}
	}
	if len(ids) > 1 {
		name = format.Count(len(ids), "file", "files")
	}
	p.Overlay(&dialog.Question{
		Theme: p.Theme, Title: "Stop download", Yes: "stop", No: "continue",
		Lines: []string{name, "Deletes the " + format.Bytes(done) + " downloaded so far. Press f to download again."},
		OnYes: func() tea.Cmd {
			p.Downloads.Stop(ids...)
			clear(p.marked)
			return page.DownloadsTouched(p.Env)
		},
	})
	return nil
}

// askBandwidth asks how much of the line all downloads may take.
func (p *Page) askBandwidth() {
	f := form.New(20, p.Now, &form.Field{ID: "rate", Label: "At most", Help: "per second: 500kB, 10MB or none"})
	value := "none"
	if rate := p.Downloads.Rate(); rate > 0 {
		value = strings.ReplaceAll(format.Bytes(rate), " ", "")
	}
	f.Field("rate").Set(value)
	p.Overlay(
		&dialog.FormDialog{Theme: p.Theme, Title: "Speed limit", Form: f, OnSave: func(f *form.Form) (tea.Cmd, bool) {
			typed, rate := strings.TrimSpace(f.Field("rate").Value()), int64(0)
			if typed != "" && typed != "0" && !strings.EqualFold(typed, "none") {
				var err error
				if rate, err = fetch.ParseRate(typed); err != nil {
					f.Field("rate").Error = err.Error()
					return nil, false
				}
			}
			p.Downloads.SetRate(rate)
			said := "No speed limit for downloads"
			if rate > 0 {
				said = "Downloads limited to " + format.Bytes(rate) + " per second"
			}
			return tea.Batch(
				page.DownloadsTouched(p.Env),
				page.KeepLook(&p.PageLook),
				page.ShowToast(theme.Good, said),
			), true
		}},
	)
}

// fetchTo asks for the folder to fetch into.
func (p *Page) fetchTo() {
	f := form.New(
		4096,
		p.Now,
		&form.Field{
			ID:     "folder",
			Label:  "Folder",
			TypeOn: true,
			Help:   "one subfolder per package; saved in the profile",
		},
	)
	f.Field("folder").Set(page.ShortPath(&p.FileAccess, p.Downloads.Dir()))
	p.Overlay(
		&dialog.FormDialog{
			Theme: p.Theme,
			Title: "Download folder",
			Form:  f,
			OnSave: func(f *form.Form) (tea.Cmd, bool) {
				typed := strings.TrimSpace(f.Field("folder").Value())
				if typed == "" {
					f.Field("folder").Error = "enter the path of a folder"
					return nil, false
				}
				if err := p.Downloads.SetDir(page.FullPath(&p.FileAccess, typed)); err != nil {
					f.Field("folder").Error = err.Error()
					return nil, false
				}
				return tea.Batch(
					p.lookAgain(),
					page.BackgroundCommand(p.Downloads.AskFree()),
					page.KeepLook(&p.PageLook),
				), true
			},
		},
	)
}

// useFile shows a file, or opens it or its folder with the system's program.
func (p *Page) useFile(id action.ID) tea.Cmd {
	path, name := p.Downloads.Dir(), ""
	if r := p.Current(); r != nil && len(r.Package.Files) > 0 {
		file := max(0, r.File)
		name = r.Package.Files[file].Name
		path = cmp.Or(r.Package.FileStanding(p.Downloads, file).Path, path)
	}
	if id == action.Preview {
		return p.previewFile(path, name)
	}
	dir, opener := p.Downloads.Dir(), p.Opener
	return page.AskInBackground(p.Base, &p.opened, func(context.Context) (string, error) {
		return openLocal(dir, path, id == action.OpenFolder, opener)
	})
}

// openedMsg says what was opened.
type openedMsg = page.QuestionAnswer[string]

// openLocal opens a file below dir, or its folder. Links are not followed out
// of dir.
func openLocal(dir, path string, folder bool, opener func(string) error) (string, error) {
	if path == dir || folder && path != dir {
		if folder && path != dir {
			path = filepath.Dir(path)
		}
		folder = true
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
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
	return path, opener(path)
}

// OpenFolder opens the folder that is fetched into with the system's file
// manager. What comes of it is a toast.
func OpenFolder(b page.Base) tea.Cmd {
	dir, opener := b.Downloads.Dir(), b.Opener
	return func() tea.Msg {
		if _, err := openLocal(dir, dir, true, opener); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: layout.Clean(err.Error())}
		}
		return page.ToastMsg{Role: theme.Good, Text: "opened " + page.ShortPath(&b.FileAccess, dir)}
	}
}
