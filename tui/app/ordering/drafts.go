package ordering

import (
	"cmp"
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
)

// Drafts keeps the orders being made, each in a file, and the templates.
//
// A draft's file belongs to the window that works on it: a lock beside it says which
// process on which host that is. A draft takes a name that is free and keeps it, so
// that it does not matter which of several is written first. The next run goes on
// with the newest that was not set aside. Where locks do not work, a file is replaced
// only while its content is what this window read or wrote last.
type Drafts struct {
	Current *Draft // the one that is worked on; the program's loop only, as the next two
	Version int    // counts the changes of the draft
	Wanted  string // stored draft that the new order is to open, "" for none

	folder    string       // "" keeps them in memory
	forgotten []*draftFile // to be removed

	read atomic.Bool // which draft to go on with is settled

	mu     sync.Mutex
	Reader FileReader // of survey files

	memory map[string][]byte           // what no folder has, or what it could not take
	locks  map[string]*atomicfile.Lock // of what is open here; nil on a disk without locks
	ledger *Ledger                     // says which drafts were placed; nil for none
	second bool                        // another window has the draft to go on with; those here are beside it
	closed bool
}

// draftFile is where a draft is kept.
type draftFile struct {
	name    string // "" until it is written for the first time
	version int    // that is there
	known   string // digest of what this window read or wrote there last
}

// patience is how long a window waits for another one that writes.
const patience = 10 * time.Second

// errStale is the error for a file that another window has changed.
var errStale = errors.New("another window changed the draft")

// OpenElsewhereError says which process has a draft open.
type OpenElsewhereError struct{ Holder atomicfile.LockHolder }

func (e *OpenElsewhereError) Error() string {
	text := "the draft is open in another window"
	if e.Holder.PID != 0 {
		text += " (" + e.Holder.String() + ")"
	}
	return text
}

// NewDrafts keeps drafts in a folder, or in memory where folder is "".
func NewDrafts(folder string) *Drafts {
	return &Drafts{
		folder: folder,
		memory: map[string][]byte{},
		locks:  map[string]*atomicfile.Lock{},
	}
}

// OnDisk reports whether drafts outlive the program.
func (k *Drafts) OnDisk() bool { return k.folder != "" }

// Keep returns the function that writes the draft as it is now; the draft may
// change while it runs.
func (k *Drafts) Keep(d *Draft) func() error {
	k.Version++
	as, version := d.Clone(), k.Version
	return k.locked(func() error { return k.saveDraft(as, version, k.second) })
}

// Forget drops the draft; the function it returns removes it from disk.
func (k *Drafts) Forget() func() error {
	k.Version++
	file := cmp.Or(k.Current, NewDraft()).file // the page may replace the draft before the file is removed
	version := k.Version
	k.Current = nil
	k.forgotten = append(k.forgotten, file)
	return k.locked(func() error { return k.removeDraft(file, version) })
}

// BeginDraft makes d the draft that is worked on. What it returns, for the
// background, sets the one before aside and writes d.
func (k *Drafts) BeginDraft(d *Draft) func() error {
	k.read.Store(true)
	before := cmp.Or(k.Current, NewDraft()).Clone()
	k.Current = d
	keep, version := k.Keep(d), k.Version
	setAside := k.locked(func() error { return k.setAside(before, version) })
	return func() error {
		if err := setAside(); err != nil {
			return fmt.Errorf("keep the other draft: %w", err)
		}
		return keep()
	}
}

// locked returns a function that runs another one while nothing else reads or writes
// drafts.
func (k *Drafts) locked(do func() error) func() error {
	return func() error {
		k.mu.Lock()
		defer k.mu.Unlock()
		return do()
	}
}

// ReadDraft opens the draft to go on with, once; it is nil where there is none. The
// error says who has it if another window does, or that one cannot be read.
func (k *Drafts) ReadDraft(context.Context) (*Draft, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.read.Load() {
		return nil, nil
	}
	list, err := k.listDrafts()
	k.read.Store(true)
	for _, s := range list {
		switch {
		case s.resumes:
			return k.takeUp(s.Name)
		case s.Draft == nil:
			err = fmt.Errorf("could not read the draft; saved as %s", k.path(s.Name))
		case s.Elsewhere != nil && !s.Draft.Aside:
			k.second = true
			err = fmt.Errorf("%w; this window starts a new one", s.Elsewhere)
		}
	}
	return nil, err
}

// TakeUp opens a stored draft for this window and reads it. It is for the
// background; [Drafts.BeginDraft] goes on with what it returns.
func (k *Drafts) TakeUp(name string) (*Draft, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.takeUp(name)
}

// RemoveStored deletes a stored draft, and returns what puts it back. One that is
// open in another window stays, and so does one whose order was sent. It is for the
// background.
func (k *Drafts) RemoveStored(name string) (restore func() error, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err = k.claim(name); err != nil {
		return nil, fmt.Errorf("delete draft: %w", err)
	}
	defer func() { err = errors.Join(err, k.release(name)) }()
	data, err := k.readFile(name)
	if d, bad := decodeDraft(data); err == nil && bad == nil {
		err = k.checkNotSent(d)
	}
	if err == nil {
		err = k.removeFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("delete draft: %w", err)
	}
	return k.locked(func() error {
		f := &draftFile{}
		return errors.Join(k.writeDraft(f, data, 1), k.release(f.name))
	}), nil
}

// checkNotSent returns an error if an order of the draft was sent and is not confirmed.
func (k *Drafts) checkNotSent(d *Draft) error {
	if err := k.refreshLedger(); err != nil {
		return err
	}
	if k.ordersOf(d.ID).Open != nil {
		return errors.New("the order may have been placed; check it first")
	}
	return nil
}

