package fetch

import (
	"os"
	"path/filepath"
)

// FileState is the local state of a file.
type FileState struct {
	File  File
	Path  string // name of the file in the folder
	At    string // path of the file, beginning with the inspected folder; empty if that has no folder of the package
	Whole bool   // the file exists, with the size and time in the manifest
	Known bool   // the file was downloaded once, even if it no longer exists
	// Changed is set if a downloaded file now has another size or time, or after VerifyFolder,
	// another digest.
	Changed bool
	Done    int64       // bytes on disk
	Entry   FetchedFile // entry in the manifest, if Known
}

// IsNew reports whether the file was never downloaded.
func (s FileState) IsNew() bool { return !s.Known && !s.Whole }

// InspectFolder returns the state of each file of a package below dir, in the order of p.Files. It
// only reads names and sizes, and changes nothing.
func InspectFolder(dir string, p Package) ([]FileState, error) {
	states := make([]FileState, len(p.Files))
	for i, file := range p.Files {
		states[i].File = file
	}
	f := newLockedFolder(dir, p)
	err := f.openToRead()
	if isMissing(err) {
		return states, nil
	}
	if err != nil {
		return nil, err
	}
	for i, file := range p.Files {
		states[i] = f.inspectFile(file, f.assignName(file))
		states[i].At = filepath.Join(dir, f.path, states[i].Path)
	}
	return states, f.root.Close()
}

// CountFiles returns how many files of a package are complete below dir. incomplete is the number
// of files that were downloaded or requested there, but are missing, changed or incomplete.
// CountFiles uses only the manifest: it does not need p.Files, and changes nothing.
func CountFiles(dir string, p Package) (complete, incomplete int, err error) {
	f := newLockedFolder(dir, p)
	err = f.openToRead()
	if isMissing(err) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	incompleteIDs := map[string]bool{} // a changed file that was requested again is in both lists
	for _, entry := range f.manifest.Files {
		info, err := f.root.Lstat(entry.Path)
		if err == nil && entry.matchesFile(info, -1) {
			complete++
		} else {
			incompleteIDs[entry.ID] = true
		}
	}
	for _, file := range f.manifest.Unfinished {
		incompleteIDs[file.ID] = true
	}
	return complete, len(incompleteIDs), f.root.Close()
}

// inspectFile returns the state of one file; the folder is open.
func (f *lockedFolder) inspectFile(file File, path string) FileState {
	s := FileState{File: file, Path: path}
	s.Entry, s.Known = f.fetchedEntry(file.ID)
	info, err := f.root.Lstat(path)
	if err != nil { // the file does not exist; it may have a part
		s.Done = readState(f.root, path, file.ID).Done.totalBytes()
		return s
	}
	if !s.Known {
		return s
	}
	if s.Entry.matchesFile(info, file.Size) {
		s.Whole = true
		s.Done = s.Entry.Size
	} else {
		s.Changed = true
	}
	return s
}

// matchesFile reports whether a file has the size and time of the entry, and the listed size. The
// listed size is below 0 if it is unknown.
func (e FetchedFile) matchesFile(info os.FileInfo, listed int64) bool {
	isUnchanged := info.Mode().IsRegular() && info.Size() == e.Size && info.ModTime().Equal(e.Modified)
	isListedSize := listed < 0 || listed == e.Size
	return isUnchanged && isListedSize
}
