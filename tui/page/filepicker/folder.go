package filepicker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"flightdesk/tui/app/ordering"
)

// FolderEntry is a file or a folder.
type FolderEntry struct {
	Name   string
	Path   string
	Folder bool
	Size   int64     // in bytes
	At     time.Time // when it was changed last
}

const up = ".."

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
	slices.SortStableFunc(entries, func(a, b FolderEntry) int {
		switch {
		case a.Folder == b.Folder:
			return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
		case a.Folder:
			return -1
		}
		return 1
	})
	if parent := filepath.Dir(folder); parent != folder {
		entries = slices.Insert(entries, 0, FolderEntry{Name: up, Path: parent, Folder: true})
	}
	return entries, nil
}
