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

// Lock excludes other holders until it is unlocked or the program ends, even by a
// crash.
type Lock struct {
	file     *os.File
	path     string
	unlocked bool // some network disks have no locks; everybody gets one there
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

// HeldError is returned for a lock that is held by somebody else.
type HeldError struct {
	Path   string
	Holder LockHolder
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s is in use by %s", filepath.Base(e.Path), e.Holder)
}

// ErrHeld is returned for a file that is locked by somebody else.
var ErrHeld = errors.New("the file is locked")

// LockPath returns the name of the lock file beside a file.
func LockPath(path string) string {
	path = resolveLinks(path)
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
}

// tryEvery is how long to wait before a lock that is held is tried again.
const tryEvery = 2 * time.Millisecond

// withLock calls do with a file, whose folder is created if necessary, locked against
// other programs. It waits for them until the context ends; the error then matches both
// the context's error and [*HeldError].
func withLock(ctx context.Context, path string, do func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	for {
		lock, err := TryLock(LockPath(path))
		var other *HeldError
		if err == nil {
			return errors.Join(do(), lock.Unlock())
		} else if !errors.As(err, &other) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", other, ctx.Err())
		case <-time.After(tryEvery):
		}
	}
}

// errGone is that whoever had a lock has removed its file meanwhile.
var errGone = errors.New("the lock was removed")

// TryLock locks a file, which it creates in an existing folder. It
// returns a [*HeldError] if the lock is held, also within this program.
func TryLock(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &Lock{file: f, path: path}
	switch err := LockFile(f); {
	case errors.Is(err, errors.ErrUnsupported):
		l.unlocked = true
	case errors.Is(err, ErrHeld):
		return nil, errors.Join(&HeldError{path, readHolder(f)}, f.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	if err := checkRegular(f, path); err != nil {
		if _ = f.Close(); errors.Is(err, errGone) {
			return TryLock(path)
		}
		return nil, err
	}
	if err := l.signLock(); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), l.Unlock())
	}
	return l, nil
}

// checkRegular returns an error unless the path names the open file itself: a
// lock is written to, and a link would lead that to another file.
func checkRegular(f *os.File, path string) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && !named.Mode().IsRegular():
		return fmt.Errorf("lock %s: it is not a regular file; remove it", path)
	case err != nil || !os.SameFile(opened, named):
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

// signLock writes this process into the lock file.
func (l *Lock) signLock() error {
	host, _ := os.Hostname() // "" says as much
	data, _ := json.Marshal(LockHolder{os.Getpid(), host})
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt(data, 0)
	return err
}

// Unlock releases the lock and removes its file. It does nothing for nil and the zero
// Lock.
func (l *Lock) Unlock() error {
	if l == nil || l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	err := f.Truncate(0)
	if !l.unlocked && checkRegular(f, l.path) == nil {
		_ = os.Remove(l.path) // some systems remove no open file
	}
	return errors.Join(err, f.Close())
}
