package server_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// Without space, a write is refused completely with an error in the envelope, and reads continue. With
// space again, writes continue without a restart.
func TestFullDatabase(t *testing.T) {
	b := newBenchOn(t, server.Embedded(&server.Server{}))
	ctx := context.Background()
	kept := server.DomainOf(b.s).Store
	p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	big := survey()
	big.Missions[0].LocationMap = manyPoints(2000) // each order needs some pages
	first := b.place(b.alice)
	if err := kept.LimitSize(ctx, 0); err != nil {
		t.Fatal(err)
	}
	placed := 1
	r := b.call("POST", publicHandlers+"/orders", b.alice, big)
	for ; r.status == 201 && placed < 100; r = b.call("POST", publicHandlers+"/orders", b.alice, big) {
		placed++ // the database still had free pages
	}
	wantFault(t, "an order without space", r, 503, api.CodeStorageFull)
	if r.header.Get("Retry-After") == "" {
		t.Error("there is no Retry-After")
	}
	var contents []content
	for i := range 500 {
		contents = append(contents, content{fmt.Sprintf("%s-%d.jpg", strings.Repeat("x", 100), i), "jpg", "x"})
	}
	form, mediaType := filesForm(t, "files", nil, contents...)
	before := server.FilesKept(b.s)
	deliver := func() reply {
		return b.ops("POST", "/missions/"+p.mission[0]+"/deliver", form, "Content-Type", mediaType)
	}
	wantFault(t, "a delivery without space", deliver(), 503, api.CodeStorageFull)
	metrics := string(b.call("GET", "/metrics", b.s.OpsKey, nil).raw)
	if !strings.Contains(metrics, "\nflightdesk_storage_full_total 2\n") {
		t.Error("the metrics do not count what was refused")
	}
	if n := server.FilesKept(b.s); n != before {
		t.Errorf("%d files of a refused delivery are kept", n-before)
	}
	if r := b.call("GET", publicHandlers+"/orders/"+first.OrderCode, b.alice, nil); r.status != 200 {
		t.Errorf("reading without space: %d %s", r.status, r.raw)
	}
	page := into[api.Page[api.Order]](t, b.call("GET", publicHandlers+"/orders?limit=100", b.alice, nil))
	if len(page.Items) != placed {
		t.Errorf("%d orders are there, %d were placed", len(page.Items), placed)
	}
	wantUnmoved(t, kept, p)

	if err := kept.LimitSize(ctx, 1<<30); err != nil {
		t.Fatal(err)
	}
	if r := b.call("POST", publicHandlers+"/orders", b.alice, big); r.status != 201 {
		t.Errorf("an order with space again: %d %s", r.status, r.raw)
	}
	if r := deliver(); r.status != 201 {
		t.Errorf("a delivery with space again: %d %s", r.status, r.raw)
	}
}

// wantUnmoved checks that nothing of a refused delivery was stored.
func wantUnmoved(t *testing.T, kept *store.Store, p past) {
	t.Helper()
	_, m, err := kept.MissionByUUID(context.Background(), p.mission[0])
	if err != nil {
		t.Fatal(err)
	}
	packages, err := store.List[store.Package](context.Background(), kept, m.ID, store.ListWindow{})
	if err != nil || len(packages) != 0 || m.Status != api.MissionFlightScheduled {
		t.Errorf("the mission is %s with %+v, %v", m.Status, packages, err)
	}
}

func manyPoints(n int) []api.Point {
	points := make([]api.Point, n)
	for i := range points {
		points[i] = api.Point{Lat: 53 + float64(i)/1e6, Lng: 8 + float64(i)/1e6}
	}
	return points
}

// If the file store has no space for a file, the file and its delivery are refused.
func TestFullFileStore(t *testing.T) {
	b := newBench(t)
	p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	server.BoundFiles(b.s, 1000)
	form, mediaType := filesForm(t, "files", nil, content{"a.jpg", "jpg", strings.Repeat("x", 900)}, content{"b.jpg", "jpg", strings.Repeat("x", 900)})
	r := b.ops("POST", "/missions/"+p.mission[0]+"/deliver", form, "Content-Type", mediaType)
	wantFault(t, "more than there is space for", r, 503, api.CodeStorageFull)
	if n := server.FilesKept(b.s); n != 0 {
		t.Errorf("%d files of it are kept", n)
	}
	wantUnmoved(t, server.DomainOf(b.s).Store, p)
	form, mediaType = filesForm(t, "files", nil, content{"a.jpg", "jpg", strings.Repeat("x", 900)})
	if r := b.ops("POST", "/missions/"+p.mission[0]+"/deliver", form, "Content-Type", mediaType); r.status != 201 {
		t.Errorf("what there is space for: %d %s", r.status, r.raw)
	}
}

// A full disk is logged for the operator of the service, but not on every request.
func TestAFullDiskIsLogged(t *testing.T) {
	var log lockedBuffer
	s := start(t, &server.Server{Log: slog.New(slog.NewTextHandler(&log, nil))})
	h := server.Failing(s, &domain.Error{Code: api.CodeStorageFull, Message: "the service's disk is full; nothing was changed"})
	for range 10 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, publicHandlers+"/orders", nil))
	}
	if n := strings.Count(log.String(), `level=WARN msg="the storage is full`); n != 1 {
		t.Errorf("%d warnings: %s", n, &log)
	}
}
