package demodata

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

const samplePrefix = "sample-"

// IsSample reports whether a place in the file store is that of a file of the demo's
// world, which no store keeps.
func IsSample(place string) bool { return strings.HasPrefix(place, samplePrefix) }

// samplePlace names the place of the i-th file of what is made from a source, each kind
// of a size.
func samplePlace(id string, size int64, i int) string {
	return fmt.Sprintf("%s%s-%d-%d", samplePrefix, id, size, i)
}

// SampleStore is a file store that has the files of the demo's world, too. They
// are made as they are read.
type SampleStore struct{ files.Store }

// Open returns a file.
func (s SampleStore) Open(ctx context.Context, place string) (io.ReadSeekCloser, error) {
	if !IsSample(place) {
		return s.Store.Open(ctx, place)
	}
	var id string
	var size int64
	var i int
	_, _ = fmt.Sscanf(place, samplePrefix+"%32s-%d-%d", &id, &size, &i) // what is left out shows in the place
	from, known := sampleSources()[id]
	if !known || samplePlace(id, size, i) != place {
		return nil, files.ErrMissing
	}
	list, err := product.Files(from, size)
	if err != nil || i < 0 || i >= len(list) {
		return nil, files.ErrMissing
	}
	return list[i].Open()
}

// sampleSources are what the files of the world are made from, whenever it is.
var sampleSources = sync.OnceValue(func() map[string]product.Mission {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	samples := sampleLister{accounts: demoAccounts(), sources: map[string]product.Mission{}}
	buildWorld(samples, at, at)
	return samples.sources
})

// sampleLister lists the files of packages, and notes what they are made from.
type sampleLister struct {
	size     int64 // of each kind
	accounts []demoAccount
	like     string // the account whose files they have; "" are their own
	sources  map[string]product.Mission
}

// listFiles lists the files of a package. Their digests are worked out when they are
// first opened.
func (l sampleLister) listFiles(m *worldMaker, id string, from product.Mission, at time.Time) []store.File {
	var all []store.File
	l.sources[id] = from
	made, err := product.Files(from, l.size)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", id, err)) // the tables are part of the program
	}
	for i, f := range made {
		all = append(all, store.File{
			UUID: m.newUUID(at), Name: f.Name, Kind: f.Kind, MediaType: f.MediaType, Size: f.Size,
			Place: samplePlace(id, l.size, i), Created: at,
		})
	}
	return all
}
