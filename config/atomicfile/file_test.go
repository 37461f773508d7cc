package atomicfile_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/config/atomicfile"
)

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestReplaceLeavesOnlyTheNewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "down", "a.json")
	for _, text := range []string{"one", "another"} {
		if err := atomicfile.ReplaceFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != text {
			t.Errorf("the file says %q, want %q", got, text)
		}
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"a.json"}) {
		t.Errorf("the folder has %q", got)
	}
	for _, p := range []string{path, filepath.Dir(path)} {
		info, err := os.Stat(p)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v, %v", p, info.Mode(), err)
		}
	}
}

func TestReplaceKeepsALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.ReplaceFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink || content(t, target) != "new" {
		t.Errorf("the link is %v, the target says %q", info.Mode(), content(t, target))
	}
}

func TestAnErrorLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := atomicfile.ReplaceFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	stopped := errors.New("stopped")
	if err := atomicfile.WriteFile(path, true, func(w io.Writer) error {
		_, err := io.WriteString(w, "half of the n")
		return errors.Join(err, stopped)
	}); !errors.Is(err, stopped) {
		t.Errorf("half of a file was written: %v", err)
	}
	if got := names(t, dir); content(t, path) != "old" || !slices.Equal(got, []string{"a"}) {
		t.Errorf("%q in %q", content(t, path), got)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.ReplaceFile(filepath.Join(dir, "folder"), []byte("x")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	nothing := func(io.Writer) error { return nil }
	if err := atomicfile.WriteFile(filepath.Join(dir, "missing", "a"), true, nothing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a missing folder: %v", err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"a", "folder"}) {
		t.Errorf("the folder has %q", got)
	}
}

func TestANewFileReplacesNone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for i, want := range []error{nil, fs.ErrExist} {
		if err := atomicfile.WriteFile(path, false, func(w io.Writer) error {
			_, err := io.WriteString(w, strconv.Itoa(i))
			return err
		}); !errors.Is(err, want) {
			t.Errorf("file %d: %v, want %v", i, err, want)
		}
	}
	if got := names(t, dir); content(t, path) != "0" || !slices.Equal(got, []string{"a"}) {
		t.Errorf("%q in %q", content(t, path), got)
	}
}

func TestUpdatesDoNotOverwriteEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "count")
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range 10 {
				if err := atomicfile.UpdateFile(t.Context(), path, func(old []byte) ([]byte, error) {
					n, _ := strconv.Atoi(string(old))
					return []byte(strconv.Itoa(n + 1)), nil
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := content(t, path); got != "100" {
		t.Errorf("100 updates count to %s", got)
	}
	stale := errors.New("stale")
	if err := atomicfile.UpdateFile(t.Context(), path, func([]byte) ([]byte, error) { return []byte("x"), stale }); !errors.Is(err, stale) {
		t.Error(err)
	}
	if err := atomicfile.UpdateFile(t.Context(), path, func([]byte) ([]byte, error) { return nil, nil }); err != nil {
		t.Error(err)
	}
	if got := content(t, path); got != "100" {
		t.Errorf("an update that was called off wrote %s", got)
	}
}

func TestAnUpdateWaitsOnlyAsLongAsItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	lock, err := atomicfile.TryLock(atomicfile.LockPath(path))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = atomicfile.UpdateFile(ctx, path, func([]byte) ([]byte, error) { return []byte("x"), nil })
	var held *atomicfile.HeldError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &held) {
		t.Errorf("got %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	// After the cancelled wait the lock can be acquired again.
	if err := atomicfile.UpdateFile(t.Context(), path, func([]byte) ([]byte, error) { return []byte("x"), nil }); err != nil {
		t.Error(err)
	}
}

// Temporary files that a killed program left are removed by the next write of the file, unless they
// are so new that they may be in use.
func TestUnfinishedContentIsRemovedOnceItIsOld(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{".a.json.KILLED.tmp": 2 * time.Hour, ".a.json.WRITES.tmp": time.Minute, ".b.json.KILLED.tmp": 2 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := atomicfile.ReplaceFile(filepath.Join(dir, "a.json"), []byte("whole")); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(names(t, dir), " "); got != ".a.json.WRITES.tmp .b.json.KILLED.tmp a.json" {
		t.Errorf("there are %s", got)
	}
}
