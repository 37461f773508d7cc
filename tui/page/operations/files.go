package operations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// upload is a file of this machine that is to be sent.
type upload struct {
	path string
	name string
	size int64
	kind api.Deliverable
}

// entry is a line of the picker.
type entry struct {
	upload
	folder bool
}

// folder is what a folder holds.
type folder struct {
	path    string
	entries []entry
}

type folderAnswer = page.Answer[folder]

// picker is the dialog in which files are chosen: one, or several with the kind
// of each.
type picker struct {
	b      page.Base
	title  string
	kinds  []api.Deliverable // that files can have; none where there is one to choose
	onDone func([]upload) tea.Cmd

	asked  *page.Question
	now    folder
	err    error
	line   *widget.Field
	cursor int
	top    int
	room   int // entries in the last view
	first  int // line of the box that they began in
	marked []upload
}

// newPicker begins in the folder where files are chosen.
func newPicker(b page.Base, asked *page.Question, title string, kinds []api.Deliverable, onDone func([]upload) tea.Cmd) (*picker, tea.Cmd) {
	p := &picker{b: b, asked: asked, title: title, kinds: kinds, onDone: onDone, line: widget.NewField(4096)}
	p.line.Hint = "letters of a name, or a path"
	p.now.path = b.Folder
	return p, p.goTo(b.Folder)
}

// goTo has a folder read; what is marked stays.
func (p *picker) goTo(path string) tea.Cmd {
	return page.Ask(p.b, p.asked, func(context.Context) (folder, error) {
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() {
			return folder{path: filepath.Dir(path)}, fmt.Errorf("%s: %w", filepath.Base(path), errNoFolder)
		}
		return readFolder(path)
	})
}

var errNoFolder = errors.New("this is no folder")

// readFolder lists a folder: the way up, folders, then files. What begins with
// a dot is left out.
func readFolder(path string) (folder, error) {
	f := folder{path: path}
	found, err := os.ReadDir(path)
	if err != nil {
		return f, fmt.Errorf("%s: %w", path, bare(err))
	}
	for _, e := range found {
		info, err := os.Stat(filepath.Join(path, e.Name())) // follows links
		if err != nil || strings.HasPrefix(e.Name(), ".") || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		f.entries = append(f.entries, entry{upload{path: filepath.Join(path, e.Name()), name: e.Name(), size: info.Size()}, info.IsDir()})
	}
	slices.SortStableFunc(f.entries, func(a, b entry) int {
		if a.folder != b.folder {
			if a.folder {
				return -1
			}
			return 1
		}
		return cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
	})
	if up := filepath.Dir(path); up != path {
		f.entries = slices.Insert(f.entries, 0, entry{upload{path: up, name: ".."}, true})
	}
	return f, nil
}

// bare is a file's error without its path.
func bare(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// take shows a folder that was read.
func (p *picker) take(got folderAnswer) {
	if p.err = got.Err; p.err != nil {
		return
	}
	p.now, p.cursor, p.top = got.Value, 0, 0
	if len(p.now.entries) > 1 && p.now.entries[0].name == ".." {
		p.cursor = 1 // the way up is asked for
	}
	p.line.Set("")
}

// shown are the entries that have what was typed.
func (p *picker) shown() []entry {
	typed := strings.ToLower(strings.TrimSpace(p.line.Value()))
	if typed == "" || isPath(typed) {
		return p.now.entries
	}
	return slices.DeleteFunc(slices.Clone(p.now.entries), func(e entry) bool { return !strings.Contains(strings.ToLower(e.name), typed) })
}

// isPath tells whether a path was typed or pasted, not letters of a name.
func isPath(typed string) bool { return strings.ContainsAny(typed, `/\~`) }

// Update takes keys: enter goes into a folder, or marks or takes a file.
func (p *picker) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		p.line.Update(msg)
		return nil, false
	}
	shown := p.shown()
	switch key.String() {
	case "esc":
		return nil, true
	case "up":
		p.cursor--
	case "down":
		p.cursor++
	case "pgup":
		p.cursor -= max(1, p.room)
	case "pgdown":
		p.cursor += max(1, p.room)
	case "left":
		p.turn(-1)
	case "right":
		p.turn(1)
	case "ctrl+s":
		if len(p.marked) > 0 {
			return p.onDone(p.marked), true
		}
		p.err = errors.New("no file is marked; enter marks one")
		return nil, false
	case "enter":
		return p.enter()
	default:
		p.err = nil
		p.line.Update(msg)
		shown, p.cursor = p.shown(), 0
	}
	p.cursor = max(0, min(p.cursor, len(shown)-1))
	return nil, false
}

