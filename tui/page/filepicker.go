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

// FilePickerOptions configures a FilePicker.
type FilePickerOptions struct {
	Hint    string                        // placeholder while no path is typed
	None    func() string                 // returns the text shown if no entry matches the typed name
	Accepts func(name string) bool        // reports whether a file is listed; nil lists all files
	Likely  func(name string) bool        // reports whether the user is likely to choose a file; nil means all files
	Samples string                        // folder of sample files, which every folder offers to open; "" for none
	Top     func() []FolderEntry          // returns entries to list first if no name is typed; may be nil
	Follow  func() tea.Cmd                // called each time a folder was listed; may be nil
	About   string                        // title of the column with a text for each marked file; "" for no column
	AboutOf func(file FolderEntry) string // returns the text of a marked file in the column About
}

// FilePicker lets the user choose a file by typing its path or by selecting it. It lists the entries of
// the typed folder whose names contain the typed name.
type FilePicker struct {
	Table  widget.Table  // table of the shown entries
	Marked []FolderEntry // marked files, in the order in which the user marked them

	base   Base
	opt    FilePickerOptions
	path   *widget.Input
	listed []FolderEntry // all entries of the folder
	shown  []FolderEntry // entries that match the typed name
	// samples has the sample files, to list them in a folder without a file that the user is likely to choose.
	samples   []FolderEntry
	suggested string  // path of the last entry that the picker itself selected; "" if there was none
	read      Request // lists a folder
	folder    string  // the listed folder, or the folder being listed; "" before the first
	// start is the folder that StartFrom has set. It is "" once a folder was listed.
	start  string
	err    error // why the folder could not be listed, or nil
	cursor int   // cell of the cursor in the last view
	above  int   // number of lines above the entries in the last view
}

// maxPath is the maximum length of a path, in characters.
const maxPath = 4096

// NewFilePicker returns a picker that lists nothing before ShowFolder or EnterFolder.
func NewFilePicker(base Base, opt FilePickerOptions) *FilePicker {
	p := &FilePicker{base: base, opt: opt, path: widget.NewInput(maxPath)}
	p.path.Hint = opt.Hint
	p.Table.Columns = []widget.Column{{Title: "File", Width: 20, Fill: 1, Middle: true}}
	if opt.About != "" {
		p.Table.Columns = append(p.Table.Columns, widget.Column{Title: opt.About, Width: 20})
	}
	p.Table.Columns = append(
		p.Table.Columns,
		widget.Column{Title: "Size", Width: 9, Right: true, Drop: 1},
		widget.Column{Title: "Changed", Width: 11, Right: true, Drop: 2},
	)
	return p
}

// StartFrom sets the first folder. If it cannot be listed, FileAccess.Folder is listed instead.
func (p *FilePicker) StartFrom(folder string) { p.start = folder }

// ShowFolder lists the folder that was listed last. The first call lists the folder of StartFrom, or FileAccess.Folder
// if StartFrom was not called. Text that the user typed before the first folder was listed is appended to the path of
// the folder.
func (p *FilePicker) ShowFolder() tea.Cmd {
	early := p.TypedEarly()
	list := p.EnterFolder(cmp.Or(p.folder, p.start, p.base.Env.Files.Folder))
	if early == "" {
		return list
	}
	p.path.Set(p.path.Value() + early)
	return tea.Batch(list, p.followPath())
}

// TypedEarly returns the text that the user typed before the first folder was listed, or "".
func (p *FilePicker) TypedEarly() string {
	return TextIf(p.folder == "", p.path.Value())
}

// EnterFolder lists a folder, and sets the path to it.
func (p *FilePicker) EnterFolder(folder string) tea.Cmd {
	path := p.base.Env.Files.ShortPath(strings.TrimSuffix(folder, slash) + slash)
	p.path.Set(strings.TrimSuffix(path, slash) + slash)
	return p.listFolder(folder)
}

// listFolder lists a folder in the background.
func (p *FilePicker) listFolder(folder string) tea.Cmd {
	p.folder = folder
	read := func(context.Context) (listing, error) {
		var found listing
		var err error
		found.entries, err = ReadFolder(&p.base.Env.Files, folder, p.opt.Accepts)
		if err == nil && !slices.ContainsFunc(found.entries, p.isLikely) {
			found.samples = p.readSamples(folder)
		}
		return found, err
	}
	return RunInBackground(p.base, &p.read, read, p.showListing)
}

