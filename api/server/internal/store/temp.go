package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"flightdesk/config/atomicfile"
)

// tempLock is the file that locks a temporary folder.
const tempLock = "lock"

// TempFolder is a folder for what does not outlive the process. It is locked,
// so that one whose process was killed can be told from one in use.
type TempFolder struct {
	Path string
	lock *atomicfile.Lock
}

// NewTempFolder makes a folder whose name begins with a prefix.
func NewTempFolder(prefix string) (*TempFolder, error) {
	path, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, fmt.Errorf("making a temporary folder: %w", err)
	}
	lock, err := atomicfile.TryLock(filepath.Join(path, tempLock))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("temporary folder %s: %w", path, err), os.RemoveAll(path))
	}
	return &TempFolder{Path: path, lock: lock}, nil
}

// Remove removes the folder with all that is in it.
func (t *TempFolder) Remove() error { return errors.Join(t.lock.Unlock(), os.RemoveAll(t.Path)) }

// TempPrefix begins the names of the temporary folders of stores.
const TempPrefix = "flightdesk-"

// tempGrace is how young a folder is left alone: its owner may be about to lock
// it.
const tempGrace = time.Minute

// RemoveAbandoned removes the temporary folders of a prefix that processes left
// behind that were killed, and returns how many.
func RemoveAbandoned(prefix string) (removed int) {
	made := regexp.MustCompile("^" + regexp.QuoteMeta(prefix) + `\d+$`) // by os.MkdirTemp
	locks, err := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*", tempLock))
	if err != nil {
		return 0
	}
	for _, path := range locks {
		dir := filepath.Dir(path)
		info, err := os.Stat(path)
		if err != nil || !made.MatchString(filepath.Base(dir)) || time.Since(info.ModTime()) < tempGrace {
			continue
		}
		lock, err := atomicfile.TryLock(path)
		if err != nil || !lock.Exclusive() { // somebody uses it, or one cannot tell
			_ = lock.Unlock()
			continue
		}
		if err := errors.Join(lock.Unlock(), os.RemoveAll(dir)); err == nil {
			removed++
		}
	}
	return removed
}
