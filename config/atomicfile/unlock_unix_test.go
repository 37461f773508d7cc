//go:build unix

package atomicfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A process that is just being started has copies of all open files.
func TestAFileIsUnlockedAlthoughAProcessThatStartsHasItOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first := open()
	if err := LockFile(first); err != nil {
		t.Fatal(err)
	}
	inherited, err := syscall.Dup(int(first.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(inherited) }()
	if err := UnlockFile(first); err != nil {
		t.Fatal(err)
	}
	second := open()
	if err := LockFile(second); err != nil {
		t.Errorf("the file is still locked: %v", err)
	}
	if err := UnlockFile(second); err != nil {
		t.Error(err)
	}
}
