package fetch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFreeUsesTheNearestExistingFolder(t *testing.T) {
	here := t.TempDir()
	q, err := New(Options{Dir: filepath.Join(here, "not", "yet"), Free: func(dir string) (int64, error) {
		if _, err := os.Stat(dir); err != nil {
			return 0, err
		}
		return 10 << 20, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if free, err := q.Free(); err != nil || free >= 10<<20 || free < 5<<20 {
		t.Errorf("free %d, %v; want what 10 MiB leave beside the spare", free, err)
	}
	if err := q.CheckSpace(7 << 20); !errors.Is(err, ErrNoSpace) {
		t.Errorf("7 MiB fit beside the spare: %v", err)
	}
}

func TestFreeUsesTheOption(t *testing.T) {
	q, err := New(Options{Dir: t.TempDir(), Free: func(string) (int64, error) { return 8 << 20, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if err := q.CheckSpace(9 << 20); !errors.Is(err, ErrNoSpace) {
		t.Errorf("9 MiB fit into 8: %v", err)
	}
}

func TestTheErrorNamesAFolderOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	q, err := New(Options{Dir: filepath.Join(file, "data")})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	_, err = q.Add(Package{PackageInfo: PackageInfo{ID: "p"}, Folder: []string{"p"}, Files: []File{{ID: "a"}}}, Waiting)
	if err == nil || strings.Count(err.Error(), file) != 1 {
		t.Errorf("error %v", err)
	}
}
