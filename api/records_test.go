package api_test

import (
	"bytes"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
)

var update = flag.Bool("update", false, "write the golden files anew")

// serveLegacy starts a v2 API that responds with h.
func serveLegacy(t testing.TB, h http.HandlerFunc) *api.Client {
	t.Helper()
	srv := httptest.NewServer(http.StripPrefix("/deep/api/v2", h))
	t.Cleanup(srv.Close)
	c, err := api.NewClient(srv.URL+"/deep/api/v1/public", api.WithKey(testKey), api.WithLegacyURL(srv.URL+"/deep/api/v2/"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The files in testdata/legacy are response bodies, each with the records that the client reads
// from it.
func TestResponsesOfTheV2APIAreRead(t *testing.T) {
	bodies, err := filepath.Glob("testdata/legacy/*.json")
	if err != nil || len(bodies) < 15 {
		t.Fatalf("%d bodies, %v", len(bodies), err)
	}
	for _, path := range bodies {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c := serveLegacy(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, string(body)) })
			var got any
			switch what, _, _ := strings.Cut(name, "-"); what {
			case "getorder":
				got, err = c.Records.Get(t.Context(), "x")
			case "getorderslist":
				got, err = c.Records.List(t.Context(), api.RecordListOptions{})
			case "datalibraryorders":
				got, err = c.Library.List(t.Context(), api.DatasetListOptions{})
			default:
				t.Fatalf("%s begins with no operation", name)
			}
			if err != nil {
				t.Fatal(err)
			}
			checkGolden(t, strings.TrimSuffix(path, ".json")+".golden", got)
		})
	}
}

func checkGolden(t *testing.T, path string, got any) {
	t.Helper()
	text, err := api.EncodeRecord(got)
	if err == nil {
		err = (*jsontext.Value)(&text).Indent(jsontext.WithIndent("  "))
	}
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("read as\n%s\nwant\n%s", text, want)
	}
}

func TestResponsesWithoutARecordAreErrors(t *testing.T) {
	for _, body := range []string{"", "<html>", `"ok"`, "7", "[", `{"id":"a"`, `[[[[[[]]]]]`, `{"success":false,"message":"no"}`} {
		c := serveLegacy(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) })
		if list, err := c.Records.List(t.Context(), api.RecordListOptions{}); err == nil {
			t.Errorf("%s: listed %+v", body, list)
		}
		if r, err := c.Records.Get(t.Context(), "x"); err == nil {
			t.Errorf("%s: read %+v", body, r)
		}
	}
	for body, isList := range map[string]bool{"[]": true, "null": false, `{"data":null}`: false} {
		c := serveLegacy(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) })
		if list, err := c.Records.List(t.Context(), api.RecordListOptions{}); isList != (err == nil) || len(list) != 0 {
			t.Errorf("%s: listed %+v, %v", body, list, err)
		}
		if r, err := c.Library.Get(t.Context(), "x"); err == nil {
			t.Errorf("%s: read %+v", body, r)
		}
	}
}

func TestV2CallsNeedTheV2Address(t *testing.T) {
	c, err := api.NewClient("http://127.0.0.1:1/api/v1/public")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Records.Get(t.Context(), "x"); !errors.Is(err, api.ErrNoLegacy) {
		t.Errorf("error %v", err)
	}
}

func TestRequestsOfRecordReads(t *testing.T) {
	var got []string
	c := serveLegacy(t, func(w http.ResponseWriter, r *http.Request) {
		var b bytes.Buffer
		_, _ = b.ReadFrom(r.Body)
		got = append(got, r.Method+" "+r.URL.EscapedPath()+" "+b.String())
		answer(w, http.StatusOK, `[{"id":"a"}]`)
	})
	ctx := t.Context()
	_, err1 := c.Records.Get(ctx, "ORD/1")
	_, err2 := c.Records.Get(ctx, "a", "ndvi", "raw")
	_, err3 := c.Records.List(ctx, api.RecordListOptions{})
	_, err4 := c.Records.List(ctx, api.RecordListOptions{Status: api.RecordCompleted, FileDataType: []api.Deliverable{"raw"}, Limit: 5, Page: 2})
	_, err5 := c.Library.List(ctx, api.DatasetListOptions{Limit: 1})
	_, err6 := c.Library.Get(ctx, "d", "LiDAR")
	for _, err := range []error{err1, err2, err3, err4, err5, err6} {
		if err != nil {
			t.Error(err)
		}
	}
	want := []string{
		`POST /getorder/ORD%2F1 {}`, `POST /getorder/a {"fileDataType":["ndvi","raw"]}`, `POST /getorderslist {}`,
		`POST /getorderslist {"status":"completed","fileDataType":["raw"],"limit":5,"page":2}`,
		`POST /datalibraryorders {"limit":1}`, `POST /datalibraryorders/d {"fileDataType":["LiDAR"]}`,
	}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("request %d: %v, want %s", i, got, want[i])
			break
		}
	}
}

// A service can send smaller pages than requested, ignore the page number, or move an order to
// another page meanwhile. Every list ends, with each order once.
func TestAllYieldsEachRecordOnce(t *testing.T) {
	for name, list := range map[string]struct {
		pages []string
		want  string
	}{
		"short pages":      {[]string{`[{"id":"a"},{"id":"b"}]`, `[{"id":"c"}]`, `[]`}, "abc"},
		"shifted":          {[]string{`[{"id":"a"},{"id":"b"}]`, `[{"id":"b"},{"id":"c"}]`, `[{"id":"c"}]`}, "abc"},
		"page is ignored":  {[]string{`[{"id":"a"}]`, `[{"id":"a"}]`, `[{"id":"a"}]`}, "a"},
		"no ids, ignoring": {[]string{`[{"orderName":"n"}]`, `[{"orderName":"n"}]`, `[{"orderName":"n"}]`}, ""},
		"nothing":          {[]string{`[]`}, ""},
	} {
		n := 0
		c := serveLegacy(t, func(w http.ResponseWriter, _ *http.Request) {
			if n >= len(list.pages) {
				t.Errorf("%s: page %d was asked for", name, n)
				n = 0
			}
			answer(w, http.StatusOK, list.pages[n])
			n++
		})
		got := ""
		for r, err := range c.Records.All(t.Context(), api.RecordListOptions{}) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got += r.ID
		}
		if got != list.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func FuzzRecords(f *testing.F) {
	bodies, err := filepath.Glob("testdata/legacy/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range bodies {
		body, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		transport := roundTrip(func(r *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			answer(w, http.StatusOK, string(body))
			resp := w.Result()
			resp.Request = r
			return resp, nil
		})
		c, err := api.NewClient("http://a.example/api/v1/public", api.WithLegacyURL("http://a.example/api/v2"), api.WithTransport(transport))
		if err != nil {
			t.Fatal(err)
		}
		var v []map[string]any
		wellFormed := json.Unmarshal(body, &v) == nil && v != nil
		records, err := c.Records.List(t.Context(), api.RecordListOptions{})
		datasets, err2 := c.Library.List(t.Context(), api.DatasetListOptions{})
		if wellFormed && (err != nil || err2 != nil || len(records) != len(datasets)) {
			t.Errorf("a list of objects is not read: %d records, %v; %d datasets, %v", len(records), err, len(datasets), err2)
		}
		for _, r := range records {
			_ = r.StageStatus()
			_ = r.DeliveryFiles.Len()
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
