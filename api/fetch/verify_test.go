package fetch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// changeQuietly changes the content of a file and keeps its size and time.
func changeQuietly(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[0] ^= 1
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("junk"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestInspectFolderFindsChangedAndMissingFiles(t *testing.T) {
	s := newStorage(t,
		&object{name: "kept.tif", content: pseudo(1, 100)},
		&object{name: "longer.tif", content: pseudo(2, 100)},
		&object{name: "touched.tif", content: pseudo(3, 100)},
		&object{name: "gone.tif", content: pseudo(4, 100)})
	d := queue(t, "", nil)
	items := d.fetch(s.delivery())
	d.Close()
	appendTo(t, items[1].Path)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(items[2].Path, later, later); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(items[3].Path); err != nil {
		t.Fatal(err)
	}
	states, err := InspectFolder(d.dir, s.delivery())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []FileState{{Whole: true}, {Changed: true}, {Changed: true}, {}} {
		got := states[i]
		if !got.Known || got.Whole != want.Whole || got.Changed != want.Changed {
			t.Errorf("%s: known %v, whole %v, changed %v", got.File.Name, got.Known, got.Whole, got.Changed)
		}
	}
}

func TestVerifyFolderFindsAChangeOfTheContentOnly(t *testing.T) {
	s := newStorage(t, &object{name: "a.tif", content: pseudo(1, 5000)}, &object{name: "b.tif", content: pseudo(2, 5000)})
	d := queue(t, "", nil)
	items := d.fetch(s.delivery())
	d.Close()
	changeQuietly(t, items[1].Path)
	states, err := InspectFolder(d.dir, s.delivery())
	if err != nil || !states[1].Whole {
		t.Fatalf("before verifying: %+v, %v", states, err)
	}
	total := 0
	states, err = VerifyFolder(context.Background(), d.dir, s.delivery(), func(n int) { total += n })
	if err != nil {
		t.Fatal(err)
	}
	if !states[0].Whole || states[0].Changed || states[1].Whole || !states[1].Changed {
		t.Errorf("verified: %+v", states)
	}
	if total != 10000 {
		t.Errorf("%d bytes were reported, of 10000", total)
	}
	states, err = InspectFolder(d.dir, s.delivery())
	if err != nil || states[1].Whole || !states[1].Changed || !states[0].Whole {
		t.Errorf("a later look: %+v, %v", states, err)
	}
}

func TestVerifyFolderEndsWithItsContext(t *testing.T) {
	s := newStorage(t, &object{name: "a.tif", content: pseudo(1, 5000)})
	d := queue(t, "", nil)
	d.fetch(s.delivery())
	d.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := VerifyFolder(ctx, d.dir, s.delivery(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestVerifyFolderAcceptsAMissingFolder(t *testing.T) {
	s := newStorage(t, &object{name: "a.tif", content: pseudo(1, 5000)})
	states, err := VerifyFolder(context.Background(), t.TempDir(), s.delivery(), nil)
	if err != nil || len(states) != 1 || states[0].Known {
		t.Errorf("%+v, %v", states, err)
	}
}

func TestAChangedFileIsSetAsideAndDownloadedAgain(t *testing.T) {
	for what, change := range map[string]func(*testing.T, string){"longer": appendTo, "other content": func(t *testing.T, path string) {
		changeQuietly(t, path)
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
	}} {
		t.Run(what, func(t *testing.T) {
			content := pseudo(1, 5000)
			s := newStorage(t, &object{name: "a.tif", content: content})
			d := queue(t, "", func(o *Options) { o.SetAside = true })
			item := d.fetch(s.delivery())[0]
			change(t, item.Path)
			edited, err := os.ReadFile(item.Path)
			if err != nil {
				t.Fatal(err)
			}
			d.states(d.fetch(s.delivery()), Done)
			got, err := os.ReadFile(item.Path)
			if err != nil || string(got) != string(content) {
				t.Errorf("the file was not fetched again: %v", err)
			}
			kept, err := os.ReadFile(filepath.Join(filepath.Dir(item.Path), "a (changed).tif"))
			if err != nil || string(kept) != string(edited) {
				t.Errorf("the changed file is not kept: %v", err)
			}
		})
	}
}

func TestADeletedFileIsDownloadedAgain(t *testing.T) {
	s := newStorage(t, &object{name: "a.tif", content: pseudo(1, 5000)})
	d := queue(t, "", nil)
	item := d.fetch(s.delivery())[0]
	if err := os.Remove(item.Path); err != nil {
		t.Fatal(err)
	}
	d.states(d.fetch(s.delivery()), Done)
	if _, err := os.Stat(item.Path); err != nil {
		t.Error(err)
	}
}

func TestAChangedFileIsAnErrorWithoutSetAside(t *testing.T) {
	s := newStorage(t, &object{name: "a.tif", content: pseudo(1, 5000)})
	d := queue(t, "", nil)
	item := d.fetch(s.delivery())[0]
	appendTo(t, item.Path)
	again := d.fetch(s.delivery())[0]
	if again.State != Failed || !errors.Is(again.Err, ErrExists) {
		t.Errorf("%+v", again)
	}
}

// A changed file that was requested again is one file.
func TestCountFilesCountsEachFileOnce(t *testing.T) {
	s := newStorage(t, file("a.tif", 400_000), file("bb.tif", 100))
	d := queue(t, "", nil)
	items := d.fetch(s.delivery())
	d.Close()
	if err := os.Remove(items[0].Path); err != nil {
		t.Fatal(err)
	}
	release := s.hold()
	defer release()
	again := queue(t, d.dir, nil)
	if _, err := again.Add(s.delivery(), Waiting); err != nil {
		t.Fatal(err)
	}
	again.until("under way", func() bool { return again.Summary().Done >= 100_000 })
	again.Close()
	m, err := ReadManifest(d.folder())
	if err != nil || len(m.Files) != 2 || len(m.Unfinished) != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	complete, incomplete, err := CountFiles(d.dir, s.delivery())
	if err != nil || complete != 1 || incomplete != 1 {
		t.Errorf("%d complete, %d incomplete, %v", complete, incomplete, err)
	}
}
