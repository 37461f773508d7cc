package ordering

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/config/atomicfile"
	"flightdesk/tui/app/changes"
)

// Drafts stores drafts of orders, each in a file, and order templates.
//
// Several windows can share the folder. The window that edits a draft holds a lock file, which names the
// process and its host. A new draft gets an unused file name and keeps it. The next run resumes the newest
// draft that was not set aside. If the disk does not support locks, a window replaces a file only if the
// file still has the content that this window last read or wrote.
type Drafts struct {
	Current *Draft // the draft being edited; Current, Left, Version and Wanted are for the main loop only
	Left    *Draft // the draft that the new order page had when the user left it, or nil
	Version int    // incremented with every change of the draft
	Wanted  string // stored draft that the new order page should open, or ""

	folder    string       // "" keeps drafts in memory
	forgotten []*draftFile // files to be removed

	searched atomic.Bool // ReadDraft has looked for the draft to resume

	mu     sync.Mutex
	Reader FileReader // of survey files

	memory    map[string][]byte           // files that have no folder or could not be written
	locks     map[string]*atomicfile.Lock // by file open in this window; nil on a disk without locks
	changeLog *changes.Log                // records which drafts were placed; may be nil
	setsAside bool                        // drafts of this window are set aside: another window has the draft to resume
	closed    bool
}

// draftFile is the file in which a draft is stored.
type draftFile struct {
	name    string // "" until it is written for the first time
	version int    // version in the file
	known   string // digest of the content that this window last read or wrote
}

// writeTimeout limits how long a window waits while another window writes.
const writeTimeout = 10 * time.Second

// errStale is returned if another window changed a file.
var errStale = errors.New("another window changed the draft")

// OpenElsewhereError is returned if another process has a draft open.
type OpenElsewhereError struct{ Holder atomicfile.LockHolder }

func (e *OpenElsewhereError) Error() string {
	text := "the draft is open in another window"
	if e.Holder.PID != 0 {
		text += " (" + e.Holder.String() + ")"
	}
	return text
}

// NewDrafts stores drafts in a folder, or in memory if folder is "".
func NewDrafts(folder string) *Drafts {
	return &Drafts{
		folder: folder,
		memory: map[string][]byte{},
		locks:  map[string]*atomicfile.Lock{},
	}
}

// OnDisk reports whether drafts are stored on disk.
func (k *Drafts) OnDisk() bool { return k.folder != "" }

// Save returns a function that saves the draft in its current state. The draft may change
// before the function runs.
func (k *Drafts) Save(d *Draft) func() error {
	k.Version++
	clone := d.Clone()
	version := k.Version
	return k.locked(func() error { return k.saveDraft(clone, version, k.setsAside) })
}

// RemoveCurrent drops the current draft and returns a function that removes it from disk.
func (k *Drafts) RemoveCurrent() func() error {
	k.Version++
	version := k.Version
	file := &draftFile{}
	if k.Current != nil {
		file = k.Current.file // the page may replace the draft before the file is removed
	}
	k.Current = nil
	k.forgotten = append(k.forgotten, file)
	return k.locked(func() error { return k.removeDraft(file, version) })
}

// BeginDraft makes d the current draft. It returns a function that sets the previous draft aside and saves
// d. The function does I/O: call it in the background.
func (k *Drafts) BeginDraft(d *Draft) func() error {
	k.searched.Store(true)
	previous := NewDraft()
	if k.Current != nil {
		previous = k.Current.Clone()
	}
	k.Current = d
	save := k.Save(d)
	version := k.Version
	setAside := k.locked(func() error { return k.setAside(previous, version) })
	return func() error {
		if err := setAside(); err != nil {
			return fmt.Errorf("keep the other draft: %w", err)
		}
		return save()
	}
}

// locked returns a function that locks k.mu, calls do and unlocks k.mu.
func (k *Drafts) locked(do func() error) func() error {
	return func() error {
		k.mu.Lock()
		defer k.mu.Unlock()
		return do()
	}
}

// ReadDraft opens the draft to resume, or returns nil if there is none. All calls but the first return
// nil. It returns an error if another window has the draft open, or if a draft is unreadable.
func (k *Drafts) ReadDraft(context.Context) (*Draft, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.searched.Load() {
		return nil, nil
	}
	list, err := k.listDrafts()
	k.searched.Store(true)
	for _, s := range list {
		if s.resumes {
			return k.openDraft(s.Name)
		}
		if s.Draft == nil {
			err = fmt.Errorf("could not read the draft; saved as %s", k.path(s.Name))
		} else if s.Elsewhere != nil && !s.Draft.Aside {
			k.setsAside = true
			err = fmt.Errorf("%w; this window starts a new one", s.Elsewhere)
		}
	}
	return nil, err
}

// OpenStored opens a stored draft for [Drafts.BeginDraft]. It does I/O: call it in the
// background.
func (k *Drafts) OpenStored(name string) (*Draft, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.openDraft(name)
}

