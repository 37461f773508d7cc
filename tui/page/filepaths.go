package page

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/anmitsu/go-shlex"

	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// typedPath returns the path that a typed or pasted text means. The text can have quotes and escapes
// of a shell, be a file: address, begin with ~, or be a relative path. A trailing slash is kept.
func (f *FileAccess) typedPath(typed string) string {
	typed = trimQuotes(strings.TrimSpace(typed))
	if os.PathSeparator == '/' && !strings.HasPrefix(typed, "file:") {
		typed = shellEscapes.Replace(typed)
	}
	if typed == "" {
		return ""
	}
	path := strings.TrimSuffix(f.pathOf(typed), slash)
	if strings.HasSuffix(typed, slash) {
		path += slash
	}
	return path
}

// trimQuotes removes quotes around a text.
func trimQuotes(text string) string {
	last := len(text) - 1
	if last < 1 || text[0] != text[last] {
		return text
	}
	if text[0] != '"' && text[0] != '\'' {
		return text
	}
	return text[1:last]
}

// shellEscapes removes the escapes that shells and terminals add to dropped paths.
var shellEscapes = strings.NewReplacer(`\ `, " ", `\(`, "(", `\)`, ")", `\'`, "'", `\&`, "&")

// restartedPath returns the new path if the user typed one without deleting the old one, otherwise "".
// In /home/anna//tmp it is /tmp, in /home/anna/~/surveys it is ~/surveys.
func restartedPath(typed string) string {
	if strings.HasPrefix(strings.TrimLeft(typed, `"' `), "file:") {
		return ""
	}
	start := max(strings.LastIndex(typed, "//"), strings.LastIndex(typed, "/~"))
	if start < 0 {
		return ""
	}
	return typed[start+1:]
}

const slash = string(filepath.Separator)

// SeveralPaths returns the paths in a text that the user dropped or copied from a file manager. Each line has one path,
// or several paths that are separated by spaces and have quotes or escaped spaces. SeveralPaths returns nil if any part
// of the text is not a path.
func (f *FileAccess) SeveralPaths(text string) []string {
	var paths []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") { // a comment in a text/uri-list
			continue
		}
		words := shellWords(line)
		if strings.HasPrefix(line, "file:") && len(words) < 2 {
			words = []string{line}
		}
		for _, word := range words {
			if !beginsPath(word) {
				return nil
			}
			paths = append(paths, f.pathOf(word))
		}
	}
	return paths
}

// IsPath reports whether a pasted text is a complete path: an absolute path, a path that begins with ~, or a file:
// address. Any other text is inserted into the path that the user is typing.
func IsPath(pasted string) bool { return beginsPath(strings.TrimLeft(pasted, `"'`)) }

// beginsPath reports whether a word is an absolute path, begins with ~/, or is a file: address.
func beginsPath(word string) bool {
	isHome := word == "~" || strings.HasPrefix(word, "~"+slash)
	return isHome || filepath.IsAbs(word) || strings.HasPrefix(word, "file:")
}

// pathOf converts a word without quotes to a full path. The word is a path or a file: address.
func (f *FileAccess) pathOf(word string) string {
	if u, err := url.Parse(word); err == nil && u.Scheme == "file" {
		return filepath.Clean(u.Path)
	}
	return f.FullPath(word)
}

