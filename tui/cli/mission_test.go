package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// A file is written completely or not at all, and never replaces another file.
func TestANewFileIsWrittenCompletelyAndReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "permit.pdf")
	if err := writeNewFile(path, []byte("%PDF one")); err != nil {
		t.Fatal(err)
	}
	if err := writeNewFile(path, []byte("%PDF two")); err == nil || err.Error() != "file already exists; choose another with --to" {
		t.Errorf("written again: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "%PDF one" {
		t.Errorf("it has %q, %v", got, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("in the folder there are %v, %v", left, err)
	}
}