// RemoveStored deletes a stored draft and returns a function that restores it. It fails if another
// window has the draft open. It also fails if an order was sent from the draft and is not confirmed yet.
// It does I/O: call it in the background.
func (k *Drafts) RemoveStored(name string) (restore func() error, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.claim(name); err != nil {
		return nil, fmt.Errorf("delete draft: %w", err)
	}
	defer func() { err = errors.Join(err, k.release(name)) }()
	data, err := k.removeUnsent(name)
	if err != nil {
		return nil, fmt.Errorf("delete draft: %w", err)
	}
	return k.locked(func() error {
		f := &draftFile{}
		return errors.Join(k.writeDraft(f, data, 1), k.release(f.name))
	}), nil
}

// removeUnsent deletes the file of a draft and returns its content. It fails if an order of the
// draft is unconfirmed.
func (k *Drafts) removeUnsent(name string) ([]byte, error) {
	data, err := k.readFile(name)
	if err != nil {
		return nil, err
	}
	d, decodeErr := decodeDraft(data)
	if decodeErr == nil { // an unreadable draft has no order
		if err := k.checkNotSent(d); err != nil {
			return nil, err
		}
	}
	if err := k.removeFile(name); err != nil {
		return nil, err
	}
	return data, nil
}

// checkNotSent returns an error if an order of the draft was sent and is not confirmed.
func (k *Drafts) checkNotSent(d *Draft) error {
	if err := k.refreshChanges(); err != nil {
		return err
	}
	if k.ordersOf(d.ID).Open != nil {
		return errors.New("the order may have been placed; check it first")
	}
	return nil
}

// Flush saves changes that are not on disk yet. Call it when the program ends, after all background work.
func (k *Drafts) Flush() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var err error
	for _, f := range k.forgotten {
		err = errors.Join(err, k.removeDraft(f, k.Version))
	}
	d := k.Current
	if d == nil {
		return err
	}
	isNewAndEmpty := len(d.Sites) == 0 && d.file.name == ""
	if isNewAndEmpty {
		return err
	}
	return errors.Join(err, k.saveDraft(d, k.Version, k.setsAside))
}

// Rescue returns a function that saves the current draft. If drafts cannot be written to their own folder, the
// function copies them to the first writable folder in folders, and returns the paths of the copies. The error is
// from saving to the drafts' own folder.
func (k *Drafts) Rescue(folders ...string) func() (copies []string, err error) {
	save := func() error { return nil }
	if d := k.Current; d != nil && len(d.Sites) > 0 {
		save = k.Save(d)
	}
	return func() (copies []string, err error) {
		err = save()
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.folder == "" {
			return nil, err
		}
		for _, data := range k.memory {
			if path := copyDraft(data, folders); path != "" {
				copies = append(copies, path)
			}
		}
		return copies, err
	}
}

// copyDraft writes a draft to the first writable folder and returns its path, or "". The
// user can move the copy to the drafts' folder.
func copyDraft(data []byte, folders []string) string {
	for _, folder := range folders {
		f, err := os.CreateTemp(folder, "draft-*.json")
		if err != nil {
			continue
		}
		_, err = f.Write(data)
		err = errors.Join(err, f.Sync(), f.Close())
		if err == nil {
			return f.Name()
		}
		_ = os.Remove(f.Name())
	}
	return ""
}

// Close saves changes and releases the drafts that are open in this window.
func (k *Drafts) Close() error {
	err := k.Flush()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	for name := range k.locks {
		err = errors.Join(err, k.release(name))
	}
	return err
}

// Callers of the functions below hold mu.

// saveDraft saves a version of a draft, unless the same or a later version was saved. If aside is true,
// the next run does not resume the draft.
func (k *Drafts) saveDraft(d *Draft, version int, aside bool) error {
	if version <= d.file.version {
		return nil
	}
	d.Aside = aside
	data, err := encodeDraft(d)
	if err != nil {
		return fmt.Errorf("save draft: %w", err)
	}
	if err := k.writeDraft(d.file, data, version); err != nil {
		return fmt.Errorf("save draft: %w", err)
	}
	return nil
}

// writeDraft replaces the file of a draft. If another window changed the file, the draft gets a
// new file. If writing fails, the draft is kept in memory.
func (k *Drafts) writeDraft(f *draftFile, data []byte, version int) error {
	if k.closed {
		return errors.New("the program has exited")
	}
	if f.name == "" {
		f.name = k.lockNewName()
	}
	err := k.replaceFile(f, data)
	if errors.Is(err, errStale) {
		err = k.writeToNewFile(f, data)
	}
	if err != nil {
		k.memory[f.name] = data
		return err
	}
	f.known = digestOf(data)
	f.version = version
	return nil
}

// writeToNewFile gives a draft another file name and writes it.
func (k *Drafts) writeToNewFile(f *draftFile, data []byte) error {
	err := k.release(f.name)
	f.name = k.lockNewName()
	if err != nil {
		return err
	}
	return k.replaceFile(f, data)
}

