//go:build unix

package fetch

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const errQuota = syscall.EDQUOT

// freeSpace returns the bytes that this user may still write to the disk of a
// folder.
func freeSpace(dir string) (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil //nolint:unconvert // their types differ between systems
}

// openLock opens what is locked: the folder itself.
func openLock(root *os.Root) (*os.File, error) { return root.Open(".") }

// lockName is the file that is locked where folders cannot be.
const lockName = ".lock"
