package kmlcsv

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostile are files that are made to be slow, in a chosen size.
func hostile(t testing.TB, size int) map[string][]byte {
	fill := func(head, item, tail string) []byte {
		return []byte(head + strings.Repeat(item, (size-len(head)-len(tail))/len(item)) + tail)
	}
	kml := func(head, item, tail string) []byte {
		return fill("<kml>"+head, item, tail+"</kml>")
	}
	var comb strings.Builder
	for i := range size / 28 {
		fmt.Fprintf(&comb, "%.5f,0.1 %.5f,50 ", float64(i)*1e-4, float64(i)*1e-4+5e-5)
	}
	var crowd []entry
	for i := range size / 200 {
		crowd = append(crowd, entry{fmt.Sprintf("x%d", i), ""})
	}
	return map[string][]byte{
		"placemarks":             kml("", "<Placemark><Point><coordinates>1,2</coordinates></Point></Placemark>", ""),
		"placemarks without any": kml("", "<Placemark/>", ""),
		"placemarks that fail":   kml("", "<Placemark><Point><coordinates>x</coordinates></Point></Placemark>", ""),
		"placemarks swapped":     kml("", "<Placemark><Point><coordinates>1,91</coordinates></Point></Placemark>", ""),
		"placemarks in folders":  kml("", "<Folder><name>n</name><Placemark><Point><coordinates>1,2</coordinates></Point></Placemark></Folder>", ""),
		"links":                  kml("", "<NetworkLink/>", ""),
		"elements":               kml("", "<a/>", ""),
		"prefixes":               kml("", "<a:b/>", ""),
		"namespaces":             kml("", `<a xmlns:p="urn:x"/>`, ""),
		"open folders":           kml("", "<Folder>", ""),
		"angle brackets":         kml("", "<", ""),
		"comment":                kml("<!--", "x", "-->"),
		"comments":               kml("", "<!---->", ""),
		"name":                   kml("<Placemark><name>", "n", "</name><Point><coordinates>1,2</coordinates></Point></Placemark>"),
		"name of references":     kml("<Placemark><name>", "&#65;", "</name></Placemark>"),
		"name of ampersands":     kml("<Placemark><name>", "&", "</name></Placemark>"),
		"name of entities":       kml("<Placemark><name>", "&nbsp;", "</name></Placemark>"),
		"name of sections":       kml("<Placemark><name>", "<![CDATA[<b]]>", "</name></Placemark>"),
		"name of tags":           kml("<Placemark><name><![CDATA[", "<b>x<1", "]]></name></Placemark>"),
		"name of elements":       kml("<Placemark><name>", "<b>x</b>", "</name></Placemark>"),
		"name of controls":       kml("<Placemark><name>", "\u200b", "</name></Placemark>"),
		"a line":                 kml("<Placemark><LineString><coordinates>", "1,2 3,4 ", "</coordinates></LineString></Placemark>"),
		"a line without spaces":  kml("<Placemark><LineString><coordinates>", "1,2,3,", "</coordinates></LineString></Placemark>"),
		"a line with spaces":     kml("<Placemark><LineString><coordinates>", "1, 2, 3 2, 3, 4 ", "</coordinates></LineString></Placemark>"),
		"a line of commas":       kml("<Placemark><LineString><coordinates>", ",", "</coordinates></LineString></Placemark>"),
		"a line of digits":       kml("<Placemark><LineString><coordinates>", "1", "</coordinates></LineString></Placemark>"),
		"a swapped line":         kml("<Placemark><LineString><coordinates>", "1,91 2,92 ", "</coordinates></LineString></Placemark>"),
		"WKT on blank lines":     fill("POLYGON((", "\n", "9 48, 9.1 48, 9.1 48.1, 9 48))"),
		"WKT below blank lines":  fill("POINT", "\n", "(9 48)"),
		"a comb":                 []byte("<kml><Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>" + comb.String() + "</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></kml>"),
		"triangles":              kml("", "<Placemark>"+polygon("0,0 1,0 0,1")+"</Placemark>", ""),
		"holes":                  kml("<Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 9,0 0,9</coordinates></LinearRing></outerBoundaryIs>", "<innerBoundaryIs><LinearRing><coordinates>1,1 2,1 1,2</coordinates></LinearRing></innerBoundaryIs>", "</Polygon></Placemark>"),
		"a track":                kml("<Placemark><Track>", "<coord>1 2 3</coord><coord/>", "</Track></Placemark>"),
		"a track of two points":  kml("<Placemark><Track>", "<coord>1 2 3</coord><coord>4 5 6</coord>", "</Track></Placemark>"),
		"parts":                  kml("<Placemark><MultiGeometry>", "<Point><coordinates>1,2</coordinates></Point>", "</MultiGeometry></Placemark>"),
		"bad parts":              kml("<Placemark><MultiGeometry>", "<Point/>", "</MultiGeometry></Placemark>"),
		"waypoints":              kml(`<Folder xmlns:w="http://www.dji.com/wpmz/1.0.2">`, "<Placemark><Point><coordinates>1,2</coordinates></Point></Placemark><Placemark><Point><coordinates>1,3</coordinates></Point></Placemark>", "</Folder>"),
		"extended data":          kml("<Placemark><ExtendedData>", `<Data name="x"><value>1</value></Data>`, "</ExtendedData></Placemark>"),
		"UTF-16":                 append([]byte("\xff\xfe"), bytes.Repeat([]byte("<\x00a\x00/\x00>\x00"), size/8-1)...),
		"windows-1252":           kml("<!--", "\xf6", "-->"),
		"zip of entries":         []byte(zipped(t, zip.Store, append(crowd, entry{"doc.kml", "<kml/>"})...)),
		"zip bomb":               []byte(zipped(t, zip.Deflate, entry{"doc.kml", "<kml>" + strings.Repeat(" ", 20*size)})),
		"zip of limits":          []byte(zipped(t, zip.Deflate, entry{"a/template.kml", "<kml>" + strings.Repeat(" ", size-11) + "</kml>"}, entry{"a/waylines.wpml", "<kml/>" + strings.Repeat(" ", size/10)})),
		"rows":                   fill("lat,lng\n", "1,2\n", ""),
		"rows that fail":         fill("lat,lng\n", "x\n", ""),
		"rows without end":       fill("lat,lng\n", "\n", ""),
		"blank rows":             fill("", ",\n", ""),
		"a row of commas":        fill("lat,lng\n", ",", "\n"),
		"a header of commas":     fill("lat,lng", ",", "\n1,2\n"),
		"a header of names":      fill("lat,lng", ",name", "\n1,2\n"),
		"a header of lats":       fill("name", ",xlat", "\n1,2\n"),
		"an open quote":          fill("lat,lng\n\"", "x,", ""),
		"quotes":                 fill("lat,lng\n", "\"", ""),
		"quoted quotes":          fill("name,lat,lng\n\"", "\"\"", "\",1,2\n"),
		"cell of pairs":          fill("points\n", "1 2;3 4;", "\n"),
		"cell of WKT":            fill("wkt\n\"LINESTRING (", "1 2,3 4,", "1 2)\"\n"),
		"cell of points":         fill("wkt\n\"MULTIPOINT (", "1 2,", "1 2)\"\n"),
		"cell of collections":    fill("wkt\n\"", "GEOMETRYCOLLECTION(", "\"\n"),
		"cell of nested lists":   fill("wkt\n\""+strings.Repeat("GEOMETRYCOLLECTION(", 32), "1,", strings.Repeat(")", 32)+"\"\n"),
		"cell of GeoJSON":        fill("wkt\n\"{\"\"type\"\":\"\"LineString\"\",\"\"coordinates\"\":[", "[1,2],[3,4],", "[1,2]]}\"\n"),
		"cell of brackets":       fill("points,x\n", "[", ",1\n"),
		"vertices":               fill("id,seq,lat,lng\n", "a,1,2,3\n", ""),
		"vertices in order":      vertices(size - 100),
		"cells of prose":         proseTable(size / 2),
		"long latitudes":         fill("lat,lng\n", "1", ",2\n"),
	}
}

