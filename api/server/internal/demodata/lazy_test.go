package demodata

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"sync"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// aPlace is that of a file of the world that is quickly made.
func aPlace(t *testing.T) (string, listedFile) {
	t.Helper()
	for key, list := range listed() {
		for i, f := range list {
			if f.Kind == "digitalTerrainModel" {
				return filePlace(key, i), f
			}
		}
	}
	t.Fatal("no terrain is listed")
	return "", listedFile{}
}

func TestFilesOfTheWorldAreMadeWhenTheyAreOpened(t *testing.T) {
	ctx := context.Background()
	kept := files.NewMemory(1 << 20)
	f := &LazyFiles{Store: kept, Differs: func(_ context.Context, place string, _ files.FileSum) error {
		t.Errorf("%s differs", place)
		return nil
	}}
	at, want := aPlace(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			content, err := f.Open(ctx, at)
			if err != nil {
				t.Error(err)
				return
			}
			defer content.Close()
			b, err := io.ReadAll(content)
			if err != nil || int64(len(b)) != want.Size {
				t.Errorf("%d bytes, %v; listed are %d", len(b), err, want.Size)
			}
		})
	}
	all.Wait()
	if kept.Len() != 1 {
		t.Errorf("%d files are kept", kept.Len())
	}
	for _, at := range []string{"other", "sample-", "sample-x-0", at + "0", at[:len(at)-1] + "-1", "sample-x"} {
		if _, err := f.Open(ctx, at); !errors.Is(err, files.ErrMissing) {
			t.Errorf("%s: %v", at, err)
		}
	}
}

func TestAFileThatComesOutOtherwiseIsSaidToDiffer(t *testing.T) {
	ctx := context.Background()
	at, want := aPlace(t)
	for key, list := range listed() {
		for i := range list {
			if filePlace(key, i) == at {
				list[i].SHA256 = "another"
				defer func() { list[i].SHA256 = want.SHA256 }()
			}
		}
	}
	told := 0
	f := &LazyFiles{Store: files.NewMemory(1 << 20), Differs: func(_ context.Context, place string, sum files.FileSum) error {
		if told++; place != at || hex.EncodeToString(sum.SHA256[:]) != want.SHA256 || sum.Size != want.Size {
			t.Errorf("%s: %+v", place, sum)
		}
		return nil
	}}
	for _, differs := range []bool{true, false} { // by the second time it is set right
		content, err := f.Open(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		if _, marked := content.(interface{ Differs() }); marked != differs {
			t.Errorf("the file is %T", content)
		}
		content.Close()
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	broken := errors.New("disk full")
	f = &LazyFiles{Store: files.NewMemory(1 << 20), Differs: func(context.Context, string, files.FileSum) error { return broken }}
	if _, err := f.Open(ctx, at); !errors.Is(err, broken) {
		t.Errorf("not set right: %v", err)
	}
}

func TestFilesOfAnotherSizeAreListedAndMade(t *testing.T) {
	const size = 200_000
	ctx := context.Background()
	w := BuildWorld(noon, noon, WorldOptions{FileSize: size})
	lists := [][]store.File{w.Datasets[0].Files}
	for _, o := range w.Orders {
		for _, m := range o.Missions {
			for _, p := range m.Packages {
				lists = append(lists, p.Files)
			}
		}
	}
	for _, list := range lists {
		sums := map[api.Deliverable]int64{}
		for _, f := range list {
			sums[f.Kind] += f.Size
		}
		for kind, sum := range sums {
			if sum < size*9/10 || sum > size {
				t.Errorf("%s: %d bytes of %s", list[0].Place, sum, kind)
			}
		}
	}
	kept := files.NewMemory(size * 2)
	corrected := map[string]int64{}
	f := &LazyFiles{Store: kept, Differs: func(_ context.Context, place string, sum files.FileSum) error {
		corrected[place] = sum.Size
		return nil
	}}
	for _, of := range lists[0] { // more than there is room for
		content, err := f.Open(ctx, of.Place)
		if err != nil {
			t.Fatalf("%s: %v", of.Place, err)
		}
		if err := content.Close(); err != nil {
			t.Error(err)
		}
		if got := corrected[of.Place]; got < of.Size/4 || got > of.Size*4 {
			t.Errorf("%s: %d bytes for %d", of.Name, got, of.Size)
		}
	}
	if n := len(lists[0]); kept.Len() >= n {
		t.Errorf("%d of %d files are kept", kept.Len(), n)
	}
	for _, place := range []string{"sample-x-200000-0", lists[0][0].Place + "9"} {
		if _, err := f.Open(ctx, place); !errors.Is(err, files.ErrMissing) {
			t.Errorf("%s: %v", place, err)
		}
	}
}
