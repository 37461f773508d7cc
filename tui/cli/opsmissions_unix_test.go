//go:build unix

package cli

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A named pipe without a writer is refused instead of waiting for it.
func TestAPipeIsNotUploaded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.jpg")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openFiles([]string{path}); err == nil || !strings.HasSuffix(err.Error(), "pipe.jpg: not a regular file") {
		t.Errorf("opened: %v", err)
	}
}
