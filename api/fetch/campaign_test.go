package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// campaign is a sequence of faults of a process that downloads. After each fault, every file with
// a final name must be complete and have a content that the server had at some time.
type campaign struct {
	*storage
	rng      *rand.Rand
	dir      string
	versions map[string][][]byte // name → every content so far
	counts   map[string]int
}

func TestDownloadsSurviveAnySequenceOfFaults(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	c := &campaign{
		storage: newStorage(t, file("a.tif", 3_000_000), file("large.tif", 9<<20), file("b.jpg", 200_000)),
		rng:     rand.New(rand.NewPCG(seed, 1)), dir: t.TempDir(), versions: map[string][][]byte{}, counts: map[string]int{},
	}
	c.objects[1].noDigest = true // only If-Range distinguishes its versions
	for _, o := range c.objects {
		c.versions[o.name] = [][]byte{o.content}
	}
	c.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
		c.give(&slow{w, 1 << 20, time.Now(), 0}, r, o) // at 20 MB/s, see slow
		return true
	})
	for n := range campaignFaults {
		name, err := c.fault()
		c.counts[name]++
		if err := c.intact(); err != nil {
			t.Fatalf("after fault %d, %s: %v", n, name, err)
		}
		if err == nil { // everything is downloaded; continue with an empty folder
			c.counts["done"]++
			c.complete()
			c.dir = t.TempDir()
		}
	}
	c.mu.Lock()
	c.faults = nil
	c.mu.Unlock()
	c.dir = t.TempDir()
	if err := c.run(); err != nil {
		t.Fatal(err)
	}
	c.complete()
	t.Logf("%d faults: %v", campaignFaults, c.counts)
}

// fault runs a process with a fault. The error is nil if the process downloaded everything
// despite the fault.
func (c *campaign) fault() (name string, err error) {
	c.mu.Lock()
	c.faults = nil
	c.mu.Unlock()
	switch c.rng.IntN(5) {
	case 0:
		return "killed", c.killed()
	case 1:
		var cuts []fault
		for range 1 + c.rng.IntN(4) {
			cuts = append(cuts, pass, c.cut(c.rng.IntN(2_000_000)))
		}
		return "cut", c.run(cuts...)
	case 2:
		i := c.rng.IntN(len(c.objects))
		c.mu.Lock()
		size := len(c.objects[i].content)
		c.mu.Unlock()
		if c.rng.IntN(3) == 0 {
			size += c.rng.IntN(1000) - 500
		}
		content := pseudo(c.rng.Uint64(), size)
		return "changed", c.run(pass, c.midway(func() {
			c.mu.Lock()
			c.versions[c.objects[i].name] = append(c.versions[c.objects[i].name], content)
			c.mu.Unlock()
			c.change(i, content)
		}))
	case 3:
		return "expired", c.run(pass, c.midway(c.expire), pass, c.midway(c.expire))
	default:
		err := c.runWith([]string{fmt.Sprint("FETCH_TEST_ROOM=", c.rng.IntN(10<<20))})
		return "full", err
	}
}

// midway does something in the middle of a response, then cuts the response off.
func (c *campaign) midway(do func()) fault {
	at := c.rng.IntN(1_000_000)
	return func(w http.ResponseWriter, r *http.Request, o *object) bool {
		do()
		return c.cut(at)(w, r, o)
	}
}

func (c *campaign) run(faults ...fault) error { return c.runWith(nil, faults...) }

// runWith runs a process to its end. With status 1 it must print one clear line.
func (c *campaign) runWith(vars []string, faults ...fault) error {
	c.mu.Lock()
	c.faults = faults
	c.mu.Unlock()
	cmd := c.start(c.dir, vars...)
	err := cmd.Wait()
	var exit *exec.ExitError
	text := fmt.Sprint(cmd.Stderr)
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1 || strings.Count(text, "\n") != 1 || strings.Contains(text, "SECRET")) {
		c.t.Fatalf("%v: %q", err, text)
	}
	if err == nil {
		return nil
	}
	if strings.Contains(text, ErrExists.Error()) || strings.Contains(text, ErrMismatch.Error()) {
		c.counts["in the way"]++
		if err := c.intact(); err != nil {
			c.t.Fatal(err)
		}
		c.dir = c.t.TempDir() // a complete file was changed afterwards
	} else if !strings.Contains(text, ErrNoSpace.Error()) {
		c.t.Fatalf("an error that no fault explains: %q", text)
	}
	return err
}

// killed kills a process at a random moment.
func (c *campaign) killed() error {
	cmd := c.start(c.dir)
	timer := time.AfterFunc(time.Duration(c.rng.IntN(400))*time.Millisecond, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	return cmd.Wait()
}

// intact checks all files below dir with a final name.
func (c *campaign) intact() error {
	return filepath.WalkDir(c.dir, func(path string, e fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err != nil || e.IsDir() || strings.Contains(name, partEnding) || strings.HasPrefix(name, manifestName) {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, version := range c.versions[name] {
			if bytes.Equal(content, version) {
				return nil
			}
		}
		return fmt.Errorf("%s has %d bytes that the server never had", name, len(content))
	})
}

// complete checks that all files exist with the content of the server, and no other files.
func (c *campaign) complete() {
	c.t.Helper()
	d := &testQueue{t: c.t, dir: c.dir}
	entries, err := os.ReadDir(d.folder())
	if err != nil || len(entries) != len(c.objects)+1 {
		c.t.Fatalf("the folder has %v, %v", entries, err)
	}
	m, err := ReadManifest(d.folder())
	if err != nil || len(m.Files) != len(c.objects) || len(m.Unfinished) != 0 {
		c.t.Fatalf("manifest %+v, %v", m, err)
	}
}
