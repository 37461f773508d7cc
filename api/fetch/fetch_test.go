package fetch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestFilesAndManifest(t *testing.T) {
	s := newStorage(t, file("map.tif", 300_000), file("north.jpg", 70_000), file("empty.txt", 0))
	d := queue(t, "", nil)
	items := d.fetch(s.delivery())
	d.states(items, Done)
	d.Close()
	d.holds(s.all())
	m, err := ReadManifest(d.folder())
	if err != nil {
		t.Fatal(err)
	}
	if m.Package != "package-1" || m.Order != "ORD-1" || m.Mission != "MSN-1" || len(m.Files) != 3 || len(m.Unfinished) != 0 {
		t.Errorf("manifest %+v", m)
	}
	sum := sha256.Sum256(s.objects[0].content)
	got := m.Fetched("file-0")
	if got.SHA256 != hex.EncodeToString(sum[:]) || got.Verified != ByReprDigest || got.Path != "map.tif" || got.Size != 300_000 ||
		!got.Modified.Equal(s.objects[0].modified) || got.ETag != s.objects[0].tag() || got.Host == "" {
		t.Errorf("entry %+v", got)
	}
	text, err := os.ReadFile(filepath.Join(d.folder(), manifestName))
	if err != nil || bytes.Contains(text, []byte("SECRET")) {
		t.Errorf("the manifest has a token: %s, %v", text, err)
	}
	for _, r := range s.asked() {
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "" || r.Header.Get("Referer") != "" {
			t.Errorf("a key or a referrer was sent: %v", r.Header)
		}
	}
	if items[0].SHA256 != got.SHA256 || items[0].Done != 300_000 || items[0].Left != 0 {
		t.Errorf("item %+v", items[0])
	}
}

func TestASecondRunAsksForNothing(t *testing.T) {
	s := newStorage(t, file("map.tif", 300_000), file("north.jpg", 70_000))
	d := queue(t, "", nil)
	d.fetch(s.delivery())
	d.Close()
	before := len(s.asked())
	second := queue(t, d.dir, nil)
	second.states(second.fetch(s.delivery()), Here)
	second.Close()
	if n := len(s.asked()) - before; n != 0 {
		t.Errorf("%d requests for what is there", n)
	}
	second.holds(s.all())
	looked, err := Look(d.dir, s.delivery())
	if err != nil || !looked[0].Whole || looked[0].New() {
		t.Errorf("%+v, %v", looked, err)
	}
}

