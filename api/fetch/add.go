package fetch

import (
	"errors"
	"path/filepath"
	"strings"
)

// Add appends the files of a package to the queue, in the state Waiting or Paused. If a file is
// already in the queue, it is not added twice. Instead, unless state is Paused, it is resumed if it
// was paused, cancelled or failed, and downloaded again if the file on disk is no longer intact. If
// the disk has too little space for all files, nothing is added and the error is [ErrNoSpace].
func (q *Queue) Add(p Package, state State) ([]ID, error) {
	if len(p.Files) == 0 {
		return nil, nil
	}
	if p.ID == "" || len(p.Folder) == 0 {
		return nil, errors.New("a package without an id or a folder")
	}
	f := q.folderOf(p)
	if err := f.openShared(); err != nil {
		return nil, err
	}
	ids, err := q.addPackage(f, p, state)
	return ids, errors.Join(err, f.closeShared())
}

// folderOf returns the folder of a package. Packages with the same kind, ID and folder names share it.
func (q *Queue) folderOf(p Package) *lockedFolder {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := p.Kind + "\x00" + p.ID + "\x00" + strings.Join(p.Folder, "\x00")
	f := q.folders[key]
	if f == nil {
		f = newLockedFolder(q.o.Dir, p)
		q.folders[key] = f
	}
	return f
}

// addedFile is a file that is being added to the queue.
type addedFile struct {
	item  *queueItem
	local FileState
}

// addPackage adds the files of a package, whose folder is open.
func (q *Queue) addPackage(f *lockedFolder, p Package, state State) (ids []ID, err error) {
	added := make([]addedFile, len(p.Files))
	need := int64(0)
	for i, file := range p.Files {
		added[i] = q.newAddedFile(f, file)
		need += max(0, file.Size-added[i].local.Done) // 0 for an unknown size, which is -1
	}
	if err := q.checkSpaceToAdd(need); err != nil {
		return nil, err
	}
	// The manifest is saved before a download begins, so that it lists the files even after a crash.
	for _, a := range added {
		if !a.local.Whole {
			f.addOutstanding(a.local.File, a.item.path)
		}
	}
	if err := f.saveNow(); err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed { // possibly while the manifest was saved; the files remain listed in it
		return nil, errStopped
	}
	for _, a := range added {
		ids = append(ids, q.addItem(a, state))
	}
	q.startItems()
	return ids, nil
}

// newAddedFile returns an item for a file in an open folder, and the local state of the file.
func (q *Queue) newAddedFile(f *lockedFolder, file File) addedFile {
	it := &queueItem{folder: f, path: f.assignName(file), file: file}
	it.finalPath = filepath.Join(q.o.Dir, f.path, it.path)
	it.key = it.finalPath + "\x00" + file.ID
	it.file.URL = ""
	it.size.Store(file.Size)
	local := f.inspectFile(file, it.path)
	it.done.Store(local.Done)
	return addedFile{item: it, local: local}
}

// addItem adds a file to the queue and returns the ID of its item. If the queue already has the file, it returns the
// ID of the existing item, and resumes that item unless state is Paused.
func (q *Queue) addItem(added addedFile, state State) ID {
	it := added.item
	existing := q.byFile[it.key]
	if existing != nil {
		if state == Waiting {
			q.resumeExisting(existing, added.local)
		}
		return existing.id
	}
	q.nextID++
	it.id = q.nextID
	it.state = state
	q.byID[it.id] = it
	q.byFile[it.key] = it
	q.items = append(q.items, it)
	q.notifyChange()
	return it.id
}

// resumeExisting makes an item wait again if it was paused, failed or cancelled, or if it was complete and its file
// is no longer intact on disk. local is the state of the file on disk.
func (q *Queue) resumeExisting(it *queueItem, local FileState) {
	wasComplete := it.state == Done || it.state == Here
	if wasComplete && !local.Whole {
		it.state = Waiting
		it.done.Store(local.Done)
		it.entry = FetchedFile{}
		q.notifyChange()
	}
	q.requeueItem(it)
}

// requeueItem changes a paused, failed or cancelled item to Waiting. An item that is still
// stopping changes when it has stopped.
func (q *Queue) requeueItem(it *queueItem) {
	it.again = it.state == Fetching && it.stopping
	if it.state == Paused || it.state == Failed || it.state == Cancelled {
		it.state = Waiting
		it.err = nil
		q.notifyChange()
	}
}
