package fetch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"os"
	"testing"
)

func crcOf(b []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func shaOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// The computed digest is of the kind that the server sent. If it sent none, it is the cheapest
// digest that detects damage.
func TestTheNeededDigestsAreComputed(t *testing.T) {
	const size = 400_000
	content := file("map.tif", size).content
	store := func(w http.ResponseWriter, r *http.Request, o *object) bool {
		w.Header().Set("ETag", `"`+md5Of(o.content)+`"`)
		w.Header().Set("Server", "AmazonS3")
		http.ServeContent(w, r, "", o.modified, bytes.NewReader(o.content))
		return true
	}
	for name, c := range map[string]struct {
		noDigest bool
		always   fault
		sha      bool
		want     Digests
		proof    VerifiedBy
	}{
		"a digest":                    {false, nil, false, Digests{SHA256: shaOf(content)}, ByReprDigest},
		"none":                        {true, nil, false, Digests{CRC32C: crcOf(content)}, BySize},
		"none, and SHA-256 is wanted": {true, nil, true, Digests{SHA256: shaOf(content)}, BySize},
		"a store's MD5":               {true, store, false, Digests{MD5: md5Of(content)}, ByETag},
		"a store's MD5, and SHA-256 is wanted": {
			true, store, true,
			Digests{MD5: md5Of(content), SHA256: shaOf(content)},
			ByETag,
		},
	} {
		for _, cut := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, cut %t", name, cut), func(t *testing.T) {
				s := newStorage(t, &object{name: "map.tif", content: content, noDigest: c.noDigest})
				if c.always != nil {
					s.answer(c.always)
				}
				d := queue(t, "", func(o *Options) { o.SHA256 = c.sha })
				if cut && c.always == nil {
					s.faults = []fault{s.cut(150_000)}
				}
				items := d.fetch(s.delivery())
				d.states(items, Done)
				if items[0].Digests != c.want || items[0].Verified != c.proof {
					t.Errorf("%+v by %q, want %+v by %q", items[0].Digests, items[0].Verified, c.want, c.proof)
				}
			})
		}
	}
}

// A cheap checksum is sufficient to verify the file later.
func TestVerifyUsesTheChecksumIfTheServerSentNoDigest(t *testing.T) {
	s := newStorage(t, &object{name: "a.tif", content: pseudo(5, 1000), noDigest: true})
	d := queue(t, "", nil)
	item := d.fetch(s.delivery())[0]
	d.Close()
	verify := func(o *Options) { o.Verify = true }
	d = queue(t, d.dir, verify)
	d.states(d.fetch(s.delivery()), Here)
	d.Close()
	rot := append([]byte("x"), s.objects[0].content[1:]...)
	if err := os.WriteFile(item.Path, rot, 0o600); err != nil {
		t.Fatal(err)
	}
	d = queue(t, d.dir, verify)
	if items := d.fetch(s.delivery()); items[0].State != Failed || !errors.Is(items[0].Err, ErrExists) {
		t.Errorf("%+v", items[0])
	}
}

// An existing file gets its SHA-256 after it was verified by its other digest.
func TestAnExistingFileGetsItsSHA256(t *testing.T) {
	content := pseudo(6, 1000)
	for _, again := range []bool{false, true} {
		s := newStorage(t, &object{name: "a.tif", content: content, noDigest: true})
		d := queue(t, "", nil)
		first := d.fetch(s.delivery())
		d.states(first, Done)
		d.Close()
		want := Digests{SHA256: shaOf(content)}
		for run := range 3 {
			d = queue(t, d.dir, func(o *Options) { o.SHA256, o.Verify = run < 2, again })
			items := d.fetch(s.delivery())
			d.states(items, Here)
			if items[0].Digests != want || items[0].Verified != first[0].Verified {
				t.Errorf("verify %t, run %d: %+v by %q", again, run, items[0].Digests, items[0].Verified)
			}
			d.Close()
		}
	}
}

// A file that was changed is not accepted, even if its size and time are the same.
func TestSHA256DoesNotAcceptAChangedFile(t *testing.T) {
	s := newStorage(t, &object{name: "a.tif", content: pseudo(7, 1000), noDigest: true})
	d := queue(t, "", nil)
	item := d.fetch(s.delivery())[0]
	d.Close()
	info, err := os.Stat(item.Path)
	if err != nil {
		t.Fatal(err)
	}
	rot := append([]byte("x"), s.objects[0].content[1:]...)
	if err := os.WriteFile(item.Path, rot, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(item.Path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	d = queue(t, d.dir, func(o *Options) { o.SHA256 = true })
	if items := d.fetch(s.delivery()); items[0].State != Failed || !errors.Is(items[0].Err, ErrExists) {
		t.Errorf("%+v", items[0])
	}
}

func TestStrongestReturnsTheStrongestDigest(t *testing.T) {
	for want, d := range map[string]Digests{
		"": {}, "SHA-256 a": {SHA256: "a", MD5: "b"}, "MD5 b": {MD5: "b"}, "CRC-32C c": {CRC32C: "c"},
	} {
		name, sum := d.Strongest()
		if got := name + " " + sum; got != want && want != "" || want == "" && name+sum != "" {
			t.Errorf("%+v: %q", d, got)
		}
	}
}
