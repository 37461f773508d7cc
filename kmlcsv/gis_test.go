package kmlcsv

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"modernc.org/sqlite"
)

// partsOfShape returns the files of the shapefile in testdata by their endings.
func partsOfShape(t testing.TB) map[string][]byte {
	parts := map[string][]byte{}
	for _, ending := range layerEndings {
		data, err := os.ReadFile("testdata/shape/sites" + ending)
		if err != nil {
			t.Fatal(err)
		}
		parts[ending] = data
	}
	return parts
}

func surveyFile(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join("testdata/survey", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAShapefileIsReadWithItsCompanionFiles(t *testing.T) {
	parts := partsOfShape(t)
	res, err := Parse(parts[".shp"], Options{Name: "sites.shp", Beside: parts})
	if err != nil || describeSites(res.Placemarks) != "Steinbruch area 9.1000,48.7000 4" {
		t.Error(res, err)
	}
	delete(parts, ".dbf")
	res, err = Parse(parts[".shp"], Options{Beside: parts})
	if err != nil || res.Placemarks[0].Name != "Placemark 1" || !strings.Contains(fmt.Sprint(res.Warnings), "no .dbf") {
		t.Error("without the table:", res, err)
	}
	res, err = Parse(parts[".shp"], Options{})
	if err == nil || len(res.Systems) == 0 {
		t.Error("without the system:", res, err)
	}
}

func TestAGeoPackageThatIsOpenElsewhereGivesAWarning(t *testing.T) {
	res, err := Parse(surveyFile(t, "gpkg-z.gpkg"), Options{Beside: map[string][]byte{"-wal": {1}}})
	if err != nil || len(res.Warnings) != 1 || res.Warnings[0].Code != UpdateSkipped {
		t.Error(res, err)
	}
}

func TestTheErrorOfADamagedGeoPackageHasItsCause(t *testing.T) {
	data := surveyFile(t, "gpkg-z.gpkg")
	clear(data[100:]) // the first page of the database, behind its header
	_, err := Parse(data, Options{})
	cause := errors.Unwrap(err)
	if _, isOfDriver := errors.AsType[*sqlite.Error](cause); !isOfDriver {
		t.Fatalf("the cause of %v is %v", err, cause)
	}
	if strings.Contains(err.Error(), cause.Error()) {
		t.Errorf("the user reads the text of the driver: %v", err)
	}
}

func TestAGeoPackageWithAnUnknownCodeIsReadByItsDefinition(t *testing.T) {
	const definition = "+proj=utm +zone=32 +datum=WGS84 +units=m"
	for _, c := range []struct{ code, definition, want string }{
		{"25832", definition, "EPSG:25832"},
		{"999999", definition, definition},
		{"mine", definition, definition},
		{"999999", "a grid of ours", "EPSG:999999"},
	} {
		if got := codeOrDefinition(c.code, c.definition); got != c.want {
			t.Errorf("%s with %q: %q, want %q", c.code, c.definition, got, c.want)
		}
	}
}

func TestTheTableOfAShapefileIsReadInItsCodePage(t *testing.T) {
	for page, name := range map[string]string{
		"1252": "Bruch – \u20acb", "ANSI 1252": "Bruch – \u20acb", "CP1252": "Bruch – \u20acb", "": "Bruch – \u20acb", "unheard": "Bruch – \u20acb",
		"1251": "Bruch – \u0402b", "ANSI 1251": "Bruch – \u0402b", "850": "Bruch û Çb", "OEM 850": "Bruch û Çb",
	} {
		parts := partsOfShape(t)
		parts[".dbf"] = replaced(t, parts[".dbf"], "Steinbruch", "Bruch \x96 \x80b")
		parts[".cpg"] = []byte(page)
		res, err := Parse(parts[".shp"], Options{Beside: parts, NoPlaces: true})
		if err != nil || res.Placemarks[0].Name != name {
			t.Errorf("%s: %q, want %q, %v", page, res.Placemarks[0].Name, name, err)
		}
	}
}

func TestAChosenSystemReplacesAnUnknownSystem(t *testing.T) {
	parts := partsOfShape(t)
	parts[".prj"] = []byte(`PROJCS["Mine grid",GEOGCS["Mine",DATUM["Mine",SPHEROID["Bessel",6377397.155,299.1528128]]],PROJECTION["Transverse_Mercator"],UNIT["Meter",1]]`)
	if res, err := Parse(parts[".shp"], Options{Beside: parts}); !strings.Contains(fmt.Sprint(err), "is not known") {
		t.Error(res, err)
	}
	if res, err := Parse(parts[".shp"], Options{Beside: parts, CRS: 25832, NoPlaces: true}); err != nil || len(res.Placemarks) != 1 {
		t.Error(res, err)
	}
}

func TestGPXWithDecimalCommasIsNotGuessed(t *testing.T) {
	res, err := Parse([]byte(`<gpx><wpt lat="50,1" lon="7,1"/><wpt lat="50.1" lon="7.1"/></gpx>`), Options{NoPlaces: true})
	if err != nil || describeSites(res.Placemarks) != "Placemark 2 asset 7.1000,50.1000 1" || res.Skipped != 1 {
		t.Error(res, err)
	}
}

func TestEmptySegmentsOfATrackAreNotSites(t *testing.T) {
	res, err := Parse([]byte(`<gpx><trk><name>T</name><trkseg/><trkseg><trkpt lat="50" lon="7"/><trkpt lat="51" lon="7"/></trkseg></trk></gpx>`), Options{NoPlaces: true})
	if err != nil || describeSites(res.Placemarks) != "T linear 7.0000,50.0000 2" || len(res.Warnings) != 0 {
		t.Error(res, err)
	}
}

func TestGeoJSONAndGPXAreReadInUTF16(t *testing.T) {
	for _, text := range []string{
		`{"type":"Point","coordinates":[7,50]}`,
		`<?xml version="1.0" encoding="UTF-16"?><gpx><wpt lat="50" lon="7"/></gpx>`,
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			data := order.AppendUint16(nil, 0xfeff)
			for _, r := range text {
				data = order.AppendUint16(data, uint16(r))
			}
			res, err := Parse(data, Options{NoPlaces: true})
			if err != nil || describeSites(res.Placemarks) != "Placemark 1 asset 7.0000,50.0000 1" {
				t.Error(order, text, res, err)
			}
		}
	}
}

// replaced returns data with another text of the same length in it.
func replaced(t testing.TB, data []byte, from, to string) []byte {
	if len(from) != len(to) || !bytes.Contains(data, []byte(from)) {
		t.Fatalf("%q is not in the file", from)
	}
	return bytes.ReplaceAll(data, []byte(from), []byte(to))
}

// entriesOf returns the files of an archive, one of them changed.
func entriesOf(t testing.TB, archive []byte, name string, change func(string) string) []byte {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	for _, f := range files.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, name) {
			data = []byte(change(string(data)))
		}
		entries = append(entries, entry{f.Name, string(data)})
	}
	return []byte(zipped(t, zip.Deflate, entries...))
}

