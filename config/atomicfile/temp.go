package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

const (
	tempPrefix = "flightdesk-"
	// tempLock is the name of the lock in a temporary folder.
	tempLock = "lock"
	// tempTries limits the attempts while other processes clean up.
	tempTries = 10
)

// abandonable matches the names made by NewTempFolder.
var abandonable = regexp.MustCompile(`^` + tempPrefix + `([a-z]+-)?\d+$`)

// TempFolder is a private folder for data that does not outlive the process. It is
// locked, to distinguish a folder in use from one whose process was killed.
type TempFolder struct {
	Path string
	lock *Lock
}

// NewTempFolder creates a folder whose name contains the purpose, "demo" or "".
func NewTempFolder(purpose string) (*TempFolder, error) {
	prefix := tempPrefix
	if purpose != "" {
		prefix += purpose + "-"
	}
	for range tempTries {
		path, err := os.MkdirTemp("", prefix)
		if err != nil {
			return nil, fmt.Errorf("making a temporary folder: %w", err)
		}
		lock, err := TryLock(filepath.Join(path, tempLock))
		var held *HeldError
		if errors.As(err, &held) || errors.Is(err, os.ErrNotExist) {
			continue // another process cleans up and has taken the new folder for an abandoned one
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("temporary folder %s: %w", path, err), os.RemoveAll(path))
		}
		if _, err := os.Stat(filepath.Join(path, tempLock)); err != nil {
			_ = lock.Unlock()
			continue
		}
		return &TempFolder{Path: path, lock: lock}, nil
	}
	return nil, fmt.Errorf(
		"making a temporary folder in %s: other processes remove it; try again",
		os.TempDir(),
	)
}

// Remove removes the folder with everything in it.
func (t *TempFolder) Remove() error { return errors.Join(t.lock.Unlock(), os.RemoveAll(t.Path)) }

// RemoveAbandoned removes the user's temporary folders that killed processes left
// behind, and returns the number removed. It ignores what others created in the shared
// folder for temporary files.
func RemoveAbandoned() (removed int) {
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return 0
	}
	for _, entry := range entries {
		if abandonable.MatchString(entry.Name()) && removeAbandoned(filepath.Join(os.TempDir(), entry.Name())) {
			removed++
		}
	}
	return removed
}

func removeAbandoned(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !isPrivate(info) {
		return false
	}
	path := filepath.Join(dir, tempLock)
	if _, err := os.Lstat(path); err != nil {
		return false // not locked yet
	}
	lock, err := TryLock(path)
	if err != nil || lock.unlocked { // in use, or it cannot be told
		_ = lock.Unlock()
		return false
	}
	// The content is removed before the lock, so that a process that has just created
	// the folder finds its lock held and creates another one.
	err = os.RemoveAll(dir)
	_ = lock.Unlock()
	if err != nil { // some systems keep files that are open
		err = os.RemoveAll(dir)
	}
	return err == nil
}
