//go:build unix

package fetch

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const errQuota = syscall.EDQUOT

// freeSpace returns the number of bytes that this user can write to the disk of a folder.
func freeSpace(dir string) (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil //nolint:unconvert // their types differ between systems
}

// openLock opens a folder to lock it. It needs no lock file, because a folder can be locked like a
// file.
func openLock(root *os.Root) (*os.File, error) { return root.Open(".") }

// lockName is the name of the lock file on systems that cannot lock folders.
const lockName = ".lock"
