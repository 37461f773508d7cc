//go:build campaign && linux

package kmlcsv

import (
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paulmach/orb"
)

// The limits that every file has to keep, whatever it is made of.
const (
	campaignTime   = maxReadingTime + 2*time.Second
	campaignMemory = 600 << 20
	campaignFactor = 10          // bytes of memory for each byte of the file, or of what is unpacked
	campaignStop   = time.Second // until reading stops after its context has ended
)

// bombs are small files that take a reader much time or memory.
func bombs(t testing.TB) map[string][]byte {
	deflate := func(entries ...entry) []byte { return []byte(zipped(t, zip.Deflate, entries...)) }
	book := func(shared, sheet string) []byte {
		return deflate(entry{"[Content_Types].xml", ""}, entry{"xl/workbook.xml", `<workbook><sheets><sheet name="S"/></sheets></workbook>`},
			entry{"xl/sharedStrings.xml", "<sst>" + shared + "</sst>"},
			entry{"xl/worksheets/sheet1.xml", sheetHead + sheet + "</sheetData></worksheet>"})
	}
	const many = 60 << 20
	fill := func(head, item, tail string) string { return head + strings.Repeat(item, many/len(item)) + tail }
	nested := deflate(entry{"doc.kml", fill("<kml>", " ", "</kml>")})
	for range 5 {
		nested = deflate(entry{"a.zip", string(nested)}, entry{"b.zip", string(nested)})
	}
	files := map[string][]byte{
		"kmz of spaces":            deflate(entry{"doc.kml", fill("<kml>", " ", "</kml>")}),
		"kmz of placemarks":        deflate(entry{"doc.kml", fill("<kml>", "<Placemark><Point><coordinates>1,2</coordinates></Point></Placemark>", "</kml>")}),
		"kmz of positions":         deflate(entry{"doc.kml", fill("<kml><Placemark><LineString><coordinates>", "1,2 ", "</coordinates></LineString></Placemark></kml>")}),
		"kmz of depths":            deflate(entry{"doc.kml", fill("<kml>", "<Folder>", "")}),
		"zip of zips":              nested,
		"zip of rows":              deflate(entry{"a.csv", fill("lat,lon\n", "1,2\n", "")}),
		"zip of many files":        deflate(slices.Repeat([]entry{{"a.csv", "lat,lon\n1,2\n"}}, 50_000)...),
		"zip of features":          deflate(entry{"a.geojson", fill("", `{"type":"Point","coordinates":[9,48]}`, "")}),
		"zip of waypoints":         deflate(entry{"a.gpx", fill("<gpx>", `<wpt lat="48" lon="9"/>`, "</gpx>")}),
		"workbook of cells":        book("", fill("", `<row><c><v>1</v></c></row>`, "")),
		"workbook of blank rows":   book("", `<row r="1048576"><c><v>1</v></c></row>`),
		"workbook of shared text":  book("<si><t>"+strings.Repeat("x", 1<<20)+"</t></si>", strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 100_000)),
		"workbook of strings":      book(fill("", "<si/>", ""), ""),
		"workbook of merged cells": book("", strings.Repeat(`<row><c><v>1</v></c></row>`, 100_000)+"</sheetData><mergeCells>"+strings.Repeat(`<mergeCell ref="A1:A1000000"/>`, 10_000)+"</mergeCells><sheetData>"),
		"calc of repeated rows": calcOf(t, `<table:table><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>`+
			strings.Repeat("x", 1000)+`</text:p></table:table-cell></table:table-row></table:table>`),
		"shape of nested rings": shapeFile(polygonShape, slices.Repeat([][]byte{shapeOf(polygonShape, false, nestedRings(20_000)...)}, 20)...),
		"geojson of holes":      []byte(`{"type":"Polygon","coordinates":[` + strings.Repeat("[[9,48],[9.1,48],[9.1,48.1],[9,48]],", 1<<18) + `[[9,48],[9.1,48],[9.1,48.1],[9,48]]]}`),
		"geojson of depths":     []byte(strings.Repeat(`{"type":"GeometryCollection","geometries":[`, 1<<18)),
		"geojson of properties": []byte(`{"type":"Feature","properties":{` + strings.Repeat(`"a":1,`, 1<<20) + `"b":1},"geometry":{"type":"Point","coordinates":[9,48]}}`),
	}
	const table = "CREATE TABLE t(fid INTEGER PRIMARY KEY, geom BLOB, name TEXT"
	files["package of computed text"] = packageOf(t, table+")", "ALTER TABLE t ADD COLUMN g AS (hex(zeroblob(1000000)))")
	files["package of many searches"] = packageOf(t, table+")", manySearches(100)...)
	files["package of stored columns"] = packageOf(t, table+", g AS (hex(zeroblob(1000000))) STORED)")
	files["package of a view"] = packageOf(t, "CREATE VIEW t AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS geom, x AS name FROM c")
	return files
}

