package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"flightdesk/config/atomicfile"
)

// lockedFolder is the folder of a package. It is open and locked while a file of the package
// is being downloaded.
type lockedFolder struct {
	base string // Options.Dir
	pkg  Package
	path string // path of the folder below base; set by findFolder

	renewing sync.Mutex // held while links are renewed

	mu       sync.Mutex
	users    int // number of openShared calls without a closeShared
	root     *os.Root
	lock     *os.File // locked while the folder is open
	manifest *Manifest
	indexes  map[string]int // file ID → index in manifest.Files
	names    takenNames
	paths    map[string]string // file ID → name on disk
	files    map[string]File   // file ID → last listed file
	listing  int               // number of times the links were listed
	dirty    bool              // whether the manifest has changed since it was saved
	saved    time.Time         // when the manifest was last saved
	cost     time.Duration     // how long saving it took
}

func newLockedFolder(base string, p Package) *lockedFolder {
	f := &lockedFolder{
		base:  base,
		pkg:   p,
		paths: map[string]string{},
		files: map[string]File{},
	}
	f.pkg.Files = nil
	f.pkg.Folder = slices.Clone(p.Folder)
	for i, name := range p.Folder {
		f.pkg.Folder[i] = SafeName(name)
	}
	return f
}

// openShared opens and locks the folder, unless it is open already. Every call must be followed by
// a call of closeShared; the last one closes the folder.
func (f *lockedFolder) openShared() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users == 0 {
		if err := f.findFolder(forDownload); err != nil {
			cause := err
			if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
				cause = pathErr.Err
			}
			return fmt.Errorf("folder %s: %w", filepath.Join(f.base, f.path), cause)
		}
	}
	f.users++
	return nil
}

// openToRead opens the folder of the package without locking it. If there is no such folder, the
// error is [fs.ErrNotExist].
func (f *lockedFolder) openToRead() error { return f.findFolder(forReading) }

// folderUse is what a folder is opened for.
type folderUse int

const (
	forReading  folderUse = iota // the folder must exist and is not locked
	forDownload                  // the folder is created if it does not exist, and locked
)

// findFolder opens the folder of the package. If other packages have the folders "v1" and "v1 (2)",
// it opens the folder "v1 (3)". It creates the folder only for a download. If a folder for reading
// does not exist, the error is [fs.ErrNotExist].
func (f *lockedFolder) findFolder(use folderUse) error {
	if use == forDownload {
		if err := os.MkdirAll(f.base, 0o755); err != nil {
			return err
		}
	}
	base, err := os.OpenRoot(f.base)
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	for i := 1; f.root == nil; i++ {
		f.path = filepath.Join(numberedName(f.pkg.Folder, i)...)
		if err := f.claimFolder(base, use); err != nil {
			return err
		}
	}
	return nil
}

// claimFolder opens the folder at f.path and sets f.root. For a download it creates the folder. If
// the manifest in the folder belongs to another package, f.root stays nil.
func (f *lockedFolder) claimFolder(base *os.Root, use folderUse) error {
	if use == forDownload {
		if err := base.MkdirAll(f.path, 0o755); err != nil {
			return onDisk(err)
		}
	}
	root, err := base.OpenRoot(f.path)
	if err != nil {
		return err
	}
	m, err := f.openManifest(root, use)
	if err != nil {
		return errors.Join(err, f.unlock(), root.Close())
	}
	isOtherPackage := m.ID != f.pkg.ID
	if isOtherPackage {
		return errors.Join(f.unlock(), root.Close())
	}
	f.root = root
	f.loadManifest(m)
	return nil
}

// unlock unlocks the folder, if it is locked.
func (f *lockedFolder) unlock() error {
	if f.lock == nil {
		return nil
	}
	err := atomicfile.UnlockFile(f.lock)
	f.lock = nil
	return err
}

