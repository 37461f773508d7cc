package demodata

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/server/internal/demodata/product"
)

var update = flag.Bool("update", false, "write files.json anew")

// amounts makes the files of the world: all, or of each package the one that
// chance has chosen, which leaves the others without a size.
func amounts(t *testing.T, whole bool) map[string][]listedFile {
	t.Helper()
	all := map[string][]listedFile{}
	var mu sync.Mutex
	var making sync.WaitGroup
	places := make(chan struct{}, 4)
	for key, from := range sources() {
		making.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			made, err := product.Files(from, 0)
			if err != nil {
				t.Errorf("%s: %v", from.Name, err)
			}
			var list []listedFile
			chosen := int(from.UUID[0]) % max(1, len(made))
			for i, f := range made {
				if !whole && i != chosen {
					list = append(list, listedFile{Name: f.Name, Kind: f.Kind, MediaType: f.MediaType})
					continue
				}
				hash := sha256.New()
				n, err := f.WriteTo(hash)
				if err != nil {
					t.Error(err)
				}
				list = append(list, listedFile{f.Name, f.Kind, f.MediaType, n, hex.EncodeToString(hash.Sum(nil))})
			}
			mu.Lock()
			defer mu.Unlock()
			all[key] = list
		})
	}
	making.Wait()
	return all
}

func TestFilesAreWhatIsListedOfThem(t *testing.T) {
	made := amounts(t, *update)
	if *update {
		text, err := json.Marshal(made, json.Deterministic(true), jsontext.Multiline(true))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("files.json", append(text, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	for key, want := range made {
		got := listed()[key]
		if len(got) != len(want) {
			t.Errorf("%s: %d files are listed, %d are made; go test ./api/server/internal/demodata -run Listed -update lists them anew", key, len(got), len(want))
			continue
		}
		for i := range want {
			got := got[i]
			if want[i].SHA256 == "" {
				got.Size, got.SHA256 = 0, ""
			}
			if got != want[i] {
				t.Errorf("%s: listed is %+v, made %+v; go test ./api/server/internal/demodata -run Listed -update lists them anew", key, got, want[i])
			}
		}
	}
	if n, m := len(listed()), len(made); n != m {
		t.Errorf("%d packages are listed, %d are made", n, m)
	}
}
