package neworder

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/table"
)

// sites is step 1: a path typed or pasted, or folders walked.
type sites struct {
	p       *NewOrder
	path    *widget.Field
	list    listing
	shown   []entry
	table   table.Table
	asked   page.Question // for a folder
	reading page.Question // of a file
	wanted  string        // folder that is or will be listed
	err     error
	chosen  []string       // paths of files that are marked, to be read together
	unread  *ordering.File // a CSV whose columns are to be chosen by hand
	cell    *tea.Cursor
	above   int // lines above the list in the last view
}

// maxPath is the longest path that can be typed, in characters.
const maxPath = 4096

func newSites(p *NewOrder) *sites {
	s := &sites{p: p, path: widget.NewField(maxPath)}
	s.path.Hint = "type or paste the path of a KML, KMZ or CSV file, or coordinates"
	s.table.Columns = []table.Column{
		{Title: "File", Width: 20, Fill: 1, Middle: true},
		{Title: "Size", Width: 9, Right: true, Drop: 1},
		{Title: "Changed", Width: 11, Right: true, Drop: 2},
	}
	return s
}

func (s *sites) enter() tea.Cmd {
	return s.goInto(cmp.Or(s.wanted, s.p.Folder))
}

// goInto shows a folder, with its path to be typed on.
func (s *sites) goInto(folder string) tea.Cmd {
	path := folder
	if !strings.HasSuffix(path, string(filepath.Separator)) {
		path += string(filepath.Separator)
	}
	s.path.Set(s.short(path))
	return s.open(folder)
}

type folderAnswer = page.Answer[listing]

func (s *sites) open(folder string) tea.Cmd {
	s.wanted = folder
	return page.Ask(s.p.Base, &s.asked, func(ctx context.Context) (listing, error) { return readFolder(ctx, folder) })
}

func (s *sites) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case folderAnswer:
		if msg.Take() {
			s.list, s.err = msg.Value, msg.Err
			s.filter()
		}
		return nil
	case page.Answer[ordering.FileRead]:
		return s.took(msg)
	case tea.PasteMsg:
		return s.pasted(msg)
	default:
		before := s.path.Value()
		s.path.Update(msg)
		if s.path.Value() == before {
			return nil
		}
		return s.typed()
	}
}

// pasted takes several paths, one path, or a place; else it is typed on.
func (s *sites) pasted(msg tea.PasteMsg) tea.Cmd {
	text := strings.TrimSpace(msg.Content)
	if paths := severalPaths(text, s.p.Home, s.p.Folder); len(paths) > 1 {
		return s.readAll(paths)
	}
	if s.whole(text) {
		s.path.Set(text)
		return s.typed()
	}
	if _, err := kmlcsv.ReadTyped(text); err == nil {
		s.p.Overlay(s.missions().editor(nil, text))
		return nil
	}
	s.path.Update(msg)
	return s.typed()
}

func (s *sites) missions() *missions { return s.p.steps[ordering.StepMissions].(*missions) }

// place is the place that is typed behind the folder, "" for none.
func (s *sites) place() string {
	rest := s.rest()
	if _, err := kmlcsv.ReadTyped(rest); err != nil {
		return ""
	}
	return rest
}

// whole reports whether pasted text is a path of its own rather than a piece
// of the one being typed.
func (s *sites) whole(pasted string) bool {
	bare := strings.TrimLeft(pasted, `"'`)
	return filepath.IsAbs(bare) || strings.HasPrefix(bare, "~") || strings.HasPrefix(bare, "file:")
}

// target is the path that is typed.
func (s *sites) target() string { return typedPath(s.path.Value(), s.p.Home, s.p.Folder) }

// typed follows the path: another folder is listed, the rest filters.
func (s *sites) typed() tea.Cmd {
	s.err, s.unread = nil, nil
	if fresh := freshPath(s.path.Value()); fresh != "" {
		s.path.Set(fresh)
	}
	if folder := s.folder(); folder != s.wanted {
		s.shown, s.list = nil, listing{}
		s.filter()
		return s.open(folder)
	}
	s.filter()
	return nil
}

// folder is the folder part of what is typed.
func (s *sites) folder() string {
	target := s.target()
	if trailing(target) != "" || target == "" {
		return filepath.Clean(cmp.Or(target, s.p.Folder))
	}
	return filepath.Dir(target)
}

