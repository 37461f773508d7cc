package files_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"flightdesk/api/server/internal/store/files"
)

// stores returns a store of each kind.
func stores(t *testing.T) map[string]files.Store {
	t.Helper()
	folder, err := files.OpenFolder(filepath.Join(t.TempDir(), "new", "files"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]files.Store{"folder": folder, "memory": files.NewMemory(1 << 20)}
	t.Cleanup(func() {
		for _, s := range all {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return all
}

func read(t *testing.T, s files.Store, key string) string {
	t.Helper()
	f, err := s.Open(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFilesAreReadAsStored(t *testing.T) {
	ctx := context.Background()
	for name, s := range stores(t) {
		for key, content := range map[string]string{"a-1": "", "b": strings.Repeat("flight", 50_000)} {
			sum, err := s.Put(ctx, key, strings.NewReader(content))
			if err != nil || sum.Size != int64(len(content)) || sum.SHA256 != sha256.Sum256([]byte(content)) {
				t.Errorf("%s: put %+v, %v", name, sum, err)
			}
			if read(t, s, key) != content {
				t.Errorf("%s: %s is not what was put", name, key)
			}
		}
		f, err := s.Open(ctx, "b")
		if err != nil {
			t.Fatal(err)
		}
		if at, err := f.Seek(-6, io.SeekEnd); err != nil || at != 299_994 {
			t.Errorf("%s: at %d, %v", name, at, err)
		}
		if err := s.Remove(ctx, "b"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if b, err := io.ReadAll(f); string(b) != "flight" {
			t.Errorf("%s: an open file ends with its removal: %q, %v", name, b, err)
		}
		f.Close()
		if _, err := s.Open(ctx, "b"); !errors.Is(err, files.ErrMissing) {
			t.Errorf("%s: after its removal: %v", name, err)
		}
		if err := s.Remove(ctx, "b"); err != nil {
			t.Errorf("%s: again: %v", name, err)
		}
	}
}

// The folder belongs to the first owner who claims it. The file with the owner is not
// listed.
func TestASharedFolderHasOneOwner(t *testing.T) {
	dir := t.TempDir()
	for _, try := range []struct {
		owner string
		want  error
	}{{"first", nil}, {"first", nil}, {"second", files.ErrOwned}} {
		f, err := files.OpenSharedFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Claim(t.Context(), try.owner); !errors.Is(err, try.want) {
			t.Errorf("%s: %v", try.owner, err)
		}
		for key, err := range older(t.Context(), f) {
			t.Errorf("%s is listed, %v", key, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAFailedWriteLeavesNothing(t *testing.T) {
	ctx := context.Background()
	broken := errors.New("the line broke")
	for name, s := range stores(t) {
		_, err := s.Put(ctx, "half", io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Open(ctx, "half"); !errors.Is(err, files.ErrMissing) {
			t.Errorf("%s: half a file: %v", name, err)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := s.Put(ended, "half", strings.NewReader("x")); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: after its context: %v", name, err)
		}
		if _, err := s.Put(ctx, "half", strings.NewReader("whole")); err != nil || read(t, s, "half") != "whole" {
			t.Errorf("%s: the key cannot be used again: %v", name, err)
		}
	}
}

func TestInvalidKeysAreRefused(t *testing.T) {
	ctx := context.Background()
	for name, s := range stores(t) {
		for _, key := range []string{"", ".", "..", "../x", "a/b", `a\b`, "A", "a\x00", "new.a", "ü", "c:", strings.Repeat("a", 65)} {
			if _, err := s.Put(ctx, key, strings.NewReader("x")); err == nil {
				t.Errorf("%s: %q was kept", name, key)
			}
			if _, err := s.Open(ctx, key); err == nil {
				t.Errorf("%s: %q was opened", name, key)
			}
		}
	}
}

func TestMemoryIsLimited(t *testing.T) {
	ctx := context.Background()
	s := files.NewMemory(10)
	if _, err := s.Put(ctx, "a", strings.NewReader("123456")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, "b", strings.NewReader("12345")); !errors.Is(err, files.ErrFull) {
		t.Errorf("over the limit: %v", err)
	}
	if err := s.Remove(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, "b", strings.NewReader("1234567890")); err != nil {
		t.Errorf("to the limit: %v", err)
	}
}

func TestUnfinishedFilesAreDeleted(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"new.gone", "kept"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := files.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if read(t, s, "kept") != "kept" {
		t.Error("a file is gone")
	}
	if _, err := os.Stat(filepath.Join(dir, "new.gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the unfinished file: %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, "kept"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestFilesFromBeforeTheOpeningAreOld(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	for i := range 1500 { // more than are listed at once
		writeOld(t, filepath.Join(dir, fmt.Sprintf("old-%d", i)))
	}
	writeOld(t, filepath.Join(dir, "README.txt")) // a file that the store has not created
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := files.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Put(ctx, "fresh", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for key, err := range older(ctx, s) {
		if err != nil || !strings.HasPrefix(key, "old-") {
			t.Fatalf("%q, %v", key, err)
		}
		keys[key] = true
		if err := s.Remove(ctx, key); err != nil { // like a sweep during the listing
			t.Fatal(err)
		}
	}
	if len(keys) != 1500 {
		t.Errorf("%d files are older, want 1500", len(keys))
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for key, err := range older(ended, s) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after its context: %q, %v", key, err)
		}
	}
	for key, err := range older(ctx, files.NewMemory(10)) {
		t.Errorf("in memory: %q, %v", key, err)
	}
}

func writeOld(t *testing.T, path string) {
	t.Helper()
	err := os.WriteFile(path, []byte("x"), 0o600)
	hourAgo := time.Now().Add(-time.Hour)
	if err = errors.Join(err, os.Chtimes(path, hourAgo, hourAgo)); err != nil {
		t.Fatal(err)
	}
}

func TestLinksOutOfTheFolderAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		if runtime.GOOS == "windows" {
			return // Windows needs a privilege to create links
		}
		t.Fatal(err)
	}
	s, err := files.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if f, err := s.Open(context.Background(), "out"); err == nil {
		f.Close()
		t.Error("a link out of the folder was followed")
	}
}

// older returns the keys of the old files.
func older(ctx context.Context, s files.Store) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for f, err := range s.All(ctx) {
			if (f.Old || err != nil) && !yield(f.Key, err) {
				return
			}
		}
	}
}
