package page

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// FilePickerOptions say what is offered.
type FilePickerOptions struct {
	Hint    string                     // in the empty field
	None    func() string              // said where nothing has what was typed in its name
	Accepts func(name string) bool     // which files are listed; nil for all
	Likely  func(name string) bool     // which file is selected first; nil for any
	Samples string                     // folder of sample files, to be gone to from everywhere; "" for none
	Top     func() []FolderEntry       // listed first while nothing is typed; nil for none
	Follow  func() tea.Cmd             // called when the entries have changed; nil does nothing
	About   string                     // title of a column about files; "" for none
	Says    func(e FolderEntry) string // what that column says of a marked one
}

// FilePicker is a path that is typed, over the entries of its folder that have what
// is typed behind it in their names.
type FilePicker struct {
	base   Base
	o      FilePickerOptions
	line   *widget.Input
	listed []FolderEntry // of the folder
	shown  []FolderEntry
	Table  widget.Table // of the entries, to move in
	asked  Question
	wanted string        // folder that is or will be listed, "" before one is entered
	from   string        // folder that is tried first, "" for none or once it was
	err    error         // why it could not be
	Marked []FolderEntry // in the order in which they were marked
	cell   int           // of the cursor in the last view
	above  int           // lines above the entries in the last view
}

// maxPath is the longest path that can be typed, in characters.
const maxPath = 4096

// NewFilePicker returns a picker. It lists nothing before it is entered.
func NewFilePicker(base Base, o FilePickerOptions) *FilePicker {
	p := &FilePicker{base: base, o: o, line: widget.NewInput(maxPath)}
	p.line.Hint = o.Hint
	p.Table.Columns = []widget.Column{{Title: "File", Width: 20, Fill: 1, Middle: true}}
	if o.About != "" {
		p.Table.Columns = append(p.Table.Columns, widget.Column{Title: o.About, Width: 20})
	}
	p.Table.Columns = append(
		p.Table.Columns,
		widget.Column{Title: "Size", Width: 9, Right: true, Drop: 1},
		widget.Column{Title: "Changed", Width: 11, Right: true, Drop: 2},
	)
	return p
}

// StartFrom has a folder shown first; where it is gone, the one where files are chosen.
func (p *FilePicker) StartFrom(folder string) { p.from = folder }

// ShowFolder shows the folder that was shown last, or the one where files are chosen.
// What was typed before is typed in it.
func (p *FilePicker) ShowFolder() tea.Cmd {
	early := p.TypedEarly()
	read := p.EnterFolder(cmp.Or(p.wanted, p.from, p.base.Env.Files.Folder))
	if early == "" {
		return read
	}
	p.line.Set(p.line.Value() + early)
	return tea.Batch(read, p.followTyped())
}

// TypedEarly returns what was typed before the picker showed any folder.
func (p *FilePicker) TypedEarly() string {
	return TextIf(p.wanted == "", p.line.Value())
}

// EnterFolder shows a folder, with its path to be typed on.
func (p *FilePicker) EnterFolder(folder string) tea.Cmd {
	path := p.base.Env.Files.ShortPath(strings.TrimSuffix(folder, slash) + slash)
	p.line.Set(strings.TrimSuffix(path, slash) + slash)
	return p.readFolder(folder)
}

func (p *FilePicker) readFolder(folder string) tea.Cmd {
	p.wanted = folder
	read := func(context.Context) ([]FolderEntry, error) {
		if err := p.base.Env.Files.Confine(folder); err != nil {
			return nil, err
		}
		return readFolder(folder, p.o.Accepts)
	}
	return AskInBackground(p.base, &p.asked, read, func(listed []FolderEntry, err error) tea.Cmd {
		if err != nil && p.from != "" {
			p.from = ""
			return p.EnterFolder(p.base.Env.Files.Folder)
		}
		p.listed, p.err, p.from = listed, err, ""
		p.filterEntries()
		if p.o.Follow != nil {
			return p.o.Follow()
		}
		return nil
	})
}

