package server_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
)

// content is a file of the tests.
type content struct {
	name string
	kind api.Deliverable
	body string
}

// delivered stores an order with one scheduled mission, delivers the files and returns them as listed.
func (b *bench) delivered(contents ...content) (past, []api.DeliveryFile) {
	b.t.Helper()
	p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	d := server.DomainOf(b.s)
	ctx := context.Background()
	var kept []store.File
	for _, c := range contents {
		f, err := d.Missions.StoreFile(ctx, c.name, "image/jpeg", strings.NewReader(c.body))
		if err != nil {
			b.t.Fatal(err)
		}
		f.Kind = c.kind
		kept = append(kept, f)
	}
	if _, _, err := d.Missions.Deliver(ctx, p.mission[0], kept); err != nil {
		b.t.Fatal(err)
	}
	return p, b.filesOf(p)
}

// filesOf lists the files of the newest package of the first mission.
func (b *bench) filesOf(p past) []api.DeliveryFile {
	b.t.Helper()
	packages := into[api.Page[api.DeliveryPackage]](b.t,
		b.call("GET", publicHandlers+"/missions/"+p.mission[0]+"/delivery-packages", p.key, nil))
	list := b.call("GET", publicHandlers+"/delivery-packages/"+packages.Items[0].UUID+"/files", p.key, nil)
	return into[api.Page[api.DeliveryFile]](b.t, list).Items
}

// fetch requests a link. header has names and values in turn.
func (b *bench) fetch(method, link string, header ...string) reply {
	b.t.Helper()
	path, ok := strings.CutPrefix(link, b.origin)
	if !ok {
		b.t.Fatalf("the link %s is not of %s", link, b.origin)
	}
	return b.call(method, path, "", nil, header...)
}