// showListing shows the entries of a folder, or why the folder could not be listed. If the folder of StartFrom could
// not be listed, showListing lists FileAccess.Folder instead, because the folder of StartFrom may have been removed
// since it was saved.
func (p *FilePicker) showListing(found listing, err error) tea.Cmd {
	isStart := p.start != ""
	p.start = ""
	if err != nil && isStart {
		return p.EnterFolder(p.base.Env.Files.Folder)
	}
	p.listed = found.entries
	p.samples = found.samples
	p.err = err
	p.filterEntries()
	if p.opt.Follow == nil {
		return nil
	}
	return p.opt.Follow()
}

// listing is the result of reading a folder.
type listing struct {
	entries []FolderEntry
	samples []FolderEntry // see [FilePicker.samples]
}

// readSamples returns the sample files to list together with the files of a folder. Samples are listed only in
// FileAccess.Folder; for any other folder readSamples returns nil, because there the user is looking for files of that
// folder. Samples that the user is unlikely to choose are left out. The listed name of a sample begins with the name of
// the samples folder.
func (p *FilePicker) readSamples(folder string) []FolderEntry {
	if p.opt.Samples == "" || folder != p.base.Env.Files.Folder {
		return nil
	}
	entries, err := readFolder(p.opt.Samples, p.opt.Accepts)
	if err != nil {
		return nil // entering the folder shows the error
	}
	isUnlikely := func(entry FolderEntry) bool { return !p.isLikely(entry) }
	samples := slices.DeleteFunc(entries, isUnlikely)
	for i := range samples {
		samples[i].Name = samplesName + slash + samples[i].Name
	}
	return samples
}

// Update handles a key or a paste in the path, and reports whether the path changed. A pasted complete
// path replaces the path.
func (p *FilePicker) Update(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	before := p.path.Value()
	paste, isPaste := msg.(tea.PasteMsg)
	pasted := strings.TrimSpace(paste.Content)
	if isPaste && IsPath(pasted) {
		p.path.Set(pasted)
	} else {
		p.path.Update(msg)
	}
	isEarly := p.folder == "" // ShowFolder will call followPath
	if p.path.Value() == before || isEarly {
		return nil, false
	}
	return p.followPath(), true
}

// followPath lists the typed folder unless it is listed already, and filters the entries by the typed
// name. If the user types a web or map address, it lists nothing.
func (p *FilePicker) followPath() tea.Cmd {
	p.err = nil
	if p.typedAddress() != "" { // no entry of the folder matches it
		p.filterEntries()
		return nil
	}
	if restarted := restartedPath(p.path.Value()); restarted != "" {
		p.path.Set(restarted)
	}
	folder, _ := filepath.Split(p.TypedPath())
	folder = filepath.Clean(cmp.Or(folder, p.base.Env.Files.Folder))
	if folder == p.folder {
		p.filterEntries()
		return nil
	}
	p.listed = nil
	p.samples = nil
	p.filterEntries()
	return p.listFolder(folder)
}

// TypedPath returns the full path that is typed.
func (p *FilePicker) TypedPath() string { return p.base.Env.Files.typedPath(p.path.Value()) }

// typedAddress returns the typed web or map address, or "". A folder before the address is ignored: the
// user need not delete it before pasting the address.
func (p *FilePicker) typedAddress() string {
	typed := p.path.Value()
	for _, scheme := range []string{"https://", "http://", "geo:"} {
		if start := strings.Index(strings.ToLower(typed), scheme); start >= 0 {
			return typed[start:]
		}
	}
	return ""
}

// TypedName returns the text after the typed folder. If an address is typed, it returns the address.
func (p *FilePicker) TypedName() string {
	if address := p.typedAddress(); address != "" {
		return address
	}
	_, name := filepath.Split(p.TypedPath())
	return name
}

// filterEntries shows the entries whose names contain the typed name, and selects one of them.
func (p *FilePicker) filterEntries() {
	name := format.Fold(p.TypedName())
	p.shown = p.shown[:0]
	if name == "" {
		p.shown = append(p.shown, p.topEntries()...)
		p.shown = append(p.shown, p.samplesFolder()...)
	}
	for _, entry := range p.samples {
		if matchesName(entry, name) {
			p.shown = append(p.shown, entry)
		}
	}
	others := len(p.shown)
	for _, entry := range p.listed {
		if matchesName(entry, name) {
			p.shown = append(p.shown, entry)
		}
	}
	p.Table.SetRows(len(p.shown), func(i int) string { return p.shown[i].Path }, p.entryRow)
	if name == "" {
		p.suggestEntry(p.shown[:others], p.shown[others:])
	}
	p.Table.Select(p.TypedPath()) // if the path is typed completely
}

