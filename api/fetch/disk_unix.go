//go:build unix

package fetch

import (
	"errors"
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

// syncFolder makes renames in a folder last through a power cut.
func syncFolder(dir *os.File) error { return dir.Sync() }

// lockFolder keeps other processes from fetching into the folder, until the
// file returned is closed or the process dies.
func lockFolder(root *os.Root) (*os.File, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(ErrInUse, f.Close())
	case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOSYS):
		return f, nil // some network disks have no locks
	default:
		return nil, errors.Join(err, f.Close())
	}
}

// lockName is the file that is locked where folders cannot be.
const lockName = ".lock"
