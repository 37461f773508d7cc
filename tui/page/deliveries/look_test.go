package deliveries

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOnlyWhatIsBelowTheFolderIsOpened(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(dir, "a.jpg"), filepath.Join(out, "b.jpg")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(out, "b.jpg"), filepath.Join(dir, "link.jpg")); err != nil {
		t.Fatal(err)
	}
	var opened []string
	opener := func(path string) error { opened = append(opened, path); return nil }
	for _, path := range []string{filepath.Join(out, "b.jpg"), filepath.Join(dir, "..", "x"), filepath.Join(dir, "link.jpg"), filepath.Join(dir, "gone.jpg"), "-version", "http://example.com/a.jpg"} {
		if got, err := openLocal(dir, path, false, opener); err == nil {
			t.Errorf("%s is opened as %s", path, got)
		}
	}
	if len(opened) > 0 {
		t.Errorf("opened %v", opened)
	}
	for path, folder := range map[string]bool{filepath.Join(dir, "a.jpg"): false, dir: true, filepath.Join(dir, "gone.jpg"): true} {
		if _, err := openLocal(dir, path, folder, opener); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := openLocal(dir, filepath.Join(dir, "a.jpg"), false, func(string) error { return errors.New("no") }); err == nil {
		t.Error("a program that does not start is no fault")
	}
}