// Click selects an entry, and a second click on it does what enter does.
func (p *picker) Click(_, y int) (tea.Cmd, bool) {
	i := p.top + y - p.first
	if y < p.first || y >= p.first+p.room || i >= len(p.shown()) {
		return nil, false
	}
	if i == p.cursor {
		return p.enter()
	}
	p.cursor = i
	return nil, false
}

// Turns makes the wheel move in the entries.
func (p *picker) Turns() {}

// enter goes into a folder, takes the one file, or marks one of several.
func (p *picker) enter() (tea.Cmd, bool) {
	if typed := p.line.Value(); isPath(typed) {
		return p.typed(page.Full(&p.b.Files, strings.Trim(strings.TrimSpace(typed), `"'`)))
	}
	shown := p.shown()
	if len(shown) == 0 {
		return nil, false
	}
	e := shown[min(p.cursor, len(shown)-1)]
	switch {
	case e.folder:
		return p.goTo(e.path), false
	case len(p.kinds) == 0:
		return p.onDone([]upload{e.upload}), true
	}
	p.mark(e.upload)
	return nil, false
}

// typed goes to a path: into a folder, or to the folder of a file, which stands
// marked there by its name.
func (p *picker) typed(path string) (tea.Cmd, bool) {
	p.line.Set(filepath.Base(path))
	return page.Ask(p.b, p.asked, func(context.Context) (folder, error) {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return folder{}, fmt.Errorf("%s: %w", path, bare(err))
		case info.IsDir():
			return readFolder(path)
		}
		f, err := readFolder(filepath.Dir(path))
		if i := slices.IndexFunc(f.entries, func(e entry) bool { return e.path == path }); i > 0 { // it comes first
			e := f.entries[i]
			f.entries = slices.Insert(slices.Delete(f.entries, i, i+1), 0, e)
		}
		return f, err
	}), false
}

// mark marks a file with the kind that its name speaks of, or no longer.
func (p *picker) mark(u upload) {
	p.err = nil
	if i := p.index(u.path); i >= 0 {
		p.marked = slices.Delete(p.marked, i, i+1)
		return
	}
	u.kind = guess(u.name, p.kinds)
	p.marked = append(p.marked, u)
}

func (p *picker) index(path string) int {
	return slices.IndexFunc(p.marked, func(u upload) bool { return u.path == path })
}

// turn gives the marked file under the cursor the next kind.
func (p *picker) turn(n int) {
	shown := p.shown()
	if len(shown) == 0 || len(p.kinds) == 0 {
		return
	}
	if i := p.index(shown[min(p.cursor, len(shown)-1)].path); i >= 0 {
		at := slices.Index(p.kinds, p.marked[i].kind)
		p.marked[i].kind = p.kinds[((at+n)%len(p.kinds)+len(p.kinds))%len(p.kinds)]
	}
}

// hints are words in names of files, by the kinds that they speak of.
var hints = []struct {
	kind  api.Deliverable
	words []string
}{
	{"digitalSurfaceModel", []string{"dsm", "surface"}},
	{"digitalTerrainModel", []string{"dtm", "terrain"}},
	{"thermalMap", []string{"thermal"}},
	{"ndvi", []string{"ndvi"}},
	{"multispectral", []string{"multispectral"}},
	{"hyperspectral", []string{"hyperspectral"}},
	{"topographicMap", []string{"contour", "topo", ".dxf"}},
	{"_3dModel", []string{".obj", ".glb", ".ply", "model"}},
	{"LiDAR", []string{"lidar", ".laz", ".las"}},
	{"pointCloud", []string{"cloud", ".laz", ".las"}},
	{"panoramas", []string{"pano"}},
	{"streamedData", []string{".mp4", ".mov"}},
	{"raw", []string{".dng"}},
	{"_3dMap", []string{"3d"}},
	{"_2dMap", []string{"ortho", "mosaic", "2d", ".tif"}},
}

