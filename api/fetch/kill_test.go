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

// Data that a killed process has downloaded is not downloaded again, except for the last second.
func TestAKilledProcessLosesAtMostASecond(t *testing.T) {
	const size, rate = 12 << 20, 8 << 20
	s := newStorage(t, file("map.tif", size))
	// The real speed is 20 times the configured rate; see slow.
	s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
		s.give(&slow{w, rate / 20, time.Now(), 0}, r, o)
		return true
	})
	dir := t.TempDir()
	d := &testQueue{t: t, dir: dir}
	for range 2 {
		cmd := s.start(dir)
		part := filepath.Join(d.folder(), "map.tif"+stateEnding)
		before, _ := os.ReadFile(part)
		for began := time.Now(); time.Since(began) < 20*time.Second; {
			if now, err := os.ReadFile(part); err == nil && string(now) != string(before) {
				break
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if _, err := os.Stat(filepath.Join(d.folder(), "map.tif")); !isMissing(err) {
			t.Fatalf("a killed process leaves the final name: %v", err)
		}
	}
	s.answer(nil)
	if err := s.start(dir).Wait(); err != nil {
		t.Fatal(err)
	}
	d.holds(s.all())
	// Data in transit when the process was killed counts as sent.
	if n, most := s.bytes(), int64(size+3*4*rate/4); n > most {
		t.Errorf("%d bytes were sent for a file of %d", n, size)
	}
}