func nestedRings(n int) (rings [][]orb.Point) {
	for i := range n {
		rings = append(rings, squareRing(9, 48, 1+float64(i)/1e5, true))
	}
	return rings
}

// manySearches adds columns that take minutes to compute.
func manySearches(n int) (statements []string) {
	for i := range n {
		statements = append(statements,
			fmt.Sprintf("ALTER TABLE t ADD COLUMN g%d AS (instr(zeroblob(2000000), zeroblob(1000000) || x'%02x'))", i, i+1))
	}
	return statements
}

// packageOf returns a GeoPackage with the table or view t as a layer. The table has one point before it is
// changed.
func packageOf(t testing.TB, create string, changes ...string) []byte {
	path := filepath.Join(t.TempDir(), "x.gpkg")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	shape := []byte("GP\x00\x01\xe6\x10\x00\x00\x01\x01\x00\x00\x00")
	shape = appendFloats(shape, 9, 48)
	execute := func(statement string, args ...any) {
		if _, err := db.Exec(statement, args...); err != nil {
			t.Fatal(statement, err)
		}
	}
	for _, statement := range []string{
		"CREATE TABLE gpkg_spatial_ref_sys(srs_name, srs_id INTEGER PRIMARY KEY, organization, organization_coordsys_id, definition)",
		"INSERT INTO gpkg_spatial_ref_sys VALUES('WGS 84', 4326, 'EPSG', 4326, 'x')",
		"CREATE TABLE gpkg_geometry_columns(table_name, column_name, geometry_type_name, srs_id, z, m)",
		"INSERT INTO gpkg_geometry_columns VALUES('t', 'geom', 'POINT', 4326, 0, 0)",
		create,
	} {
		execute(statement)
	}
	if strings.HasPrefix(create, "CREATE TABLE") {
		execute("INSERT INTO t(geom, name) VALUES(?, 'A')", shape)
	}
	for _, statement := range changes {
		execute(statement)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCampaignOfBombs reads bombs of every kind and measures their time and the largest
// heap.
func TestCampaignOfBombs(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	for name, data := range bombs(t) {
		runtime.GC()
		var idle runtime.MemStats
		runtime.ReadMemStats(&idle)
		before := idle.HeapInuse
		stop, peak := make(chan struct{}), make(chan uint64)
		go watchHeap(stop, peak)
		start := time.Now()
		res, err := Parse(data, Options{NoPlaces: true})
		took := time.Since(start)
		close(stop)
		heap := <-peak
		t.Logf("%-26s %9d bytes %7.2f s %5d MB, %v", name, len(data), took.Seconds(), heap>>20, shortError(err))
		used := heap - min(heap, before)
		if took > campaignTime || used > campaignMemory || used > campaignFactor*uint64(max(len(data), minUnpacked)) {
			t.Errorf("%s takes %v and %d MB", name, took, used>>20)
		}
		if res != nil {
			if err := res.CheckAccounts(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for part := range 4 {
			if late := timeToStop(t, data, took*time.Duration(part)/4); late > campaignStop {
				t.Errorf("%s: reading ends %v after its context, which ended after %d/4 of the time", name, late, part)
			}
		}
	}
}

// timeToStop returns the time that reading continues after its context has ended.
func timeToStop(t *testing.T, data []byte, after time.Duration) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	start := time.Now()
	_, _ = ParseContext(ctx, data, Options{NoPlaces: true})
	return time.Since(start) - after
}

// watchHeap sends the largest heap until stop is closed.
func watchHeap(stop <-chan struct{}, peak chan<- uint64) {
	var largest uint64
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		largest = max(largest, stats.HeapInuse)
		select {
		case <-stop:
			peak <- largest
			return
		case <-ticker.C:
		}
	}
}

func shortError(err error) string {
	if err == nil {
		return "read"
	}
	return err.Error()[:min(len(err.Error()), 90)]
}

// TestCampaignOfLargeFiles reads files of usual sizes, and larger files.
func TestCampaignOfLargeFiles(t *testing.T) {
	files := map[string][]byte{
		"csv":     bytes.Repeat([]byte("Mast,48.123456,9.123456,something about it\n"), 1<<20),
		"geojson": bytes.Repeat([]byte(`{"type":"Feature","properties":{"name":"A","height":12},"geometry":{"type":"Point","coordinates":[9.123456,48.123456]}}`+"\n"), 1<<20),
	}
	files["csv"] = append([]byte("name,lat,lon,remark\n"), files["csv"]...)
	for name, data := range files {
		start := time.Now()
		res, err := Parse(data, Options{NoPlaces: true})
		if err != nil || len(res.Placemarks) != 1<<20 {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %d MB in %v", name, len(data)>>20, time.Since(start))
	}
}