// withCount returns data with a number of 32 bits at a place.
func withCount(data []byte, order binary.ByteOrder, at int, n uint32) []byte {
	data = bytes.Clone(data)
	order.PutUint32(data[at:], n)
	return data
}

// hostileGIS are files of each format with wrong sizes and counts.
func hostileGIS(t testing.TB) map[string][]byte {
	const many = 1 << 17
	fill := func(head, item, tail string) []byte {
		return []byte(head + strings.Repeat(item, many/len(item)) + tail)
	}
	shp, gpkg, book := partsOfShape(t)[".shp"], surveyFile(t, "gpkg-z.gpkg"), surveyFile(t, "utm.xlsx")
	line := bytes.Index(gpkg, []byte("\x01\xea\x03\x00\x00")) // a line with heights
	sheet := func(rows string) []byte {
		return entriesOf(t, book, "sheet1.xml", func(text string) string {
			head, _, _ := strings.Cut(text, "<sheetData>")
			return head + "<sheetData>" + rows + "</sheetData></worksheet>"
		})
	}
	return map[string][]byte{
		"geojson without end":      fill(`{"type":"FeatureCollection","features":[`, `{"type":"Feature","geometry":null},`, ""),
		"geojson of collections":   fill("", `{"type":"GeometryCollection","geometries":[`, ""),
		"geojson of properties":    fill(`{"type":"Feature","properties":{`, `"a":1,`, `"b":1},"geometry":{"type":"Point","coordinates":[9,48]}}`),
		"geojson of brackets":      fill(`{"type":"Polygon","coordinates":`, "[", ""),
		"geojson of features":      fill("", `{"type":"Feature","geometry":{"type":"Point","coordinates":[9,48]}}`, ""),
		"geojson that crosses":     []byte(`{"type":"Polygon","coordinates":[[[9,48],[9.1,48.1],[9.1,48],[9,48.1],[9,48]]]}`),
		"geojson of large numbers": []byte(`{"type":"Point","coordinates":[1e308,-1e308]}`),
		"gpx without end":          fill("<gpx><trk><trkseg>", `<trkpt lat="48" lon="9"/>`, ""),
		"gpx of tracks":            fill("<gpx>", `<trk/>`, "</gpx>"),
		"gpx of waypoints":         fill("<gpx>", `<wpt lat="48" lon="9"/>`, "</gpx>"),
		"gpx of depths":            fill("<gpx>", "<a>", ""),
		"gpx of nonsense":          fill("<gpx>", `<wpt lat="x" lon="NaN"/>`, "</gpx>"),
		"shape of a large length":  withCount(shp, binary.BigEndian, 24, 1<<31-1),
		"shape of no length":       withCount(shp, binary.BigEndian, 24, 0),
		"record of a large length": withCount(shp, binary.BigEndian, 104, 1<<31-1),
		"record of no length":      withCount(shp, binary.BigEndian, 104, 0),
		"shape of many parts":      withCount(shp, binary.LittleEndian, 144, 1<<31-1),
		"shape of many points":     withCount(shp, binary.LittleEndian, 148, 1<<31-1),
		"shape of minus points":    withCount(shp, binary.LittleEndian, 148, 1<<32-1),
		"part that starts behind":  withCount(shp, binary.LittleEndian, 152, 1<<30),
		"table of many records":    shapeWithTable(t, func(dbf []byte) { binary.LittleEndian.PutUint32(dbf[4:], 1<<32-1) }),
		"table of a long header":   shapeWithTable(t, func(dbf []byte) { binary.LittleEndian.PutUint16(dbf[8:], 1<<16-1) }),
		"table of no record size":  shapeWithTable(t, func(dbf []byte) { binary.LittleEndian.PutUint16(dbf[10:], 0) }),
		"package of many points":   withCount(gpkg, binary.LittleEndian, line+5, 1<<32-1),
		"package of other bytes":   withCount(gpkg, binary.LittleEndian, line, 1<<32-1),
		"package of many pages":    withCount(gpkg, binary.BigEndian, 28, 1<<31-1),
		"package of a view":        replaced(t, gpkg, "CREATE TABLE gpkg_geometry", "CREATE VIEW  gpkg_geometry"),
		"package without layers":   replaced(t, gpkg, "gpkg_geometry_columns", "gpkg_geometry_columnz"),
		"package without a system": replaced(t, gpkg, "gpkg_spatial_ref_sys", "gpkg_spatial_ref_syz"),
		"package of zeros":         append(gpkg[:100:100], make([]byte, len(gpkg)-100)...),
		"sheet of a far row":       sheet(`<row r="1048577"><c r="A1048577"><v>1</v></c></row>`),
		"sheet of a huge row":      sheet(`<row r="999999999999"><c r="A1"><v>1</v></c></row>`),
		"sheet of a far column":    sheet(`<row r="1"><c r="ZZZZZZZZZZ1"><v>1</v></c></row>`),
		"sheet of no column":       sheet(`<row r="1"><c r="1"><v>1</v></c><c r="-"><v>1</v></c></row>`),
		"sheet of strange strings": sheet(`<row r="1"><c r="A1" t="s"><v>999999999</v></c><c r="B1" t="s"><v>-1</v></c></row>`),
		"sheet of a formula":       sheet(`<row r="1"><c r="A1" t="s"><f>A2</f><v>-1</v></c></row>`),
		"strings of a large count": []byte(zipped(t, zip.Deflate, entry{"[Content_Types].xml", ""},
			entry{"xl/sharedStrings.xml", `<other count="999999999999"/>`})),
		"sheet without end":  sheet(strings.Repeat(`<row r="1"><c r="A1"><v>1</v></c>`, 1000)),
		"sheet that expands": sheet(strings.Repeat(" ", 1<<24)),
	}
}

