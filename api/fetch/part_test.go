package fetch

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestSafeName(t *testing.T) {
	for name, want := range map[string]string{
		"map.tif": "map.tif", "../../evil.txt": "evil.txt", `..\..\evil.txt`: "evil.txt", "/etc/passwd": "passwd",
		"": "file", ".": "file", "..": "file", "a/": "file", " ": "file", "...": "file",
		".bashrc": "_.bashrc", "-rf": "_-rf", "~": "_~", "con": "_con", "CON.txt": "_CON.txt", "LPT1.tar.gz": "_LPT1.tar.gz",
		"com¹.x": "_com¹.x", "COM10": "COM10", "nul .txt": "_nul .txt", "a:b?.tif": "a_b_.tif", "a\x1b[2Jb": "a_[2Jb",
		"a\u202egpj.exe": "agpj.exe", "a. . ": "a", "tab\there": "tab_here", "e\u0301.jpg": "é.jpg", "a\xffb": "a_b",
		"zero\u200bwidth": "zerowidth", "a\u00a0b": "a b", "Größe 東.tif": "Größe 東.tif",
		strings.Repeat("x", 300) + ".tif": strings.Repeat("x", 196) + ".tif",
		strings.Repeat("東", 100):          strings.Repeat("東", 66),
	} {
		if got := SafeName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

func FuzzSafeName(f *testing.F) {
	for _, seed := range []string{"", "a/b", "..", "CON", "\xff\xfe", "é", ". .", "a\u202eb", strings.Repeat("é.", 150)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := SafeName(name)
		if got == "" || len(got) > maxName || !utf8.ValidString(got) || !norm.NFC.IsNormalString(got) ||
			strings.ContainsAny(got, "/\\:*?\"<>|\x00") || strings.HasSuffix(got, ".") || strings.HasSuffix(got, " ") ||
			strings.HasPrefix(got, ".") || strings.HasPrefix(got, " ") {
			t.Errorf("%q becomes %q", name, got)
		}
		if again := SafeName(got); again != got {
			t.Errorf("%q becomes %q, and that %q", name, got, again)
		}
	})
}

func TestNamesAreUnique(t *testing.T) {
	n := newTakenNames()
	for _, c := range [][2]string{
		{"map.tif", "map.tif"},
		{"MAP.TIF", "MAP (2).TIF"},
		{"map.tif", "map (3).tif"},
		{"map.tif.part", "map.tif (2).part"},
		{"manifest.json", "manifest (2).json"},
		{"x.part", "x.part"},
		{"x", "x (2)"},
		{"ÉTÉ.tif", "ÉTÉ.tif"},
		{"été.tif", "été (2).tif"},
		{strings.Repeat("y", 200), strings.Repeat("y", 200)},
		{strings.Repeat("y", 200), strings.Repeat("y", 196) + " (2)"},
	} {
		if got := n.reserveName(SafeName(c[0])); got != c[1] {
			t.Errorf("%q becomes %q, want %q", c[0], got, c[1])
		}
	}
}

func FuzzSpans(f *testing.F) {
	f.Add([]byte{0, 4, 8, 2, 4, 4, 1, 1})
	f.Fuzz(func(t *testing.T, ops []byte) {
		var have [600]bool
		var s byteRanges
		for i := 0; i+1 < len(ops); i += 2 {
			x := byteRange{int64(ops[i]), int64(ops[i]) + int64(ops[i+1])}
			before := slices.Clone(s)
			grown := s.include(x)
			if !slices.Equal(s, before) {
				t.Fatal("add changed its receiver")
			}
			s = grown
			for at := x.from; at < x.end; at++ {
				have[at] = true
			}
		}
		n, prefix, first := int64(0), int64(0), int64(-1)
		for at, there := range have {
			if there {
				n++
			}
			if first < 0 && !there {
				first = int64(at)
			}
		}
		for prefix < 600 && have[prefix] {
			prefix++
		}
		if !s.isValid(600) || s.totalBytes() != n || s.prefixLength() != prefix || s.firstGap(600).from != first {
			t.Fatalf("%v: total %d, prefix %d, gap %v; want %d, %d, %d", s, s.totalBytes(), s.prefixLength(), s.firstGap(600), n, prefix, first)
		}
		if gap := s.firstGap(600); have[gap.from] || have[gap.end-1] || gap.end < 600 && !have[gap.end] {
			t.Fatalf("%v has the gap %v", s, gap)
		}
	})
}

func TestDigestOf(t *testing.T) {
	sha := "sha-256=:" + strings.Repeat("A", 43) + "=:"
	tag32, tag64 := `"`+strings.Repeat("0a", 16)+`"`, `"`+strings.Repeat("0a", 32)+`"`
	for name, c := range map[string]struct {
		header  [][2]string
		source  string
		md5     bool
		binding bool
	}{
		"none":                {nil, "", false, false},
		"Repr-Digest":         {[][2]string{{"Repr-Digest", "sha-512=:AAAA:, " + sha}, {"ETag", tag64}}, "Repr-Digest", false, true},
		"too short":           {[][2]string{{"Repr-Digest", "sha-256=:AAAA:"}}, "", false, false},
		"not base64":          {[][2]string{{"Repr-Digest", "sha-256=:%%:"}}, "", false, false},
		"a tag like SHA-256":  {[][2]string{{"ETag", tag64}}, "ETag", false, false},
		"a tag like MD5":      {[][2]string{{"ETag", tag32}}, "ETag", true, false},
		"an object store's":   {[][2]string{{"ETag", tag32}, {"Server", "AmazonS3"}}, "ETag", true, true},
		"with a key":          {[][2]string{{"ETag", tag32}, {"Server", "AmazonS3"}, {"X-Amz-Server-Side-Encryption", "aws:kms"}}, "ETag", true, false},
		"uploaded in parts":   {[][2]string{{"ETag", tag32[:33] + `-3"`}, {"Server", "AmazonS3"}}, "", false, false},
		"a weak tag":          {[][2]string{{"ETag", "W/" + tag32}}, "", false, false},
		"nginx's":             {[][2]string{{"ETag", `"66f1a2b3-500000"`}}, "", false, false},
		"a tag without signs": {[][2]string{{"ETag", tag32[1:33]}}, "", false, false},
	} {
		h := http.Header{}
		for _, line := range c.header {
			h.Add(line[0], line[1])
		}
		if d := readDigest(h); d.Source != c.source || d.MD5 != c.md5 || d.MustMatch != c.binding {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestMD5OfAnObjectStore(t *testing.T) {
	content := []byte("content of an object")
	// printf 'content of an object' | md5sum
	const sum = "4a4e0b0bf0a2ea05a8e84a0fcdb3b0e8"
	for tag, want := range map[string]State{sum: Failed, md5Of(content): Done} {
		s := newStorage(t, &object{name: "a.tif", content: content, plain: true})
		s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
			w.Header().Set("ETag", `"`+tag+`"`)
			w.Header().Set("Server", "AmazonS3")
			s.give(w, r, o)
			return true
		})
		d := queue(t, "", nil)
		items := d.fetch(s.delivery())
		d.states(items, want)
		if want == Done && items[0].Verified != ByETag {
			t.Errorf("verified by %s", items[0].Verified)
		}
	}
}

func TestContentRange(t *testing.T) {
	for text, want := range map[string]sentRange{
		"bytes 0-9/100": {byteRange{0, 10}, 100},
		"bytes 5-5/*":   {byteRange{5, 6}, -1},
		"Bytes 0-9/10":  {byteRange{0, 10}, 10},
	} {
		if sent, ok := parseContentRange(text); !ok || sent != want {
			t.Errorf("%q: %v, %t", text, sent, ok)
		}
	}
	for _, text := range []string{
		"bytes 0-10/10", "bytes 9-3/10", "bytes */10", "lines 0-1/2", "", "bytes -1-3/9", "bytes 0-9",
		"bytes 0-99999999999999999999/*",
	} {
		if sent, ok := parseContentRange(text); ok {
			t.Errorf("%q: %v", text, sent)
		}
	}
}

func TestSpeedMeter(t *testing.T) {
	var m speedMeter
	at := time.Unix(1000, 0)
	for i := range 50 {
		m.addSample(at.Add(time.Duration(i)*meterPeriod), int64(i)*500)
	}
	if m.bytesPerSecond() != 1000 {
		t.Errorf("%v bytes a second, want 1000", m.bytesPerSecond())
	}
	if TimeLeft(5_000, m.bytesPerSecond()) != 5*time.Second || TimeLeft(0, 0) != 0 || TimeLeft(1, 0) != -1 {
		t.Error("the time left is wrong")
	}
}

func TestInvalidStatesAreIgnored(t *testing.T) {
	good := `{"id":"file-0","size":10,"validator":{"etag":"\"x\""},"digest":{"source":"","sum":null,"binding":false},"flushed":[[0,2]]}`
	for name, c := range map[string]struct {
		text string
		want int64
	}{
		"of this file":         {good, 2},
		"of another file":      {strings.Replace(good, "file-0", "file-1", 1), 0},
		"longer than the part": {strings.Replace(good, `"flushed":[[0,2]]`, `"flushed":[[0,9]]`, 1), 0},
		"out of order":         {strings.Replace(good, "[[0,2]]", "[[3,4],[0,1]]", 1), 0},
		"without a validator":  {strings.Replace(good, `"etag"`, `"gone"`, 1), 0},
		"cut off":              {good[:60], 0},
		"none":                 {"", 0},
	} {
		d := queue(t, "", nil)
		root := emptyRoot(t)
		for file, text := range map[string]string{"a.part": "01234", "a.part.json": c.text} {
			if err := root.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := readState(root, "a", "file-0").Done.totalBytes(); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
		d.Close()
	}
}