// Update takes what is typed or pasted. Changed tells whether that is something else now.
func (p *FilePicker) Update(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	before := p.line.Value()
	if paste, ok := msg.(tea.PasteMsg); ok && IsPath(strings.TrimSpace(paste.Content)) {
		p.line.Set(strings.TrimSpace(paste.Content))
	} else {
		p.line.Update(msg)
	}
	if p.line.Value() == before || p.wanted == "" { // ShowFolder follows what is typed early
		return nil, false
	}
	return p.followTyped(), true
}

// followTyped lists another folder that was typed; the rest filters.
func (p *FilePicker) followTyped() tea.Cmd {
	p.err = nil
	fresh, address := freshPath(p.line.Value()), p.typedAddress() != ""
	if fresh != "" && !address {
		p.line.Set(fresh)
	}
	folder, _ := filepath.Split(p.TypedPath())
	folder = filepath.Clean(cmp.Or(folder, p.base.Env.Files.Folder))
	if address || folder != p.wanted {
		p.listed = nil
	}
	p.filterEntries()
	if address || folder == p.wanted {
		return nil
	}
	return p.readFolder(folder)
}

// TypedPath returns the path that is typed.
func (p *FilePicker) TypedPath() string { return p.base.Env.Files.typedPath(p.line.Value()) }

// typedAddress returns the address of a map that is typed behind the folder, "" for none.
func (p *FilePicker) typedAddress() string {
	typed := p.line.Value()
	for _, scheme := range []string{"https://", "http://", "geo:"} {
		if at := strings.Index(strings.ToLower(typed), scheme); at >= 0 {
			return typed[at:]
		}
	}
	return ""
}

// TypedName returns what is typed behind the folder, or an address.
func (p *FilePicker) TypedName() string {
	if address := p.typedAddress(); address != "" {
		return address
	}
	_, name := filepath.Split(p.TypedPath())
	return name
}

// filterEntries shows the entries that what is typed occurs in.
func (p *FilePicker) filterEntries() {
	find := format.Fold(p.TypedName())
	p.shown = p.shown[:0]
	if find == "" && p.o.Top != nil {
		p.shown = append(p.shown, p.o.Top()...)
	}
	top := len(p.shown)
	if find == "" && p.o.Samples != "" && p.wanted != p.o.Samples {
		p.shown = append(p.shown, FolderEntry{
			Name:   "sample files",
			Path:   p.o.Samples,
			Folder: true,
		})
	}
	for _, e := range p.listed {
		hidden := strings.HasPrefix(e.Name, ".") && e.Name != up
		switch {
		case hidden && !strings.HasPrefix(find, "."), e.Name == up && find != "":
		case strings.Contains(format.Fold(e.Name), find):
			p.shown = append(p.shown, e)
		}
	}
	p.Table.SetRows(len(p.shown), func(i int) string { return p.shown[i].Path }, p.entryRow)
	likely := func(e FolderEntry) bool { return !e.Folder && (p.o.Likely == nil || p.o.Likely(e.Name)) }
	if i := slices.IndexFunc(p.shown[top:], likely); find == "" && i >= 0 {
		p.Table.Select(p.shown[top+i].Path)
	}
	p.Table.Select(p.TypedPath()) // what is typed in full is what is meant
}

// IsListed reports whether a path is an entry of the folder.
func (p *FilePicker) IsListed(path string) bool {
	return slices.ContainsFunc(p.listed, func(e FolderEntry) bool { return e.Path == path })
}

// UpdateTop lists the entries of [FilePickerOptions.Top] again. The selected entry stays selected.
func (p *FilePicker) UpdateTop() {
	selected, _ := p.Current()
	p.filterEntries()
	p.Table.Select(selected.Path)
}