// openManifest returns the manifest of a folder, or a new manifest if the folder has none. For a
// download it also locks the folder. It does not lock a folder that belongs to another package.
func (f *lockedFolder) openManifest(root *os.Root, use folderUse) (*Manifest, error) {
	m, err := f.readOrNewManifest(root)
	if use == forReading {
		return m, err
	}
	isOtherPackage := err == nil && m.ID != f.pkg.ID
	if isOtherPackage {
		return m, nil
	}
	f.lock, err = lockFolder(root)
	if err != nil {
		return nil, err
	}
	return f.readOrNewManifest(root) // read again, now that no other process writes it
}

// readOrNewManifest reads the manifest of a folder, or returns a new manifest of this package.
func (f *lockedFolder) readOrNewManifest(root *os.Root) (*Manifest, error) {
	m, err := readManifest(root)
	if isMissing(err) {
		return &Manifest{PackageInfo: f.pkg.PackageInfo, Service: f.pkg.Service}, nil
	}
	return m, err
}

// lockFolder prevents other processes from downloading into the folder until the returned
// file is unlocked or this process ends.
func lockFolder(root *os.Root) (*os.File, error) {
	f, err := openLock(root)
	if err != nil {
		return nil, err
	}
	err = atomicfile.LockFile(f)
	if err == nil || errors.Is(err, errors.ErrUnsupported) { // some network disks have no locks
		return f, nil
	}
	if errors.Is(err, atomicfile.ErrHeld) {
		err = ErrInUse
	}
	return nil, errors.Join(err, f.Close())
}

// loadManifest sets the manifest of the folder. It reserves the names of the files in the manifest,
// so that new files get other names.
func (f *lockedFolder) loadManifest(m *Manifest) {
	f.manifest = m
	f.indexes = map[string]int{}
	if f.names == nil {
		f.names = newTakenNames()
	}
	for i, file := range m.Files {
		f.indexes[file.ID] = i
		f.restoreName(file.ID, file.Path)
	}
	for _, file := range m.Unfinished {
		f.restoreName(file.ID, file.Path)
	}
}

// restoreName gives a file the name that it has in the manifest, if the name is safe and free.
func (f *lockedFolder) restoreName(id, path string) {
	if f.paths[id] == "" && SafeName(path) == path && !f.names.isTaken(path) {
		f.paths[id] = path
		f.names.addName(path)
	}
}

// closeShared ends the use that a call of openShared began. The last call saves the manifest, unlocks the
// folder and closes it.
func (f *lockedFolder) closeShared() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users--
	if f.users > 0 {
		return nil
	}
	err := f.saveManifest()
	err = errors.Join(err, atomicfile.UnlockFile(f.lock), f.root.Close())
	f.root = nil
	f.lock = nil
	f.manifest = nil
	return err
}

// saveManifest writes the manifest if it has changed. The caller must hold f.mu.
func (f *lockedFolder) saveManifest() error {
	if !f.dirty {
		return nil
	}
	began := time.Now()
	f.manifest.Updated = began.UTC().Truncate(time.Second)
	if f.manifest.Files == nil {
		f.manifest.Files = []FetchedFile{}
	}
	if err := f.manifest.writeTo(f.root); err != nil {
		return onDisk(err)
	}
	f.dirty = false
	f.saved = began
	f.cost = time.Since(began)
	return nil
}

// saveNow is saveManifest for callers that do not hold f.mu. A saved manifest marks the folder as the
// folder of the package.
func (f *lockedFolder) saveNow() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.saveManifest()
}

// saveWhenDue saves the manifest if the last save was at least a second ago. If saving takes long,
// it waits longer, so that at most 1 % of the time is spent on saving.
func (f *lockedFolder) saveWhenDue(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	interval := max(time.Second, 100*f.cost)
	if f.users > 0 && now.Sub(f.saved) >= interval {
		_ = f.saveManifest() // a later save, such as the last one, reports the error
	}
}

// assignName returns the name of a file in the folder. It reserves the name, and remembers the file with
// its link.
func (f *lockedFolder) assignName(file File) (path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[file.ID] = file
	path = f.paths[file.ID]
	if path == "" {
		path = f.names.reserveName(SafeName(file.Name))
		f.paths[file.ID] = path
	}
	return path
}