// rest is what is typed behind the folder.
func (s *sites) rest() string {
	target := s.target()
	if trailing(target) != "" || target == "" {
		return ""
	}
	return filepath.Base(target)
}

// filter shows the entries that what is typed occurs in.
func (s *sites) filter() {
	find := strings.ToLower(s.rest())
	s.shown = s.shown[:0]
	if find == "" && s.p.Samples != "" && s.list.folder != s.p.Samples {
		s.shown = append(s.shown, entry{name: "sample files", path: s.p.Samples, folder: true})
	}
	for _, e := range s.list.entries {
		hidden := strings.HasPrefix(e.name, ".") && e.name != ".."
		switch {
		case find == "" && hidden, hidden && !strings.HasPrefix(find, "."), e.name == ".." && find != "":
		case strings.Contains(strings.ToLower(e.name), find):
			s.shown = append(s.shown, e)
		}
	}
	s.table.SetRows(len(s.shown), func(i int) string { return s.shown[i].path }, s.row)
	if find == "" {
		s.selectFirstFile()
	}
	s.table.Select(s.target()) // what is typed in full is what is meant
}

// selectFirstFile marks what is most likely wanted in a folder.
func (s *sites) selectFirstFile() {
	for _, e := range s.shown {
		switch strings.ToLower(filepath.Ext(e.name)) {
		case ".kml", ".kmz", ".csv":
			if !e.folder {
				s.table.Select(e.path)
				return
			}
		}
	}
}

func (s *sites) row(i int) table.Row {
	e := s.shown[i]
	if e.folder {
		name := e.name
		if e.name != ".." {
			name += string(filepath.Separator)
		}
		return table.Row{Cells: []table.Cell{{Text: name, Role: theme.Accent}, {}, {}}}
	}
	row := table.Row{}
	if slices.Contains(s.chosen, e.path) {
		row.Mark = table.Cell{Text: "✓", Role: theme.Accent}
	}
	row.Cells = []table.Cell{{Text: e.name}, {Text: format.Bytes(e.size)}, {Text: format.Age(e.at, s.p.Now())}}
	return row
}

// marked is the entry under the cursor, nil for none.
func (s *sites) marked() *entry {
	if len(s.shown) == 0 {
		return nil
	}
	return &s.shown[s.table.Cursor()]
}

func (s *sites) do(id action.ID) tea.Cmd {
	switch id {
	case action.ChooseFile:
		return s.choose()
	case action.MarkSite:
		s.mark()
		return nil
	case action.Complete:
		if e := s.marked(); e != nil && e.folder {
			return s.goInto(e.path)
		} else if e != nil {
			s.path.Set(filepath.Join(s.folderTyped(), e.name))
		}
		return nil
	}
	switch id {
	case action.ChooseColumns:
		s.p.Overlay(s.columns(s.unread))
		return nil
	case action.ByHand:
		s.p.Overlay(s.missions().editor(nil, s.place()))
		return nil
	}
	page.Move(&s.table, id)
	return nil
}

// folderTyped is the folder as it is typed, with its ~.
func (s *sites) folderTyped() string {
	v := s.path.Value()
	if i := strings.LastIndexByte(v, filepath.Separator); i >= 0 {
		return v[:i+1]
	}
	return ""
}

// choose takes the marked entry, or the path as typed where nothing matches.
func (s *sites) choose() tea.Cmd {
	if len(s.chosen) > 0 {
		return s.readAll(s.chosen)
	}
	path := s.target()
	if e := s.marked(); e != nil {
		if e.folder {
			return s.goInto(e.path)
		}
		path = e.path
	} else if place := s.place(); place != "" {
		s.p.Overlay(s.missions().editor(nil, place))
		return nil
	}
	return page.Ask(s.p.Base, &s.reading, func(ctx context.Context) (ordering.FileRead, error) {
		return ordering.ReadFile(ctx, path, kmlcsv.Options{})
	})
}

// reread reads a file in another way, in the background.
func (s *sites) reread(path string, opts kmlcsv.Options) tea.Cmd {
	return page.Ask(s.p.Base, &s.reading, func(ctx context.Context) (ordering.FileRead, error) {
		read, err := ordering.ReadFile(ctx, path, opts)
		read.Again = true
		return read, err
	})
}