func TestDownload(t *testing.T) {
	b := newBench(t)
	_, list := b.delivered(
		content{"first.jpg", "jpg", "the first picture"}, content{"Größe 東.tif", "thermalMap", "heat"}, content{"empty", "jpg", ""},
	)
	f := list[0]
	if f.FileName != "first.jpg" || f.FileSize != 17 || f.FileType != "image/jpeg" || f.FileDataType != "jpg" || f.Status != "delivered" {
		t.Errorf("%+v", f)
	}
	r := b.fetch("GET", f.DownloadURL)
	sum := sha256.Sum256([]byte("the first picture"))
	for name, want := range map[string]string{
		"Content-Length": "17", "Content-Type": "image/jpeg", "Accept-Ranges": "bytes",
		"Content-Disposition":    "attachment; filename=first.jpg",
		"ETag":                   `"` + hex.EncodeToString(sum[:16]) + `"`,
		"Last-Modified":          "Sat, 14 Mar 2026 09:26:53 GMT",
		"Repr-Digest":            "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":",
		"X-Content-Type-Options": "nosniff",
	} {
		if got := r.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if r.status != 200 || string(r.raw) != "the first picture" {
		t.Errorf("%d %q", r.status, r.raw)
	}
	if r := b.fetch("GET", list[1].DownloadURL); string(r.raw) != "heat" ||
		r.header.Get("Content-Disposition") != "attachment; filename*=utf-8''Gr%C3%B6%C3%9Fe%20%E6%9D%B1.tif" {
		t.Errorf("%v %q", r.header, r.raw)
	}
	if r := b.fetch("GET", list[2].DownloadURL); r.status != 200 || len(r.raw) != 0 {
		t.Errorf("an empty file: %d %q", r.status, r.raw)
	}
	head := b.fetch("HEAD", f.DownloadURL)
	if head.status != 200 || len(head.raw) != 0 || head.header.Get("Content-Length") != "17" || head.header.Get("ETag") == "" {
		t.Errorf("HEAD: %d %v", head.status, head.header)
	}
}

func TestRangesAndConditions(t *testing.T) {
	b := newBench(t)
	_, list := b.delivered(content{"a.jpg", "jpg", "0123456789"})
	link := list[0].DownloadURL
	tag := b.fetch("HEAD", link).header.Get("ETag")
	digest := b.fetch("HEAD", link).header.Get("Repr-Digest")
	for _, c := range []struct {
		header []string
		status int
		body   string
		part   string // Content-Range
	}{
		{[]string{"Range", "bytes=0-3"}, 206, "0123", "bytes 0-3/10"},
		{[]string{"Range", "bytes=7-"}, 206, "789", "bytes 7-9/10"},
		{[]string{"Range", "bytes=-2"}, 206, "89", "bytes 8-9/10"},
		{[]string{"Range", "bytes=4-99"}, 206, "456789", "bytes 4-9/10"},
		{[]string{"Range", "bytes=4-", "If-Range", tag}, 206, "456789", "bytes 4-9/10"},
		{[]string{"Range", "bytes=4-", "If-Range", `"other"`}, 200, "0123456789", ""},
		{[]string{"Range", "lines=1-2"}, 200, "0123456789", ""},
		{[]string{"Range", "bytes=10-"}, 416, "", "bytes */10"},
		{[]string{"If-None-Match", tag}, 304, "", ""},
		{[]string{"If-None-Match", `"other"`}, 200, "0123456789", ""},
		{[]string{"If-Match", `"other"`}, 412, "", ""},
		{[]string{"If-Unmodified-Since", "Fri, 13 Mar 2026 09:26:53 GMT"}, 412, "", ""},
		{[]string{"If-Modified-Since", "Sat, 14 Mar 2026 09:26:53 GMT"}, 304, "", ""},
	} {
		r := b.fetch("GET", link, c.header...)
		if r.status != c.status || r.status < 300 && string(r.raw) != c.body {
			t.Errorf("%v: %d %q", c.header, r.status, r.raw)
		}
		if got := r.header.Get("Content-Range"); got != c.part && (c.part != "bytes */10" || got != "") {
			t.Errorf("%v: Content-Range %q", c.header, got)
		}
		if c.status == 206 && r.header.Get("Repr-Digest") != digest {
			t.Errorf("%v: the digest is %q, not that of the whole file", c.header, r.header.Get("Repr-Digest"))
		}
		if c.status > 400 && (r.fault.Code != api.CodeValidationFailed || r.header.Get("Repr-Digest") != "" || c.status == 412 && r.fault.Errors[0].Field != c.header[0]) {
			t.Errorf("%v: %v %s", c.header, r.header, r.raw)
		}
	}
}

func TestInvalidLinks(t *testing.T) {
	b := newBench(t)
	_, list := b.delivered(content{"a.jpg", "jpg", "a"}, content{"b.jpg", "jpg", "b"})
	link := list[0].DownloadURL
	other := list[1].DownloadURL
	token := strings.Split(strings.TrimPrefix(link, b.origin), "/")[2]
	elsewhere := newBench(t)
	_, foreign := elsewhere.delivered(content{"a.jpg", "jpg", "x"})
	for what, path := range map[string]string{
		"another name":          "/files/" + token + "/b.jpg",
		"a longer name":         "/files/" + token + "/a.jpg/a.jpg",
		"no name":               "/files/" + token + "/",
		"a token cut short":     "/files/" + token[:len(token)-1] + "/a.jpg",
		"a token with a break":  "/files/" + token[:20] + "%0A" + token[20:] + "/a.jpg",
		"a made-up token":       "/files/" + strings.Repeat("A", len(token)) + "/a.jpg",
		"another file's name":   strings.TrimPrefix(strings.Replace(other, "b.jpg", "a.jpg", 1), b.origin),
		"another service's":     strings.TrimPrefix(foreign[0].DownloadURL, elsewhere.origin),
		"nothing":               "/files/",
		"no token":              "/files/a.jpg",
		"a path":                "/files/" + token + "/..%2f..%2fflightdesk.db",
		"a token with its hash": "/files/" + token + "A/a.jpg",
	} {
		wantFault(t, what, b.call("GET", path, "", nil), 403, api.CodeNotYourResource)
	}
	for i := range token {
		for _, flip := range "AZz9-_" {
			altered := token[:i] + string(flip) + token[i+1:]
			if altered == token {
				continue
			}
			if r := b.call("GET", "/files/"+altered+"/a.jpg", "", nil); r.status != 403 {
				t.Fatalf("with %c at %d: %d", flip, i, r.status)
			}
		}
	}
	b.clock.advance(24*time.Hour - time.Second)
	if r := b.fetch("GET", link); r.status != 200 {
		t.Errorf("shortly before its end: %d", r.status)
	}
	b.clock.advance(time.Second)
	wantFault(t, "an expired link", b.fetch("GET", link), 403, api.CodeLinkExpired)
	wantFault(t, "an expired link with a range", b.fetch("GET", link, "Range", "bytes=0-0"), 403, api.CodeLinkExpired)
}

func TestLinksAreNewEachTimeAndValidAfterARestart(t *testing.T) {
	at := newClock(time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC))
	dir := t.TempDir()
	open := func() *bench {
		s := &server.Server{Dir: dir, Now: at.now, PublicURL: "https://desk.example"}
		if err := s.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		addr, err := s.Listen(context.Background(), "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return &bench{t: t, s: s, origin: "http://" + addr.String(), clock: at}
	}
	b := open()
	p, list := b.delivered(content{"a.jpg", "jpg", "kept"})
	if !strings.HasPrefix(list[0].DownloadURL, "https://desk.example/files/") {
		t.Errorf("link %s", list[0].DownloadURL)
	}
	path := strings.TrimPrefix(list[0].DownloadURL, "https://desk.example")
	if err := b.s.Close(); err != nil {
		t.Fatal(err)
	}
	b = open()
	defer func() {
		if err := b.s.Close(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	}()
	if r := b.call("GET", path, "", nil); r.status != 200 || string(r.raw) != "kept" {
		t.Errorf("after a restart: %d %q", r.status, r.raw)
	}
	at.advance(time.Hour)
	if fresh := b.filesOf(p)[0].DownloadURL; strings.HasSuffix(fresh, path) {
		t.Error("an hour later the link is the same")
	}
}

func TestTheLogHasNoTokens(t *testing.T) {
	var log lockedBuffer
	s := start(t, &server.Server{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/files/SECRET-TOKEN/a.jpg", nil))
	if w.Code != 403 || strings.Contains(log.String(), "SECRET") || !strings.Contains(log.String(), "/files/") {
		t.Errorf("%d, logged %s", w.Code, &log)
	}
}

func FuzzLink(f *testing.F) {
	seal, open := server.Links([]byte("secret"))
	now := time.Unix(1_800_000_000, 0)
	parts := strings.Split(seal(7, "a b.jpg", now), "/")
	f.Add(parts[2], "a b.jpg")
	f.Add(parts[2], "a%20b.jpg")
	f.Add("", "")
	f.Add(strings.Repeat("A", len(parts[2])), "a b.jpg")
	f.Fuzz(func(t *testing.T, token, name string) {
		id, err := open(token, name, now.Add(-time.Second))
		if err == nil && (id != 7 || token != parts[2] || name != "a b.jpg") {
			t.Errorf("%q of %q opens file %d", token, name, id)
		}
		if _, err := open(token, name, now); err == nil {
			t.Errorf("%q of %q opens after its end", token, name)
		}
	})
}

func TestPublicReadsOfAMission(t *testing.T) {
	b := newBench(t)
	p := b.takenOver(api.OrderPendingOperator, api.MissionAwaitingPilot)
	d := server.DomainOf(b.s)
	ctx := context.Background()
	base := publicHandlers + "/missions/" + p.mission[0]
	for _, tail := range []string{"/planning", "/delivery-packages"} {
		page := into[api.Page[api.PlanningEntry]](t, b.call("GET", base+tail, p.key, nil))
		if len(page.Items) != 0 || page.HasNextPage || page.NextCursor != nil {
			t.Errorf("%s at first: %+v", tail, page)
		}
	}
	wantFault(t, "a permission before there is one", b.call("GET", base+"/flight-permission", p.key, nil), 404, api.CodeNotFound)
	if _, _, err := d.Missions.AssignOperator(ctx, p.mission[0], "Tomáš Dvořák"); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		b.clock.advance(time.Hour)
		note := fmt.Sprint("version ", i+1)
		if _, _, err := d.Missions.Schedule(ctx, p.mission[0], ops.FlightInput{FlightDate: api.TimeOf(b.clock.now().Add(48 * time.Hour)), Note: note}); err != nil {
			t.Fatal(err)
		}
	}
	whole := into[api.Page[api.PlanningEntry]](t, b.call("GET", base+"/planning", p.key, nil))
	if len(whole.Items) != 5 || whole.Items[0].Version != 5 || whole.Items[0].SchedulingStatus != api.ScheduleRescheduled ||
		whole.Items[4].SchedulingStatus != api.ScheduleConfirmed || *whole.Items[4].Note != "version 1" || whole.Items[0].ScheduledBy != nil {
		t.Errorf("planning %+v", whole)
	}
	first := into[api.Page[api.PlanningEntry]](t, b.call("GET", base+"/planning?limit=2", p.key, nil))
	second := into[api.Page[api.PlanningEntry]](t, b.call("GET", base+"/planning?limit=3&cursor="+*first.NextCursor, p.key, nil))
	if !first.HasNextPage || len(second.Items) != 3 || second.Items[0].Version != 3 || second.HasNextPage {
		t.Errorf("pages %+v, %+v", first, second)
	}
	wantFault(t, "a cursor in another list", b.call("GET", base+"/delivery-packages?cursor="+*first.NextCursor, p.key, nil),
		400, api.CodeValidationFailed)
	for _, tail := range []string{"/planning", "/flight-permission", "/delivery-packages"} {
		wantFault(t, tail+" of another's", b.call("GET", base+tail+"?limit=0", b.bob, nil), 403, api.CodeNotYourResource)
		wantFault(t, tail+" of nothing", b.call("GET", publicHandlers+"/missions/nope"+tail, b.bob, nil), 404, api.CodeNotFound)
	}
	q, _ := b.delivered(content{"a.jpg", "jpg", "a"})
	packages := into[api.Page[api.DeliveryPackage]](t, b.call("GET", publicHandlers+"/missions/"+q.mission[0]+"/delivery-packages", q.key, nil))
	got := packages.Items[0]
	if got.Version != 1 || got.FileCount != 1 || got.TotalSize != 1 || got.Status != api.DeliveryDelivered || got.MissionUID != q.mission[0] {
		t.Errorf("package %+v", got)
	}
	files := publicHandlers + "/delivery-packages/" + got.UUID + "/files"
	wantFault(t, "another's files", b.call("GET", files, p.key, nil), 403, api.CodeNotYourResource)
	wantFault(t, "files of nothing", b.call("GET", publicHandlers+"/delivery-packages/nope/files", p.key, nil), 404, api.CodeNotFound)
}

// taker is a connection to which the system can copy files directly.
type taker struct {
	*httptest.ResponseRecorder
	files int64 // bytes that were copied from a file by the system
	parts int
}

// ReadFrom copies a part of a file.
func (w *taker) ReadFrom(r io.Reader) (int64, error) {
	n, err := w.Body.ReadFrom(r)
	if part, is := r.(*io.LimitedReader); is {
		_, is = part.R.(*os.File)
		if is {
			w.files += n
			w.parts++
		}
	}
	return n, err
}

// The system copies a file from the disk to the connection in parts, so that a slow client gets a new
// timeout for each part.
func TestFilesAreCopiedByTheOperatingSystem(t *testing.T) {
	b := newBenchOn(t, &server.Server{Dir: t.TempDir()})
	whole := strings.Repeat("0123456789", 100_000)
	_, list := b.delivered(content{"a.jpg", "jpg", whole})
	for header, want := range map[string]string{"": whole, "bytes=999990-": "0123456789", "bytes=5-400004": whole[5:400_005]} {
		r := httptest.NewRequest(http.MethodGet, list[0].DownloadURL, http.NoBody)
		r.Header.Set("Range", header)
		w := &taker{ResponseRecorder: httptest.NewRecorder()}
		b.s.Handler().ServeHTTP(w, r)
		if w.Body.String() != want || w.files != int64(len(want)) {
			t.Errorf("%q: %d of %d bytes came from a file", header, w.files, w.Body.Len())
		}
		if len(want) > 1<<19 && w.parts < 2 {
			t.Errorf("%d bytes were one part", len(want))
		}
	}
}

// BenchmarkFile sends a file of 256 MB over one connection.
func BenchmarkFile(b *testing.B) {
	bench := newBenchOn(b, &server.Server{Dir: b.TempDir()})
	const size = 256 << 20
	_, list := bench.delivered(content{"a.jpg", "jpg", strings.Repeat("0123456789abcdef", size/16)})
	b.SetBytes(size)
	for b.Loop() {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, list[0].DownloadURL, nil)
		if err != nil {
			b.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, resp.Body); n != size || err != nil {
			b.Fatal(n, err)
		}
		_ = resp.Body.Close()
	}
}
