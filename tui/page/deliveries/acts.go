package deliveries

import (
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
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// disabled says why an action is off.
func (b *browser) disabled(id action.ID) string {
	p, r, ok := b.current()
	switch id {
	case action.Open, action.Fetch, action.Toggle:
		if !ok {
			return "there is no file"
		}
	case action.FetchNew:
		if !slices.ContainsFunc(b.packages, func(p *Package) bool { return len(p.fresh(b.Downloads)) > 0 }) {
			return "nothing is new"
		}
	case action.PauseOne, action.StopFetch:
		if !slices.ContainsFunc(b.items(), func(it fetch.Item) bool { return !it.State.Over() }) {
			return "it is not being downloaded"
		}
	case action.PauseAll:
		if b.Downloads.Unfinished() == 0 {
			return "nothing is being downloaded"
		}
	case action.Preview, action.OpenFile:
		if !ok || !r.isFile() {
			return "no file is selected"
		}
		return b.unseen(id, p.stand(b.Downloads, r.file))
	case action.OpenFolder:
		return b.noOpener("")
	case action.FetchTo:
		if b.Downloads.Unfinished() > 0 {
			return "downloads are on their way; wait for them, or C stops them"
		}
	}
	return b.list.Disabled(id)
}

// unseen says why a file cannot be looked at or opened.
func (b *browser) unseen(id action.ID, s standing) string {
	switch {
	case s.step != here:
		return "the file is not here yet; f fetches it"
	case id == action.OpenFile:
		return b.noOpener(s.path)
	}
	return ""
}

// harmless are the endings of files that programs show and do not run.
var harmless = []string{
	".jpg", ".jpeg", ".png", ".tif", ".tiff", ".dng", ".pdf", ".csv", ".txt", ".json", ".geojson", ".kml", ".kmz", ".gpx", ".dxf", ".shp",
	".las", ".laz", ".ply", ".obj", ".glb", ".gltf", ".avi", ".mp4", ".mov", ".zip",
}

// noOpener says why a file cannot be opened; with no path it is about a folder.
func (b *browser) noOpener(path string) string {
	switch {
	case b.Opener == nil:
		return "no program is known here that opens files"
	case path != "" && !slices.Contains(harmless, strings.ToLower(filepath.Ext(path))):
		return "what a " + layout.Cut(layout.Clean(filepath.Ext(path)), 12) + " file does when it is opened is not known; O opens its folder"
	}
	return ""
}

// do performs an action.
func (b *browser) do(id action.ID) tea.Cmd { return tea.Batch(b.perform(id), b.watch()) }

func (b *browser) perform(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return b.open()
	case action.Fetch:
		return b.fetch()
	case action.FetchNew:
		return b.fetchNew()
	case action.PauseOne:
		return b.pause(b.items())
	case action.PauseAll:
		return b.pause(b.Downloads.Items)
	case action.StopFetch:
		return b.stop()
	case action.Preview, action.OpenFile, action.OpenFolder:
		return b.use(id)
	case action.Bandwidth:
		b.bandwidth()
	case action.FetchTo:
		b.fetchTo()
	case action.Toggle, action.ToggleAll, action.Flat:
		b.mark(id)
	default:
		return b.move(id)
	}
	return nil
}

// move moves in the table or the map.
func (b *browser) move(id action.ID) tea.Cmd {
	if b.beside.Map.Do(id) {
		return nil
	}
	cmd, done := b.list.Do(id)
	if done {
		b.follow()
	}
	return cmd
}

// open opens or shuts a package or a run of files, or shows more of a file.
func (b *browser) open() tea.Cmd {
	p, r, ok := b.current()
	switch {
	case !ok:
	case r.isFile():
		b.detail = b.Width < listpage.Wide
	default:
		b.turned[r.id(p)] = !b.turned[r.id(p)]
		b.fill()
	}
	return nil
}

