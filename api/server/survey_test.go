package server_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

// part is a part of an upload.
type part struct {
	name    string
	content []byte
}

// upload returns a multipart body and its type.
func upload(t testing.TB, parts ...part) (body []byte, mediaType string) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for _, p := range parts {
		w, err := form.CreateFormFile(p.name, "../../etc/passwd")
		if err == nil {
			_, err = w.Write(p.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), form.FormDataContentType()
}

func (b *bench) parse(kind string, parts ...part) reply {
	b.t.Helper()
	body, mediaType := upload(b.t, parts...)
	return b.call("POST", publicHandlers+"/"+kind+"/parse", b.alice, body, "Content-Type", mediaType)
}

const (
	quarry = `<Placemark><name>Steinbruch</name><Polygon><outerBoundaryIs><LinearRing><coordinates>
		8.60,50.10 8.61,50.10 8.61,50.11 8.60,50.10</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>`
	mast = `<Placemark><name>Mast 3</name><Point><coordinates>7.1,50.7</coordinates></Point></Placemark>`
	lost = `<Placemark><name>Lost</name><Point><coordinates>here</coordinates></Point></Placemark>`
)

func kml(placemarks ...string) []byte {
	return []byte(`<kml xmlns="http://www.opengis.net/kml/2.2"><Document>` + strings.Join(placemarks, "") + `</Document></kml>`)
}

func kmz(t testing.TB, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("doc.kml")
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestParseKML(t *testing.T) {
	b := newBench(t)
	plain := kml(quarry, mast)
	for name, content := range map[string][]byte{"KML": plain, "KMZ": kmz(t, plain)} {
		r := b.parse("kml", part{"file", content})
		if r.status != 200 || !strings.HasPrefix(r.Message, "2 placemarks read") {
			t.Fatalf("%s: %d %s", name, r.status, r.raw)
		}
		got := into[api.ParseResult](t, r).Placemarks
		if len(got) != 2 || got[0].LocationLabel != "Steinbruch" || got[0].Country != "Germany" || len(got[0].LocationMap) != 3 ||
			got[1].LocationMap[0] != (api.Point{Lat: 50.7, Lng: 7.1}) || got[1].City != "Bonn" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestParseReportsSkippedPlacemarks(t *testing.T) {
	b := newBench(t)
	r := b.parse("kml", part{"file", kml(mast, lost)})
	if r.status != 200 || !strings.Contains(r.Message, "1 placemark read; 1 skipped: ") || !strings.Contains(r.Message, "Lost") {
		t.Errorf("%d %s", r.status, r.raw)
	}
	r = b.parse("kml", part{"file", kml(mast, strings.Repeat(lost, 50))})
	if r.status != 200 || !strings.Contains(r.Message, "50 skipped") || !strings.Contains(r.Message, "and 30 more") {
		t.Errorf("%d %s", r.status, r.raw)
	}
}

func TestParseCSV(t *testing.T) {
	b := newBench(t)
	r := b.parse("csv", part{"file", []byte("name,lat,lon\nA,50.7,7.1\nB,50.8,7.2\n")})
	got := into[api.ParseResult](t, r).Placemarks
	if r.status != 200 || len(got) != 2 || got[1].LocationLabel != "B" || got[1].LocationMap[0].Lat != 50.8 {
		t.Errorf("%d %s", r.status, r.raw)
	}
}

func TestTemplateIsParsed(t *testing.T) {
	b := newBench(t)
	r := b.call("GET", publicHandlers+"/csv/example", b.alice, nil, "Accept", "text/csv")
	if r.status != 200 || r.header.Get("Content-Type") != "text/csv; charset=utf-8" ||
		!strings.Contains(r.header.Get("Content-Disposition"), ".csv") || !bytes.Equal(r.raw, kmlcsv.Template()) {
		t.Fatalf("%d %v %s", r.status, r.header, r.raw)
	}
	if r := b.parse("csv", part{"file", r.raw}); r.status != 200 {
		t.Errorf("%d %s", r.status, r.raw)
	}
}

func TestFileMustHaveTheFormatOfThePath(t *testing.T) {
	b := newBench(t)
	sites := []byte("name,lat,lon\nA,50.7,7.1\n")
	for _, r := range []reply{b.parse("kml", part{"file", sites}), b.parse("csv", part{"file", kml(mast)})} {
		if r.status != 400 || r.fault.Code != api.CodeValidationFailed {
			t.Errorf("%d %s", r.status, r.raw)
		}
	}
}

func TestUnusableUploads(t *testing.T) {
	b := newBench(t)
	good := part{"file", kml(mast)}
	for name, c := range map[string]struct {
		parts  []part
		fields []string
	}{
		"no part":            {nil, []string{"file"}},
		"another name":       {[]part{{"kml", good.content}}, []string{"kml", "file"}},
		"two files":          {[]part{good, good}, []string{"file"}},
		"something besides":  {[]part{good, {"note 1", []byte("x")}}, []string{`["note 1"]`}},
		"an empty file":      {[]part{{"file", nil}}, []string{"file"}},
		"no placemark":       {[]part{{"file", kml()}}, []string{"file"}},
		"no usable one":      {[]part{{"file", kml(lost)}}, []string{"file", "file"}},
		"binary":             {[]part{{"file", []byte{0, 1, 2, 3, 0xff}}}, []string{"file"}},
		"cut off":            {[]part{{"file", kml(mast)[:150]}}, []string{"file"}},
		"a damaged KMZ":      {[]part{{"file", kmz(t, kml(mast))[:60]}}, []string{"file"}},
		"an entity bomb":     {[]part{{"file", []byte(`<!DOCTYPE k [<!ENTITY a "aa">]><kml>&a;</kml>`)}}, []string{"file"}},
		"a placemark in air": {[]part{{"file", []byte(`<kml><Placemark><name>x</name></Placemark></kml>`)}}, []string{"file", "file"}},
	} {
		r := b.parse("kml", c.parts...)
		got := r.fields()
		if r.status != 400 || r.fault.Code != api.CodeValidationFailed || !slices.Equal(got, c.fields) {
			t.Errorf("%s: %d at %q: %s", name, r.status, got, r.raw)
		}
	}
}

func TestUploadsOfOtherForms(t *testing.T) {
	b := newBench(t)
	whole, mediaType := upload(t, part{"file", kml(mast)})
	for name, c := range map[string]struct {
		body      []byte
		mediaType string
		want      int
		code      api.ErrorCode
	}{
		"no type":           {whole, "", 415, api.CodeUnsupportedMediaType},
		"XML":               {kml(mast), "application/vnd.google-earth.kml+xml", 415, api.CodeUnsupportedMediaType},
		"mixed":             {whole, strings.Replace(mediaType, "form-data", "mixed", 1), 415, api.CodeUnsupportedMediaType},
		"no boundary":       {whole, "multipart/form-data", 400, api.CodeMalformedBody},
		"another boundary":  {whole, "multipart/form-data; boundary=x", 400, api.CodeMalformedBody},
		"cut off":           {whole[:len(whole)-9], mediaType, 400, api.CodeMalformedBody},
		"cut off in a part": {whole[:len(whole)/2], mediaType, 400, api.CodeMalformedBody},
		"empty":             {nil, mediaType, 400, api.CodeMalformedBody},
	} {
		header := []string{"Content-Type", c.mediaType}
		if c.mediaType == "" {
			header = nil
		}
		r := b.call("POST", publicHandlers+"/kml/parse", b.alice, c.body, header...)
		if r.status != c.want || r.fault.Code != c.code {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
}

func TestUploadLimit(t *testing.T) {
	b := newBench(t)
	fill := func(size int) part {
		content := kml(mast)
		return part{"file", append(content, bytes.Repeat([]byte(" "), size-len(content))...)}
	}
	if r := b.parse("kml", fill(api.MaxUploadBytes)); r.status != 200 {
		t.Errorf("at the limit: %d %.200s", r.status, r.raw)
	}
	if r := b.parse("kml", fill(api.MaxUploadBytes+1)); r.status != 413 || r.fault.Code != api.CodeTooLarge {
		t.Errorf("one byte more: %d %.200s", r.status, r.raw)
	}
	bomb := kmz(t, fill(api.MaxUploadBytes+1).content)
	if r := b.parse("kml", part{"file", bomb}); r.status != 413 {
		t.Errorf("%d bytes that inflate past the limit: %d %.200s", len(bomb), r.status, r.raw)
	}
}

// endless is an upload without an end.
type endless struct {
	head io.Reader
	sent atomic.Int64
}

func (e *endless) Read(p []byte) (int, error) {
	n, _ := e.head.Read(p)
	if n == 0 {
		n = copy(p, bytes.Repeat([]byte(" "), len(p)))
	}
	e.sent.Add(int64(n))
	return n, nil
}

func TestEndlessUploadIsCutOff(t *testing.T) {
	b := newBench(t)
	const boundary = "b"
	for _, announced := range []int64{-1, 2 << 30} {
		body := &endless{head: strings.NewReader("--" + boundary + "\r\nContent-Disposition: form-data; name=file\r\n\r\n")}
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, b.origin+publicHandlers+"/kml/parse", body)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = announced
		r.Header.Set("Content-Type", fmt.Sprintf("multipart/form-data; boundary=%s", boundary))
		r.Header.Set("X-Api-Key", b.alice)
		// The response can arrive while the client still sends, which ends the upload.
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("announced as %d bytes: %d", announced, resp.StatusCode)
			}
		}
		if sent := body.sent.Load(); sent > 200<<20 { // the limit, and the part that is read so that the response arrives
			t.Errorf("announced as %d bytes: %d bytes were taken", announced, sent)
		}
	}
}