func (p *FilePicker) entryRow(i int) widget.Row {
	e := p.shown[i]
	name, size, at := widget.Cell{Text: e.Name}, format.Bytes(e.Size), format.Age(e.At, p.base.Env.Clock.Now())
	if e.At.IsZero() {
		at = ""
	}
	if e.Folder {
		name.Role, size, at = theme.Accent, "", ""
		name.Text += TextIf(e.Name != up, slash)
	}
	row := widget.Row{Cells: []widget.Cell{name, {Text: size}, {Text: at}}}
	says := ""
	if p.markedIndex(e.Path) >= 0 {
		row.Mark = widget.Cell{Text: "✓", Role: theme.Accent}
		if p.o.About != "" {
			says = p.o.Says(e)
		}
	}
	if p.o.About != "" {
		row.Cells = slices.Insert(row.Cells, 1, widget.Cell{Text: says})
	}
	return row
}

// Current returns the selected entry, false for none.
func (p *FilePicker) Current() (e FolderEntry, ok bool) {
	if len(p.shown) == 0 {
		return e, false
	}
	return p.shown[p.Table.Cursor()], true
}

// CompletePath writes the selected entry's name behind the folder, or goes into it.
func (p *FilePicker) CompletePath() tea.Cmd {
	e, ok := p.Current()
	switch {
	case !ok:
		return nil
	case e.Folder:
		return p.EnterFolder(e.Path)
	case !filepath.IsAbs(e.Path): // not a file
		return nil
	case filepath.Dir(e.Path) != p.wanted: // a recent file
		p.line.Set(p.base.Env.Files.ShortPath(e.Path))
		return p.followTyped()
	}
	typed := p.line.Value() // with its ~
	p.line.Set(filepath.Join(typed[:strings.LastIndexByte(typed, filepath.Separator)+1], e.Name))
	return nil
}

// MarkFile marks the selected file, or takes the mark off.
func (p *FilePicker) MarkFile() {
	e, ok := p.Current()
	if !ok || e.Folder || !filepath.IsAbs(e.Path) {
		return
	}
	if i := p.markedIndex(e.Path); i >= 0 {
		p.Marked = slices.Delete(p.Marked, i, i+1)
	} else {
		p.Marked = append(p.Marked, e)
	}
}

func (p *FilePicker) markedIndex(path string) int {
	return slices.IndexFunc(p.Marked, func(e FolderEntry) bool { return e.Path == path })
}

// ClickEntry selects the entry at a line of the last view, and reports whether there
// is one.
func (p *FilePicker) ClickEntry(y int) bool { return p.Table.Click(y - p.above) }

// Cursor returns where the path is typed in the last view.
func (p *FilePicker) Cursor() *tea.Cursor { return tea.NewCursor(p.cell, 0) }

// ListError returns why the folder is not listed, nil where it is.
func (p *FilePicker) ListError() error {
	if p.typedAddress() != "" {
		return nil
	}
	return p.err
}

// View draws the path, some lines below it and the entries into exactly h lines
// of w cells.
func (p *FilePicker) View(w, h int, below ...string) string {
	lines := p.RenderHead(w, h, below...)
	if rest := h - len(lines); rest > 0 {
		lines = append(lines, format.SplitLines(p.RenderEntries(w, rest))...)
	}
	return format.FitBox(lines, w, h)
}

// RenderHead draws the path and some lines below it, at most h lines of w cells.
func (p *FilePicker) RenderHead(w, h int, below ...string) []string {
	const label = " File  "
	th := p.base.Env.Look.Theme
	typed := p.line.View(w-format.Width(label)-1, th.Style(theme.Text), th.Style(theme.Muted))
	p.cell = format.Width(label) + p.line.CursorCell()
	lines := slices.Concat([]string{th.PaintRole(theme.Accent, label) + typed}, below)
	lines = lines[:min(len(lines), h)]
	p.above = len(lines)
	return lines
}

// RenderEntries draws the entries into exactly h lines of w cells. The lines of the last
// RenderHead are above them.
func (p *FilePicker) RenderEntries(w, h int) string {
	th := p.base.Env.Look.Theme
	if len(p.shown) == 0 && !p.asked.IsOpen() {
		return format.FitBox(th.PaintLines(theme.Muted, " ", p.o.None(), w-1), w, h)
	}
	return p.Table.View(th, w, h, true)
}
