package demodata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
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

// sampleKey identifies a sample file.
type sampleKey struct {
	source string    // ID of the mission data from which the file is created
	size   int64     // of the files of each type in bytes
	index  int       // of the file in its source
	flown  time.Time // day of the flight; zero for the day of the fixtures
}

// String returns the key of the sample file in the file store. If k.flown is zero, the key has no
// day, like the keys of earlier versions of the service.
func (k sampleKey) String() string {
	text := fmt.Sprintf("%s%s-%d-%d", samplePrefix, k.source, k.size, k.index)
	if !k.flown.IsZero() {
		text += "-" + k.flown.Format(sampleDay)
	}
	return text
}

const sampleDay = "20060102"

// parseSampleKey parses a file-store key, and reports whether it belongs to a sample file.
func parseSampleKey(place string) (k sampleKey, ok bool) {
	parts := strings.Split(strings.TrimPrefix(place, samplePrefix), "-")
	if len(parts) < 3 || len(parts) > 4 {
		return k, false
	}
	k.source = parts[0]
	// A faulty number or day is detected below, because the key of the parsed values differs.
	k.size, _ = strconv.ParseInt(parts[1], 10, 64)
	k.index, _ = strconv.Atoi(parts[2])
	if len(parts) == 4 {
		k.flown, _ = time.Parse(sampleDay, parts[3])
	}
	return k, k.String() == place
}

// SampleStore is a file store that also contains the sample files of the demo world. Sample files
// are not stored: their content is created when they are read.
type SampleStore struct{ files.Store }

// Open implements [files.Store].
func (s SampleStore) Open(ctx context.Context, place string) (io.ReadSeekCloser, error) {
	if !IsSample(place) {
		return s.Store.Open(ctx, place)
	}
	key, ok := parseSampleKey(place)
	from, known := sampleSources()[key.source]
	if !ok || !known {
		return nil, files.ErrMissing
	}
	from.Flown = key.flown
	if key.flown.IsZero() {
		from = earlierSource(from)
	}
	list, err := product.Files(from, key.size)
	if err != nil || key.index < 0 || key.index >= len(list) {
		return nil, files.ErrMissing
	}
	return list[key.index].Open()
}

// earlierSource returns the mission data for files of an earlier version of the service, which
// have no day in their keys. Their digests are saved, so their content must stay the same: all
// rasters are complete, in the reference system of the site, and have a fixed margin.
func earlierSource(source product.Mission) product.Mission {
	source.Partial = nil
	source.InDegrees = nil
	source.FixedMargin = true
	return source
}

// sampleSources returns the mission data of all sample files, by ID. It builds the demo world for
// an arbitrary time, because the IDs are the same at any time.
var sampleSources = sync.OnceValue(func() map[string]product.Mission {
	anyTime := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	samples := newSampleLister(0, demoAccounts())
	buildWorld(samples, anyTime, anyTime)
	return samples.sources
})

// sampleLister lists the sample files of delivery packages. It also saves the mission data from
// which the files are created, in sources.
type sampleLister struct {
	size     int64 // of the files of each type in bytes
	accounts []demoAccount
	model    string                     // UUID of an account whose files all accounts share; "" if each has its own
	sources  map[string]product.Mission // mission data by ID
}

// fileOwner returns the UUID of the account whose sample files an account uses: l.model if all
// accounts share its files, otherwise the account itself.
func (l sampleLister) fileOwner(accountUUID string) string {
	if l.model != "" {
		return l.model
	}
	return accountUUID
}

func newSampleLister(size int64, accounts []demoAccount) sampleLister {
	return sampleLister{size: size, accounts: accounts, sources: map[string]product.Mission{}}
}

// listFiles returns the sample files of a package, and saves their mission data under id. The
// files have no digests: a digest is computed when a file is first opened.
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
			Place:     sampleKey{source: id, size: l.size, index: i, flown: source.Flown}.String(),
			Created:   at,
		})
	}
	return all
}

// MakeFiles creates sample files for the deliverables of a mission or a dataset, and stores their
// content. size is the approximate size of the files of each type in bytes; 0 selects the
// minimum. No mission refers to the files yet. If MakeFiles fails, it deletes the files that it
// has stored.
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

// SurveyOf returns the data of a mission that determines the content of its sample files.
func SurveyOf(o store.Order, m store.Mission) product.Mission {
	return product.Mission{
		Location:     m.LocationMap,
		Deliverables: o.Deliverables,
		Flown:        m.FlightDate,
	}
}
