package page

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/anmitsu/go-shlex"

	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// typedPath turns what was typed or pasted into a path: quotes and escapes of
// a shell, file: addresses, ~ and relative paths.
func (f *FileAccess) typedPath(typed string) string {
	s := strings.TrimSpace(typed)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	if os.PathSeparator == '/' && !strings.HasPrefix(s, "file:") {
		s = strings.NewReplacer(`\ `, " ", `\(`, "(", `\)`, ")", `\'`, "'", `\&`, "&").Replace(s)
	}
	if s == "" {
		return ""
	}
	return strings.TrimSuffix(f.pathOf(s), slash) + TextIf(strings.HasSuffix(s, slash), slash)
}

// freshPath returns the path that was begun anew behind another one, as in
// /home/anna//tmp or /home/anna/~/surveys; "" where there is none.
func freshPath(typed string) string {
	if strings.HasPrefix(strings.TrimLeft(typed, `"' `), "file:") {
		return ""
	}
	at := max(strings.LastIndex(typed, "//"), strings.LastIndex(typed, "/~"))
	if at < 0 {
		return ""
	}
	return typed[at+1:]
}

const slash = string(filepath.Separator)

// SeveralPaths returns the paths of a text that is nothing but paths, as file
// managers drop and copy them: one a line, or in quotes or with escaped spaces
// one after the other. It is nil for any other text.
func (f *FileAccess) SeveralPaths(text string) []string {
	var paths []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") { // of a text/uri-list
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

// IsPath reports whether pasted text is a path of its own rather than a piece of
// the one being typed.
func IsPath(pasted string) bool { return beginsPath(strings.TrimLeft(pasted, `"'`)) }

// beginsPath reports whether a word begins as a whole path does.
func beginsPath(word string) bool {
	return filepath.IsAbs(word) || word == "~" || strings.HasPrefix(word, "~"+slash) ||
		strings.HasPrefix(word, "file:")
}

// pathOf returns the path of a word whose quotes are gone.
func (f *FileAccess) pathOf(word string) string {
	if u, err := url.Parse(word); err == nil && u.Scheme == "file" {
		return filepath.Clean(u.Path)
	}
	return f.FullPath(word)
}

// shellWords splits a line as a shell does: at spaces that are neither in quotes nor
// escaped. What follows a quote that is not closed is a word.
func shellWords(line string) []string {
	if os.PathSeparator != '/' { // there a backslash parts folders
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
	At     time.Time // when it was changed last
}

const up = ".."

// FindFile returns the entry of a regular file, or false if there is none that may be read.
func FindFile(f *FileAccess, path string) (e FolderEntry, ok bool) {
	if f.Confine(path) != nil {
		return FolderEntry{}, false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return FolderEntry{}, false
	}
	return FolderEntry{filepath.Base(path), path, false, info.Size(), info.ModTime()}, true
}

// readFolder lists a folder: the way up, folders, then the files whose names are
// accepted.
func readFolder(folder string, accepts func(name string) bool) (entries []FolderEntry, _ error) {
	found, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, ordering.FileReason(err))
	}
	for _, f := range found {
		path := filepath.Join(folder, f.Name())
		info, err := os.Stat(path) // follows links
		if err != nil || !info.IsDir() && (accepts != nil && !accepts(f.Name()) || !info.Mode().IsRegular()) {
			continue
		}
		entries = append(entries, FolderEntry{f.Name(), path, info.IsDir(), info.Size(), info.ModTime()})
	}
	sort.SliceStable(entries, func(i, j int) bool {
		a, b := &entries[i], &entries[j]
		if a.Folder != b.Folder {
			return a.Folder
		}
		return strings.ToLower(a.Name) < strings.ToLower(b.Name)
	})
	if parent := filepath.Dir(folder); parent != folder {
		entries = slices.Insert(entries, 0, FolderEntry{
			Name:   up,
			Path:   parent,
			Folder: true,
		})
	}
	return entries, nil
}

// FileDialog is a picker in a box, in which one file is taken, or several.
type FileDialog struct {
	*FilePicker

	Title string
	// Several is what ctrl+s does with the marked files, as in deliver; "" where
	// one file is taken.
	Several string
	// Turn has ←→ change what the column about files says of a marked one.
	Turn   func(e FolderEntry, n int)
	OnDone func(files []FolderEntry) tea.Cmd

	fault string
}

// Update takes keys: enter goes into a folder, or marks or takes a file.
func (d *FileDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		cmd, _ := d.FilePicker.Update(msg)
		return cmd, false
	}
	d.fault = ""
	switch k := key.String(); k {
	case "esc":
		return nil, true
	case "up", "down", "pgup", "pgdown":
		page := max(1, d.Table.ShownRows())
		d.Table.Move(map[string]int{
			"up":     -1,
			"down":   1,
			"pgup":   -page,
			"pgdown": page,
		}[k])
	case "tab":
		return d.CompletePath(), false
	case "left", "right":
		if e, ok := d.Current(); ok && d.Turn != nil && d.markedIndex(e.Path) >= 0 {
			d.Turn(e, map[string]int{"left": -1, "right": 1}[k])
		}
	case "ctrl+s":
		if len(d.Marked) > 0 {
			return d.OnDone(d.Marked), true
		}
		d.fault = "no file marked; press enter to mark one"
	case "enter":
		return d.enterChosen()
	default:
		cmd, _ := d.FilePicker.Update(msg)
		return cmd, false
	}
	return nil, false
}

// enterChosen goes into a folder, takes the one file, or marks one of several.
func (d *FileDialog) enterChosen() (tea.Cmd, bool) {
	e, ok := d.Current()
	switch {
	case !ok:
	case e.Folder:
		return d.EnterFolder(e.Path), false
	case d.Several == "":
		return d.OnDone([]FolderEntry{e}), true
	default:
		d.MarkFile()
	}
	return nil, false
}

// HandleClick selects an entry, and a second click on it does what enter does.
func (d *FileDialog) HandleClick(_, y int) (tea.Cmd, bool) {
	was, any := d.Current()
	if !d.ClickEntry(y - 1) {
		return nil, false
	}
	if e, _ := d.Current(); any && e.Path == was.Path {
		return d.enterChosen()
	}
	return nil, false
}

// most is how many entries are shown.
const most = 16

// View draws the box.
func (d *FileDialog) View(th *theme.Theme, w, h int) string {
	w = th.NarrowWidth(w, 76)
	var below []string
	fault := d.fault
	if err := d.ListError(); fault == "" && err != nil {
		fault = err.Error()
	}
	if fault != "" {
		below = append(below, th.PaintRole(theme.Bad, format.CutLine(" ! "+fault, w-4)))
	}
	rows := min(max(len(d.shown), 1), most) + 2 // below the path and the titles
	hint := "enter select   esc back"
	if d.Several != "" {
		hint = fmt.Sprintf("enter mark   ←→ kind   ctrl+s %s %d   esc back", d.Several, len(d.Marked))
	}
	lines := format.SplitLines(d.FilePicker.View(w-4, max(1, min(h-2, rows+len(below))), below...))
	return widget.DrawDialog(th, d.Title, hint, lines, w)
}

// Cursor stands in what is typed.
func (d *FileDialog) Cursor() *tea.Cursor {
	c := d.FilePicker.Cursor()
	return tea.NewCursor(c.X+2, c.Y+1)
}
