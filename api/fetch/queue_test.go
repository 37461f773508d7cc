package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// hold blocks requests for files until release is called.
func (s *storage) hold() (release func()) {
	gate := make(chan struct{})
	s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
		s.give(&shears{ResponseWriter: w, left: 100_000, then: func() {
			select {
			case <-gate:
			case <-r.Context().Done():
			}
			panic(http.ErrAbortHandler)
		}}, r, o)
		return true
	})
	return sync.OnceFunc(func() {
		s.answer(nil)
		close(gate)
	})
}

func TestPauseAndResume(t *testing.T) {
	s := newStorage(t, file("a.tif", 400_000), file("bb.tif", 400_000))
	release := s.hold()
	d := queue(t, "", func(o *Options) { o.Files = 1 })
	ids, err := d.Add(s.delivery(), Waiting)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) Item { return d.item(ids[i]) }
	d.until("under way", func() bool { return at(0).Done == 100_000 })
	if at(1).State != Waiting || d.Summary().Count[Fetching] != 1 {
		t.Errorf("the second is %s", at(1).State)
	}
	d.Pause(ids...)
	d.wait()
	if at(0).State != Paused || at(0).Done != 100_000 || at(1).State != Paused {
		t.Errorf("%+v", d.Snapshot())
	}
	release()
	d.Resume(d.all()...)
	d.wait()
	d.states(d.Snapshot(), Done)
	d.Close()
	d.holds(s.all())
	if n := s.bytes(); n > 900_000 {
		t.Errorf("%d bytes were sent", n)
	}
}

func TestAnItemCanBeResumedWhileItStops(t *testing.T) {
	s := newStorage(t, file("a.tif", 400_000))
	release := s.hold()
	d := queue(t, "", nil)
	ids, err := d.Add(s.delivery(), Waiting)
	if err != nil {
		t.Fatal(err)
	}
	d.until("under way", func() bool { return d.item(ids[0]).Done == 100_000 })
	release()
	d.Pause(d.all()...)
	d.Resume(d.all()...)
	d.until("done", func() bool { return d.item(ids[0]).State == Done })
}

func TestCancel(t *testing.T) {
	s := newStorage(t, file("a.tif", 400_000), file("bb.tif", 400_000))
	release := s.hold()
	defer release()
	d := queue(t, "", func(o *Options) { o.Files = 1 })
	ids, err := d.Add(s.delivery(), Waiting)
	if err != nil {
		t.Fatal(err)
	}
	d.until("noted", func() bool {
		_, err := os.Stat(filepath.Join(d.folder(), "a.tif"+stateEnding))
		return err == nil
	})
	d.Cancel(d.all()...)
	d.wait()
	d.states(d.Snapshot(), Cancelled)
	d.Close()
	d.holds(nil)
	if m, err := ReadManifest(d.folder()); err != nil || len(m.Unfinished) != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	_ = ids
}

func TestCloseKeepsParts(t *testing.T) {
	s := newStorage(t, file("a.tif", 400_000))
	release := s.hold()
	d := queue(t, "", nil)
	if _, err := d.Add(s.delivery(), Waiting); err != nil {
		t.Fatal(err)
	}
	d.until("under way", func() bool { return d.Summary().Done == 100_000 })
	d.Close()
	d.states(d.Snapshot(), Paused)
	m, err := ReadManifest(d.folder())
	if err != nil || len(m.Unfinished) != 1 || m.Unfinished[0].Path != "a.tif" {
		t.Errorf("%+v, %v", m, err)
	}
	release()
	if looked, err := InspectFolder(d.dir, s.delivery()); err != nil || looked[0].Done != 100_000 || !looked[0].IsNew() {
		t.Errorf("%+v, %v", looked, err)
	}
	again := queue(t, d.dir, nil)
	again.states(again.fetch(s.delivery()), Done)
	again.Close()
	again.holds(s.all())
	if n := s.bytes(); n > 500_000 {
		t.Errorf("%d bytes were sent", n)
	}
}

func TestClosePausesWaitingItems(t *testing.T) {
	s := newStorage(t, file("a.tif", 400_000), file("bb.tif", 400_000))
	defer s.hold()()
	d := queue(t, "", func(o *Options) { o.Files = 1 })
	if _, err := d.Add(s.delivery(), Waiting); err != nil {
		t.Fatal(err)
	}
	d.until("under way", func() bool { return d.Summary().Done == 100_000 })
	d.Close()
	if all := d.Snapshot(); len(all) != 2 || all[0].State != Paused || all[1].State != Paused {
		t.Errorf("%+v", all)
	}
}

