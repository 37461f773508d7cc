package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// LockFile locks an open file or folder until [UnlockFile]. It returns [ErrHeld] if the
// lock is held, and an error of [errors.ErrUnsupported] on disks without locks.
func LockFile(f *os.File) error {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	// Locked bytes cannot be read by others, so lock one far beyond the content.
	const far = 1 << 30
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: far})
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return ErrHeld
	case errors.Is(err, windows.ERROR_INVALID_FUNCTION), errors.Is(err, windows.ERROR_NOT_SUPPORTED):
		return errors.ErrUnsupported
	}
	return err
}

// UnlockFile unlocks and closes a file.
func UnlockFile(f *os.File) error { return f.Close() }

// SyncFolder does nothing: the system syncs renames.
func SyncFolder(string) error { return nil }

// isPrivate returns true. It is called for temporary folders, and on Windows these are in a folder that
// only the user can access.
func isPrivate(os.FileInfo) bool { return true }