// topEntries returns the entries of [FilePickerOptions.Top].
func (p *FilePicker) topEntries() []FolderEntry {
	if p.opt.Top == nil {
		return nil
	}
	return p.opt.Top()
}

// samplesFolder returns an entry that opens the folder of sample files. It returns nil if that folder is already
// listed, or if there are no samples.
func (p *FilePicker) samplesFolder() []FolderEntry {
	if p.opt.Samples == "" || p.folder == p.opt.Samples {
		return nil
	}
	return []FolderEntry{{Name: samplesName, Path: p.opt.Samples, Folder: true}}
}

// suggestEntry selects the entry that the user most likely wants. ofFolder has the entries of the folder. others has
// entries from elsewhere, such as recent files and samples. The first likely file in ofFolder is selected. If there is
// no likely file, the first file in others is selected if the folder is FileAccess.Folder, otherwise the first entry in
// ofFolder.
func (p *FilePicker) suggestEntry(others, ofFolder []FolderEntry) {
	p.suggested = ""
	candidates := ofFolder
	i := slices.IndexFunc(ofFolder, p.isLikely)
	if i < 0 && p.folder == p.base.Env.Files.Folder {
		isFile := func(entry FolderEntry) bool { return !entry.Folder }
		candidates = others
		i = slices.IndexFunc(others, isFile)
	} else if i < 0 {
		isInFolder := func(entry FolderEntry) bool { return entry.Name != parentName }
		i = slices.IndexFunc(ofFolder, isInFolder)
	}
	if i < 0 {
		return
	}
	p.suggested = candidates[i].Path
	p.Table.Select(p.suggested)
}

// IsListed reports whether a path is an entry of the listed folder, or a listed sample file.
func (p *FilePicker) IsListed(path string) bool {
	isPath := func(entry FolderEntry) bool { return entry.Path == path }
	return slices.ContainsFunc(p.listed, isPath) || slices.ContainsFunc(p.samples, isPath)
}

// UpdateTop lists the entries of [FilePickerOptions.Top] again. An entry that the user has selected stays
// selected.
func (p *FilePicker) UpdateTop() {
	selected, _ := p.Current()
	isSuggested := selected.Path == p.suggested
	p.filterEntries()
	if !isSuggested {
		p.Table.Select(selected.Path)
	}
}

// matchesName reports whether the name of an entry contains the typed name. The typed name must be folded with
// [format.Fold]. Hidden files match only if the typed name begins with a dot. The parent folder matches only if no
// name is typed.
func matchesName(entry FolderEntry, typed string) bool {
	if entry.Name == parentName {
		return typed == ""
	}
	isHidden := strings.HasPrefix(entry.Name, ".")
	if isHidden && !strings.HasPrefix(typed, ".") {
		return false
	}
	return strings.Contains(format.Fold(entry.Name), typed)
}

// isLikely reports whether an entry is a file that the user is likely to choose.
func (p *FilePicker) isLikely(entry FolderEntry) bool {
	return !entry.Folder && (p.opt.Likely == nil || p.opt.Likely(entry.Name))
}

// entryRow returns the row of the i-th shown entry.
func (p *FilePicker) entryRow(i int) widget.Row {
	entry := p.shown[i]
	isMarked := p.markedIndex(entry.Path) >= 0
	cells := []widget.Cell{p.nameCell(entry)}
	if p.opt.About != "" {
		about := ""
		if isMarked {
			about = p.opt.AboutOf(entry)
		}
		cells = append(cells, widget.Cell{Text: about})
	}
	size := ""
	age := ""
	if !entry.Folder {
		size = format.Bytes(entry.Size)
	}
	if !entry.Folder && !entry.At.IsZero() {
		age = format.Age(entry.At, p.base.Env.Clock.Now())
	}
	row := widget.Row{Cells: append(cells, widget.Cell{Text: size}, widget.Cell{Text: age})}
	if isMarked {
		row.Mark = widget.Cell{Text: "✓", Role: theme.Accent}
	}
	return row
}

