package kmlcsv

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

type entry struct{ name, data string }

func zipped(t testing.TB, method uint16, entries ...entry) string {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, e := range entries {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(e.data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestKMZ(t *testing.T) {
	doc := inKML(mark1(point("10,50")))
	otherDoc := inKML(named("other", point("1,1")))
	const want = "a|asset|10,50"
	deflate := func(entries ...entry) string { return zipped(t, zip.Deflate, entries...) }
	damaged := []byte(zipped(t, zip.Store, entry{"doc.kml", doc}))
	damaged[bytes.Index(damaged, []byte("10,50"))] ^= 1
	crowd := make([]entry, 0, 5001)
	for i := range 5000 {
		crowd = append(crowd, entry{fmt.Sprintf("x%d", i), ""})
	}
	empty := inKML("")
	waylines := `<kml xmlns="` + kmlNS + `" xmlns:wpml="http://www.dji.com/wpmz/1.0.2"><Document><Folder>` +
		"<Placemark>" + point("10,50") + "</Placemark><Placemark>" + point("11,50") + "</Placemark></Folder></Document></kml>"
	for _, c := range []readCase{
		{"doc.kml", deflate(entry{"doc.kml", doc}), want, "", ""},
		{"stored", zipped(t, zip.Store, entry{"doc.kml", doc}), want, "", ""},
		{"another name", deflate(entry{"images/a.png", "x"}, entry{"mission.kml", doc}), want, "", ""},
		{"doc.kml behind another", deflate(entry{"a.kml", otherDoc}, entry{"doc.kml", doc}), want, "not-linked", ""},
		{"two", deflate(entry{"b.kml", doc}, entry{"a.kml", otherDoc}), want + "\nother|asset|1,1", "", ""},
		{"the top before a folder", deflate(entry{"x/a.kml", otherDoc}, entry{"b.kml", doc}), want + "\nother|asset|1,1", "", ""},
		{"in a folder", deflate(entry{"x/a.kml", doc}), want, "", ""},
		{"upper case and a slash", deflate(entry{"/DOC.KML", doc}), want, "", ""},
		{"backslashes", deflate(entry{`x\a.kml`, doc}), want, "", ""},
		{"names that climb out", deflate(entry{"../../etc/passwd.kml", otherDoc}, entry{"doc.kml", doc}), want, "not-linked", ""},
		{"only names that climb out", deflate(entry{"../../etc/passwd.kml", otherDoc}), "other|asset|1,1", "", ""},
		{"one name that climbs out", deflate(entry{"../x.kml", otherDoc}, entry{"y.kml", doc}), want + "\nother|asset|1,1", "", ""},
		{"thousands of entries", zipped(t, zip.Store, append(crowd, entry{"doc.kml", doc})...), want, "", ""},
		{"behind thousands of pictures", zipped(t, zip.Store, append(crowd, entry{"a.kml", doc})...), want, "", ""},
		{"DJI template with a mission", deflate(entry{"wpmz/template.kml", doc}, entry{"wpmz/waylines.wpml", waylines}), want, "", ""},
		{"DJI template without one", deflate(entry{"wpmz/template.kml", empty}, entry{"wpmz/waylines.wpml", waylines}), "Placemark 2|linear|10,50 11,50", "waypoints-joined", ""},
		{"no KML", deflate(entry{"readme.txt", "hi"}), "", "", "no-kml"},
		{"a KMZ in it", deflate(entry{"inner.kmz", deflate(entry{"doc.kml", doc})}), want, "", ""},
		{"workbook", deflate(entry{"[Content_Types].xml", "x"}, entry{"xl/workbook.xml", "x"}), "", "", "bad-archive workbook"},
		{"OpenDocument", deflate(entry{"mimetype", "x"}), "", "", "wrong-type OpenDocument"},
		{"shapefile", deflate(entry{"sites.shp", "x"}, entry{"sites.dbf", "x"}), "", "", "bad-archive shapefile"},
		{"cut off", deflate(entry{"doc.kml", doc})[:200], "", "", "bad-archive export it again"},
		{"damaged", string(damaged), "", "", "bad-archive export it again"},
		{"empty archive", deflate(), "", "", "wrong-type ZIP"},
		{"empty KML", deflate(entry{"doc.kml", ""}), "", "", "empty-file"},
		{"bomb", deflate(entry{"doc.kml", "<kml>" + strings.Repeat(" ", 65<<20)}), "", "", "too-large over 64 MiB"},
		{"KMZ under the name of CSV", deflate(entry{"doc.kml", doc}), "", "", "wrong-type ZIP"},
	} {
		opts := Options{}
		if strings.HasSuffix(c.name, "CSV") {
			opts.Format = FormatCSV
		}
		c.run(t, opts)
	}
}

// The archive may have a wrong size for a file.
func TestKMZSizesAreNotBelieved(t *testing.T) {
	data := []byte(zipped(t, zip.Deflate, entry{"doc.kml", inKML(mark1(point("10,50"))) + strings.Repeat(" ", 4<<20)}))
	central := bytes.LastIndex(data, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(data[central+24:], 100)
	_, err := Parse(data, Options{MaxBytes: 1 << 20})
	var e *Error
	if !errors.As(err, &e) || e.Code != BadArchive && e.Code != TooLarge {
		t.Errorf("%v", err)
	}
}

func TestSizeLimit(t *testing.T) {
	data := []byte(inKML(mark1(point("10,50"))))
	for _, c := range []struct {
		name  string
		data  []byte
		limit int64
		code  Code
	}{
		{"as large as allowed", data, int64(len(data)), ""},
		{"a byte more", data, int64(len(data)) - 1, TooLarge},
		{"KMZ that inflates to the limit", []byte(zipped(t, zip.Deflate, entry{"doc.kml", string(data)})), int64(max(len(data), 400)), ""},
		{"10 MiB and a byte without a limit", append(data, bytes.Repeat([]byte(" "), 10<<20+1-len(data))...), 0, ""},
	} {
		_, err := Parse(c.data, Options{MaxBytes: c.limit, NoPlaces: true})
		var e *Error
		if c.code == "" && err != nil || c.code != "" && (!errors.As(err, &e) || e.Code != c.code || !e.isOf(TooLarge)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestEveryDocumentOfAKMZIsRead(t *testing.T) {
	unnamed, broken := inKML("<Placemark>"+point("10,50")+"</Placemark>"), inKML(named("c", point("1,95")))
	data := []byte(zipped(t, zip.Deflate, entry{"north $1.kml", unnamed}, entry{"links.kml", inKML("")}, entry{"x/south.kml", unnamed}, entry{"x/bad.kml", broken}))
	res, err := Parse(data, Options{NoPlaces: true})
	if err != nil || len(res.Placemarks) != 2 || res.Skipped != 1 {
		t.Error("a document without a usable site:", res, err)
	}
	data = []byte(zipped(t, zip.Deflate, entry{"north $1.kml", unnamed}, entry{"links.kml", inKML("")}, entry{"x/south.kml", inKML("<Placemark>" + point("10,50") + "</Placemark>" + named("c", point("1,95")))}))
	res, err = Parse(data, Options{NoPlaces: true})
	if err != nil || describeSites(res.Placemarks) != "north $1 1 asset 10.0000,50.0000 1; south 1 asset 10.0000,50.0000 1" ||
		res.Skipped != 1 || !strings.HasPrefix(res.Warnings[0].Message, "south: ") {
		t.Error(res, err)
	}
	if asKML, err := Parse(data, Options{NoPlaces: true, Format: FormatKML}); err != nil || !reflect.DeepEqual(asKML, res) {
		t.Error("read as KML:", asKML, err)
	}
}
