package fetch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// victim is a process that downloads until it is killed. Its status is 0 if all files are
// complete.
func victim(service, dir string) int {
	list := func(ctx context.Context) (files []File, err error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, service+"/list", http.NoBody)
		if err != nil {
			return nil, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		defer func() { _ = resp.Body.Close() }()
		return files, json.NewDecoder(resp.Body).Decode(&files)
	}
	pace := testPace
	pace.save = defaultLimits.save / 4
	o := Options{Dir: dir, PartsFrom: 4 << 20, Tries: 5, pace: &pace}
	if room, err := strconv.ParseInt(os.Getenv("FETCH_TEST_ROOM"), 10, 64); err == nil {
		o.write = small(room)
	}
	q, err := New(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	p := Package{PackageInfo: PackageInfo{ID: "package-1", Kind: "delivery"}, Folder: []string{"ORD-1", "MSN-1", "v1"}, List: list}
	if p.Files, err = list(context.Background()); err == nil {
		_, err = q.Add(p, Waiting)
	}
	if err == nil {
		err = q.Wait(context.Background())
	}
	q.Close()
	for _, it := range q.Snapshot() {
		if it.Err != nil {
			fmt.Fprintln(os.Stderr, it.Name+": "+it.Err.Error())
			return 1
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}

// small writes to a disk with space for the given number of bytes.
func small(room int64) func(*os.File, []byte, int64) (int, error) {
	var written atomic.Int64
	return func(f *os.File, b []byte, at int64) (int, error) {
		if written.Add(int64(len(b))) > room {
			return 0, &os.PathError{Op: "write", Path: "part", Err: syscall.ENOSPC}
		}
		return f.WriteAt(b, at)
	}
}

// start runs a victim with environment variables.
func (s *storage) start(dir string, vars ...string) *exec.Cmd {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), "FETCH_TEST_VICTIM="+s.URL, "FETCH_TEST_DIR="+dir), vars...)
	cmd.Stderr = &strings.Builder{}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return cmd
}

// ration is the number of bytes that a server still sends. Its responses share it.
type ration struct {
	mu   sync.Mutex
	left int
}

// take takes up to n bytes of the ration, and returns how many.
func (r *ration) take(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = min(n, r.left)
	r.left -= n
	return n
}

// rationed writes a response until the ration is used up, and then waits until the client disconnects.
type rationed struct {
	http.ResponseWriter
	request *http.Request
	ration  *ration
}

func (w *rationed) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b[:w.ration.take(len(b))])
	if err != nil || n == len(b) {
		return n, err
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
	<-w.request.Context().Done()
	panic(http.ErrAbortHandler)
}

// savedBytes returns how many bytes of the first file are downloaded according to its saved state.
func (d *testQueue) savedBytes(name string) int64 {
	root, err := os.OpenRoot(d.folder())
	if err != nil {
		return 0 // the victim has not created the folder yet
	}
	defer func() { _ = root.Close() }()
	return readState(root, name, "file-0").Done.totalBytes()
}

// waitForSavedBytes waits until a file's saved state has a number of bytes.
func (d *testQueue) waitForSavedBytes(name string, want int64) {
	d.t.Helper()
	late := time.After(time.Minute)
	for d.savedBytes(name) < want {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-late:
			d.t.Fatalf("%d of %d bytes are saved", d.savedBytes(name), want)
		}
	}
}

// Each second, a process saves what it has downloaded. After it was killed, only the rest is downloaded.
func TestAKilledProcessLosesAtMostASecond(t *testing.T) {
	const size, perRun = 12 << 20, 3 << 20
	s := newStorage(t, file("map.tif", size))
	d := &testQueue{t: t, dir: t.TempDir()}
	for run := range int64(2) {
		given := &ration{left: perRun}
		s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
			s.give(&rationed{w, r, given}, r, o)
			return true
		})
		cmd := s.start(d.dir)
		t.Cleanup(func() { _ = cmd.Process.Kill() }) // otherwise the server would wait for it after a failure
		d.waitForSavedBytes("map.tif", (run+1)*perRun)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if _, err := os.Stat(filepath.Join(d.folder(), "map.tif")); !isMissing(err) {
			t.Fatalf("a killed process leaves the final name: %v", err)
		}
	}
	s.answer(nil)
	before := s.bytes()
	if err := s.start(d.dir).Wait(); err != nil {
		t.Fatal(err)
	}
	d.holds(s.all())
	if n := s.bytes() - before; n > size-2*perRun {
		t.Errorf("%d bytes were sent, more than the missing %d", n, size-2*perRun)
	}
	if defaultLimits.save > time.Second {
		t.Errorf("a download is saved only every %v", defaultLimits.save)
	}
}
