package atomicfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/config/atomicfile"
)

func TestAFileWithSettingsIsNotReadBeyondItsLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	for size, isRead := range map[int]bool{0: true, atomicfile.MaxSettings: true, atomicfile.MaxSettings + 1: false} {
		if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600); err != nil {
			t.Fatal(err)
		}
		content, err := atomicfile.ReadSettings(path)
		if isRead && (err != nil || len(content) != size) {
			t.Errorf("%d bytes: read %d, %v", size, len(content), err)
		}
		if !isRead && (err == nil || !strings.Contains(err.Error(), path+" is larger than 1 MiB")) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if _, err := atomicfile.ReadSettings(path + ".missing"); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
}
