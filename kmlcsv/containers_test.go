package kmlcsv

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paulmach/orb"
)

// parseChecked reads a file that must be readable and checks its accounts.
func parseChecked(t testing.TB, data []byte, opts Options) *Result {
	t.Helper()
	opts.NoPlaces = true
	res, err := Parse(data, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.CheckAccounts(); err != nil {
		t.Error(err)
	}
	return res
}

// accountsOf returns the accounts of a result on one line.
func accountsOf(res *Result) string {
	var texts []string
	for _, a := range res.Accounts {
		texts = append(texts, fmt.Sprintf("%s %s %d=%d+%d+%d+%d",
			a.Container, a.Unit, a.Total, a.Sites, a.Parts, a.Skipped, a.Other))
	}
	return strings.Join(texts, "; ")
}

func TestEveryRecordOfEveryCorpusFileIsCounted(t *testing.T) {
	for _, name := range corpusFiles(t) {
		res, _ := Parse(surveyFile(t, name), Options{Name: name, NoPlaces: true})
		if res == nil {
			continue
		}
		if err := res.CheckAccounts(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestALostRecordIsFound(t *testing.T) {
	res := &Result{Accounts: []Account{{Container: "layer", Unit: "feature", Total: 3, Sites: 1, Skipped: 1}}}
	if err := res.CheckAccounts(); err == nil || !strings.Contains(err.Error(), "1 of 3") {
		t.Error(err)
	}
}

// shapeFile returns a .shp with the given contents of records.
func shapeFile(kind uint32, contents ...[]byte) []byte {
	head := make([]byte, shapeHead)
	copy(head, shapeMagic)
	binary.LittleEndian.PutUint32(head[28:], 1000)
	binary.LittleEndian.PutUint32(head[32:], kind)
	data := head
	for i, content := range contents {
		data = binary.BigEndian.AppendUint32(data, uint32(i+1))
		data = binary.BigEndian.AppendUint32(data, uint32(len(content)/2))
		data = append(data, content...)
	}
	binary.BigEndian.PutUint32(data[24:], uint32(len(data)/2))
	return data
}

func appendFloats(data []byte, values ...float64) []byte {
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return data
}

// shapeOf returns the content of a record: the parts, then heights and measures if the type has them.
func shapeOf(kind uint32, measures bool, parts ...[]orb.Point) []byte {
	var points []orb.Point
	data := binary.LittleEndian.AppendUint32(nil, kind)
	data = appendFloats(data, 9, 48, 10, 49)
	if kind%10 != multipointShape {
		data = binary.LittleEndian.AppendUint32(data, uint32(len(parts)))
	}
	for _, part := range parts {
		points = append(points, part...)
	}
	data = binary.LittleEndian.AppendUint32(data, uint32(len(points)))
	if kind%10 != multipointShape {
		at := 0
		for _, part := range parts {
			data = binary.LittleEndian.AppendUint32(data, uint32(at))
			at += len(part)
		}
	}
	for _, p := range points {
		data = appendFloats(data, p[0], p[1])
	}
	blocks := 0
	if kind > 10 && kind < 20 {
		blocks++
	}
	if measures {
		blocks++
	}
	for range blocks {
		data = appendFloats(data, 0, 1)
		for range points {
			data = appendFloats(data, 250)
		}
	}
	return data
}

func TestShapesOfEveryTypeAreReadWithAndWithoutMeasures(t *testing.T) {
	line := []orb.Point{{9, 48}, {9.1, 48}, {9.1, 48.1}}
	ring := []orb.Point{{9, 48}, {9, 48.1}, {9.1, 48.1}, {9, 48}}
	want := map[uint32]string{
		lineShape: "linear 9.0000,48.0000 3", polygonShape: "area 9.0000,48.0000 3", multipointShape: "asset 9.0000,48.0000 1",
	}
	for base, parts := range map[uint32][]orb.Point{lineShape: line, polygonShape: ring, multipointShape: line[:1]} {
		for _, kind := range []uint32{base, base + 10, base + 20} {
			for _, measures := range []bool{false, true} {
				res := parseChecked(t, shapeFile(kind, shapeOf(kind, measures, parts)), Options{})
				if got := describeSites(res.Placemarks); got != "Placemark 1 "+want[base] {
					t.Errorf("type %d, measures %v: %s", kind, measures, got)
				}
			}
		}
	}
	for _, kind := range []uint32{pointShape, pointShape + 10, pointShape + 20} {
		for extra := range 3 {
			content := appendFloats(binary.LittleEndian.AppendUint32(nil, kind), 9, 48)
			content = appendFloats(content, make([]float64, extra)...)
			res := parseChecked(t, shapeFile(kind, content), Options{})
			if got := describeSites(res.Placemarks); got != "Placemark 1 asset 9.0000,48.0000 1" {
				t.Errorf("point of type %d: %s", kind, got)
			}
		}
	}
}

func squareRing(x, y, size float64, clockwise bool) []orb.Point {
	ring := []orb.Point{{x, y}, {x + size, y}, {x + size, y + size}, {x, y + size}, {x, y}}
	if clockwise {
		slices.Reverse(ring)
	}
	return ring
}

func TestRingsInsideOtherRingsAreHoles(t *testing.T) {
	outer, hole, island := squareRing(9, 48, 1, true), squareRing(9.2, 48.2, 0.5, false), squareRing(9.3, 48.3, 0.1, true)
	next := squareRing(11, 48, 1, true)
	for name, rings := range map[string][][]orb.Point{
		"in order":            {outer, hole, island, next},
		"hole first":          {hole, outer, next, island},
		"island first":        {island, hole, next, outer},
		"all the same way":    {outer, squareRing(9.2, 48.2, 0.5, true), island, next},
		"all the other way":   {squareRing(9, 48, 1, false), hole, squareRing(9.3, 48.3, 0.1, false), squareRing(11, 48, 1, false)},
		"hole at a corner":    {outer, append(squareRing(9, 48, 0.5, false)[:4:4], orb.Point{9, 48}), squareRing(9.1, 48.1, 0.1, true), next},
		"hole on the outline": {squareRing(9.2, 48, 0.5, false), outer, squareRing(9.3, 48.1, 0.1, true), next},
	} {
		steps := 0
		figures, ok := groupRings(rings, &steps)
		holes := 0
		for _, f := range figures {
			holes += len(f.holes)
		}
		if !ok || len(figures) != 3 || holes != 1 {
			t.Errorf("%s: %d areas with %d holes", name, len(figures), holes)
		}
	}
	neighbours := [][]orb.Point{squareRing(9, 48, 1, true), squareRing(10, 48, 1, true), squareRing(9, 48, 1, true)}
	steps := 0
	if figures, _ := groupRings(neighbours, &steps); len(figures) != 3 {
		t.Errorf("neighbours and a ring twice: %d areas", len(figures))
	}
}

func TestGroupingTooManyRingsFails(t *testing.T) {
	var rings [][]orb.Point
	for i := range 40_000 {
		rings = append(rings, squareRing(9, 48, 1+float64(i)/1e5, true))
	}
	steps := 0
	if _, ok := groupRings(rings, &steps); ok || steps < maxRingSteps {
		t.Error(ok, steps)
	}
}

func TestCollapsedRingsAndTrailingBytesAreReported(t *testing.T) {
	flat := []orb.Point{{9, 48}, {9.1, 48}, {9, 48}}
	data := shapeFile(polygonShape, shapeOf(polygonShape, false, squareRing(9, 48, 0.1, true), flat), shapeOf(polygonShape, false, flat))
	data = append(data, make([]byte, 32)...)
	res := parseChecked(t, data, Options{})
	if len(res.Placemarks) != 1 || res.Skipped != 1 || accountsOf(res) != " feature 2=1+0+1+0" {
		t.Error(res, accountsOf(res))
	}
	for _, word := range []string{"1 of its rings", "32 bytes after", "has no area"} {
		if !strings.Contains(fmt.Sprint(res.Warnings), word) {
			t.Errorf("%q is not among %v", word, res.Warnings)
		}
	}
}

// tableOf returns a dBase table with one text column.
func tableOf(driver byte, texts ...string) []byte {
	const width = 20
	head := make([]byte, 32+32+1)
	head[0], head[29], head[64] = 3, driver, '\r'
	binary.LittleEndian.PutUint32(head[4:], uint32(len(texts)))
	binary.LittleEndian.PutUint16(head[8:], uint16(len(head)))
	binary.LittleEndian.PutUint16(head[10:], width+1)
	copy(head[32:], "NAME")
	head[32+11], head[32+16] = 'C', width
	for _, text := range texts {
		head = append(head, fmt.Sprintf("%-*s", width+1, text)...)
	}
	return head
}

func TestNamesOfShapefilesAreReadInTheirCodePage(t *testing.T) {
	shp := shapeFile(pointShape, appendFloats([]byte{pointShape, 0, 0, 0}, 9, 48))
	for _, c := range []struct {
		text, cpg, chosen string
		driver            byte
		want              string
	}{
		{"\x93\x53\x93\x83", "CP932", "", 0, "鉄塔"},
		{"\x93\x53\x93\x83", "", "", 0x7b, "鉄塔"},
		{"\x93\x53\x93\x83", "", "shift_jis", 0, "鉄塔"},
		{"\xcc\xfa\xcb\xfe", "936", "", 0, "铁塔"},
		{"\xc5\xbe", "949", "", 0, "탑"},
		{"\xc5K\xb6\xf0", "Big5", "", 0, "鐵塔"},
		{"H\x94he", "", "", 0x02, "Höhe"},
		{"H\x94he", "OEM 850", "", 0, "Höhe"},
		{"H\x94he", "437", "", 0, "Höhe"},
		{"\xb3\xf3d\xbc", "1250", "", 0, "łódĽ"},
		{"\x88\xa2d\xab", "", "", 0x64, "łódź"},
		{"\x8c\xa0\xe7\xe2\xa0", "866", "", 0, "Мачта"},
		{"\xcc\xe0\xf7\xf2\xe0", "windows-1251", "", 0, "Мачта"},
		{"\xcc\xe0\xf7\xf2\xe0", "", "windows-1251", 0x57, "Мачта"},
		{"\xb3", "ISO 88592", "", 0, "ł"},
		{"\xb3", "8859-2", "", 0, "ł"},
		{"H\xf6he", "", "", 0, "Höhe"},
		{"Höhe", "UTF-8", "", 0, "Höhe"},
		{"Höhe", "", "", 0x57, "Höhe"},
		{"Höhe", "65001", "", 0, "Höhe"},
		{"aaaaaaaaaaaaaaaaaaa\xc3", "UTF-8", "", 0, "aaaaaaaaaaaaaaaaaaa"},
	} {
		beside := map[string][]byte{".dbf": tableOf(c.driver, " "+c.text), ".cpg": []byte(c.cpg)}
		res := parseChecked(t, shp, Options{Beside: beside, Encoding: c.chosen})
		if got := res.Placemarks[0].Name; got != c.want {
			t.Errorf("%q as %q, %q, %#x: %q, want %q", c.text, c.cpg, c.chosen, c.driver, got, c.want)
		}
	}
	guessed := parseChecked(t, shp, Options{Beside: map[string][]byte{".dbf": tableOf(0, " H\xf6he")}})
	if len(guessed.Questions) != 1 || guessed.Questions[0].Kind != AskEncoding || !strings.Contains(fmt.Sprint(guessed.Warnings), "windows-1252") {
		t.Error("a guessed encoding is not said:", guessed)
	}
}

func TestDeletedRecordsAreSkippedWithTheirName(t *testing.T) {
	at := func(lng float64) []byte { return appendFloats([]byte{pointShape, 0, 0, 0}, lng, 48) }
	res := parseChecked(t, shapeFile(pointShape, at(9), at(10)), Options{
		Beside: map[string][]byte{".dbf": tableOf(0, "*Gone", " Kept")},
	})
	if describeSites(res.Placemarks) != "Kept asset 10.0000,48.0000 1" || res.Warnings[0].Code != RecordDeleted ||
		res.Warnings[0].Placemark != "Gone" || accountsOf(res) != " feature 2=1+0+1+0" {
		t.Error(res, accountsOf(res))
	}
}

const sheetHead = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`

// bookOf returns a workbook with sheets, which are given by their name, state and rows.
func bookOf(t testing.TB, sheets ...[3]string) []byte {
	var list, relations strings.Builder
	entries := []entry{{"[Content_Types].xml", "<Types/>"}}
	for i, s := range sheets {
		fmt.Fprintf(&list, `<sheet name=%q sheetId="%d" state=%q r:id="rId%d"/>`, s[0], i+1, s[1], i+1)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="http://x/worksheet" Target="worksheets/s%d.xml"/>`, i+1, i)
		rows, tail, _ := strings.Cut(s[2], "|")
		entries = append(entries, entry{fmt.Sprintf("xl/worksheets/s%d.xml", i), sheetHead + rows + "</sheetData>" + tail + "</worksheet>"})
	}
	entries = append(entries,
		entry{"xl/workbook.xml", "<workbook><sheets>" + list.String() + "</sheets></workbook>"},
		entry{"xl/_rels/workbook.xml.rels", "<Relationships>" + relations.String() + "</Relationships>"})
	return []byte(zipped(t, zip.Deflate, entries...))
}

// rowsOf returns the rows of a sheet. Its cells have no references.
func rowsOf(rows ...string) string {
	var w strings.Builder
	for _, row := range rows {
		w.WriteString("<row>")
		for cell := range strings.SplitSeq(row, ",") {
			fmt.Fprintf(&w, `<c t="inlineStr"><is><t>%s</t></is></c>`, cell)
		}
		w.WriteString("</row>")
	}
	return w.String()
}

func TestEverySheetWithSitesIsReadOrNamed(t *testing.T) {
	data := bookOf(t,
		[3]string{"Cover", "visible", rowsOf("A report", "by somebody")},
		[3]string{"Old", "hidden", rowsOf("name,lat,lon", "Gone,48,9")},
		[3]string{"Older", "veryHidden", rowsOf("name,lat,lon", "Gone too,48,9")},
		[3]string{"North", "visible", rowsOf("name,lat,lon", "A,48,9", "B,x,9")},
		[3]string{"Blank", "visible", ""},
		[3]string{"South", "", rowsOf("name,lat,lon", "C,47,9")})
	res := parseChecked(t, data, Options{})
	if describeSites(res.Placemarks) != "A asset 9.0000,48.0000 1; C asset 9.0000,47.0000 1" {
		t.Error(res.Placemarks)
	}
	warnings := fmt.Sprint(res.Warnings)
	for _, word := range []string{"sheet Cover was not read", "hidden sheet Old ", "hidden sheet Older ", "2 sheets were read: North, South"} {
		if !strings.Contains(warnings, word) {
			t.Errorf("%q is not among %s", word, warnings)
		}
	}
	if !strings.Contains(accountsOf(res), "workbook sheet 6=2+0+3+1") || res.Questions[0].Kind != AskSheet {
		t.Error(accountsOf(res), res.Questions)
	}
	res = parseChecked(t, data, Options{Sheet: "Old"})
	if describeSites(res.Placemarks) != "Gone asset 9.0000,48.0000 1" {
		t.Error("the chosen sheet:", res)
	}
	if _, err := Parse(data, Options{Sheet: "West"}); err == nil || !strings.Contains(err.Error(), "it has") && !strings.Contains(err.Error(), "has Cover") {
		t.Error(err)
	}
}

func TestMergedNamesMakeAnArea(t *testing.T) {
	const merged = `|<mergeCells count="2"><mergeCell ref="A2:A4"/><mergeCell ref="A5:A7"/></mergeCells>`
	corners := []string{"F1,48,9", ",48,9.1", ",48.1,9.1", "F2,49,9", ",49,9.1", ",49.1,9.1", "Mast,50,9"}
	res := parseChecked(t, bookOf(t, [3]string{"S", "", rowsOf(append([]string{"Name,Lat,Lon"}, corners...)...) + merged}), Options{})
	want := "F1 area 9.0000,48.0000 3; F2 area 9.0000,49.0000 3; Mast asset 9.0000,50.0000 1"
	if got := describeSites(res.Placemarks); got != want || !slices.ContainsFunc(res.Warnings, func(w Warning) bool { return w.Code == MergedRows }) {
		t.Error(got, res.Warnings)
	}
}

func TestCellsOfWorkbooksAreReadAsTheyAreShown(t *testing.T) {
	styles := `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="dd\.mm\.yyyy"/><numFmt numFmtId="201" formatCode="0.00&quot;day&quot;"/></numFmts>` +
		`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="200"/><xf numFmtId="201"/></cellXfs></styleSheet>`
	row := func(name string) string {
		return `<row><c t="inlineStr"><is><t>name</t></is></c><c t="inlineStr"><is><t>lat</t></is></c><c t="inlineStr"><is><t>lon</t></is></c></row>` +
			`<row>` + name + `<c><v>48</v></c><c><v>9</v></c></row>`
	}
	for cell, want := range map[string]string{
		`<c s="1"><v>46143</v></c>`:                           "2026-05-01",
		`<c s="2"><v>46143.5</v></c>`:                         "2026-05-01 12:00:00",
		`<c s="3"><v>46143</v></c>`:                           "46143",
		`<c t="d"><v>2026-05-01</v></c>`:                      "2026-05-01",
		`<c t="b"><v>1</v></c>`:                               "TRUE",
		`<c t="e"><v>#N/A</v></c>`:                            "#N/A",
		`<c t="str"><f>A1</f><v>Mast</v></c>`:                 "Mast",
		`<c t="s"><v>0</v></c>`:                               "Mast 7",
		`<c t="s"><v>1</v></c>`:                               "鉄塔",
		`<c t="inlineStr"><is><t>a_x0041_b_x_</t></is></c>`:   "aAb_x_",
		`<c t="inlineStr"><is><t>a &amp; "b", c</t></is></c>`: `a & "b", c`,
	} {
		data := []byte(zipped(t, zip.Deflate,
			entry{"[Content_Types].xml", ""},
			entry{"xl/workbook.xml", `<x:workbook xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheets><x:sheet name="S" sheetId="1"/></x:sheets></x:workbook>`},
			entry{"xl/styles.xml", styles},
			entry{"xl/sharedStrings.xml", `<sst><si><r><t>Mast </t></r><r><rPr><b/></rPr><t>7</t></r></si><si><t>鉄塔</t><rPh sb="0" eb="2"><t>テットウ</t></rPh></si></sst>`},
			entry{"xl/worksheets/sheet1.xml", sheetHead + row(cell) + "</sheetData></worksheet>"}))
		res := parseChecked(t, data, Options{})
		if got := res.Placemarks[0].Name; got != want {
			t.Errorf("%s: %q, want %q", cell, got, want)
		}
	}
}

func TestHiddenRowsGiveAWarning(t *testing.T) {
	rows := strings.Replace(rowsOf("name,lat,lon", "A,48,9", "B,48,10"), "<row>", `<row hidden="1">`, 3)
	res := parseChecked(t, bookOf(t, [3]string{"S", "", rows}), Options{})
	if len(res.Placemarks) != 2 || !strings.Contains(fmt.Sprint(res.Warnings), "hidden rows") {
		t.Error(res)
	}
}

func TestFilesOfAnArchiveAreReadOrNamed(t *testing.T) {
	kml := inKML(named("K", point("9,48")))
	inner := zipped(t, zip.Deflate, entry{"doc.kml", inKML(named("Inner", point("9.5,48")))})
	data := []byte(zipped(t, zip.Deflate,
		entry{"sites/", ""}, entry{"sites/a.kml", kml}, entry{"sites/same.csv", "name,lat,lon\nK,48,9\n"},
		entry{"b.csv", "name,lat,lon\nC,48,10\n"}, entry{"c.gpx", `<gpx><wpt lat="48" lon="11"><name>G</name></wpt></gpx>`},
		entry{"d.geojson", `{"type":"Point","coordinates":[12,48]}`}, entry{"e.kmz", inner},
		entry{"plan.pdf", "%PDF"}, entry{"photo.jpg", "x"}, entry{"__MACOSX/._a.kml", "x"}, entry{"readme.txt", "hello"}))
	res := parseChecked(t, data, Options{})
	var names []string
	for _, p := range res.Placemarks {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "K C G d 1 Inner" {
		t.Error(got, res.Warnings)
	}
	warnings := fmt.Sprint(res.Warnings)
	for _, word := range []string{"same.csv was not read: its sites are", "plan.pdf was not read", "readme.txt was not read"} {
		if !strings.Contains(warnings, word) {
			t.Errorf("%q is not among %s", word, warnings)
		}
	}
	if !strings.HasSuffix(accountsOf(res), "archive member 11=5+0+3+3") {
		t.Error(accountsOf(res))
	}
}

func TestShapefilesWithTheSitesOfAnotherFileAreCounted(t *testing.T) {
	kml := inKML(named("Placemark 1", point("9,48")))
	site := string(shapeFile(pointShape, appendFloats(binary.LittleEndian.AppendUint32(nil, pointShape), 9, 48)))
	empty := string(shapeFile(pointShape))
	data := []byte(zipped(t, zip.Deflate, entry{"a.kml", kml}, entry{"b.shp", site}, entry{"c.shp", empty}))
	res := parseChecked(t, data, Options{})
	if !strings.Contains(fmt.Sprint(res.Warnings), "the shapefile was not read: its sites are") {
		t.Error(res.Warnings)
	}
	if !strings.HasSuffix(accountsOf(res), "archive member 3=1+0+1+1") { // a.kml, b.shp and c.shp
		t.Error(accountsOf(res))
	}
}

func TestLinksInsideAnArchiveAreFollowed(t *testing.T) {
	link := func(href string) string { return "<NetworkLink><Link><href>" + href + "</href></Link></NetworkLink>" }
	data := []byte(zipped(t, zip.Deflate,
		entry{"doc.kml", inKML(link("layers/two.kml") + link("Layers/ONE.kml?x=1#y") + link("http://example.org/x.kml") + link("../other.kml"))},
		entry{"layers/one.kml", inKML(named("One", point("9,48")))},
		entry{"layers/two.kml", inKML(link("three.kml") + named("Two", point("10,48")))},
		entry{"layers/three.kml", inKML(link("two.kml") + named("Three", point("11,48")))},
		entry{"forgotten.kml", inKML(named("Four", point("12,48")))}))
	res := parseChecked(t, data, Options{})
	if got := describeSites(res.Placemarks); got != "Two asset 10.0000,48.0000 1; Three asset 11.0000,48.0000 1; One asset 9.0000,48.0000 1" {
		t.Error(got)
	}
	warnings := fmt.Sprint(res.Warnings)
	for _, word := range []string{"not followed: http://example.org/x.kml", "not followed: ../other.kml", "forgotten.kml was not read"} {
		if !strings.Contains(warnings, word) {
			t.Errorf("%q is not among %s", word, warnings)
		}
	}
}

func TestGeoJSONIsReadInAnyOrderAndOfAnyProgram(t *testing.T) {
	for text, want := range map[string]string{
		`{"features":[{"geometry":{"coordinates":[[[9,48],[9.1,48],[9,48.1],[9,48]]],"type":"Polygon"},"properties":{"name":"A"},"type":"Feature"}],"type":"FeatureCollection"}`:                                                                                                      "A area 9.0000,48.0000 3",
		`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"A"},"geometry":{"type":"Point","coordinates":[500000,5300000]}}],"crs":{"type":"EPSG","properties":{"code":25832}}}`:                                                                         "A asset 9.0000,47.8533 1",
		`{"type":"Point","coordinates":[500000,5300000],"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::25832"}}}`:                                                                                                                                                   "Placemark 1 asset 9.0000,47.8533 1",
		`{"type":"Point","coordinates":[500000,5300000],"crs":{"type":"link","properties":{"href":"http://spatialreference.org/ref/epsg/25832/proj4/"}}}`:                                                                                                                             "Placemark 1 asset 9.0000,47.8533 1",
		`{"type":"Point","coordinates":[500000,5300000],"crs":"EPSG:25832"}`:                                                                                                                                                                                                          "Placemark 1 asset 9.0000,47.8533 1",
		"{\"type\":\"Point\",\"coordinates\":[9,48]}\n\n{\"type\":\"Point\",\"coordinates\":[10,48]}":                                                                                                                                                                                 "Placemark 1 asset 9.0000,48.0000 1; Placemark 2 asset 10.0000,48.0000 1",
		`{"type":"Feature","properties":{"OBJECTID":1,"地番":"12-A"},"geometry":{"type":"Point","coordinates":[9,48]}}`:                                                                                                                                                                 "12-A asset 9.0000,48.0000 1",
		`{"type":"Feature","properties":{"cod_imovel":"SP-1","status":"x"},"geometry":{"type":"Point","coordinates":[9,48]}}`:                                                                                                                                                         "SP-1 asset 9.0000,48.0000 1",
		`{"type":"Feature","properties":{"name":{"title":"Yard"}},"geometry":{"type":"Point","coordinates":[9,48]}}`:                                                                                                                                                                  "Yard asset 9.0000,48.0000 1",
		`{"type":"Feature","properties":{"name":["A",2]},"geometry":{"type":"Point","coordinates":[9,48]}}`:                                                                                                                                                                           "A, 2 asset 9.0000,48.0000 1",
		`{"type":"Feature","properties":{},"geometry":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[9,48]},{"type":"LineString","coordinates":[[9,48],[10,48]]}]}}`:                                                                                       "Placemark 1 (1) asset 9.0000,48.0000 1; Placemark 1 (2) linear 9.0000,48.0000 2",
		`{"elements":[{"type":"node","id":1,"lat":48,"lon":9},{"type":"node","id":2,"lat":48,"lon":9.1},{"type":"node","id":3,"lat":48.1,"lon":9.1},{"type":"way","id":7,"nodes":[1,2,3,1],"tags":{"name":"Field"}},{"type":"node","id":4,"lat":47,"lon":9,"tags":{"name":"Mast"}}]}`: "Field area 9.0000,48.0000 3; Mast asset 9.0000,47.0000 1",
		`{"elements":[{"type":"way","id":7,"geometry":[{"lat":48,"lon":9},{"lat":48,"lon":10}],"tags":{"name":"Line"}}]}`:                                                                                                                                                             "Line linear 9.0000,48.0000 2",
		`{"spatialReference":{"wkid":25832},"features":[{"attributes":{"NAME":"P"},"geometry":{"x":500000,"y":5300000}}]}`:                                                                                                                                                            "P asset 9.0000,47.8533 1",
		`{"geometryType":"esriGeometryPolyline","features":[{"attributes":{"NAME":"L"},"geometry":{"paths":[[[9,48,1],[10,48,1]]]}}]}`:                                                                                                                                                "L linear 9.0000,48.0000 2",
		`{"fileType":"Plan","mission":{"items":[{"type":"SimpleItem","command":22,"params":[0,0,0,0,48,9,50]},{"type":"SimpleItem","command":16,"params":[0,0,0,null,48,9,50]},{"type":"SimpleItem","command":16,"params":[0,0,0,null,48.1,9,50]}]}}`:                                 "Mission linear 9.0000,48.0000 2",
		`{"fileType":"Plan","mission":{"items":[{"type":"ComplexItem","complexItemType":"CorridorScan","polyline":[[48,9],[48.1,9]]}]}}`:                                                                                                                                              "CorridorScan linear 9.0000,48.0000 2",
	} {
		res := parseChecked(t, []byte(text), Options{})
		if got := describeSites(res.Placemarks); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestJSONThatIsNotReadIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"Topology","objects":{}}`:            "this is TopoJSON",
		`{"locations":[],"timeline":1}`:               "it has the members locations, timeline",
		`{"type":"FeatureCollection","features":{}}`:  "its features are not a list",
		`{"type":"Point","coordinates":[9,NaN]}`:      "NaN and Infinity are not JSON",
		"{\"type\":\"Point\",\n\"coordinates\":[9,48": "line 2: the JSON is damaged: it ends too early",
		`{"type":"Point","coordinates":[9,"48"]}`:     "unsupported type or unreadable coordinates",
		`{"type":"Point","coordinates":[1e999,1]}`:    "is not between",
	} {
		if _, err := Parse([]byte(text), Options{NoPlaces: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestErrorsNameTheKindOfAForeignFile(t *testing.T) {
	wide := func(text string) string { return strings.ReplaceAll(text, "", "\x00")[1:] }
	for data, want := range map[string]string{
		zipped(t, zip.Deflate, entry{"[Content_Types].xml", ""}, entry{"word/document.xml", ""}): "a Word document",
		zipped(t, zip.Deflate, entry{"[Content_Types].xml", ""}, entry{"ppt/x.xml", ""}):         "a PowerPoint presentation",
		zipped(t, zip.Deflate, entry{"xl/workbook.bin", ""}):                                     "a binary Excel workbook",
		zipped(t, zip.Store, entry{"mimetype", "application/vnd.oasis.opendocument.text"}):       "an OpenDocument text",
		"\xd0\xcf\x11\xe0" + wide("Workbook"):                                                    "an old Excel workbook",
		"\xd0\xcf\x11\xe0" + wide("WordDocument"):                                                "an old Word document",
		"{\\rtf1":                            "a formatted text",
		"fgb\x03fgb\x00":                     "a FlatGeobuf file",
		"  0\nSECTION\n  2\nHEADER\n":        "an AutoCAD drawing",
		"Version 300\nCharset \"Neutral\"\n": "a MapInfo exchange file",
		`<?xml version="1.0"?><!-- x --><gml:FeatureCollection xmlns:gml="x"/>`: "GML",
		`<osm version="0.6"/>`: "OpenStreetMap data",
		"AC1032\x00":           "an AutoCAD drawing",
	} {
		if _, err := Parse([]byte(data), Options{}); err == nil || !strings.Contains(err.Error(), "this is "+want) {
			t.Errorf("%.20q: %v, want %q", data, err, want)
		}
	}
}

func TestGPXIsReadWithAnyPrefix(t *testing.T) {
	res := parseChecked(t, []byte(`<?xml version="1.0"?><!-- x --><g:gpx xmlns:g="x" xmlns:o="y"><g:wpt lat="+48.0" lon=" 9"><o:name>No</o:name><g:name>A &amp; B</g:name></g:wpt>`+
		`<g:rte><g:desc>Route</g:desc><g:rtept lat="48" lon="9"/><g:rtept lat="48" lon="10"/></g:rte><g:trk><g:trkseg/></g:trk></g:gpx>`), Options{})
	if got := describeSites(res.Placemarks); got != "No asset 9.0000,48.0000 1; Route linear 9.0000,48.0000 2" && got != "A & B asset 9.0000,48.0000 1; Route linear 9.0000,48.0000 2" {
		t.Error(got)
	}
	if accountsOf(res) != " feature 3=2+0+1+0" {
		t.Error(accountsOf(res))
	}
}

func TestPointsAtZeroAreSkippedIfThereAreOtherSites(t *testing.T) {
	collection := func(points ...string) []byte {
		var features []string
		for _, p := range points {
			features = append(features, `{"type":"Feature","properties":{"name":"`+p+`"},"geometry":{"type":"Point","coordinates":[`+p+`]}}`)
		}
		return []byte(`{"type":"FeatureCollection","features":[` + strings.Join(features, ",") + `]}`)
	}
	res := parseChecked(t, collection("0,0", "9,48", "0,0", "10,48"), Options{})
	if len(res.Placemarks) != 2 || res.Skipped != 2 || accountsOf(res) != " feature 4=2+0+2+0" {
		t.Error(res, accountsOf(res))
	}
	checkResult(t, "zeroes", res)
	for _, points := range [][]string{{"0,0"}, {"0,0", "1,1"}, {"0,0", "0,0"}} {
		if res := parseChecked(t, collection(points...), Options{}); len(res.Placemarks) != len(points) {
			t.Error("sites near 0, 0:", res)
		}
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	files := map[string][]byte{
		"kml":     []byte(inKML(strings.Repeat(named("A", point("9,48")), 200))),
		"csv":     []byte("name,lat,lon\n" + strings.Repeat("A,48,9\n", 200)),
		"geojson": []byte(strings.Repeat(`{"type":"Point","coordinates":[9,48]}`, 200)),
		"gpx":     []byte("<gpx>" + strings.Repeat(`<wpt lat="48" lon="9"/>`, 200) + "</gpx>"),
		"package": surveyFile(t, "gpkg-z.gpkg"),
		"book":    surveyFile(t, "utm.xlsx"),
		"archive": surveyFile(t, "shp-layers.zip"),
		"mission": []byte("#saved by x\n" + strings.Repeat("48 9\n", 200)),
	}
	for name, data := range files {
		res, err := ParseContext(ctx, data, Options{})
		if failed := (*Error)(nil); res != nil || !errors.As(err, &failed) || failed.Code != Stopped || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, %v", name, res, err)
		}
	}
}

func TestFilesThatTakeTooLongAreRefused(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), -time.Second, errReadingTime)
	defer cancel()
	if failed := newWork(ctx, 1, DefaultMaxBytes).check(); failed == nil || failed.Code != TooComplex {
		t.Error(failed)
	}
}

func TestEverythingThatIsUnpackedCountsAgainstOneLimit(t *testing.T) {
	member := "name,lat,lon\n" + strings.Repeat("A,48,9\n", 1000)
	var members []entry
	for i := range 30 {
		members = append(members, entry{fmt.Sprintf("%d.csv", i), member})
	}
	data := []byte(zipped(t, zip.Deflate, members...))
	if len(parseChecked(t, data, Options{}).Placemarks) != 30_000 {
		t.Error("not every file is read")
	}
	if _, err := Parse(data, Options{MaxBytes: int64(20 * len(member))}); err == nil || !strings.Contains(err.Error(), "expands to over") {
		t.Error(err)
	}
	nested := []byte(zipped(t, zip.Deflate, entry{"a.zip", string(data)}, entry{"b.zip", string(data)}))
	if _, err := Parse(nested, Options{MaxBytes: int64(40 * len(member))}); err == nil || !strings.Contains(err.Error(), "expands to over") {
		t.Error("nested:", err)
	}
}

func TestASheetThatIsListedTwiceIsReadOnce(t *testing.T) {
	var list strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&list, `<sheet name="S%d" r:id="r"/>`, i)
	}
	data := []byte(zipped(t, zip.Deflate, entry{"[Content_Types].xml", ""},
		entry{"xl/workbook.xml", "<workbook><sheets>" + list.String() + "</sheets></workbook>"},
		entry{"xl/_rels/workbook.xml.rels", `<r><Relationship Id="r" Type="x/worksheet" Target="s.xml"/></r>`},
		entry{"xl/s.xml", sheetHead + rowsOf("name,lat,lon", "A,48,9") + "</sheetData></worksheet>"}))
	res := parseChecked(t, data, Options{})
	if len(res.Placemarks) != 1 || !strings.Contains(accountsOf(res), "sheet 2000=1+0+1999+0") {
		t.Error(accountsOf(res))
	}
}

func TestSharedTextIsNotMultipliedWithoutLimit(t *testing.T) {
	data := []byte(zipped(t, zip.Deflate, entry{"[Content_Types].xml", ""},
		entry{"xl/workbook.xml", `<workbook><sheets><sheet name="S"/></sheets></workbook>`},
		entry{"xl/sharedStrings.xml", "<sst><si><t>" + strings.Repeat("x", 1<<20) + "</t></si></sst>"},
		entry{"xl/worksheets/sheet1.xml", sheetHead + strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 1000) + "</sheetData></worksheet>"}))
	if _, err := Parse(data, Options{}); err == nil || !strings.Contains(err.Error(), "the workbook is too large") {
		t.Error(err)
	}
}

func TestWellKnownBinaryOfCurvesIsReadIfItIsStraight(t *testing.T) {
	order := binary.LittleEndian
	head := func(kind uint32) []byte { return order.AppendUint32([]byte{1}, kind) }
	line := func(points ...orb.Point) []byte {
		data := order.AppendUint32(head(wkbLine), uint32(len(points)))
		for _, p := range points {
			data = appendFloats(data, p[0], p[1])
		}
		return data
	}
	list := func(kind uint32, parts ...[]byte) []byte {
		return append(order.AppendUint32(head(kind), uint32(len(parts))), bytes.Join(parts, nil)...)
	}
	ring := list(wkbCurve, line(orb.Point{9, 48}, orb.Point{10, 48}), line(orb.Point{10, 48}, orb.Point{10, 49}, orb.Point{9, 48}))
	figures, problem := readWKB(list(wkbAreas, list(wkbCurveArea, ring)))
	if problem != nil || len(figures) != 1 || figures[0].kind != polygonFigure || len(figures[0].points) != 5 {
		t.Error(figures, problem)
	}
	if _, problem := readWKB(list(wkbCurves, list(wkbArc))); problem == nil || !strings.Contains(problem.Message, "arcs") {
		t.Error(problem)
	}
	for n := range len(ring) {
		if _, problem := readWKB(ring[:n]); problem == nil {
			t.Errorf("%d of %d bytes are read", n, len(ring))
		}
	}
}

func TestTheSitesOfAFileAreLimited(t *testing.T) {
	table := "name,lat,lon\n" + strings.Repeat("A,48,9\n", 60)
	sheets := rowsOf(append([]string{"name,lat,lon"}, slices.Repeat([]string{"A,48,9"}, 60)...)...)
	files := map[string][]byte{
		"table":   []byte(table + strings.Repeat("A,48,9\n", 60)),
		"archive": []byte(zipped(t, zip.Deflate, entry{"a.csv", table}, entry{"b.csv", table})),
		"workbook": []byte(zipped(t, zip.Deflate, entry{"[Content_Types].xml", ""},
			entry{"xl/workbook.xml", `<workbook><sheets><sheet name="A" r:id="a"/><sheet name="B" r:id="b"/></sheets></workbook>`},
			entry{"xl/_rels/workbook.xml.rels", `<r><Relationship Id="a" Type="x/worksheet" Target="a.xml"/>` +
				`<Relationship Id="b" Type="x/worksheet" Target="b.xml"/></r>`},
			entry{"xl/a.xml", sheetHead + sheets + "</sheetData></worksheet>"},
			entry{"xl/b.xml", sheetHead + sheets + "</sheetData></worksheet>"})),
	}
	for name, data := range files {
		if res := parseChecked(t, data, Options{MaxSites: 120}); len(res.Placemarks) != 120 {
			t.Errorf("%s has %d sites", name, len(res.Placemarks))
		}
		if res, err := Parse(data, Options{MaxSites: 119}); res != nil || err == nil || err.Error() != "the file has more than 119 sites; split it" {
			t.Errorf("%s: %v, %v", name, res, err)
		}
	}
}

func TestASiteWithACornerAtZeroIsSkipped(t *testing.T) {
	for _, table := range []string{
		"site,seq,lat,lng\nA,1,48.7,9.1\nA,2,0,0\nA,3,48.8,9.2\nB,1,48.9,9.3\n",
		"name,lat1,lng1,lat2,lng2\nA,48.7,9.1,0,0\nB,48.9,9.3,,\n",
	} {
		res := parseChecked(t, []byte(table), Options{})
		if got := describeSites(res.Placemarks); got != "B asset 9.3000,48.9000 1" {
			t.Errorf("%q: %s", table, got)
		}
		if got := fmt.Sprint(res.Warnings); !strings.Contains(got, "one of its corners are 0, 0") {
			t.Errorf("%q: %s", table, got)
		}
	}
}

func TestRowsBelowANameHaveItWhileTheSequenceContinues(t *testing.T) {
	res := parseChecked(t, []byte("Field,Corner,Lat,Lon\nA,1,48.7,9.1\n,2,48.7,9.2\n\n,3,48.8,9.2\n,7,48.9,9.3\n"), Options{})
	want := "A area 9.1000,48.7000 3; Row 6 asset 9.3000,48.9000 1"
	if got := describeSites(res.Placemarks); got != want {
		t.Error(got, res.Warnings)
	}
}