func shapeWithTable(t testing.TB, change func(dbf []byte)) []byte {
	parts := partsOfShape(t)
	change(parts[".dbf"])
	var entries []entry
	for _, ending := range layerEndings {
		entries = append(entries, entry{"sites" + ending, string(parts[ending])})
	}
	return []byte(zipped(t, zip.Deflate, entries...))
}

// The limit on time is for the processor, so that it holds on a busy machine.
func TestHostileGISFilesAreReadOrRefusedWithinBounds(t *testing.T) {
	for name, data := range hostileGIS(t) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var res *Result
		var err error
		took := cpuTime(func() { res, err = Parse(data, Options{NoPlaces: true, MaxBytes: 1 << 20}) })
		runtime.ReadMemStats(&after)
		if res == nil && err == nil {
			t.Errorf("%s: neither result nor error", name)
		}
		if res != nil {
			checkResult(t, name, res)
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; took > 3*time.Second || allocated > moreUnderRace*64<<20 {
			t.Errorf("%s: %v, allocated %d bytes", name, took, allocated)
		}
		t.Logf("%-26s %6.1f ms, %v", name, took.Seconds()*1e3, err)
	}
}

func TestTruncatedGISFilesGiveAnErrorOrAWarning(t *testing.T) {
	for _, name := range []string{"gpkg-25832.gpkg", "gpkg-layers.gpkg", "s.geojson", "mixed.gpx", "utm.xlsx", "shp-layers.zip"} {
		data := surveyFile(t, name)
		whole, err := Parse(data, Options{NoPlaces: true})
		if err != nil {
			t.Fatal(name, err)
		}
		for n := 0; n < len(data)-8; n += 1 + len(data)/60 {
			res, err := Parse(data[:n], Options{NoPlaces: true})
			if err == nil && res.Skipped == 0 && len(res.Placemarks) < len(whole.Placemarks) {
				t.Errorf("%s: %d of %d sites of %d of %d bytes without a word", name, len(res.Placemarks),
					len(whole.Placemarks), n, len(data))
			}
		}
	}
	parts := partsOfShape(t)
	for n := 4; n < len(parts[".shp"]); n++ {
		if res, err := Parse(parts[".shp"][:n], Options{Beside: parts}); err == nil {
			t.Errorf("%d of %d bytes of a .shp: %v", n, len(parts[".shp"]), res.Placemarks)
		}
	}
}