func vertices(size int) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	return generate(size, "id,seq,lat,lng\n", "", func(w *bytes.Buffer, i int, _ *rand.Rand) {
		fmt.Fprintf(w, "a,%d,%d.%d,%d\n", i, i%80, i, r.IntN(170))
	})
}

// proseTable returns rows without a header. Only the end of a cell shows that it is not a position.
func proseTable(size int) []byte {
	return generate(size, "", "\n", func(w *bytes.Buffer, i int, _ *rand.Rand) {
		for column := range 12 {
			fmt.Fprintf(w, "%d.1234 m north of the gate and %d.4321 m east of it, then by the track to the old mill, "+
				"at the height of the weir where both of the fields end and the wood begins again\t", i, column)
		}
		w.WriteString("\n")
	})
}

// An error for each blank cell would take more than a hundred times the size of the file.
func TestBlankRowsTakeLittleMemory(t *testing.T) {
	data := []byte("y,x\n48.1,9.1\n" + strings.Repeat(",\n", 1<<17))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := Parse(data, Options{NoPlaces: true})
	runtime.ReadMemStats(&after)
	if err != nil || len(res.Placemarks) != 1 {
		t.Fatal("not one site:", res, err)
	}
	allocated := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(data))
	if allocated > 12*moreUnderRace {
		t.Errorf("allocated %.1f times its size", allocated)
	}
}