// mark marks rows, or shows them flat.
func (b *browser) mark(id action.ID) {
	switch id {
	case action.Toggle:
		if i, ok := b.list.Grid.Current(); ok {
			b.turn(b.id(b.rows[i]))
			b.list.Grid.Move(1)
			b.follow()
		}
	case action.ToggleAll:
		if len(b.marked) > 0 {
			clear(b.marked)
			return
		}
		for _, r := range b.rows {
			if !r.isPackage() {
				b.marked[b.id(r)] = true
			}
		}
	case action.Flat:
		b.flat = !b.flat
		b.fill()
	}
}

func (b *browser) turn(id string) {
	if b.marked[id] {
		delete(b.marked, id)
		return
	}
	b.marked[id] = true
}

// fetch fetches what is chosen and is not here or on its way.
func (b *browser) fetch() tea.Cmd {
	chosen := b.files(b.chosen())
	var wanted []fetch.Package
	n := 0
	for i, p := range b.packages {
		var files []fetch.File
		for _, k := range chosen[i] {
			if s := p.stand(b.Downloads, k); s.step != here && s.step != coming && s.step != waiting {
				files = append(files, p.Files[k])
			}
		}
		if len(files) > 0 {
			wanted = append(wanted, p.with(files))
			n += len(files)
		}
	}
	clear(b.marked)
	if n == 0 {
		return page.Toast(theme.Text, "everything is downloaded or queued")
	}
	return page.Command(b.Downloads.Fetch(wanted...))
}

// fetchNew fetches what no fetch has brought.
func (b *browser) fetchNew() tea.Cmd {
	var wanted []fetch.Package
	for _, p := range b.packages {
		if fresh := p.fresh(b.Downloads); len(fresh) > 0 {
			wanted = append(wanted, p.with(fresh))
		}
	}
	return page.Command(b.Downloads.Fetch(wanted...))
}

// pause pauses downloads, or where none of them moves goes on with them.
func (b *browser) pause(items []fetch.Item) tea.Cmd {
	var moving, still []fetch.ID
	for _, it := range items {
		switch it.State {
		case fetch.Waiting, fetch.Fetching:
			moving = append(moving, it.ID)
		case fetch.Paused, fetch.Failed:
			still = append(still, it.ID)
		}
	}
	clear(b.marked)
	if len(moving) > 0 {
		b.Downloads.Pause(moving...)
	} else {
		b.Downloads.Resume(still...)
	}
	return page.DownloadsTouched(b.Env)
}

// stop takes downloads out, after a question.
func (b *browser) stop() tea.Cmd {
	var ids []fetch.ID
	done, name := int64(0), ""
	for _, it := range b.items() {
		if !it.State.Over() {
			ids, done, name = append(ids, it.ID), done+it.Done, layout.Clean(it.Name)
		}
	}
	if len(ids) > 1 {
		name = format.Count(len(ids), "file", "files")
	}
	b.Overlay(&dialog.Question{
		Theme: b.Theme, Title: "Stop", Yes: "stop it", No: "go on",
		Lines: []string{name, "What of it is here, " + format.Bytes(done) + ", is removed. The service keeps it: f fetches it again."},
		OnYes: func() tea.Cmd {
			b.Downloads.Stop(ids...)
			clear(b.marked)
			return page.DownloadsTouched(b.Env)
		},
	})
	return nil
}