// guess is the first of the kinds that a file's name speaks of, or photos.
func guess(name string, kinds []api.Deliverable) api.Deliverable {
	name = strings.ToLower(name)
	for _, h := range hints {
		if slices.Contains(kinds, h.kind) && slices.ContainsFunc(h.words, func(w string) bool { return strings.Contains(name, w) }) {
			return h.kind
		}
	}
	return api.DeliverableJPG
}

// View draws the box.
func (p *picker) View(w, h int) string {
	th := p.b.Theme
	w = min(w, 76)
	search := layout.Text(th.Raised(theme.Accent), "/ ") + p.line.View(w-6, th.Raised(theme.Text), th.Raised(theme.Muted))
	lines := []string{layout.Text(th.Raised(theme.Muted), layout.CutMiddle(page.Short(&p.b.Files, p.now.path), w-4)), search}
	if p.err != nil {
		lines = append(lines, layout.Text(th.Raised(theme.Bad), "! "+p.err.Error()))
	}
	shown := p.shown()
	p.first = 1 + len(lines)
	p.room = max(1, min(h-3-len(lines), 16))
	p.top = max(0, min(p.top, p.cursor, len(shown)-p.room))
	p.top = max(p.top, p.cursor-p.room+1)
	for i := p.top; i < min(len(shown), p.top+p.room); i++ {
		lines = append(lines, p.row(shown[i], i == p.cursor, w-4))
	}
	if len(shown) == 0 {
		lines = append(lines, layout.Text(th.Raised(theme.Muted), "no name here has that"))
	}
	lines = lines[:min(len(lines), max(1, h-2))]
	hint := "enter take it   esc none"
	if len(p.kinds) > 0 {
		hint = fmt.Sprintf("enter mark   ←→ kind   ctrl+s deliver %d   esc none", len(p.marked))
	}
	return dialog.Frame(th, p.title, hint, lines, w)
}

func (p *picker) row(e entry, at bool, w int) string {
	th := p.b.Theme
	bar, role := " ", theme.Text
	if at {
		bar, role = "▸", theme.Accent
	}
	mark, right := " ", format.Bytes(e.size)
	switch i := p.index(e.path); {
	case e.folder:
		right = ""
	case i >= 0:
		mark, right = "✓", labels.Deliverable(p.marked[i].kind).Label+"  "+right
	}
	name := e.name
	if e.folder && name != ".." {
		name += "/"
	}
	left := layout.Text(th.Raised(theme.Accent), bar) + layout.Text(th.Raised(theme.Good), mark) + " " +
		layout.Text(th.Raised(role), layout.CutMiddle(layout.Clean(name), w-4-layout.Width(right)))
	blank := th.Raised(theme.Text).Render(layout.Blank(w - layout.Width(left) - layout.Width(right)))
	return left + blank + layout.Text(th.Raised(theme.Muted), right)
}

// Cursor stands in what is typed.
func (p *picker) Cursor() *tea.Cursor { return tea.NewCursor(4+p.line.CursorCell(), 2) }

// localFile is a file that is being sent.
type localFile struct {
	*os.File
	name string
}

// openFile opens a file that is to be sent. A limit over 0 is the most that it
// may hold. Its errors name the file.
func openFile(path string, limit int64) (*localFile, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait for its writer
	name := filepath.Base(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, bare(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: this is no file", name)
	case limit > 0 && info.Size() > limit:
		return nil, fmt.Errorf("%s has %s; the service takes %s at most", name, format.Bytes(info.Size()), format.Bytes(limit))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, bare(err))
	}
	return &localFile{f, name}, nil
}
