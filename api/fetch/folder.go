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

// lockedFolder is a package's folder. It is open, and locked, while something of it
// is being fetched.
type lockedFolder struct {
	base string // Options.Dir
	pkg  Package
	path string // below base, once it is known

	renewing sync.Mutex // held while links are renewed

	mu       sync.Mutex
	users    int
	root     *os.Root
	lock     *os.File
	manifest *Manifest
	at       map[string]int // id → index in manifest.Files
	names    takenNames
	paths    map[string]string // id → name on disk
	files    map[string]File   // id → as listed last
	listing  int               // how often the links were listed
	dirty    bool
	saved    time.Time
	cost     time.Duration // of the last save
}

func newLockedFolder(base string, p Package) *lockedFolder {
	f := &lockedFolder{
		base:  base,
		pkg:   p,
		paths: map[string]string{},
		files: map[string]File{},
	}
	f.pkg.Files, f.pkg.Folder = nil, slices.Clone(p.Folder)
	for i, name := range p.Folder {
		f.pkg.Folder[i] = SafeName(name)
	}
	return f
}

// openShared opens the folder for one user more.
func (f *lockedFolder) openShared() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users == 0 {
		if err := f.findFolder(true); err != nil {
			if at, ok := errors.AsType[*fs.PathError](err); ok {
				err = at.Err
			}
			return fmt.Errorf("folder %s: %w", filepath.Join(f.base, f.path), err)
		}
	}
	f.users++
	return nil
}

// findFolder opens the folder that is the package's. With lock it makes one that none
// has yet, and locks it; without, the error is of [fs.ErrNotExist] where there is none.
func (f *lockedFolder) findFolder(lock bool) error {
	if lock {
		if err := os.MkdirAll(f.base, 0o755); err != nil {
			return err
		}
	}
	base, err := os.OpenRoot(f.base)
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	for i := 1; f.root == nil && err == nil; i++ {
		f.path = filepath.Join(numberedName(f.pkg.Folder, i)...)
		err = f.claimFolder(base, lock)
	}
	return err
}

// claimFolder opens the folder if no other package has it.
func (f *lockedFolder) claimFolder(base *os.Root, lock bool) (err error) {
	if lock {
		if err := base.MkdirAll(f.path, 0o755); err != nil {
			return onDisk(err)
		}
	}
	root, err := base.OpenRoot(f.path)
	if err != nil {
		return err
	}
	defer func() {
		if f.root != nil {
			return
		}
		err = errors.Join(err, root.Close())
		if f.lock != nil {
			err = errors.Join(err, f.lock.Close())
			f.lock = nil
		}
	}()
	m, err := readManifest(root)
	if err == nil && m.ID != f.pkg.ID {
		return nil
	}
	if lock {
		if f.lock, err = lockFolder(root); err != nil {
			return err
		}
		m, err = readManifest(root) // again, now that nobody else writes it
	}
	if isMissing(err) {
		m, err = &Manifest{PackageInfo: f.pkg.PackageInfo, Service: f.pkg.Service}, nil
	}
	if err == nil && m.ID == f.pkg.ID {
		f.root = root
		f.loadManifest(m)
	}
	return err
}

// lockFolder keeps other processes from fetching into the folder, until the
// file returned is closed or the process dies.
func lockFolder(root *os.Root) (*os.File, error) {
	f, err := openLock(root)
	if err != nil {
		return nil, err
	}
	err = atomicfile.LockFile(f)
	switch {
	case errors.Is(err, errors.ErrUnsupported): // as on some network disks
		return f, nil
	case errors.Is(err, atomicfile.ErrHeld):
		err = ErrInUse
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *lockedFolder) loadManifest(m *Manifest) {
	f.manifest, f.at = m, map[string]int{}
	if f.names == nil {
		f.names = newTakenNames()
	}
	for i, file := range m.Files {
		f.at[file.ID] = i
		f.keepName(file.ID, file.Path)
	}
	for _, file := range m.Unfinished {
		f.keepName(file.ID, file.Path)
	}
}

// keepName has a file go on under the name that the manifest gives it.
func (f *lockedFolder) keepName(id, path string) {
	if f.paths[id] == "" && SafeName(path) == path && !f.names.isTaken(path) {
		f.paths[id] = path
		f.names.addName(path)
	}
}

// closeShared ends one use. The last one saves the manifest and unlocks the folder.
func (f *lockedFolder) closeShared() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users--; f.users > 0 {
		return nil
	}
	err := f.saveManifest()
	err = errors.Join(err, f.lock.Close(), f.root.Close())
	f.root, f.lock, f.manifest = nil, nil, nil
	return err
}

