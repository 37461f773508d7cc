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
)

// abandonable matches the names of folders created by NewTempFolder.
var abandonable = regexp.MustCompile(`^` + tempPrefix + `([a-z]+-)?\d+$`)

// TempFolder is a private folder of a process, which must call Remove before it ends. If the process is
// killed, the folder stays, but its lock is released. [RemoveAbandoned] later deletes such folders.
type TempFolder struct {
	Path string
	lock *Lock
}

// NewTempFolder creates a folder. Its name contains the purpose, such as "demo", unless purpose is empty.
func NewTempFolder(purpose string) (*TempFolder, error) {
	prefix := tempPrefix
	if purpose != "" {
		prefix += purpose + "-"
	}
	path, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, fmt.Errorf("making a temporary folder: %w", err)
	}
	lock, err := TryLock(filepath.Join(path, tempLock))
	var held *HeldError
	if errors.As(err, &held) || errors.Is(err, os.ErrNotExist) {
		// Another process that cleans up has mistaken the new folder for an abandoned one.
		return NewTempFolder(purpose)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("temporary folder %s: %w", path, err), os.RemoveAll(path))
	}
	return &TempFolder{Path: path, lock: lock}, nil
}

// Remove removes the folder with everything in it.
func (t *TempFolder) Remove() error { return errors.Join(t.lock.Unlock(), os.RemoveAll(t.Path)) }

// RemoveAbandoned removes temporary folders that killed processes of this user left behind. It leaves
// alone the files and folders of other users and programs.
func RemoveAbandoned() {
	entries, _ := os.ReadDir(os.TempDir()) // if the folder cannot be listed, nothing is removed
	for _, entry := range entries {
		if abandonable.MatchString(entry.Name()) {
			removeAbandoned(filepath.Join(os.TempDir(), entry.Name()))
		}
	}
}

func removeAbandoned(dir string) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !isPrivate(info) {
		return
	}
	path := filepath.Join(dir, tempLock)
	if _, err := os.Lstat(path); err != nil {
		return // not locked yet
	}
	lock, err := TryLock(path)
	if err != nil || lock.unsupported { // in use, or the disk does not support locks
		_ = lock.Unlock()
		return
	}
	// The lock is removed last. Until then, a process that has just created the folder finds the
	// lock held and creates another folder.
	err = os.RemoveAll(dir)
	_ = lock.Unlock()
	if err != nil { // some systems cannot remove open files
		_ = os.RemoveAll(dir)
	}
}
