//go:build unix

package cli

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A named pipe that nobody writes to is refused, not waited for.
func TestAPipeIsNotOpenedToBeSent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.jpg")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openFiles([]string{path}); err == nil || !strings.HasSuffix(err.Error(), "pipe.jpg: not a regular file") {
		t.Errorf("opened: %v", err)
	}
}
