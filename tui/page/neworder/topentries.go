package neworder

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/page"
)

const (
	clipboardEntry  = "clipboard"           // path of the clipboard entry; the paths of files are absolute
	recentFilesKey  = "recent survey files" // key of the UI state that has the paths of recent files
	maxRecent       = 8                     // number of recent files to remember
	maxShownRecent  = 3
	maxClipboardLen = 1 << 20 // maximum length of a text in the clipboard, in bytes
)

// topEntries are the entries above the files of a folder: the clipboard, if its text contains survey sites, and
// the recently used files.
type topEntries struct {
	recent    []page.FolderEntry
	clipboard string // text in the clipboard, or "" if it contains no survey sites
	sites     int    // number of sites in the text
}

// loadTopEntries reads the clipboard in the background, checks which recent files still exist, and
// shows the entries.
func (s *filesStep) loadTopEntries() tea.Cmd {
	var paths []string
	s.Env.Look.UIState.Get(recentFilesKey, &paths)
	files := &s.Env.Files
	read := func(ctx context.Context) (top topEntries, _ error) {
		for _, path := range paths {
			if entry, ok := page.FindFile(files, path); ok {
				top.recent = append(top.recent, entry)
			}
		}
		top.clipboard, top.sites = readClipboard(ctx, files.ReadClipboard)
		return top, nil
	}
	show := func(top topEntries, _ error) tea.Cmd {
		s.top = top
		s.picker.UpdateTop()
		return s.followSelection()
	}
	return page.RunInBackground(s.parent.base, &s.loadingTop, read, show)
}

// readClipboard returns the text in the clipboard and the number of survey sites in it. It returns "" if the clipboard
// cannot be read, has no sites, or has only the path of a file. read is nil if there is no clipboard to read.
func readClipboard(ctx context.Context, read func() (string, error)) (text string, sites int) {
	if read == nil {
		return "", 0
	}
	text, err := read()
	text = cleanPaste(text)
	if err != nil || text == "" || len(text) > maxClipboardLen || page.IsPath(text) {
		return "", 0
	}
	ctx, cancel := context.WithTimeout(ctx, maxPreviewTime)
	defer cancel()
	res, err := kmlcsv.ParsePasted(ctx, text, kmlcsv.Options{NoPlaces: true})
	if err != nil || len(res.Placemarks) == 0 {
		return "", 0
	}
	return text, len(res.Placemarks)
}

// topEntries returns the entry of the clipboard and the entries of recent files. Recent files in the
// listed folder are left out.
func (s *filesStep) topEntries() []page.FolderEntry {
	var entries []page.FolderEntry
	if s.top.sites > 0 {
		entries = append(entries, page.FolderEntry{
			Name: "clipboard: " + siteCount(s.top.sites),
			Path: clipboardEntry,
			Size: int64(len(s.top.clipboard)),
		})
	}
	recent := 0
	for _, entry := range s.top.recent {
		if recent == maxShownRecent {
			break
		}
		if s.picker.IsListed(entry.Path) {
			continue
		}
		entry.Name = s.Env.Files.ShortPath(entry.Path)
		entries = append(entries, entry)
		recent++
	}
	return entries
}

// rememberFiles saves the paths of files that were read in the list of recent files, newest first.
func rememberFiles(look *page.PageLook, reads []ordering.FileRead) tea.Cmd {
	var paths []string
	look.UIState.Get(recentFilesKey, &paths)
	for _, read := range reads {
		if read.Pasted != "" {
			continue
		}
		isThisFile := func(path string) bool { return path == read.Path }
		paths = slices.DeleteFunc(paths, isThisFile)
		paths = slices.Insert(paths, 0, read.Path)
	}
	look.UIState.Put(recentFilesKey, paths[:min(len(paths), maxRecent)])
	return look.SaveUIState()
}
