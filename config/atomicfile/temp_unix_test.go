//go:build unix

package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"flightdesk/config/atomicfile"
)

// Another user of the machine can put folders and links into the folder of temporary files. Links are
// not followed, and their targets remain unchanged.
func TestCleaningUpFollowsNoLinkOfOthers(t *testing.T) {
	root := temporary(t)
	const content = "a file of the victim"
	victim := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(victim, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(root, "flightdesk-1") // everybody can write into it
	makeFolder(t, open, 0o777)
	private := filepath.Join(root, "flightdesk-2") // as if it belonged to this user
	makeFolder(t, private, 0o700)
	for _, dir := range []string{open, private} {
		if err := os.Remove(filepath.Join(dir, "lock")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, filepath.Join(dir, "lock")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Dir(victim), filepath.Join(root, "flightdesk-3")); err != nil {
		t.Fatal(err)
	}
	atomicfile.RemoveAbandoned()
	if left := names(t, root); len(left) != 3 {
		t.Errorf("there are %q", left)
	}
	if data, err := os.ReadFile(victim); err != nil || string(data) != content {
		t.Errorf("the file of the victim: %q, %v", data, err)
	}
}

func TestALockFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "lock")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if lock, err := atomicfile.TryLock(link); err == nil {
		_ = lock.Unlock()
		t.Error("a link was locked")
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "content" {
		t.Errorf("the target: %q, %v", data, err)
	}
}