// Flush brings the disk up to date, where the last change has not come there
// yet. It is for the end of the program, when no command runs any more.
func (k *Drafts) Flush() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var err error
	for _, f := range k.forgotten {
		err = errors.Join(err, k.removeDraft(f, k.Version))
	}
	d := k.Current
	if d == nil || len(d.Sites) == 0 && d.file.name == "" {
		return err
	}
	return errors.Join(err, k.saveDraft(d, k.Version, k.second))
}

// Rescue returns the function that saves the current draft and copies every draft
// that its folder did not take to the first of some other folders that takes it. The
// error is that of the drafts' folder.
func (k *Drafts) Rescue(folders ...string) func() (copies []string, err error) {
	save := func() error { return nil }
	if d := k.Current; d != nil && len(d.Sites) > 0 {
		save = k.Keep(d)
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

// copyDraft writes a draft to the first folder that takes it and returns its path. A
// copy that is moved among the drafts is one of them.
func copyDraft(data []byte, folders []string) string {
	for _, folder := range folders {
		f, err := os.CreateTemp(folder, "draft-*.json")
		if err != nil {
			continue
		}
		_, err = f.Write(data)
		if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
			return f.Name()
		}
		_ = os.Remove(f.Name())
	}
	return ""
}

// Close brings the disk up to date and gives up the drafts that are open here.
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

// The functions below are called with mu held.

// saveDraft writes a version of a draft, unless a later one is there already.
func (k *Drafts) saveDraft(d *Draft, version int, aside bool) error {
	if version <= d.file.version {
		return nil
	}
	d.Aside = aside
	data, err := encodeDraft(d)
	if err == nil {
		err = k.writeDraft(d.file, data, version)
	}
	if err != nil {
		return fmt.Errorf("save draft: %w", err)
	}
	return nil
}

// writeDraft replaces a draft's file. If another window has changed it the draft is
// kept beside it. What cannot be written is kept in memory.
func (k *Drafts) writeDraft(f *draftFile, data []byte, version int) error {
	switch {
	case k.closed:
		return errors.New("the program has exited")
	case f.name == "":
		f.name = k.freeName()
	}
	err := k.replaceFile(f, data)
	if errors.Is(err, errStale) {
		err = k.release(f.name)
		if f.name = k.freeName(); err == nil {
			err = k.replaceFile(f, data)
		}
	}
	if err != nil {
		k.memory[f.name] = data
		return err
	}
	f.known, f.version = digestOf(data), version
	return nil
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

// removeDraft deletes a draft's file, unless a later version is there or another
// window has changed it.
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
	f.name, f.version = "", version
	return k.release(name)
}

// setAside writes a draft and gives it up; without sites it is deleted.
func (k *Drafts) setAside(d *Draft, version int) error {
	if len(d.Sites) == 0 {
		return k.removeDraft(d.file, version)
	}
	return errors.Join(k.saveDraft(d, version, true), k.release(d.file.name))
}

// takeUp opens a draft and reads it.
func (k *Drafts) takeUp(name string) (*Draft, error) {
	err := k.claim(name)
	if err != nil {
		return nil, err
	}
	var d *Draft
	data, err := k.readFile(name)
	if err == nil {
		d, err = decodeDraft(data)
	}
	if err != nil {
		return nil, errors.Join(
			fmt.Errorf("could not read this draft: %w; the file is unchanged", err),
			k.release(name),
		)
	}
	d.file = &draftFile{name: name, known: digestOf(data)}
	_ = k.refreshLedger() // the draft opens without it; placing reports the error
	d.UpdateOrders(k.ordersOf(d.ID))
	return d, nil
}

// claim opens a name for this window. The error is an [*OpenElsewhereError] if
// another window has it. A disk without locks has none to take.
func (k *Drafts) claim(name string) error {
	if _, own := k.locks[name]; own {
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

// release gives a name up.
func (k *Drafts) release(name string) error {
	lock := k.locks[name]
	delete(k.locks, name)
	if lock == nil {
		return nil
	}
	return lock.Unlock()
}

// draftName returns the name of the n-th draft's file, from 0 on.
func draftName(n int) string {
	if n == 0 {
		return "new-order.json"
	}
	return "draft-" + strconv.Itoa(n) + ".json"
}

// draftNumber returns the number in such a name, -1 for any other file.
func draftNumber(name string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(strings.TrimSuffix(name, ".json"), "draft-"))
	if draftName(n) != name {
		return -1
	}
	return n
}

// freeName claims the first name that no draft has, and returns it.
func (k *Drafts) freeName() string {
	for n := 0; ; n++ {
		name := draftName(n)
		if _, own := k.locks[name]; own || k.claim(name) != nil {
			continue // another window may be about to write it
		}
		_, err := os.Lstat(k.path(name))
		if k.memory[name] == nil && (k.folder == "" || err != nil) {
			return name
		}
		_ = k.release(name)
	}
}

func (k *Drafts) path(name string) string { return filepath.Join(k.folder, name) }

// readFile returns a file; the error is [fs.ErrNotExist] where there is none.
func (k *Drafts) readFile(name string) ([]byte, error) {
	if data := k.memory[name]; data != nil {
		return data, nil
	}
	if k.folder == "" || name == "" {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(k.path(name))
}

// updateFile replaces a file by what change makes of it, nil for no file, while no
// other window changes it.
func (k *Drafts) updateFile(name string, change func([]byte) ([]byte, error)) error {
	if k.folder == "" {
		data, err := change(k.memory[name])
		if err == nil {
			k.memory[name] = data
		}
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
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
