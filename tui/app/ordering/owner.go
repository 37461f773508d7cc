package ordering

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"flightdesk/config/atomicfile"
)

// A draft's file belongs to the window that works on it: a lock beside it says
// which process on which host that is. A second window works on a file of its
// own. Where locks do not work, a file is replaced only while its content is
// what this window read or wrote last.

// patience is how long a window waits for another one that writes.
const patience = 10 * time.Second

// errStale is the error for a file that another window has changed.
var errStale = errors.New("another window changed the draft")

// errClosed is the error for drafts whose program has ended.
var errClosed = errors.New("the program has exited")

// OpenElsewhereError says which process has a draft open.
type OpenElsewhereError struct{ Holder atomicfile.LockHolder }

func (e *OpenElsewhereError) Error() string { return "the draft is open in " + WindowName(e.Holder) }

// WindowName names the window that has a draft open, with its process.
func WindowName(h atomicfile.LockHolder) string {
	if h.PID == 0 {
		return "another window"
	}
	return "another window (" + h.String() + ")"
}

type contentSum [sha256.Size]byte

// ownerPath returns the file that is locked while a draft is open.
func (k *Drafts) ownerPath(name string) string { return filepath.Join(k.folder, "."+name+".open") }

// claimFile opens a draft's file for this window. The error is an
// [*OpenElsewhereError] if another window has it. A disk without locks has none
// to take.
func (k *Drafts) claimFile(name string) (*atomicfile.Lock, error) {
	if k.folder == "" || os.MkdirAll(k.folder, 0o700) != nil {
		return nil, nil //nolint:nilerr // writing the draft says what is wrong with the folder
	}
	lock, err := atomicfile.TryLock(k.ownerPath(name))
	if held, ok := errors.AsType[*atomicfile.HeldError](err); ok {
		return nil, &OpenElsewhereError{held.Holder}
	}
	return lock, nil
}

// openDraft makes sure that this window has a file for its draft: the usual one, or
// if another window has that a new one. mu is held.
func (k *Drafts) openDraft() error {
	switch {
	case k.closed:
		return errClosed
	case k.name != "":
		return nil
	}
	lock, err := k.claimFile(present)
	if err == nil {
		k.name, k.lock = present, lock
		return nil
	}
	k.elsewhere = err
	return k.openNew()
}

// openNew opens a file that nobody has, in place of the one that is open.
func (k *Drafts) openNew() error {
	name, lock, err := k.freeName()
	if err != nil {
		return err
	}
	if k.lock != nil {
		err = k.lock.Unlock()
	}
	k.name, k.lock, k.known = name, lock, nil
	return err
}

// freeName returns the name of a draft that does not exist, opened for this window.
func (k *Drafts) freeName() (string, *atomicfile.Lock, error) {
	names, err := k.store.fileTimes()
	if err != nil {
		return "", nil, err
	}
	n := 0
	for name := range names {
		n = max(n, asideNumber(name))
	}
	for {
		n++
		lock, err := k.claimFile(asideName(n))
		if err != nil {
			continue // another window is about to write it
		}
		if _, err := k.store.readFile(asideName(n)); errors.Is(err, fs.ErrNotExist) {
			return asideName(n), lock, nil
		}
		if err := unlockDraft(lock); err != nil {
			return "", nil, err
		}
	}
}

func unlockDraft(lock *atomicfile.Lock) error {
	if lock == nil {
		return nil
	}
	return lock.Unlock()
}

// otherHolder returns who else has a stored draft open, nil for nobody.
func (k *Drafts) otherHolder(name string) *atomicfile.LockHolder {
	lock, err := k.claimFile(name)
	if at, ok := errors.AsType[*OpenElsewhereError](err); ok {
		return &at.Holder
	}
	_ = unlockDraft(lock)
	return nil
}

// replaceFile writes this window's file, unless its content is not what this window
// read or wrote last. mu is held.
func (k *Drafts) replaceFile(data []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := atomicfile.UpdateFile(ctx, k.draftFile(), func(old []byte) ([]byte, error) {
		if old != nil && (k.known == nil || sha256.Sum256(old) != *k.known) {
			return nil, errStale
		}
		return data, nil
	})
	if err != nil {
		return err
	}
	k.noteContent(data)
	return nil
}

func (k *Drafts) noteContent(data []byte) {
	s := contentSum(sha256.Sum256(data))
	k.known = &s
}

// draftFile returns where this window's draft is.
func (k *Drafts) draftFile() string { return filepath.Join(k.folder, cmp.Or(k.name, present)) }

// TakeUp opens a stored draft for this window and reads it. It is for the
// background; [Drafts.Begin] goes on with what it returns.
func (k *Drafts) TakeUp(name string) (*Draft, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	lock, err := k.claimFile(name)
	if err != nil {
		return nil, err
	}
	data, err := k.store.readFile(name)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read draft: %w", err), unlockDraft(lock))
	}
	d, err := decodeDraft(data)
	if err != nil {
		return nil, errors.Join(errors.New("could not read this draft; the file is unchanged"), unlockDraft(lock))
	}
	if before := k.taken[name]; before != nil {
		err = before.Unlock()
	}
	k.taken[name] = lock
	return d, err
}

// putBack gives up a stored draft that was taken up, once its file is gone or is
// not wanted.
func (k *Drafts) putBack(name string) error {
	lock := k.taken[name]
	delete(k.taken, name)
	return unlockDraft(lock)
}

// Close brings the disk up to date and gives up the drafts that are open here.
func (k *Drafts) Close() error {
	err := k.Flush()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	for name := range k.taken {
		err = errors.Join(err, k.putBack(name))
	}
	err = errors.Join(err, unlockDraft(k.lock))
	k.lock = nil
	return err
}