func TestFilesAreDownloadedInOrder(t *testing.T) {
	var objects []*object
	for i := range 4 {
		objects = append(objects, file(fmt.Sprintf("%d.jpg", i), 1000))
	}
	s := newStorage(t, objects...)
	release := s.hold()
	gate := make(chan struct{})
	var order []string
	s.answer(func(_ http.ResponseWriter, _ *http.Request, o *object) bool {
		s.mu.Lock()
		order = append(order, o.name)
		s.mu.Unlock()
		<-gate
		return false
	})
	defer release()
	d := queue(t, "", func(o *Options) { o.Files = 1 })
	if _, err := d.Add(s.delivery(), Waiting); err != nil {
		t.Fatal(err)
	}
	d.until("started", func() bool { return d.Summary().Count[Fetching] == 1 })
	close(gate)
	d.wait()
	if got := fmt.Sprint(order); got != "[0.jpg 1.jpg 2.jpg 3.jpg]" {
		t.Errorf("fetched in the order %s", got)
	}
	d.Clear()
	if items := d.Snapshot(); len(items) != 0 {
		t.Errorf("after clearing: %+v", items)
	}
}

func TestTheRateLimitAppliesAndCanChange(t *testing.T) {
	s := newStorage(t, file("a.tif", 1_000_000))
	d := queue(t, "", func(o *Options) { o.Rate = 1_000_000 })
	began := time.Now()
	if _, err := d.Add(s.delivery(), Waiting); err != nil {
		t.Fatal(err)
	}
	d.until("a fifth done", func() bool { return d.Summary().Done > 200_000 })
	if spent := time.Since(began); spent < 150*time.Millisecond {
		t.Errorf("200 kB after %s, at 1 MB/s", spent)
	}
	d.SetRate(1000)
	before := d.Summary().Done
	d.until("a little more", func() bool { return d.Summary().Done > before })
	if d.Rate() != 1000 || d.Summary().Done > before+300_000 {
		t.Errorf("%d bytes at once", d.Summary().Done-before)
	}
	d.SetRate(0)
	d.wait()
	d.states(d.Snapshot(), Done)
}

func TestAddFailsIfTheDiskHasTooLittleSpace(t *testing.T) {
	s := newStorage(t, file("a.tif", 400_000))
	d := queue(t, "", func(o *Options) {
		o.Free = func(string) (int64, error) { return 200_000 + spareSpace, nil }
	})
	_, err := d.Add(s.delivery(), Waiting)
	if !errors.Is(err, ErrNoSpace) || err.Error() != "the disk is full: needs 400.0 kB, but only 200.0 kB free in "+d.dir {
		t.Errorf("error %v", err)
	}
	if len(d.Snapshot()) != 0 || len(s.asked()) != 0 {
		t.Error("something was added all the same")
	}
}

func TestAFullDiskPausesTheQueue(t *testing.T) {
	for name, where := range map[string]func(*Options, *atomic.Bool){
		"while writing": func(o *Options, full *atomic.Bool) {
			o.write = func(f *os.File, b []byte, at int64) (int, error) {
				if at >= 100_000 && full.Load() {
					return 0, &os.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}
				}
				return f.WriteAt(b, at)
			}
		},
		"in sight": func(o *Options, full *atomic.Bool) {
			var asked atomic.Int32
			o.Free = func(string) (int64, error) {
				if asked.Add(1) > 1 && full.Load() {
					return 10, nil
				}
				return 1 << 40, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStorage(t, file("a.tif", 400_000), file("bb.tif", 400_000))
			release := s.hold()
			if name == "while writing" {
				release()
			}
			defer release()
			var full atomic.Bool
			full.Store(true)
			d := queue(t, "", func(o *Options) { where(o, &full) })
			items := d.fetch(s.delivery())
			d.states(items, Paused)
			if !errors.Is(items[0].Err, ErrNoSpace) || !errors.Is(items[1].Err, ErrNoSpace) {
				t.Errorf("%v, %v", items[0].Err, items[1].Err)
			}
			for _, it := range items {
				if _, err := os.Stat(it.Path); !isMissing(err) {
					t.Errorf("%s: %v", it.Path, err)
				}
			}
			release()
			full.Store(false)
			d.Resume(d.all()...)
			d.wait()
			d.states(d.Snapshot(), Done)
			d.Close()
			d.holds(s.all())
		})
	}
}