func TestWarningsAboutTheCityOfAFeatureNameTheFeature(t *testing.T) {
	data := `{"type":"FeatureCollection","features":[
		{"type":"Feature","properties":{"name":"A","city":"Ber\u0001lin"},"geometry":{"type":"Point","coordinates":[9,48]}},
		{"type":"Feature","properties":{"name":"B","city":"Berlin"},"geometry":{"type":"Point","coordinates":[9,49]}}]}`
	res, err := Parse([]byte(data), Options{NoPlaces: true})
	if err != nil || len(res.Placemarks) != 2 || len(res.Warnings) != 1 {
		t.Fatal(res, err)
	}
	checkResult(t, "city", res)
	if w := res.Warnings[0]; w.Index != 0 || w.Placemark != "A" || w.Code != CharactersDropped {
		t.Errorf("%+v", w)
	}
}

func TestWarningsBeforeTheQuestionForTheSystemHaveNoSite(t *testing.T) {
	data := `{"type":"FeatureCollection","features":[
		{"type":"Feature","properties":{"name":"Stein\u0001bruch"},"geometry":{"type":"Point","coordinates":[507321.5,5394512.5]}}]}`
	res, err := Parse([]byte(data), Options{NoPlaces: true})
	if err == nil || res == nil || len(res.Warnings) == 0 {
		t.Fatal(res, err)
	}
	checkResult(t, "question", res)
}

// fuzzReader fuzzes the files of one format.
func fuzzReader(f *testing.F, prefix string, seeds ...string) {
	for _, name := range seeds {
		f.Add(surveyFile(f, name))
	}
	for name, data := range hostileGIS(f) {
		if strings.HasPrefix(name, prefix) && len(data) < 1<<14 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkFuzzed(t, data, Options{})
	})
}

// checkFuzzed reads a file that may be damaged, and checks the result if there is one.
func checkFuzzed(t *testing.T, data []byte, opts Options) {
	opts.NoPlaces, opts.MaxBytes = true, 1<<20
	res, _ := Parse(data, opts)
	if res != nil {
		checkResult(t, "fuzzed", res)
	}
}