// bandwidth asks how much of the line all downloads may take.
func (b *browser) bandwidth() {
	f := form.New(20, b.Now, &form.Field{ID: "rate", Label: "At most", Help: "a second, like 500kB or 10MB; none is no limit"})
	value := "none"
	if rate := b.Downloads.Rate(); rate > 0 {
		value = strings.ReplaceAll(format.Bytes(rate), " ", "")
	}
	f.Field("rate").Set(value)
	b.Overlay(&dialog.Edit{Theme: b.Theme, Title: "Bandwidth of all downloads", Form: f, OnSave: func(f *form.Form) (tea.Cmd, bool) {
		typed, rate := strings.TrimSpace(f.Field("rate").Value()), int64(0)
		if typed != "" && typed != "0" && !strings.EqualFold(typed, "none") {
			var err error
			if rate, err = fetch.ParseRate(typed); err != nil {
				f.Field("rate").Error = err.Error()
				return nil, false
			}
		}
		b.Downloads.SetRate(rate)
		said := "downloads take what the line gives"
		if rate > 0 {
			said = "downloads take " + format.Bytes(rate) + " a second at most"
		}
		return tea.Batch(page.DownloadsTouched(b.Env), page.Keep(&b.Look), page.Toast(theme.Good, said)), true
	}})
}

// fetchTo asks for the folder to fetch into.
func (b *browser) fetchTo() {
	f := form.New(4096, b.Now, &form.Field{ID: "folder", Label: "Folder", TypeOn: true, Help: "each package gets a folder of its own in it; kept for the profile"})
	f.Field("folder").Set(page.Short(&b.Files, b.Downloads.Dir()))
	b.Overlay(&dialog.Edit{Theme: b.Theme, Title: "Fetch into", Form: f, OnSave: func(f *form.Form) (tea.Cmd, bool) {
		typed := strings.TrimSpace(f.Field("folder").Value())
		if typed == "" {
			f.Field("folder").Error = "type the path of a folder"
			return nil, false
		}
		if err := b.Downloads.SetDir(page.Full(&b.Files, typed)); err != nil {
			f.Field("folder").Error = err.Error()
			return nil, false
		}
		return tea.Batch(b.lookAgain(), page.Command(b.Downloads.AskFree()), page.Keep(&b.Look)), true
	}})
}

// lookedMsg brings what of the packages is on disk.
type lookedMsg = page.Answer[map[string][]fetch.Standing]

// lookAgain looks what of the packages is on disk.
func (b *browser) lookAgain() tea.Cmd {
	packages, dir := make([]fetch.Package, len(b.packages)), b.Downloads.Dir()
	for i, p := range b.packages {
		packages[i] = p.Package
	}
	return page.Ask(b.Base, &b.looked, func(context.Context) (map[string][]fetch.Standing, error) {
		all := map[string][]fetch.Standing{}
		for _, p := range packages {
			standings, err := fetch.Look(dir, p)
			if err != nil {
				return all, err
			}
			all[p.ID] = standings
		}
		return all, nil
	})
}

// looks takes what is on disk.
func (b *browser) looks(msg lookedMsg) tea.Cmd {
	if !msg.Take() {
		return nil
	}
	for _, p := range b.packages {
		p.Stands = msg.Value[p.ID]
	}
	b.fill()
	if msg.Err != nil {
		return page.Toast(theme.Bad, msg.Err.Error())
	}
	return nil
}

// use shows a file, or opens it or its folder with the system's program.
func (b *browser) use(id action.ID) tea.Cmd {
	path, name := b.Downloads.Dir(), ""
	if p, r, ok := b.current(); ok {
		file := max(0, r.file)
		if len(p.Files) > 0 {
			name = p.Files[file].Name
			if s := p.stand(b.Downloads, file); s.path != "" {
				path = s.path
			}
		}
	}
	if id == action.Preview {
		return b.preview(path, name)
	}
	dir, opener := b.Downloads.Dir(), b.Opener
	return page.Ask(b.Base, &b.opened, func(context.Context) (string, error) {
		return openLocal(dir, path, id == action.OpenFolder, opener)
	})
}

// openedMsg says what was opened.
type openedMsg = page.Answer[string]

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
		return "", fmt.Errorf("%s is not below %s", path, dir)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("%s is not there; f fetches into it", path)
	case err != nil:
		return "", err
	case folder != info.IsDir() || !folder && !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no file that was fetched", path)
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
		return page.ToastMsg{Role: theme.Good, Text: "opened " + page.Short(&b.Files, dir)}
	}
}