// saveManifest writes the manifest if it has changed; f.mu is held.
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
	f.dirty, f.saved, f.cost = false, began, time.Since(began)
	return nil
}

// saveNow saves the manifest now: with it the folder is the package's.
func (f *lockedFolder) saveNow() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.saveManifest()
}

// saveWhenDue saves the manifest now and then: a second after the last time, later
// where it is so large that writing it takes long.
func (f *lockedFolder) saveWhenDue(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users > 0 && now.Sub(f.saved) >= max(time.Second, 100*f.cost) {
		_ = f.saveManifest() // tried again; the last time says what is wrong
	}
}

// assignName gives a file its name in the folder and notes it as asked for.
func (f *lockedFolder) assignName(file File) (path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[file.ID] = file
	path = f.paths[file.ID]
	if path == "" {
		path = f.names.takeName(SafeName(file.Name))
		f.paths[file.ID] = path
	}
	return path
}

// setAside gives a file of the folder another name, "name (changed).las" or a numbered one
// that is free.
func (f *lockedFolder) setAside(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	ending := filepath.Ext(path)
	stem := shortenName(strings.TrimSuffix(path, ending), maxName-len(ending)-len(" (changed 999)"))
	for n := 1; ; n++ {
		name := stem + " (changed)" + ending
		if n > 1 {
			name = fmt.Sprintf("%s (changed %d)%s", stem, n, ending)
		}
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

// addOutstanding notes a file as asked for.
func (f *lockedFolder) addOutstanding(file File, path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range f.manifest.Unfinished {
		if o.ID == file.ID {
			return
		}
	}
	f.manifest.Unfinished = append(f.manifest.Unfinished, OutstandingFile{
		ID: file.ID, Name: file.Name, Path: path, Product: file.Product, Size: file.Size,
	})
	f.dirty = true
}

// dropOutstanding notes a file as no longer asked for.
func (f *lockedFolder) dropOutstanding(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forgetFile(id)
}

func (f *lockedFolder) forgetFile(id string) {
	before := len(f.manifest.Unfinished)
	f.manifest.Unfinished = slices.DeleteFunc(
		f.manifest.Unfinished,
		func(o OutstandingFile) bool { return o.ID == id },
	)
	f.dirty = f.dirty || len(f.manifest.Unfinished) != before
}

// addFetched notes a file as whole.
func (f *lockedFolder) addFetched(entry FetchedFile) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forgetFile(entry.ID)
	f.dirty = true
	if i, known := f.at[entry.ID]; known {
		f.manifest.Files[i] = entry
		return
	}
	f.at[entry.ID] = len(f.manifest.Files)
	f.manifest.Files = append(f.manifest.Files, entry)
}

// fetchedEntry returns what the manifest says of a file.
func (f *lockedFolder) fetchedEntry(id string) (FetchedFile, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i, known := f.at[id]
	if !known {
		return FetchedFile{}, false
	}
	return f.manifest.Files[i], true
}

// listedFile returns a file as it was listed last, and in which listing.
func (f *lockedFolder) listedFile(id string) (file File, listing int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files[id], f.listing
}

// renewLinks lists the files again, unless that was done since the listing that the
// caller knows: one call serves all that wait.
func (f *lockedFolder) renewLinks(ctx context.Context, known int) error {
	f.renewing.Lock()
	defer f.renewing.Unlock()
	f.mu.Lock()
	listing := f.listing
	f.mu.Unlock()
	if listing != known {
		return nil
	}
	if f.pkg.List == nil {
		return ErrGone
	}
	files, err := f.pkg.List(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listing++
	still := map[string]bool{}
	for _, file := range files {
		still[file.ID] = true
		if _, asked := f.files[file.ID]; asked {
			f.files[file.ID] = file
		}
	}
	for id, file := range f.files {
		if !still[id] {
			file.URL = ""
			f.files[id] = file
		}
	}
	return nil
}
