package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
)

// Lock excludes other holders until it is unlocked or the program ends. A crash of the program also
// releases it.
type Lock struct {
	file        *os.File
	path        string
	unsupported bool // the disk does not support locks, so other programs can hold the lock at the same time
}

// LockHolder identifies the process that holds a lock.
type LockHolder struct {
	PID  int    `json:"pid"`
	Host string `json:"host"`
}

// String returns the holder as "process 4711 on elbe".
func (h LockHolder) String() string {
	if h.PID == 0 {
		return "another program"
	}
	return fmt.Sprintf("process %d on %s", h.PID, h.Host)
}

// HeldError is returned for a lock that another holder has.
type HeldError struct {
	Path   string
	Holder LockHolder
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s is in use by %s", filepath.Base(e.Path), e.Holder)
}

// ErrHeld is returned for a file that is locked by another holder.
var ErrHeld = errors.New("the file is locked")

// LockPath returns the path of the lock file for a file.
func LockPath(path string) string {
	path = resolveLinks(path)
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
}

// tryEvery is the pause before another attempt to get a lock.
const tryEvery = 2 * time.Millisecond

// withLock locks a file against other programs and calls do. It creates the folder of the file if necessary.
// If another program holds the lock, withLock waits until ctx ends. The error then matches both the error of
// ctx and [*HeldError].
func withLock(ctx context.Context, path string, do func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	for {
		lock, err := TryLock(LockPath(path))
		if err == nil {
			return errors.Join(do(), lock.Unlock())
		}
		var other *HeldError
		if !errors.As(err, &other) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", other, ctx.Err())
		case <-time.After(tryEvery):
		}
	}
}

// errGone means that the previous holder of the lock has removed the lock file.
var errGone = errors.New("the lock was removed")

// TryLock locks a file without waiting. It creates the file if necessary, but not its folder. It returns a
// [*HeldError] if another program, or this one, holds the lock. Some disks, such as network disks, do not
// support locks. On these, TryLock always succeeds, and other programs are not excluded.
func TryLock(path string) (*Lock, error) {
	l, err := openLock(path)
	for errors.Is(err, errGone) { // the next attempt creates a new file
		l, err = openLock(path)
	}
	if err != nil {
		return nil, err
	}
	if err := l.signLock(); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), l.Unlock())
	}
	return l, nil
}

// openLock opens and locks a lock file, which it creates if necessary. It returns errGone if the previous holder
// removed the file between the opening and the locking.
func openLock(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	lockErr := LockFile(f)
	if errors.Is(lockErr, ErrHeld) {
		return nil, errors.Join(&HeldError{path, readHolder(f)}, f.Close())
	}
	isUnsupported := errors.Is(lockErr, errors.ErrUnsupported)
	if lockErr != nil && !isUnsupported {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, lockErr), f.Close())
	}
	if err := checkRegular(f, path); err != nil {
		_ = f.Close()
		return nil, err
	}
	return &Lock{file: f, path: path, unsupported: isUnsupported}, nil
}

// checkRegular returns an error unless path is a regular file and still names the open file. If path
// were a symbolic link, writing the holder into the lock would overwrite another file.
func checkRegular(f *os.File, path string) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	if err != nil {
		return err
	}
	if !named.Mode().IsRegular() {
		return fmt.Errorf("lock %s: it is not a regular file; remove it", path)
	}
	if !os.SameFile(opened, named) {
		return errGone
	}
	return nil
}

// maxHolder is the maximum size of a lock file in bytes.
const maxHolder = 1 << 10

func readHolder(f *os.File) (h LockHolder) {
	data, _ := io.ReadAll(io.NewSectionReader(f, 0, maxHolder))
	if json.Unmarshal(data, &h) != nil {
		return LockHolder{}
	}
	return h
}

// signLock writes the process ID and the host into the lock file.
func (l *Lock) signLock() error {
	host, _ := os.Hostname() // "" if it is unknown
	data, _ := json.Marshal(LockHolder{PID: os.Getpid(), Host: host})
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt(data, 0)
	return err
}

// Unlock releases the lock and removes the lock file. It does nothing for nil and the zero Lock.
func (l *Lock) Unlock() error {
	if l == nil || l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	err := f.Truncate(0)
	if !l.unsupported && checkRegular(f, l.path) == nil {
		_ = os.Remove(l.path) // some systems cannot remove open files
	}
	return errors.Join(err, UnlockFile(f))
}