// shellWords splits a line like a shell, at spaces that are neither in quotes nor escaped. If a quote is not
// closed, the text after it is one word.
func shellWords(line string) []string {
	if os.PathSeparator != '/' { // a backslash separates folders here
		line = strings.ReplaceAll(line, `\`, `\\`)
	}
	words, _ := shlex.Split(line, true)
	return words
}

// FolderEntry is a file or a folder.
type FolderEntry struct {
	Name   string
	Path   string
	Folder bool
	Size   int64     // in bytes
	At     time.Time // time of the last change
}

// parentName is the name of the entry for the parent folder.
const parentName = ".."

// FindFile returns the entry of a regular file. ok is false if the path has no regular file, or if the user may not use
// the file.
func FindFile(f *FileAccess, path string) (entry FolderEntry, ok bool) {
	if f.Confine(path) != nil {
		return FolderEntry{}, false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return FolderEntry{}, false
	}
	entry = FolderEntry{
		Name: filepath.Base(path),
		Path: path,
		Size: info.Size(),
		At:   info.ModTime(),
	}
	return entry, true
}

// ReadFolder lists a folder that the user may read: the parent folder, folders, then files. It lists only
// files whose names are accepted; accepts may be nil.
func ReadFolder(f *FileAccess, folder string, accepts func(name string) bool) ([]FolderEntry, error) {
	if err := f.Confine(folder); err != nil {
		return nil, err
	}
	return readFolder(folder, accepts)
}

// readFolder does the work of [ReadFolder], but also lists folders that the user may not read.
func readFolder(folder string, accepts func(name string) bool) ([]FolderEntry, error) {
	found, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, ordering.FileReason(err))
	}
	var entries []FolderEntry
	for _, f := range found {
		path := filepath.Join(folder, f.Name())
		info, err := os.Stat(path) // follows links
		if err != nil {
			continue
		}
		isAccepted := info.Mode().IsRegular() && (accepts == nil || accepts(f.Name()))
		if !info.IsDir() && !isAccepted {
			continue
		}
		entries = append(entries, FolderEntry{
			Name:   f.Name(),
			Path:   path,
			Folder: info.IsDir(),
			Size:   info.Size(),
			At:     info.ModTime(),
		})
	}
	slices.SortStableFunc(entries, compareEntries)
	parent := filepath.Dir(folder)
	hasParent := parent != folder
	if hasParent {
		entries = slices.Insert(entries, 0, FolderEntry{Name: parentName, Path: parent, Folder: true})
	}
	return entries, nil
}

// compareEntries orders folders before files, and both by name.
func compareEntries(a, b FolderEntry) int {
	if a.Folder != b.Folder {
		if a.Folder {
			return -1
		}
		return 1
	}
	return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
}

// FileDialog is a dialog with a file picker. The user selects a single file or, if MarkedVerb is set, marks several
// files.
type FileDialog struct {
	*FilePicker

	Title string
	// MarkedVerb is the text for the key ctrl+s, which closes the dialog with the marked files, for example
	// "deliver". If it is "", the user cannot mark files.
	MarkedVerb string
	// Turn changes the text of a marked file in the column About: to the next text if step is 1, to the previous
	// text if step is -1. The right and left keys call it. It may be nil.
	Turn   func(file FolderEntry, step int)
	OnDone func(files []FolderEntry) tea.Cmd

	fault string // why the last key had no effect, or ""
}

// Update handles keys: enter opens a folder, selects a file, or marks one of several files. Other keys edit the
// path. done is true if the dialog must be closed.
func (d *FileDialog) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	if _, isKey := msg.(tea.KeyPressMsg); isKey {
		d.fault = ""
	}
	page := max(1, d.Table.ShownRows())
	switch widget.KeyName(msg) {
	case "esc":
		return nil, true
	case "up":
		d.Table.Move(-1)
	case "down":
		d.Table.Move(1)
	case "pgup":
		d.Table.Move(-page)
	case "pgdown":
		d.Table.Move(page)
	case "tab":
		return d.CompletePath(), false
	case "left":
		d.turnMarked(-1)
	case "right":
		d.turnMarked(1)
	case "ctrl+s":
		if len(d.Marked) > 0 {
			return d.OnDone(d.Marked), true
		}
		d.fault = "no file marked; press enter to mark one"
	case "enter":
		return d.enterChosen()
	default:
		cmd, _ = d.FilePicker.Update(msg) // the dialog does not need to know whether the path changed
		return cmd, false
	}
	return nil, false
}

// turnMarked calls Turn for the selected file if the file is marked.
func (d *FileDialog) turnMarked(step int) {
	entry, ok := d.Current()
	if ok && d.Turn != nil && d.markedIndex(entry.Path) >= 0 {
		d.Turn(entry, step)
	}
}

// enterChosen opens the selected folder, or chooses or marks the selected file. The caller must close the dialog
// if done is true.
func (d *FileDialog) enterChosen() (cmd tea.Cmd, done bool) {
	entry, ok := d.Current()
	if !ok {
		return nil, false
	}
	if entry.Folder {
		return d.EnterFolder(entry.Path), false
	}
	if d.MarkedVerb == "" {
		return d.OnDone([]FolderEntry{entry}), true
	}
	d.MarkFile()
	return nil, false
}

// HandleClick selects the clicked entry. A click on the selected entry does the same as enter.
func (d *FileDialog) HandleClick(_, y int) (tea.Cmd, bool) {
	before, hadEntry := d.Current()
	if !d.ClickEntry(y - 1) {
		return nil, false
	}
	entry, _ := d.Current()
	if hadEntry && entry.Path == before.Path {
		return d.enterChosen()
	}
	return nil, false
}

// maxEntries is the maximum number of visible entries.
const maxEntries = 16

// View draws the dialog.
func (d *FileDialog) View(th *theme.Theme, w, h int) string {
	w = th.NarrowWidth(w, 76)
	var errorLines []string
	if fault := d.shownFault(); fault != "" {
		line := format.CutLine(" ! "+fault, w-4)
		errorLines = append(errorLines, th.PaintRole(theme.Bad, line))
	}
	hint := "enter select   esc back"
	if d.MarkedVerb != "" {
		hint = fmt.Sprintf("enter mark   ←→ kind   ctrl+s %s %d   esc back", d.MarkedVerb, len(d.Marked))
	}
	height := min(max(len(d.shown), 1), maxEntries) + len(errorLines) + 2 // with the path and the column titles
	height = max(1, min(h-2, height))
	lines := format.SplitLines(d.FilePicker.View(w-4, height, errorLines...))
	return widget.DrawDialog(th, d.Title, hint, lines, w)
}

// shownFault returns why the last key had no effect, or else why the folder cannot be listed. It returns "" if there
// is no error.
func (d *FileDialog) shownFault() string {
	if d.fault != "" {
		return d.fault
	}
	if err := d.ListError(); err != nil {
		return err.Error()
	}
	return ""
}

// Cursor returns the cursor in the path.
func (d *FileDialog) Cursor() *tea.Cursor {
	c := d.FilePicker.Cursor()
	return tea.NewCursor(c.X+2, c.Y+1)
}
