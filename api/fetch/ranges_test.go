package fetch

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

func TestRangesAreDownloadedInParallel(t *testing.T) {
	t.Parallel()
	t.Run("of a listed size", func(t *testing.T) { rangesSideBySide(t, 0, false) })
	t.Run("of an unknown size", func(t *testing.T) { rangesSideBySide(t, -1, false) })
	t.Run("without a digest", func(t *testing.T) { rangesSideBySide(t, 0, true) })
}

func rangesSideBySide(t *testing.T, listed int64, noDigest bool) {
	s := newStorage(t, file("map.tif", 40<<20))
	s.objects[0].listed, s.objects[0].noDigest = listed, noDigest
	var now atomic.Int32
	var opened atomic.Bool
	all := make(chan struct{}) // closed when four connections are open at once
	s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
		defer now.Add(-1)
		if now.Add(1) == 4 && opened.CompareAndSwap(false, true) {
			close(all)
		}
		line := &slow{w, 2 << 20, time.Now(), 0} // at 40 MB/s
		s.give(&waiter{line, r, all, 1 << 20}, r, o)
		return true
	})
	d := queue(t, "", func(o *Options) { o.PartsFrom = 1 << 20 })
	items := d.fetch(s.delivery())
	d.states(items, Done)
	d.Close()
	d.holds(s.all())
	if noDigest && items[0].CRC32C != crcOf(s.objects[0].content) {
		t.Errorf("the digest is %+v", items[0].Digests)
	}
	if n := s.bytes(); n > 60<<20 {
		t.Errorf("%d bytes were sent", n)
	}
	for _, r := range s.asked() {
		if r.Header.Get("Range") == "" {
			t.Errorf("a request without a range: %v", r.Header)
		}
	}
}

// waiter sends the beginning of a response at once and the rest later.
type waiter struct {
	http.ResponseWriter
	r     *http.Request
	until chan struct{}
	first int // bytes sent at once
}

func (w *waiter) Write(b []byte) (int, error) {
	if w.first -= len(b); w.first > 0 {
		return w.ResponseWriter.Write(b)
	}
	select {
	case <-w.until:
		return w.ResponseWriter.Write(b)
	case <-w.r.Context().Done():
		return 0, w.r.Context().Err()
	}
}

// slow sends at most rate bytes per second, like a separate connection.
type slow struct {
	http.ResponseWriter
	rate  int
	began time.Time
	sent  int
}

func (s *slow) Write(b []byte) (int, error) {
	s.sent += len(b)
	due := s.began.Add(time.Duration(float64(s.sent) / float64(s.rate) * float64(time.Second) / 20))
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	<-timer.C
	return s.ResponseWriter.Write(b)
}

func TestRangesOfAChangedFileAreDiscarded(t *testing.T) {
	s := newStorage(t, file("map.tif", 24<<20))
	for range 4 {
		s.faults = append(s.faults, pass)
	}
	s.faults = append(s.faults, func(w http.ResponseWriter, r *http.Request, o *object) bool {
		s.change(0, pseudo(99, 24<<20))
		return s.cut(100_000)(w, r, o)
	})
	d := queue(t, "", func(o *Options) { o.PartsFrom = 1 << 20 })
	d.states(d.fetch(s.delivery()), Done)
	d.Close()
	d.holds(s.all())
}

func TestAServerCanAllowOnlyOneConnection(t *testing.T) {
	s := newStorage(t, file("map.tif", 24<<20))
	var busy atomic.Bool
	s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
		if !busy.CompareAndSwap(false, true) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		defer busy.Store(false)
		s.give(w, r, o)
		return true
	})
	d := queue(t, "", func(o *Options) { o.PartsFrom = 1 << 20; o.Tries = 50 })
	d.states(d.fetch(s.delivery()), Done)
	d.Close()
	d.holds(s.all())
}

func TestRangesAreValidated(t *testing.T) {
	for _, tt := range []struct {
		ranges byteRanges
		size   int64
		want   bool
	}{
		{nil, 0, true},
		{byteRanges{{0, 5}}, 5, true},
		{byteRanges{{0, 5}}, 4, false},
		{byteRanges{{0, 5}}, 0, false},
		{byteRanges{{0, 5}}, -1, true}, // unknown size
		{byteRanges{{0, 5}, {6, 9}}, 9, true},
		{byteRanges{{0, 5}, {5, 9}}, 9, false}, // adjacent ranges must be merged
		{byteRanges{{6, 9}, {0, 5}}, 9, false},
		{byteRanges{{3, 3}}, 9, false},
		{byteRanges{{-1, 3}}, 9, false},
	} {
		if got := tt.ranges.isValid(tt.size); got != tt.want {
			t.Errorf("%v of %d: %v", tt.ranges, tt.size, got)
		}
	}
}

func TestSizesAreFormattedInDecimalUnits(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 999_949: "999.9 kB", 999_950: "1.0 MB", 12_340_000_000: "12.3 GB", 1 << 62: "4611.7 PB",
	} {
		if got := formatSize(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

// Data added to a part must belong to the same version of the file.
func TestAResponseMustMatchThePart(t *testing.T) {
	known, other := fileVersion{ETag: `"a"`}, fileVersion{ETag: `"b"`}
	for name, tt := range map[string]struct {
		code      int
		was, tag  fileVersion
		size, had int64
		first     bool
		digest    string
		changed   bool
		whole     bool
	}{
		"the first part":              {code: 206, tag: known, size: 9, had: -1, first: true},
		"another part":                {code: 206, was: known, tag: known, size: 9, had: 9},
		"a part of an unknown size":   {code: 206, was: known, tag: known, size: -1, had: 9},
		"a part where none was known": {code: 206, was: known, tag: known, size: 9, had: -1},
		"another size":                {code: 206, was: known, tag: known, size: 8, had: 9, changed: true},
		"another version":             {code: 206, was: known, tag: other, size: 9, had: 9, changed: true},
		"another digest": {
			code: 206, was: known, tag: known, size: 9, had: 9, changed: true,
			digest: "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:",
		},
		"a part without a version":  {code: 206, was: known, size: 9, had: 9, changed: true, whole: true},
		"the first without one":     {code: 206, size: 9, had: 9, first: true, changed: true, whole: true},
		"all of the file at first":  {code: 200, tag: known, size: 9, had: -1, first: true, whole: true},
		"all of the file later":     {code: 200, was: known, tag: known, size: 9, had: 9, changed: true, whole: true},
		"all of another file later": {code: 200, was: known, tag: other, size: 9, had: 9, changed: true},
	} {
		t.Run(name, func(t *testing.T) {
			x := &fileTransfer{size: tt.had, tag: tt.was}
			resp := &http.Response{StatusCode: tt.code, Header: http.Header{}}
			if tt.digest != "" {
				resp.Header.Set("Repr-Digest", tt.digest)
			}
			err := x.compareVersion(resp, &fileChunk{end: 5}, tt.tag, tt.size, tt.first)
			if (err != nil) != tt.changed || tt.changed && !errors.Is(err, errChanged) || x.withoutRanges != tt.whole {
				t.Errorf("%v, whole: %v", err, x.withoutRanges)
			}
		})
	}
}