// TestHostile reads files that are made to be slow. The limit is on the processor's time, so that it passes on a
// busy machine, but fails if the time grows with the square of the size. The limit on memory is for the sum of all
// allocations.
func TestHostile(t *testing.T) {
	const size = 1 << 18
	for name, data := range hostile(t, size) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var res *Result
		var err error
		took := cpuTime(func() { res, err = Parse(data, Options{NoPlaces: true, MaxBytes: size}) })
		runtime.ReadMemStats(&after)
		allocated := float64(after.TotalAlloc-before.TotalAlloc) / size
		if res == nil && err == nil {
			t.Errorf("%s: neither result nor error", name)
		}
		if res != nil {
			checkResult(t, name, res)
			if len(res.Warnings) > DefaultMaxWarnings+1 {
				t.Errorf("%s: %d warnings", name, len(res.Warnings))
			}
		}
		bound := 12.0 * moreUnderRace
		if data[0] != '<' {
			bound = 220 * moreUnderRace // a CSV of three bytes a row gives a placemark for each
		}
		if took > 3*time.Second || allocated > bound {
			t.Errorf("%s: %v, allocated %.1f times its size", name, took, allocated)
		}
		t.Logf("%-24s %8.1f ms %5.1f times its size, %v", name, took.Seconds()*1e3, allocated, err)
	}
}

// BenchmarkHostile reads the hostile files at the size limit of the service.
func BenchmarkHostile(b *testing.B) {
	files := hostile(b, 10<<20)
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Parse(files[name], Options{NoPlaces: true}) // most of them are refused
			}
		})
	}
}

func TestManyPropertiesOfAFeatureNeedLittleMemory(t *testing.T) {
	data := []byte(`{"type":"Feature","properties":{"name":"A",` + strings.Repeat(`"a":1,`, 1<<18) + `"b":1},"geometry":{"type":"Point","coordinates":[9,48]}}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := Parse(data, Options{NoPlaces: true})
	runtime.ReadMemStats(&after)
	if err != nil || len(res.Placemarks) != 1 || res.Placemarks[0].Name != "A" {
		t.Fatalf("%v, %v", res, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 10*uint64(len(data)) {
		t.Errorf("%d bytes for a file of %d", used, len(data))
	}
}
