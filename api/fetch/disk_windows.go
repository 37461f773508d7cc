package fetch

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

const errQuota = syscall.Errno(windows.ERROR_DISK_QUOTA_EXCEEDED)

// freeSpace returns the number of bytes that this user can write to the disk of a folder.
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

// lockName is the name of the lock file, because Windows cannot lock folders.
const lockName = ".lock"

func openLock(root *os.Root) (*os.File, error) {
	return root.OpenFile(lockName, os.O_CREATE|os.O_RDWR, 0o600)
}
