package server_test

import (
	"database/sql"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
)

// Damaged data is answered with 503 and a message, without a panic; everything else is served.
func TestDamagedRecordsAreAnsweredWith503(t *testing.T) {
	var log lockedBuffer
	dir := t.TempDir()
	b := newBenchOn(t, &server.Server{Dir: dir, Log: slog.New(slog.NewJSONHandler(&log, nil))})
	o := b.place(b.alice)
	whole := b.place(b.bob)
	db, err := sql.Open("sqlite", filepath.Join(dir, "flightdesk.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(t.Context(), `UPDATE orders SET name = CAST(x'ff41' AS TEXT), listed = CAST(x'ff41' AS TEXT) WHERE uuid = ?`, o.UUID)
	if err != nil {
		t.Fatal(err)
	}
	for what, r := range map[string]reply{
		"order":  b.call("GET", publicHandlers+"/orders/"+o.OrderCode, b.alice, nil),
		"list":   b.call("GET", publicHandlers+"/orders", b.alice, nil),
		"record": b.legacy("/getorder/"+o.UUID, b.alice, ""), "records": b.legacy("/getorderslist", b.alice, ""),
	} {
		wantFault(t, what, r, 503, api.CodeInternal)
		if !strings.Contains(r.Message, "damaged") || r.header.Get("Retry-After") == "" {
			t.Errorf("%s: %s %v", what, r.raw, r.header)
		}
	}
	if r := b.call("GET", publicHandlers+"/orders/"+whole.OrderCode, b.bob, nil); r.status != 200 {
		t.Errorf("another order: %d %s", r.status, r.raw)
	}
	if strings.Contains(log.String(), "panic") || !strings.Contains(log.String(), "stored data is damaged") {
		t.Errorf("the log says %s", log.String())
	}
}
