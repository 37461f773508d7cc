package demodata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

const samplePrefix = "sample-"

// IsSample reports whether a file-store key belongs to a sample file, whose content is
// not stored.
func IsSample(place string) bool { return strings.HasPrefix(place, samplePrefix) }

// samplePlace returns the key of the i-th file of a source, with the size of each type.
func samplePlace(id string, size int64, i int) string {
	return fmt.Sprintf("%s%s-%d-%d", samplePrefix, id, size, i)
}

// SampleStore is a file store that also has the sample files of the demo world. It
// creates their content when they are read.
type SampleStore struct{ files.Store }

// Open implements [files.Store].
func (s SampleStore) Open(ctx context.Context, place string) (io.ReadSeekCloser, error) {
	if !IsSample(place) {
		return s.Store.Open(ctx, place)
	}
	var id string
	var size int64
	var i int
	// A faulty key is detected below, because it differs from the key of the parsed values.
	_, _ = fmt.Sscanf(place, samplePrefix+"%32s-%d-%d", &id, &size, &i)
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

// sampleSources returns the sources of all sample files by their IDs. They do not depend
// on time.
var sampleSources = sync.OnceValue(func() map[string]product.Mission {
	anyTime := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	samples := newSampleLister(0, demoAccounts())
	buildWorld(samples, anyTime, anyTime)
	return samples.sources
})

// sampleLister lists the files of packages, and records their sources.
type sampleLister struct {
	size     int64 // of the files of each type in bytes
	accounts []demoAccount
	like     string                     // UUID of the account whose files all get; if empty, each gets its own
	sources  map[string]product.Mission // by ID
}

func newSampleLister(size int64, accounts []demoAccount) sampleLister {
	return sampleLister{size: size, accounts: accounts, sources: map[string]product.Mission{}}
}

// listFiles returns the files of a package, and records their source. Their digests are computed
// when they are first opened.
func (l sampleLister) listFiles(m *worldMaker, id string, source product.Mission, at time.Time) []store.File {
	l.sources[id] = source
	made, err := product.Files(source, l.size)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", id, err)) // the tables are part of the program
	}
	var all []store.File
	for i, f := range made {
		all = append(all, store.File{
			UUID:      m.newUUID(at),
			Name:      f.Name,
			Kind:      f.Kind,
			MediaType: f.MediaType,
			Size:      f.Size,
			Place:     samplePlace(id, l.size, i),
			Created:   at,
		})
	}
	return all
}

// MakeFiles creates sample files for the deliverables of a mission or a dataset, and
// stores their content. size is the approximate size of the files of each type in bytes;
// 0 is small. No mission refers to the files yet. If it fails, no files are stored.
func MakeFiles(ctx context.Context, d *domain.Service, m product.Mission, size int64) ([]store.File, error) {
	made, err := product.Files(m, size)
	if err != nil {
		return nil, err
	}
	var stored []store.File
	for _, f := range made {
		file, err := storeFile(ctx, d, f)
		if err != nil {
			return nil, errors.Join(err, d.Missions.DiscardFiles(context.WithoutCancel(ctx), stored...))
		}
		stored = append(stored, file)
	}
	return stored, nil
}

func storeFile(ctx context.Context, d *domain.Service, f product.File) (store.File, error) {
	content, err := f.Open()
	if err != nil {
		return store.File{}, err
	}
	stored, err := d.Missions.StoreFile(ctx, f.Name, f.MediaType, content)
	stored.Kind = f.Kind
	return stored, errors.Join(err, content.Close())
}

// SurveyOf returns the data of a mission from which its files are created.
func SurveyOf(o store.Order, m store.Mission) product.Mission {
	return product.Mission{
		Location:     m.LocationMap,
		Deliverables: o.Deliverables,
		Flown:        m.FlightDate,
	}
}