// nameCell returns the cell with the name of an entry. The names of folders end with a slash.
func (p *FilePicker) nameCell(entry FolderEntry) widget.Cell {
	if !entry.Folder {
		return widget.Cell{Text: entry.Name}
	}
	name := entry.Name
	if name != parentName {
		name += slash
	}
	return widget.Cell{Text: name, Role: theme.Accent}
}

// Current returns the selected entry; ok is false if no entry is shown.
func (p *FilePicker) Current() (entry FolderEntry, ok bool) {
	if len(p.shown) == 0 {
		return FolderEntry{}, false
	}
	return p.shown[p.Table.Cursor()], true
}

// isFile reports whether an entry is a file. An entry of [FilePickerOptions.Top] can be something else, such as the
// clipboard. Such an entry has no absolute path.
func isFile(entry FolderEntry) bool { return !entry.Folder && filepath.IsAbs(entry.Path) }

// CompletePath completes the path with the name of the selected file, or enters the selected folder.
func (p *FilePicker) CompletePath() tea.Cmd {
	entry, ok := p.Current()
	if !ok {
		return nil
	}
	if entry.Folder {
		return p.EnterFolder(entry.Path)
	}
	if !isFile(entry) {
		return nil
	}
	if filepath.Dir(entry.Path) != p.folder { // an entry of Top
		p.path.Set(p.base.Env.Files.ShortPath(entry.Path))
		return p.followPath()
	}
	typed := p.path.Value()
	folder := typed[:strings.LastIndexByte(typed, filepath.Separator)+1] // as typed, for example with ~
	p.path.Set(filepath.Join(folder, entry.Name))
	return nil
}

// MarkFile marks the selected file, or removes its mark.
func (p *FilePicker) MarkFile() {
	entry, ok := p.Current()
	if !ok || !isFile(entry) {
		return
	}
	i := p.markedIndex(entry.Path)
	if i >= 0 {
		p.Marked = slices.Delete(p.Marked, i, i+1)
		return
	}
	p.Marked = append(p.Marked, entry)
}

// markedIndex returns the index in Marked of the file with a path, or -1.
func (p *FilePicker) markedIndex(path string) int {
	return slices.IndexFunc(p.Marked, func(file FolderEntry) bool { return file.Path == path })
}

// ClickEntry selects the entry at line y of the last view, and reports whether there is one.
func (p *FilePicker) ClickEntry(y int) bool {
	p.suggested = "" // the user has selected the entry
	return p.Table.Click(y - p.above)
}

// Cursor returns the cursor in the path.
func (p *FilePicker) Cursor() *tea.Cursor { return tea.NewCursor(p.cursor, 0) }

// ListError returns the error of listing the folder, or nil. While an address is typed it returns nil.
func (p *FilePicker) ListError() error {
	if p.typedAddress() != "" {
		return nil
	}
	return p.err
}

// View draws the path, the given notes below the path, and the entries, into exactly h lines of w cells.
func (p *FilePicker) View(w, h int, notes ...string) string {
	lines := p.RenderHead(w, h, notes...)
	room := h - len(lines)
	if room > 0 {
		lines = append(lines, format.SplitLines(p.RenderEntries(w, room))...)
	}
	return format.FitBox(lines, w, h)
}

// RenderHead draws the path and the given notes below it, in at most h lines of w cells.
func (p *FilePicker) RenderHead(w, h int, notes ...string) []string {
	const label = " File  "
	th := p.base.Env.Look.Theme
	path := p.path.View(w-format.Width(label)-1, th.Style(theme.Text), th.Style(theme.Muted))
	p.cursor = format.Width(label) + p.path.CursorCell()
	lines := []string{th.PaintRole(theme.Accent, label) + path}
	lines = append(lines, notes...)
	lines = lines[:min(len(lines), h)]
	p.above = len(lines)
	return lines
}

// RenderEntries draws the entries into exactly h lines of w cells, or a text if none matches the typed
// name. The caller must show the entries directly below the lines of the last RenderHead, so that
// ClickEntry finds the clicked entry.
func (p *FilePicker) RenderEntries(w, h int) string {
	th := p.base.Env.Look.Theme
	if len(p.shown) == 0 && !p.read.IsRunning() {
		return format.FitBox(th.PaintLines(theme.Muted, " ", p.opt.None(), w-1), w, h)
	}
	return p.Table.View(th, w, h, true)
}
