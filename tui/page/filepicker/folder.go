package filepicker

import (
	"cmp"
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

// folderListing is what a folder has.
type folderListing struct {
	folder  string
	entries []FolderEntry
}

const up = ".."

// readFolder lists a folder: the way up, folders, then the files whose names are
// accepted.
func readFolder(folder string, accepts func(name string) bool) (folderListing, error) {
	l := folderListing{folder: folder}
	found, err := os.ReadDir(folder)
	if err != nil {
		return l, fmt.Errorf("%s: %w", folder, ordering.FileReason(err))
	}
	if parent := filepath.Dir(folder); parent != folder {
		l.entries = append(l.entries, FolderEntry{Name: up, Path: parent, Folder: true})
	}
	for _, f := range found {
		path := filepath.Join(folder, f.Name())
		info, err := os.Stat(path) // follows links
		if err != nil || !info.IsDir() && (accepts != nil && !accepts(f.Name()) || !info.Mode().IsRegular()) {
			continue
		}
		l.entries = append(l.entries, FolderEntry{f.Name(), path, info.IsDir(), info.Size(), info.ModTime()})
	}
	slices.SortStableFunc(l.entries, func(a, b FolderEntry) int {
		return cmp.Or(kindOrder(a)-kindOrder(b), strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)))
	})
	return l, nil
}

func kindOrder(e FolderEntry) int {
	switch {
	case e.Name == up:
		return 0
	case e.Folder:
		return 1
	default:
		return 2
	}
}