// A part that cannot be resumed is removed, to free the disk for the next attempt.
func TestAPartWithoutItsStateIsRemoved(t *testing.T) {
	s := newStorage(t, file("a.tif", 400_000))
	d := queue(t, "", func(o *Options) {
		o.write = func(f *os.File, b []byte, at int64) (int, error) {
			if err := os.MkdirAll(f.Name()+".json.new", 0o700); err != nil { // no state can be written
				t.Error(err)
			}
			if at < 100_000 {
				return f.WriteAt(b, at)
			}
			return 0, &os.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}
		}
	})
	items := d.fetch(s.delivery())
	d.states(items, Paused)
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(items[0].Path), "a.tif*")); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestAFileIsNotAddedTwice(t *testing.T) {
	s := newStorage(t, file("a.tif", 1000), &object{name: "b.jpg", product: "jpg", content: []byte("b")})
	d := queue(t, "", nil)
	d.fetch(s.delivery().OnlyProducts("jpg"))
	items := d.fetch(s.delivery())
	if len(items) != 2 || items[0].State != Done || items[1].Name != "a.tif" {
		t.Errorf("%+v", items)
	}
	d.Close()
	d.holds(s.all())
	if _, err := d.Add(s.delivery(), Waiting); err == nil {
		t.Error("a closed queue takes more")
	}
}

func TestAddResumesAPausedFile(t *testing.T) {
	s := newStorage(t, file("a.tif", 1000))
	d := queue(t, "", nil)
	ids, err := d.Add(s.delivery(), Paused)
	if err != nil || len(ids) != 1 {
		t.Fatal(ids, err)
	}
	if _, err := d.Add(s.delivery(), Paused); err != nil {
		t.Fatal(err)
	}
	d.wait()
	d.states(d.Snapshot(), Paused)
	d.states(d.fetch(s.delivery()), Done)
	if all := d.Snapshot(); len(all) != 1 || all[0].ID != ids[0] {
		t.Errorf("%+v", all)
	}
	d.Close()
	d.holds(s.all())
}

func TestAFolderIsLockedAgainstOtherProcesses(t *testing.T) {
	s := newStorage(t, file("a.tif", 400_000))
	release := s.hold()
	defer release()
	d := queue(t, "", nil)
	if _, err := d.Add(s.delivery(), Waiting); err != nil {
		t.Fatal(err)
	}
	d.until("under way", func() bool { return d.Summary().Done == 100_000 })
	other := queue(t, d.dir, nil)
	if _, err := other.Add(s.delivery(), Waiting); !errors.Is(err, ErrInUse) {
		t.Errorf("error %v", err)
	}
}

func TestFoldersOfPackages(t *testing.T) {
	s := newStorage(t, file("a.tif", 1000))
	d := queue(t, "", nil)
	first, second := s.delivery(), s.delivery()
	second.ID = "package-2"
	third := s.delivery()
	third.ID, third.Folder = "package-3", []string{"..", "/etc", "CON"}
	for _, p := range []Package{first, second, third} {
		if _, err := d.Add(p, Waiting); err != nil {
			t.Fatal(err)
		}
	}
	d.wait()
	for i, want := range []string{"ORD-1/MSN-1/v1/a.tif", "ORD-1/MSN-1/v1 (2)/a.tif", "file/etc/_CON/a.tif"} {
		it := d.Snapshot()[i]
		if it.Path != filepath.Join(d.dir, want) || it.State != Done {
			t.Errorf("%s is %s, want %s", it.Path, it.State, want)
		}
		if _, err := os.Stat(it.Path); err != nil {
			t.Error(err)
		}
	}
}

func TestVerifyReadsExistingFiles(t *testing.T) {
	s := newStorage(t, file("a.tif", 1000))
	d := queue(t, "", nil)
	item := d.fetch(s.delivery())[0]
	d.Close()
	info, err := os.Stat(item.Path)
	if err != nil {
		t.Fatal(err)
	}
	rot := append([]byte("x"), s.objects[0].content[1:]...)
	if err := os.WriteFile(item.Path, rot, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(item.Path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	d = queue(t, d.dir, nil)
	d.states(d.fetch(s.delivery()), Here)
	d.Close()
	d = queue(t, d.dir, func(o *Options) { o.Verify = true })
	if items := d.fetch(s.delivery()); items[0].State != Failed || !errors.Is(items[0].Err, ErrExists) {
		t.Errorf("%+v", items[0])
	}
}

func TestInvalidOptionsAreRejected(t *testing.T) {
	for _, o := range []Options{{}, {Dir: "x", Files: -1}, {Dir: "x", Rate: -1}} {
		if q, err := New(o); err == nil {
			q.Close()
			t.Errorf("%+v is taken", o)
		}
	}
}