// took adds a file's sites to the draft and goes on to them.
func (s *sites) took(answer page.Answer[ordering.FileRead]) tea.Cmd {
	if !answer.Take() {
		return nil
	}
	read := answer.Value
	s.err, s.unread = answer.Err, nil
	switch {
	case s.err != nil:
		if read.Result != nil && len(read.Result.Header) > 0 {
			s.unread = &ordering.File{Path: read.Path, Header: read.Result.Header}
		}
		if s.p.draft.Step != ordering.StepSites {
			return page.Toast(theme.Bad, s.short(s.err.Error()))
		}
		return nil
	case read.Folder:
		return s.goInto(read.Path)
	}
	first := s.p.draft.AddFile(read)
	s.missions().reload(first)
	return s.p.goTo(ordering.StepMissions)
}

func (s *sites) view(w, h int) string {
	th := s.p.Theme
	label := " File  "
	room := w - layout.Width(label) - 1
	lines := []string{layout.Text(th.Style(theme.Accent), label) + s.path.View(room, th.Style(theme.Text), th.Style(theme.Muted))}
	s.cell = tea.NewCursor(layout.Width(label)+s.path.CursorCell(), 0)
	switch {
	case s.reading.Open():
		lines = append(lines, layout.Text(th.Style(theme.Muted), " reading the file…"))
	case s.err != nil:
		for i, part := range layout.Wrap(s.short(s.err.Error()), w-4) {
			if i == 0 {
				part = "! " + part
			} else {
				part = "  " + part
			}
			lines = append(lines, layout.Text(th.Style(theme.Bad), " "+part))
		}
		if s.unread != nil {
			lines = append(lines, "   "+layout.Text(th.Key, "ctrl+g")+layout.Text(th.Style(theme.Muted), " chooses the columns by hand"))
		}
	case len(s.chosen) > 0:
		lines = append(lines, layout.Text(th.Style(theme.Muted), " "+format.Count(len(s.chosen), "file", "files")+" marked; enter reads them"))
	case len(s.p.draft.Sites) > 0:
		lines = append(lines, layout.Text(th.Style(theme.Muted), " "+format.Count(len(s.p.draft.Sites), "site", "sites")+
			" so far"+inBrackets("", s.p.draft.Origins(", "))+"; ctrl+s goes on with them"))
	case s.p.twins.aside > 0:
		lines = append(lines, layout.Text(th.Style(theme.Muted), " "+format.Count(s.p.twins.aside, "draft", "drafts")+" put aside; ctrl+l takes one up"))
	default:
		lines = append(lines, "")
	}
	lines = lines[:min(len(lines), h)]
	s.above = len(lines)
	box := layout.Box(lines, w, len(lines))
	if rest := h - len(lines); rest > 0 {
		box += "\n" + s.below(w, rest)
	}
	return box
}

// short writes the user's folder as ~.
func (s *sites) short(text string) string {
	if s.p.Home == "" {
		return text
	}
	return strings.ReplaceAll(text, s.p.Home+string(filepath.Separator), "~"+string(filepath.Separator))
}

func (s *sites) below(w, h int) string {
	if len(s.shown) == 0 && !s.asked.Open() {
		text := " No folder and no KML, KMZ or CSV file here has that in its name; enter tries the path as typed."
		if s.place() != "" {
			text = " enter makes a site of this place."
		}
		return layout.Box([]string{layout.Text(s.p.Theme.Style(theme.Muted), layout.Cut(text, w))}, w, h)
	}
	return s.table.View(s.p.Theme, w, h, true)
}

// mouse marks an entry, takes it with a second click, and moves with the wheel.
func (s *sites) mouse(m page.Mouse) tea.Cmd {
	switch {
	case m.Wheel != 0:
		s.table.Move(m.Wheel)
	case s.table.Click(m.Y-s.above) && m.Double:
		return s.choose()
	}
	return nil
}

func (s *sites) cursor() *tea.Cursor    { return s.cell }
func (s *sites) typing() bool           { return true }
func (s *sites) scopes() []action.Scope { return []action.Scope{action.Sites, action.Steps} }

func (s *sites) disabled(id action.ID) string {
	switch {
	case id == action.NextStep && len(s.p.draft.Sites) == 0:
		return "no file has been read yet"
	case id == action.ChooseColumns && s.unread == nil:
		return "no CSV file waits for it"
	case id == action.ChooseFile && s.reading.Open():
		return "a file is being read"
	}
	return ""
}
