package fetch

import (
	"fmt"
	"os"
	"path/filepath"
)

// FileState is the local state of a file.
type FileState struct {
	File  File
	Path  string      // its name in the folder
	At    string      // its path below the folder that was looked in, with that; "" where the package has no folder there
	Whole bool        // it is there, as the manifest says
	Known bool        // it was fetched once, also where it is no longer there
	Done  int64       // bytes on disk
	Entry FetchedFile // what the manifest says of it, where it is known
}

// IsNew reports whether no fetch has brought the file.
func (s FileState) IsNew() bool { return !s.Known && !s.Whole }

// InspectFolder returns what of a package is below dir, in the order of its files. It
// reads names and sizes only, and changes nothing.
func InspectFolder(dir string, p Package) ([]FileState, error) {
	f := newLockedFolder(dir, p)
	err := f.findFolder(false)
	if err != nil && !isMissing(err) {
		return nil, err
	}
	standings := make([]FileState, len(p.Files))
	for i, file := range p.Files {
		standings[i] = FileState{File: file}
		if f.root != nil {
			standings[i] = f.inspectFile(file, f.assignName(file))
			standings[i].At = filepath.Join(dir, f.path, standings[i].Path)
		}
	}
	if f.root == nil {
		return standings, nil
	}
	return standings, f.root.Close()
}

// inspectFile looks at one file; the folder is open.
func (f *lockedFolder) inspectFile(file File, path string) FileState {
	s := FileState{File: file, Path: path}
	entry, known := f.fetchedEntry(file.ID)
	s.Known, s.Entry = known, entry
	if info, err := f.root.Lstat(path); err == nil {
		if known && entry.matchesFile(info, file.Size) {
			s.Whole, s.Done = true, entry.Size
		}
		return s
	}
	s.Done = readState(f.root, path, file.ID).Done.totalBytes()
	return s
}

// matchesFile reports whether a file is the one of the entry by all that can be seen
// without reading it. A size below 0 is not known.
func (e FetchedFile) matchesFile(info os.FileInfo, size int64) bool {
	return info.Mode().IsRegular() && info.Size() == e.Size && info.ModTime().Equal(e.Modified) &&
		(size < 0 || size == e.Size)
}

// removePart removes what there is of a file that is not whole.
func removePart(root *os.Root, name string) {
	for _, end := range []string{partEnding, stateEnding, newEnding} {
		_ = root.Remove(name + end)
	}
}

// numberedName returns the i-th choice of a package's folder.
func numberedName(way []string, i int) []string {
	if i == 1 {
		return way
	}
	last := len(way) - 1
	return append(append([]string{}, way[:last]...), shortenName(way[last], maxName-8)+fmt.Sprintf(" (%d)", i))
}
