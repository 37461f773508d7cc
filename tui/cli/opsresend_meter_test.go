package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"flightdesk/tui/app/commands"
)

// The progress follows the bytes that were read, and starts again if a file is sent again.
func TestTheProgressOfAnUploadFollowsTheReadBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jpg")
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), 3000), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := openFiles([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	defer commands.CloseFiles(files)
	file := files[0].Content
	if _, err := io.Copy(io.Discard, file); err != nil {
		t.Fatal(err)
	}
	if got := describeProgress(files); got != "sending 3.0 kB of 3.0 kB" {
		t.Error(got)
	}
	if _, err := file.(io.Seeker).Seek(0, io.SeekStart); err != nil || describeProgress(files) != "sending 0 B of 3.0 kB" {
		t.Errorf("sent again: %s, %v", describeProgress(files), err)
	}
}
