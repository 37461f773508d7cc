//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// LockFile locks an open file or folder until [UnlockFile]. It returns [ErrHeld] if the
// lock is held, and an error of [errors.ErrUnsupported] on disks without locks.
func LockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrHeld
	case errors.Is(err, syscall.ENOLCK):
		return errors.ErrUnsupported
	}
	return err
}

// UnlockFile unlocks and closes a file. Closing alone can unlock it too late: if another goroutine is
// just starting a process, the process inherits the open file and its lock for a moment.
func UnlockFile(f *os.File) error {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // closing unlocks as well, if later
	return f.Close()
}

// isPrivate reports whether only the current user can access a file.
func isPrivate(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}

// SyncFolder syncs a folder to disk, so that renames survive a power cut.
func SyncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // not supported by every file system
	}
	return errors.Join(err, dir.Close())
}