func FuzzGeoJSON(f *testing.F) {
	fuzzReader(f, "geojson", "s.geojson", "s.ndjson", "s-utm.geojson", "bare.geojson", "esri.json", "survey.plan", "takeout-saved-places.json")
}

func FuzzGPX(f *testing.F) {
	fuzzReader(f, "gpx", "mixed.gpx", "trk.gpx", "gpx-garmin-route.gpx", "gpx-prefixed.gpx")
}
func FuzzMission(f *testing.F) { fuzzReader(f, "mission", "mission.waypoints", "area.poly") }
func FuzzArchive(f *testing.F) {
	fuzzReader(f, "archive", "zip-kml-and-csv.zip", "kmz-links-inside.kmz", "shp-layers.zip")
}
func FuzzGeoPackage(f *testing.F) { fuzzReader(f, "package", "gpkg-z.gpkg", "gpkg-layers.gpkg") }

// FuzzShapefile reads the files of a fuzzed shapefile without an archive.
func FuzzShapefile(f *testing.F) {
	parts := partsOfShape(f)
	f.Add(parts[".shp"], parts[".dbf"], string(parts[".prj"]), "UTF-8")
	for name, data := range hostileGIS(f) {
		if !strings.HasPrefix(name, "table") && bytes.HasPrefix(data, []byte("\x00\x00\x27\x0a")) {
			f.Add(data, parts[".dbf"], "", "")
		}
	}
	f.Fuzz(func(t *testing.T, shp, dbf []byte, prj, cpg string) {
		shp = append([]byte("\x00\x00\x27\x0a"), shp[min(4, len(shp)):]...)
		checkFuzzed(t, shp, Options{Beside: map[string][]byte{
			".dbf": dbf, ".prj": []byte(prj), ".cpg": []byte(cpg),
		}})
	})
}

// FuzzWorkbook puts fuzzed rows into a workbook.
func FuzzWorkbook(f *testing.F) {
	f.Add(`<row r="1"><c r="A1" t="str"><v>lat</v></c><c r="B1" t="str"><v>lon</v></c></row><row r="2"><c r="A2"><v>48.5</v></c><c r="B2"><v>9.5</v></c></row>`)
	f.Add(`<row r="1048577"><c r="ZZ1" t="s"><v>-1</v></c></row>`)
	f.Add(`<row><c t="d" s="99"><v>1e308</v></c></row>`)
	f.Fuzz(func(t *testing.T, rows string) {
		data := entriesOf(t, surveyFile(t, "utm.xlsx"), "sheet1.xml", func(text string) string {
			head, _, _ := strings.Cut(text, "<sheetData>")
			return head + "<sheetData>" + rows + "</sheetData></worksheet>"
		})
		checkFuzzed(t, data, Options{})
	})
}

// FuzzCalc puts fuzzed tables into an OpenDocument spreadsheet.
func FuzzCalc(f *testing.F) {
	f.Add(`<table:table table:name="A"><table:table-row><table:table-cell><text:p>lat</text:p></table:table-cell></table:table-row></table:table>`)
	f.Add(`<table:table><table:table-row table:number-rows-repeated="9999999"><table:table-cell table:number-columns-repeated="9999999" table:number-rows-spanned="3"><text:p>x</text:p></table:table-cell></table:table-row></table:table>`)
	f.Fuzz(func(t *testing.T, tables string) {
		checkFuzzed(t, calcOf(t, tables), Options{})
	})
}

// calcOf returns an OpenDocument spreadsheet with tables.
func calcOf(t testing.TB, tables string) []byte {
	return []byte(zipped(t, zip.Store, entry{"mimetype", "application/vnd.oasis.opendocument.spreadsheet"},
		entry{"content.xml", "<office:document-content><office:body><office:spreadsheet>" + tables +
			"</office:spreadsheet></office:body></office:document-content>"}))
}

// FuzzBinary reads fuzzed well-known binary.
func FuzzBinary(f *testing.F) {
	f.Add([]byte("\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x22\x40\x00\x00\x00\x00\x00\x00\x48\x40"))
	f.Add([]byte("\x00\x00\x00\x00\x07\x00\x00\x00\x01\x00\x00\x00\x03\xe9"))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = readWKB(data) })
}
