package neworder

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// folderContents has the entries of a folder that the preview lists.
type folderContents struct {
	files   []page.FolderEntry // files that can have sites
	folders int                // number of folders in the folder
	err     error              // error of reading the folder
}

// loadFolder reads a folder in the background, and then shows its contents.
func (v *filePreview) loadFolder(base page.Base, entry page.FolderEntry) tea.Cmd {
	v.stop()
	v.entry = entry
	v.folder = folderContents{}
	files := &v.env.Files
	read := func(context.Context) (folderContents, error) { return readContents(files, entry.Path), nil }
	show := func(contents folderContents, _ error) tea.Cmd {
		v.folder = contents
		return nil
	}
	return page.RunInBackground(base, &v.reading, read, show)
}

// readContents returns the contents of a folder. Hidden entries are left out.
func readContents(access *page.FileAccess, folder string) folderContents {
	entries, err := page.ReadFolder(access, folder, canHaveSites)
	if err != nil {
		return folderContents{err: err}
	}
	isHidden := func(entry page.FolderEntry) bool { return strings.HasPrefix(entry.Name, ".") } // also the parent
	var contents folderContents
	for _, entry := range slices.DeleteFunc(entries, isHidden) {
		if entry.Folder {
			contents.folders++
		} else {
			contents.files = append(contents.files, entry)
		}
	}
	return contents
}

// renderFolder adds the number of survey files and folders in the folder, and the survey files that fit into
// h lines.
func (v *filePreview) renderFolder(t *textLines, h int, openKey string) {
	if v.folder.err != nil {
		t.addNote(theme.Bad, " ! ", shortPaths(&v.env.Files, v.folder.err.Error()))
		return
	}
	hint := page.TextIf(openKey != "", " · "+openKey+" opens the folder")
	t.add(t.PaintText(" "+v.folder.describe()) + t.PaintMuted(hint))
	t.add("")
	now := v.env.Clock.Now()
	for i, file := range v.folder.files {
		isLastLine := len(t.lines) == h-1
		if more := len(v.folder.files) - i; isLastLine && more > 1 {
			t.addText(theme.Muted, "and "+groupDigits(more)+" more")
			return
		}
		end := format.FitRight(format.Bytes(file.Size), 9) + format.FitRight(format.Age(file.At, now), 9) + " "
		name := format.CutMiddle(format.Clean(file.Name), max(1, t.w-format.Width(end)-2))
		t.add(format.FitEnds(" "+t.PaintText(name), t.PaintMuted(end), t.w))
	}
}

// describe returns the numbers of survey files and folders, such as "4 survey files, 2 folders".
func (c *folderContents) describe() string {
	text := "No survey files"
	if len(c.files) > 0 {
		text = format.Count(len(c.files), "survey file")
	}
	if c.folders > 0 {
		text += ", " + format.Count(c.folders, "folder")
	}
	return text
}
