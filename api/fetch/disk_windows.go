package fetch

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

const errQuota = syscall.Errno(windows.ERROR_DISK_QUOTA_EXCEEDED)

// freeSpace returns the bytes that this user may still write to the disk of a
// folder.
func freeSpace(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, err
	}
	return int64(free), nil
}

// syncFolder does nothing: the system writes renames down by itself.
func syncFolder(*os.File) error { return nil }

// lockName is the file that is locked, since folders cannot be.
const lockName = ".lock"

// lockFolder keeps other processes from fetching into the folder, until the
// file returned is closed or the process dies.
func lockFolder(root *os.Root) (*os.File, error) {
	f, err := root.OpenFile(lockName, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		err = ErrInUse
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
