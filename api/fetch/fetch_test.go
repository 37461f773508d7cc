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
	if m.ID != "package-1" || m.Order != "ORD-1" || m.Mission != "MSN-1" || len(m.Files) != 3 || len(m.Unfinished) != 0 {
		t.Errorf("manifest %+v", m)
	}
	sum := sha256.Sum256(s.objects[0].content)
	got := m.FetchedFile("file-0")
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

func TestASecondRunSendsNoRequests(t *testing.T) {
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
	looked, err := InspectFolder(d.dir, s.delivery())
	if err != nil || !looked[0].Whole || looked[0].IsNew() {
		t.Errorf("%+v, %v", looked, err)
	}
}

func TestResumeUsesIfRange(t *testing.T) {
	s := newStorage(t, file("map.tif", 400_000))
	s.faults = []fault{s.cut(150_000)}
	d := queue(t, "", nil)
	d.states(d.fetch(s.delivery()), Done)
	asked := s.asked()
	if len(asked) != 2 || asked[1].Header.Get("Range") != "bytes=150000-399999" || asked[1].Header.Get("If-Range") != s.objects[0].tag() {
		t.Errorf("%d requests, the last with %v", len(asked), asked[len(asked)-1].Header)
	}
}

func TestOneListingRenewsAllLinks(t *testing.T) {
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

func TestOldLinksAreRenewedBeforeTheyExpire(t *testing.T) {
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
		"redirected too many times":  s.URL + "/SECRET0/file-0",
		"to an invalid address":      "file:///etc/passwd",
		"to an invalid address ":     "",
		"to an invalid address\x00x": "http://[::1/SECRET",
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

func TestARedirectToPlainHTTPIsRejected(t *testing.T) {
	plain := newStorage(t, file("map.tif", 1000))
	secure := httptest.NewUnstartedServer(http.RedirectHandler(plain.URL+"/SECRET0/file-0", http.StatusFound))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // the second client does not trust it
	secure.StartTLS()
	defer secure.Close()
	p := plain.delivery()
	p.Files[0].URL, p.List = secure.URL, nil
	d := queue(t, "", func(o *Options) { o.Transport = secure.Client().Transport })
	items := d.fetch(p)
	if items[0].State != Failed || !strings.Contains(items[0].Err.Error(), "unencrypted") || len(plain.asked()) != 0 {
		t.Errorf("%v, %d requests", items[0].Err, len(plain.asked()))
	}
	// A certificate that is not trusted is not retried.
	d = queue(t, "", nil)
	p.Files[0].URL = secure.URL
	if items := d.fetch(p); items[0].State != Failed || strings.Contains(items[0].Err.Error(), "tries") {
		t.Errorf("%+v", items[0])
	}
}

func TestExistingFilesAreNotOverwritten(t *testing.T) {
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
