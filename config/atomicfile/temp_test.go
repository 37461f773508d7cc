package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"flightdesk/config/atomicfile"
)

// temporary creates a folder for temporary files, empty except for the given entries.
func temporary(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	t.Setenv("TMPDIR", root)
	t.Setenv("TMP", root)
	return root
}

func makeFolder(t *testing.T, dir string, mode os.FileMode) {
	t.Helper()
	if err := os.Mkdir(dir, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Folders that a killed process left are removed by the next process. Folders in use, and folders of
// others with similar names, remain.
func TestAbandonedTemporaryFoldersAreRemoved(t *testing.T) {
	root := temporary(t)
	abandoned := []string{filepath.Join(root, "flightdesk-123"), filepath.Join(root, "flightdesk-demo-7")}
	kept := []string{filepath.Join(root, "flightdesk-mine"), filepath.Join(root, "other-1")}
	for _, dir := range append(abandoned, kept...) {
		makeFolder(t, dir, 0o700)
	}
	used, err := atomicfile.NewTempFolder("demo")
	if err != nil {
		t.Fatal(err)
	}
	atomicfile.RemoveAbandoned()
	for _, dir := range append(kept, used.Path) {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("a folder is gone: %v", err)
		}
	}
	for _, dir := range abandoned {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("an abandoned folder: %v", err)
		}
	}
	if err := used.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(used.Path); !os.IsNotExist(err) {
		t.Errorf("a removed folder: %v", err)
	}
}