func (k *Drafts) replaceFile(f *draftFile, data []byte) error {
	return k.updateFile(f.name, func(old []byte) ([]byte, error) {
		if old != nil && digestOf(old) != f.known {
			return nil, errStale
		}
		return data, nil
	})
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// removeDraft deletes the file of a draft. It keeps the file if a later version was saved or if another
// window changed the file.
func (k *Drafts) removeDraft(f *draftFile, version int) error {
	if f.version >= version {
		return nil
	}
	data, err := k.readFile(f.name)
	if err == nil && digestOf(data) == f.known {
		err = k.removeFile(f.name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove draft: %w", err)
	}
	name := f.name
	f.name = ""
	f.version = version
	return k.release(name)
}

// setAside saves a draft and unlocks its file, so that the user can work on another draft. A draft without
// sites is deleted instead.
func (k *Drafts) setAside(d *Draft, version int) error {
	if len(d.Sites) == 0 {
		return k.removeDraft(d.file, version)
	}
	return errors.Join(k.saveDraft(d, version, true), k.release(d.file.name))
}

// openDraft locks and reads a draft.
func (k *Drafts) openDraft(name string) (*Draft, error) {
	if err := k.claim(name); err != nil {
		return nil, err
	}
	d, err := k.readDraft(name)
	if err != nil {
		err = fmt.Errorf("could not read this draft: %w; the file is unchanged", err)
		return nil, errors.Join(err, k.release(name))
	}
	_ = k.refreshChanges() // the draft opens even if this fails; placing reports the error
	d.UpdateOrders(k.ordersOf(d.ID))
	return d, nil
}

func (k *Drafts) readDraft(name string) (*Draft, error) {
	data, err := k.readFile(name)
	if err != nil {
		return nil, err
	}
	d, err := decodeDraft(data)
	if err != nil {
		return nil, err
	}
	d.file = &draftFile{name: name, known: digestOf(data)}
	return d, nil
}

// claim locks a file name for this window. It returns an [*OpenElsewhereError] if another
// window has locked it. On a disk without locks it always succeeds.
func (k *Drafts) claim(name string) error {
	if _, isOpenHere := k.locks[name]; isOpenHere {
		return nil
	}
	var lock *atomicfile.Lock
	if k.folder != "" && os.MkdirAll(k.folder, 0o700) == nil {
		var err error
		lock, err = atomicfile.TryLock(k.path("." + name + ".open"))
		if held, ok := errors.AsType[*atomicfile.HeldError](err); ok {
			return &OpenElsewhereError{held.Holder}
		}
	}
	k.locks[name] = lock
	return nil
}

// release unlocks a file name.
func (k *Drafts) release(name string) error {
	lock := k.locks[name]
	delete(k.locks, name)
	if lock == nil {
		return nil
	}
	return lock.Unlock()
}

// draftName returns the file name of the n-th draft, counted from 0.
func draftName(n int) string {
	if n == 0 {
		return "new-order.json"
	}
	return "draft-" + strconv.Itoa(n) + ".json"
}

// draftNumber returns the number n in the file name draftName(n), or -1 for any other file name.
func draftNumber(name string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(strings.TrimSuffix(name, ".json"), "draft-"))
	if draftName(n) != name {
		return -1
	}
	return n
}

// lockNewName locks the first unused file name and returns it.
func (k *Drafts) lockNewName() string {
	for n := 0; ; n++ {
		name := draftName(n)
		_, isOpenHere := k.locks[name]
		if isOpenHere || k.claim(name) != nil {
			continue // another window may be about to write it
		}
		_, err := os.Lstat(k.path(name))
		isOnDisk := k.folder != "" && err == nil
		if k.memory[name] == nil && !isOnDisk {
			return name
		}
		_ = k.release(name)
	}
}

func (k *Drafts) path(name string) string { return filepath.Join(k.folder, name) }

// readFile returns the content of a file, or [fs.ErrNotExist].
func (k *Drafts) readFile(name string) ([]byte, error) {
	if data := k.memory[name]; data != nil {
		return data, nil
	}
	if k.folder == "" || name == "" {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(k.path(name))
}

// updateFile replaces the content of a file by the result of change. The argument of change is the old content, or
// nil if the file does not exist. Other windows cannot change the file meanwhile.
func (k *Drafts) updateFile(name string, change func([]byte) ([]byte, error)) error {
	if k.folder == "" {
		data, err := change(k.memory[name])
		if err == nil {
			k.memory[name] = data
		}
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	err := atomicfile.UpdateFile(ctx, k.path(name), change)
	if err == nil {
		delete(k.memory, name)
	}
	return err
}

func (k *Drafts) removeFile(name string) error {
	delete(k.memory, name)
	if k.folder == "" {
		return nil
	}
	if err := os.Remove(k.path(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
