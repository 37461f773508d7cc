package operations

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/tui/cli/run"
)

// What is sent is told in place, and is gone in the end; sent again, it begins
// anew.
func TestSendMeter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jpg")
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), 3000), 0o600); err != nil {
		t.Fatal(err)
	}
	var seen bytes.Buffer
	u, err := openUpload([]string{path}, &run.MeterLine{W: &seen})
	if err != nil {
		t.Fatal(err)
	}
	file := u.files[0].Content
	if _, err := io.Copy(io.Discard, file); err != nil {
		t.Fatal(err)
	}
	if got := seen.String(); got != "\rsending 3.0 kB of 3.0 kB\x1b[K" {
		t.Errorf("drawn: %q", got)
	}
	if _, err := file.(io.Seeker).Seek(0, io.SeekStart); err != nil || u.sent.Load() != 0 {
		t.Errorf("sent again: %d, %v", u.sent.Load(), err)
	}
	u.closeFiles()
	if got := seen.String(); !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("in the end: %q", got)
	}
	if quiet := run.NewMeterLine(&seen); quiet.W != nil {
		t.Error("a pipe is drawn on")
	}
}