// setAside renames a file of the folder, such as "cloud.las" to "cloud (changed).las". If another file has
// the new name, it adds a number, as in "cloud (changed 2).las".
func (f *lockedFolder) setAside(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n := 1; ; n++ {
		name := changedName(path, n)
		_, err := f.root.Lstat(name)
		if err == nil || f.names.isTaken(name) {
			continue
		}
		if !isMissing(err) {
			return onDisk(err)
		}
		f.names.addName(name)
		return onDisk(f.root.Rename(path, name))
	}
}

// changedName returns the n-th candidate for the new name of a changed file: "cloud (changed).las", then
// "cloud (changed 2).las".
func changedName(name string, n int) string {
	ending := filepath.Ext(name)
	stem := shortenName(strings.TrimSuffix(name, ending), maxName-len(ending)-len(" (changed 999)"))
	if n == 1 {
		return stem + " (changed)" + ending
	}
	return fmt.Sprintf("%s (changed %d)%s", stem, n, ending)
}

// addOutstanding adds a file to the unfinished files of the manifest, unless it is there already.
func (f *lockedFolder) addOutstanding(file File, path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range f.manifest.Unfinished {
		if o.ID == file.ID {
			return
		}
	}
	f.manifest.Unfinished = append(f.manifest.Unfinished, OutstandingFile{
		ID:      file.ID,
		Name:    file.Name,
		Path:    path,
		Product: file.Product,
		Size:    file.Size,
	})
	f.dirty = true
}

// dropOutstanding removes a file from the unfinished files of the manifest.
func (f *lockedFolder) dropOutstanding(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.removeOutstanding(id)
}

// removeOutstanding is dropOutstanding for callers that hold f.mu.
func (f *lockedFolder) removeOutstanding(id string) {
	hasID := func(o OutstandingFile) bool { return o.ID == id }
	if slices.ContainsFunc(f.manifest.Unfinished, hasID) {
		f.manifest.Unfinished = slices.DeleteFunc(f.manifest.Unfinished, hasID)
		f.dirty = true
	}
}

// addFetched adds a complete file to the manifest, or replaces its entry.
func (f *lockedFolder) addFetched(entry FetchedFile) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.removeOutstanding(entry.ID)
	f.dirty = true
	if i, ok := f.indexes[entry.ID]; ok {
		f.manifest.Files[i] = entry
		return
	}
	f.indexes[entry.ID] = len(f.manifest.Files)
	f.manifest.Files = append(f.manifest.Files, entry)
}

// fetchedEntry returns the entry of a complete file in the manifest.
func (f *lockedFolder) fetchedEntry(id string) (FetchedFile, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i, ok := f.indexes[id]
	if !ok {
		return FetchedFile{}, false
	}
	return f.manifest.Files[i], true
}

// listedFile returns a file as it was listed last. listing is the number of the listing, which
// increases each time the files are listed.
func (f *lockedFolder) listedFile(id string) (file File, listing int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files[id], f.listing
}

// renewLinks lists the files again to get new links. callersListing is the number of the listing
// from which the caller has its link. If the files were listed again since then, renewLinks does
// nothing, so that callers that wait at the same time share one listing.
func (f *lockedFolder) renewLinks(ctx context.Context, callersListing int) error {
	f.renewing.Lock()
	defer f.renewing.Unlock()
	f.mu.Lock()
	isRenewed := f.listing != callersListing
	f.mu.Unlock()
	if isRenewed {
		return nil
	}
	if f.pkg.List == nil {
		return ErrGone
	}
	listed, err := f.pkg.List(ctx)
	if err != nil {
		return err
	}
	f.updateLinks(listed)
	return nil
}

// updateLinks sets the links of the requested files from a new listing. Files that are not
// listed any more lose their links.
func (f *lockedFolder) updateLinks(listed []File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listing++
	byID := map[string]File{}
	for _, file := range listed {
		byID[file.ID] = file
	}
	for id, file := range f.files {
		renewed, isListed := byID[id]
		if isListed {
			f.files[id] = renewed
		} else {
			file.URL = ""
			f.files[id] = file
		}
	}
}
