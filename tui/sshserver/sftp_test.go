package sshserver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pkg/sftp"
	gossh "golang.org/x/crypto/ssh"
)

// numberOfHandles returns the number of open files and folders of sftp sessions.
func (r *testRoom) numberOfHandles() int {
	r.disk.mu.Lock()
	defer r.disk.mu.Unlock()
	return r.disk.handles
}

// rawSFTP is an sftp session in which a test sends its own packets.
type rawSFTP struct {
	to   io.Writer
	from io.Reader
}

func openRawSFTP(t testing.TB, c *gossh.Client) *rawSFTP {
	t.Helper()
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	to, _ := s.StdinPipe()
	from, _ := s.StdoutPipe()
	if err := s.RequestSubsystem("sftp"); err != nil {
		t.Fatal(err)
	}
	return &rawSFTP{to, from}
}

func (s *rawSFTP) send(t testing.TB, packet ...byte) {
	t.Helper()
	framed := append(binary.BigEndian.AppendUint32(nil, uint32(len(packet))), packet...)
	if _, err := s.to.Write(framed); err != nil {
		t.Fatal(err)
	}
}

// An open folder needs a handle but no memory for its entries, and handles are limited. The test measures the
// memory of the process and therefore does not run in parallel with other tests.
func TestOpenFoldersAreLimitedAndReadInPages(t *testing.T) {
	r := openTestRoom(t, nil)
	files := openSFTP(t, r.login(t, "user1"))
	dir := filepath.Join(r.Dir, "user1", "files")
	for i := range 1500 {
		if err := os.WriteFile(
			filepath.Join(dir, fmt.Sprintf("%d-%s.kml", i, strings.Repeat("x", 100))), nil, 0o600,
		); err != nil {
			t.Fatal(err)
		}
	}
	if infos, err := files.ReadDir("/"); err != nil || len(infos) != 1500 {
		t.Errorf("%d files are listed, %v", len(infos), err)
	}
	raw := openRawSFTP(t, r.login(t, "user1"))
	go func() { _, _ = io.Copy(io.Discard, raw.from) }()
	before := heapInUse()
	raw.send(t, 1, 0, 0, 0, 3)
	for i := range 1000 {
		raw.send(t, 11, 0, 0, byte(i>>8), byte(i), 0, 0, 0, 1, '/')
	}
	waitFor(t, "all handles are used", func() bool { return r.numberOfHandles() == maxHandlesOf })
	if grown := heapInUse() - before; grown > 16<<20 {
		t.Errorf("open folders take %d bytes", grown)
	}
	if _, err := openSFTP(t, r.login(t, "user2")).ReadDir("/"); err != nil {
		t.Errorf("another user has no folder: %v", err)
	}
}

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestHandlesEndWithTheirConnection(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, nil)
	c := r.login(t, "user1")
	files := openSFTP(t, c)
	if err := putFile(files, "a", "x"); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if _, err := files.Open("a"); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.numberOfHandles(); n != 10 {
		t.Errorf("%d handles", n)
	}
	_ = c.Close()
	waitFor(t, "no handle is open", func() bool { return r.numberOfHandles() == 0 })
	waitFor(t, "no folder is open", func() bool { return len(r.disk.openFolders()) == 0 })
}

// All sessions of a user share the same disk space.
func TestSessionsOfAUserShareDiskSpace(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, nil)
	c := r.login(t, "user1")
	sessions := []*sftp.Client{openSFTP(t, c), openSFTP(t, c), openSFTP(t, r.login(t, "user1"))}
	written := 0
	for i, s := range sessions {
		f, err := s.Create(fmt.Sprintf("big%d", i))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = f.WriteAt([]byte("x"), maxBytes/2-1); err == nil {
			written++
		}
		_ = f.Close()
	}
	if written != 1 {
		t.Errorf("%d halves of the space are written", written)
	}
	if err := sessions[0].Remove("big0"); err != nil {
		t.Fatal(err)
	}
	f, err := sessions[1].Create("again")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.WriteAt([]byte("x"), maxBytes/2); err != nil {
		t.Errorf("space of a removed file is not free: %v", err)
	}
	if err := sessions[2].Remove("again"); err == nil || !strings.Contains(err.Error(), "open in another transfer") {
		t.Errorf("a file that is written is removed: %v", err)
	}
}

