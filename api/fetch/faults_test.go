package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Faults that a download overcomes; the file is complete at the end.
func TestTemporaryFaultsAreOvercome(t *testing.T) {
	t.Parallel()
	const size = 400_000
	for name, c := range map[string]struct {
		prepare func(s *storage)
		// most is the maximum number of bytes that the server sends, in sizes of the file
		most   float64
		change func(*Options)
	}{
		"cut three times": {func(s *storage) {
			s.faults = []fault{s.cut(100_000), s.cut(50_000), s.cut(1)}
		}, 1.01, nil},
		"stalled": {func(s *storage) { s.faults = []fault{s.stall(200_000)} }, 1.01, impatient},
		"no answer at all": {func(s *storage) {
			s.faults = []fault{func(_ http.ResponseWriter, r *http.Request, _ *object) bool {
				<-r.Context().Done()
				return true
			}}
		}, 1, impatient},
		"refused at first": {func(s *storage) { s.faults = []fault{status(503), status(502), status(500)} }, 1, nil},
		"too many requests": {func(s *storage) {
			s.faults = []fault{status(429, "Retry-After", "0"), status(503, "Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT")}
		}, 1, nil},
		"expired before": {func(s *storage) {
			s.faults = []fault{func(w http.ResponseWriter, _ *http.Request, _ *object) bool {
				s.expire()
				w.WriteHeader(http.StatusForbidden)
				return true
			}}
		}, 1, nil},
		"expired in mid-file": {func(s *storage) {
			s.faults = []fault{func(w http.ResponseWriter, r *http.Request, o *object) bool {
				s.expire()
				return s.cut(150_000)(w, r, o)
			}}
		}, 1.01, nil},
		"expired twice": {func(s *storage) {
			again := func(w http.ResponseWriter, r *http.Request, o *object) bool {
				s.expire()
				return s.cut(150_000)(w, r, o)
			}
			s.faults = []fault{again, again}
		}, 1.01, nil},
		"changed between": {func(s *storage) {
			s.faults = []fault{func(w http.ResponseWriter, r *http.Request, o *object) bool {
				s.change(0, pseudo(77, size))
				return s.cut(150_000)(w, r, o)
			}}
		}, 2.5, nil},
		"changed to another size": {func(s *storage) {
			s.faults = []fault{func(w http.ResponseWriter, r *http.Request, o *object) bool {
				s.change(0, pseudo(78, size/2))
				return s.cut(150_000)(w, r, o)
			}}
		}, 2, nil},
		"200 to a range": {func(s *storage) {
			s.faults = []fault{s.cut(150_000)}
			s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
				r.Header.Del("Range")
				s.give(w, r, o)
				return true
			})
		}, 2.5, nil},
		"416 to a range that is there": {func(s *storage) {
			s.faults = []fault{s.cut(150_000), status(416, "Content-Range", "bytes */400000")}
		}, 1.5, nil},
		"416 without a size": {func(s *storage) { s.faults = []fault{status(416)} }, 1, nil},
		"another range than asked for": {func(s *storage) {
			s.faults = []fault{s.cut(150_000), func(w http.ResponseWriter, r *http.Request, o *object) bool {
				r.Header.Set("Range", "bytes=0-9")
				s.give(w, r, o)
				return true
			}}
		}, 1.5, nil},
		"neither ETag nor digest": {func(s *storage) {
			s.objects[0].plain, s.objects[0].modified = true, time.Now()
			s.faults = []fault{s.cut(150_000)}
		}, 1.5, nil},
		"only a date": {func(s *storage) {
			s.objects[0].plain = true
			s.faults = []fault{s.cut(150_000)}
		}, 1.01, nil},
		"a size that nobody knows": {func(s *storage) {
			s.objects[0].listed = -1
			s.answer(func(w http.ResponseWriter, _ *http.Request, o *object) bool {
				describe(w.Header(), o)
				for i := 0; i < len(o.content); i += 100_000 {
					_, _ = (&counter{w, s}).Write(o.content[i : i+100_000])
					_ = http.NewResponseController(w).Flush()
				}
				return true
			})
		}, 1, nil},
		"a damaged byte": {func(s *storage) {
			s.faults = []fault{func(w http.ResponseWriter, r *http.Request, o *object) bool {
				describe(w.Header(), o)
				w.Header().Set("Content-Length", fmt.Sprint(size))
				o.content = bytes.Clone(o.content)
				o.content[1000] ^= 1
				_, _ = w.Write(o.content)
				return true
			}}
		}, 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStorage(t, file("map.tif", size))
			c.prepare(s)
			d := queue(t, "", c.change)
			d.states(d.fetch(s.delivery()), Done)
			d.Close()
			d.holds(s.all())
			if n, most := s.bytes(), int64(c.most*size)+70_000; n > most {
				t.Errorf("%d bytes were sent, at most %d are needed", n, most)
			}
		})
	}
}

// Faults that end in an error, without a file with the final name.
func TestPermanentFaultsAreErrors(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(s *storage)
		want    error
		text    string
	}{
		"listed larger":  {func(s *storage) { s.objects[0].listed = 500_000 }, ErrMismatch, "size differs: listed 500000 bytes, server has 400000"},
		"listed smaller": {func(s *storage) { s.objects[0].listed = 5 }, ErrMismatch, "size differs: listed 5 bytes"},
		"always cut at the same place": {func(s *storage) {
			s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
				w.Header().Set("Content-Length", "400000")
				describe(w.Header(), o)
				_, _ = w.Write(o.content[:1000])
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			})
		}, errShort, "gave up after 5 attempts"},
		"another digest": {func(s *storage) {
			s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
				w.Header().Set("Repr-Digest", "sha-256=:"+strings.Repeat("A", 43)+"=:")
				w.Header().Set("ETag", `"x"`)
				http.ServeContent(w, r, "", o.modified, bytes.NewReader(o.content))
				return true
			})
		}, ErrMismatch, "digest"},
		"refused for good":   {func(s *storage) { s.answer(status(403)) }, ErrGone, "HTTP 403"},
		"gone":               {func(s *storage) { s.answer(status(410)) }, ErrGone, "HTTP 410"},
		"broken for good":    {func(s *storage) { s.answer(status(500)) }, nil, "gave up after 5 attempts: the server cannot send it now (HTTP 500)"},
		"a wait of an hour":  {func(s *storage) { s.answer(status(429, "Retry-After", "3600")) }, nil, "retry after 1h0m0s"},
		"a status of others": {func(s *storage) { s.answer(status(418)) }, nil, "HTTP 418"},
		"encoded": {func(s *storage) {
			s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
				w.Header().Set("Content-Encoding", "gzip")
				s.give(w, r, o)
				return true
			})
		}, nil, "encoded"},
		"changing all the time": {func(s *storage) {
			n := uint64(0)
			s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
				n++
				s.change(0, pseudo(n, 400_000))
				return s.cut(150_000)(w, r, o)
			})
		}, ErrMismatch, "changed on the server"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStorage(t, file("map.tif", 400_000))
			c.prepare(s)
			d := queue(t, "", nil)
			items := d.fetch(s.delivery())
			d.states(items, Failed)
			if err := items[0].Err; c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want %v with %q", err, c.want, c.text)
			}
			if strings.Contains(items[0].Err.Error(), "SECRET") {
				t.Errorf("the error has a token: %v", items[0].Err)
			}
			d.Close()
			if _, err := os.Stat(filepath.Join(d.folder(), "map.tif")); !isMissing(err) {
				t.Errorf("something has the final name: %v", err)
			}
		})
	}
}