// Faults that a fetch gets over, all with the whole file at the end.
func TestFaultsThatMend(t *testing.T) {
	const size = 400_000
	for name, c := range map[string]struct {
		prepare func(s *storage)
		// most is how much the server may send in all, in files
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

// Faults that end in an error, with nothing under the final name.
func TestFaultsThatDoNot(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(s *storage)
		want    error
		text    string
	}{
		"listed larger":  {func(s *storage) { s.objects[0].listed = 500_000 }, ErrMismatch, "500000 bytes are listed and the server has 400000"},
		"listed smaller": {func(s *storage) { s.objects[0].listed = 5 }, ErrMismatch, "5 bytes are listed"},
		"always cut at the same place": {func(s *storage) {
			s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
				w.Header().Set("Content-Length", "400000")
				describe(w.Header(), o)
				_, _ = w.Write(o.content[:1000])
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			})
		}, errShort, "given up after 5 tries"},
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
		"broken for good":    {func(s *storage) { s.answer(status(500)) }, nil, "given up after 5 tries: the server cannot send it now (HTTP 500)"},
		"a wait of an hour":  {func(s *storage) { s.answer(status(429, "Retry-After", "3600")) }, nil, "not before 1h0m0s"},
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

func TestResumeAsksOnCondition(t *testing.T) {
	s := newStorage(t, file("map.tif", 400_000))
	s.faults = []fault{s.cut(150_000)}
	d := queue(t, "", nil)
	d.states(d.fetch(s.delivery()), Done)
	asked := s.asked()
	if len(asked) != 2 || asked[1].Header.Get("Range") != "bytes=150000-399999" || asked[1].Header.Get("If-Range") != s.objects[0].tag() {
		t.Errorf("%d requests, the last with %v", len(asked), asked[len(asked)-1].Header)
	}
}

func TestOneListingServesAllThatWait(t *testing.T) {
	var objects []*object
	for i := range 20 {
		objects = append(objects, file(fmt.Sprintf("%02d.jpg", i), 20_000))
	}
	s := newStorage(t, objects...)
	p := s.delivery()
	s.expire()
	d := queue(t, "", nil)
	d.states(d.fetch(p), Done)
	d.Close()
	d.holds(s.all())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listings != 2 {
		t.Errorf("%d listings, want one for the package and one for all expired links", s.listings)
	}
}

func TestOldLinksAreRenewedBefore(t *testing.T) {
	s := newStorage(t, file("map.tif", 1000))
	p := s.delivery()
	p.Files[0].Listed = time.Now().Add(-24 * time.Hour)
	s.expire()
	d := queue(t, "", nil)
	d.states(d.fetch(p), Done)
	if n := len(s.asked()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestRangesSideBySide(t *testing.T) {
	t.Run("of a listed size", func(t *testing.T) { rangesSideBySide(t, 0) })
	t.Run("of an unknown size", func(t *testing.T) { rangesSideBySide(t, -1) })
}

func rangesSideBySide(t *testing.T, listed int64) {
	s := newStorage(t, file("map.tif", 40<<20))
	s.objects[0].listed = listed
	var now atomic.Int32
	var opened atomic.Bool
	all := make(chan struct{}) // closed when four connections are open at once
	s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
		defer now.Add(-1)
		if now.Add(1) == 4 && opened.CompareAndSwap(false, true) {
			close(all)
		}
		line := &slow{w, 2 << 20, time.Now(), 0} // at 40 MB/s, which asks for helpers
		s.give(&waiter{line, r, all, 2 << 20}, r, o)
		return true
	})
	d := queue(t, "", func(o *Options) { o.PartsFrom = 1 << 20 })
	d.states(d.fetch(s.delivery()), Done)
	d.Close()
	d.holds(s.all())
	if n := s.bytes(); n > 60<<20 {
		t.Errorf("%d bytes were sent", n)
	}
	for _, r := range s.asked() {
		if r.Header.Get("Range") == "" {
			t.Errorf("a request without a range: %v", r.Header)
		}
	}
}

// waiter sends the beginning of an answer at once and the rest later.
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

// slow sends at most rate bytes per second, as a line of its own would.
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

func TestRangesOfAFileThatChanges(t *testing.T) {
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

func TestAServerOfOneConnection(t *testing.T) {
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

func TestRedirects(t *testing.T) {
	other := newStorage(t, file("map.tif", 100_000))
	link, _ := other.list(t.Context())
	s := newStorage(t, file("map.tif", 100_000))
	s.answer(func(w http.ResponseWriter, r *http.Request, _ *object) bool {
		http.Redirect(w, r, link[0].URL, http.StatusFound)
		return true
	})
	d := queue(t, "", nil)
	d.states(d.fetch(s.delivery()), Done)
	d.Close()
	d.holds(other.all())
	for _, r := range other.asked() {
		if r.Header.Get("Referer") != "" || r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
			t.Errorf("the second server was told %v", r.Header)
		}
	}
	for name, to := range map[string]string{
		"sends on and on":                 s.URL + "/SECRET0/file-0",
		"to an address that is none":      "file:///etc/passwd",
		"to an address that is none ":     "",
		"to an address that is none\x00x": "http://[::1/SECRET",
	} {
		s.answer(func(w http.ResponseWriter, _ *http.Request, _ *object) bool {
			w.Header()["Location"] = []string{to}
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		})
		d := queue(t, "", nil)
		items := d.fetch(s.delivery())
		d.states(items, Failed)
		if text := items[0].Err.Error(); !strings.Contains(text, strings.TrimRight(name, " \x00x")) || strings.Contains(text, "SECRET") {
			t.Errorf("to %q: %v", to, text)
		}
	}
}

func TestNoWayBackToPlainHTTP(t *testing.T) {
	plain := newStorage(t, file("map.tif", 1000))
	secure := httptest.NewUnstartedServer(http.RedirectHandler(plain.URL+"/SECRET0/file-0", http.StatusFound))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // the second client does not trust it
	secure.StartTLS()
	defer secure.Close()
	p := plain.delivery()
	p.Files[0].URL, p.List = secure.URL, nil
	d := queue(t, "", func(o *Options) { o.Transport = secure.Client().Transport })
	items := d.fetch(p)
	if items[0].State != Failed || !strings.Contains(items[0].Err.Error(), "without encryption") || len(plain.asked()) != 0 {
		t.Errorf("%v, %d requests", items[0].Err, len(plain.asked()))
	}
	// A certificate that is not trusted is no reason to try again.
	d = queue(t, "", nil)
	p.Files[0].URL = secure.URL
	if items := d.fetch(p); items[0].State != Failed || strings.Contains(items[0].Err.Error(), "tries") {
		t.Errorf("%+v", items[0])
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	const name = "map.tif"
	for what, c := range map[string]struct {
		there    []byte
		noDigest bool
		want     State
		requests int
	}{
		"the same":                      {pseudo(7100, 100), false, Here, 1},
		"the same, by comparison":       {pseudo(7100, 100), true, Done, 2},
		"other content":                 {bytes.Repeat([]byte("x"), 100), false, Failed, 1},
		"other content, by comparison":  {bytes.Repeat([]byte("x"), 100), true, Failed, 2},
		"another size":                  {[]byte("mine"), false, Failed, 0},
		"another size without a digest": {[]byte("mine"), true, Failed, 0},
	} {
		t.Run(what, func(t *testing.T) {
			s := newStorage(t, &object{name: name, content: pseudo(7100, 100), noDigest: c.noDigest})
			d := queue(t, "", nil)
			if err := os.MkdirAll(d.folder(), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(d.folder(), name), c.there, 0o600); err != nil {
				t.Fatal(err)
			}
			items := d.fetch(s.delivery())
			d.states(items, c.want)
			if c.want == Failed && !errors.Is(items[0].Err, ErrExists) {
				t.Errorf("error %v", items[0].Err)
			}
			d.Close()
			if got, err := os.ReadFile(filepath.Join(d.folder(), name)); err != nil || !bytes.Equal(got, c.there) {
				t.Errorf("the file was changed: %v", err)
			}
			if n := len(s.asked()); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
		})
	}
}