func TestFilesOfAUserAreLimited(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, nil)
	dir := filepath.Join(r.Dir, "user1", "files")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range maxFiles - 10 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sessions := []*sftp.Client{openSFTP(t, r.login(t, "user1")), openSFTP(t, r.login(t, "user1"))}
	made := 0
	for i := range 20 {
		s := sessions[i%2]
		if s.Mkdir(fmt.Sprintf("folder%d", i)) == nil {
			made++
		}
		if putFile(s, fmt.Sprintf("file%d", i), "") == nil {
			made++
		}
	}
	if made == 0 || made > 10 {
		t.Errorf("%d more files and folders are made", made)
	}
}

// After any operations, the reserved space is the space that counting the files finds.
func TestReservedSpaceMatchesCountedSpace(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, nil)
	s := openSFTP(t, r.login(t, "user1"))
	_ = s.Mkdir("d")
	_ = s.Mkdir("d") // is there
	for i := range 5 {
		_ = putFile(s, "a", strings.Repeat("x", 1000*i))
		_ = putFile(s, "d/b", strings.Repeat("x", 3000))
		_ = putFile(s, "d", "x")         // a folder
		_ = putFile(s, "missing/b", "x") // no folder
		_ = s.Rename("a", "d/b")
		_ = s.Rename("d/b", "d/b")
		_ = s.Rename("nothing", "d/b")
		_ = s.Remove("d")
		_ = s.Mkdir("e")
		_ = s.RemoveDirectory("e")
	}
	r.disk.mu.Lock()
	counted := r.disk.users["user1"]
	r.disk.mu.Unlock()
	if real := countFiles(filepath.Join(r.Dir, "user1")); counted.bytes < real.bytes || counted.files < real.files {
		t.Errorf("counted %+v, there are %+v", counted, real)
	}
}

func TestViewerCannotWriteFiles(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, nil)
	s := openSFTP(t, r.login(t, Viewer))
	path := filepath.Join(r.Dir, Viewer, "files", "a.kml")
	if err := os.WriteFile(path, []byte("<kml/>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"written": putFile(s, "b.kml", "x"), "removed": s.Remove("a.kml"), "renamed": s.Rename("a.kml", "c.kml"),
		"a folder": s.Mkdir("d"),
	} {
		if !errors.Is(err, os.ErrPermission) {
			t.Errorf("%s: %v", what, err)
		}
	}
	f, err := s.Open("a.kml")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f); err != nil || string(text) != "<kml/>" {
		t.Errorf("%q, %v", text, err)
	}
}

// Errors of sftp have no paths of the host.
func TestErrorsHidePathsOfTheHost(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, nil)
	s := openSFTP(t, r.login(t, "user1"))
	_ = putFile(s, "a", "")
	_, open := s.Open("missing")
	_, stat := s.Stat("a/b")
	_, list := s.ReadDir("missing")
	for _, err := range []error{
		open, stat, list, s.Mkdir("x/y"), s.Mkdir("a"), s.Remove("missing"), s.Rename("missing", "b"), putFile(s, "x/y", ""),
		s.Symlink("/etc/passwd", "l"),
	} {
		if err == nil || strings.Contains(err.Error(), r.Dir) || strings.Contains(err.Error(), "user1") {
			t.Errorf("%v", err)
		}
	}
}

// A flood of small packets is slowed down, not refused.
func TestSFTPOperationsAreSlowedDown(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, nil)
	raw := openRawSFTP(t, r.login(t, "user1"))
	go func() { _, _ = io.Copy(io.Discard, raw.from) }()
	began := time.Now()
	raw.send(t, 1, 0, 0, 0, 3)
	for i := range operateBurst + operationRate {
		raw.send(t, 16, 0, 0, byte(i>>8), byte(i), 0, 0, 0, 1, '/')
	}
	raw.send(t, 11, 0, 0, 0, 0, 0, 0, 0, 1, '/')
	waitFor(t, "the last operation", func() bool { return r.numberOfHandles() == 1 })
	if took := time.Since(began); took < 500*time.Millisecond {
		t.Errorf("all operations take %v", took)
	}
}

func TestFilesAreNotCountedForEveryRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // on a busy machine, files would be counted again between two lines
		disk, err := openRoomDisk(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		f, err := disk.openFolder("user1") // counts
		if err != nil {
			t.Fatal(err)
		}
		defer f.close()
		disk.users["user1"] = usage{files: maxFiles}
		if err := f.reserve(1, 0); !errors.Is(err, errTooMany) {
			t.Errorf("counted again at once: %v", err)
		}
		time.Sleep(minCountAge) // of the fake clock
		if err := f.reserve(1, 0); err != nil {
			t.Errorf("never counted again: %v", err)
		}
	})
}
