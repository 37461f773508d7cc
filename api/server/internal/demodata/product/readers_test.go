package product_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/jpeg"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/bep/imagemeta"
	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"
	"golang.org/x/image/tiff"
)

// described reads the Exif and XMP data of a photo.
func described(t *testing.T, content []byte, format imagemeta.ImageFormat) (tags imagemeta.Tags, xmp string) {
	t.Helper()
	_, err := imagemeta.Decode(imagemeta.Options{
		R: bytes.NewReader(content), ImageFormat: format, Sources: imagemeta.EXIF | imagemeta.XMP,
		ShouldHandleTag: func(imagemeta.TagInfo) bool { return true },
		HandleTag:       func(tag imagemeta.TagInfo) error { tags.Add(tag); return nil },
		HandleXMP: func(r io.Reader) error {
			b, err := io.ReadAll(r)
			xmp = string(b)
			return err
		},
		Warnf: t.Logf,
	})
	if err != nil {
		t.Fatal(err)
	}
	return tags, xmp
}

// checkDescription compares the Exif data of a photo with the field.
func checkDescription(t *testing.T, tags imagemeta.Tags) {
	t.Helper()
	checkSpot(t, tags, field().Location)
	if at, err := tags.GetDateTime(); err != nil || at.Format(time.DateOnly) != "2026-05-04" {
		t.Errorf("taken at %v, %v", at, err)
	}
	exif := tags.EXIF()
	if exif["Make"].Value != "Flightdesk" || exif["Model"].Value != "Sample Camera" {
		t.Errorf("taken with %v %v", exif["Make"].Value, exif["Model"].Value)
	}
	for _, name := range []string{"GPSAltitude", "GPSImgDirection", "GPSTimeStamp", "FocalLength", "ExposureTime"} {
		if _, ok := exif[name]; !ok {
			t.Errorf("it has no %s", name)
		}
	}
}

func TestPhotosHaveTheirPosition(t *testing.T) {
	t.Parallel()
	seen := map[float64]bool{}
	for _, size := range []int64{0, 400_000} {
		for name, content := range made(t, field("jpg"), size) {
			m, err := jpeg.Decode(bytes.NewReader(content))
			if err != nil || m.Bounds() != image.Rect(0, 0, 384, 256) {
				t.Errorf("%s: %v", name, err)
			}
			tags, _ := described(t, content, imagemeta.JPEG)
			checkDescription(t, tags)
			lat, _, _ := tags.GetLatLong()
			seen[lat] = true
		}
	}
	if len(seen) != 3 {
		t.Errorf("the photos are of %d places", len(seen))
	}
}

func TestPanoramasCover360Degrees(t *testing.T) {
	t.Parallel()
	content := only(t, field(), "panoramas")
	m, err := jpeg.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if m.Bounds().Dx() != 2*m.Bounds().Dy() {
		t.Errorf("it is of %v", m.Bounds())
	}
	if r, _, b, _ := m.At(10, 10).RGBA(); b < r {
		t.Error("the sky is not blue")
	}
	tags, xmp := described(t, content, imagemeta.JPEG)
	checkDescription(t, tags)
	if !strings.Contains(xmp, `GPano:ProjectionType="equirectangular"`) || !strings.Contains(xmp, `GPano:FullPanoWidthPixels="512"`) {
		t.Errorf("XMP is\n%s", xmp)
	}
}

func TestRawPhotosCanBeRead(t *testing.T) {
	t.Parallel()
	content := only(t, field(), "raw")
	tags, _ := described(t, content, imagemeta.DNG)
	checkDescription(t, tags)
	preview, err := tiff.Decode(bytes.NewReader(content))
	if err != nil || preview.Bounds() != image.Rect(0, 0, 120, 80) {
		t.Fatalf("preview: %v", err)
	}
	first := readTIFF(t, content)
	if v := first.tags[50706]; len(v) != 4 || v[0] != 1 || first.text[50708] == "" || len(first.tags[50721]) != 9 || len(first.tags[50728]) != 3 {
		t.Errorf("DNG version %v, model %q, matrix %v, neutral %v", v, first.text[50708], first.tags[50721], first.tags[50728])
	}
	raw := readDir(t, content, uint32(first.number(330)))
	if raw.number(254) != 0 || raw.number(262) != 32803 || raw.number(33421) != 2 || len(raw.tags[33422]) != 4 {
		t.Errorf("the sensor's picture has tags %v", raw.tags)
	}
	values, width, height, _ := raw.samples(t)
	if width != 192 || height != 128 {
		t.Errorf("it is of %d by %d", width, height)
	}
	for _, v := range values {
		if v < float64(raw.number(50714)) || v > float64(raw.number(50717)) {
			t.Fatalf("a value of %v", v)
		}
	}
	// Developed, it has the colours of its preview.
	var sum [3]float64
	for i, v := range values {
		band := i/width%2 + i%width%2
		sum[band] += (v - 256) / (4095 - 256) / first.tags[50728][band] / []float64{1, 2, 1}[band]
	}
	var small [3]float64
	for y := range 80 {
		for x := range 120 {
			r, g, b, _ := preview.At(x, y).RGBA()
			for i, v := range []uint32{r, g, b} {
				small[i] += math.Pow(float64(v)/65535, 2.2)
			}
		}
	}
	for i := range sum {
		if a, b := sum[i]/float64(width*height/4), small[i]/(120*80); math.Abs(a-b) > 0.1*b {
			t.Errorf("band %d is %.4f on average, in the preview %.4f", i, a, b)
		}
	}
}

func TestClipsPlay(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0, 300_000} {
		checkClip(t, made(t, field("streamedData"), size)["clip.avi"])
	}
}

func checkClip(t *testing.T, b []byte) {
	t.Helper()
	if string(b[:4]) != "RIFF" || string(b[8:12]) != "AVI " || int(binary.LittleEndian.Uint32(b[4:])) != len(b)-8 {
		t.Fatalf("it begins with %q, of %d bytes", b[:12], len(b))
	}
	frames := int(binary.LittleEndian.Uint32(b[48:]))
	width := int(binary.LittleEndian.Uint32(b[64:]))
	height := int(binary.LittleEndian.Uint32(b[68:]))
	movie := 12
	for string(b[movie+8:movie+12]) != "movi" {
		movie += 8 + int(binary.LittleEndian.Uint32(b[movie+4:]))
	}
	index := b[movie+8+int(binary.LittleEndian.Uint32(b[movie+4:])):]
	rest := index[8+16*frames:]
	if string(index[:4]) != "idx1" || frames != 24 ||
		len(rest) > 0 && (string(rest[:4]) != "JUNK" || int(binary.LittleEndian.Uint32(rest[4:])) != len(rest)-8) {
		t.Fatalf("%d frames, index %q, then %d bytes", frames, index[:4], len(rest))
	}
	for i := range frames {
		entry := index[8+16*i:]
		at := movie + 8 + int(binary.LittleEndian.Uint32(entry[8:]))
		size := int(binary.LittleEndian.Uint32(entry[12:]))
		if string(b[at:at+4]) != "00dc" || int(binary.LittleEndian.Uint32(b[at+4:])) != size {
			t.Fatalf("frame %d is not where the index has it", i)
		}
		m, err := jpeg.Decode(bytes.NewReader(b[at+8 : at+8+size]))
		if err != nil || m.Bounds() != image.Rect(0, 0, width, height) {
			t.Fatalf("frame %d: %v", i, err)
		}
	}
}

func TestModelsCanBeRead(t *testing.T) {
	t.Parallel()
	all := made(t, field("_3dModel", "_3dMap"), 0)
	all["larger"] = made(t, field("_3dModel"), 200_003)["model.glb"]
	for name, content := range all {
		if n := int(binary.LittleEndian.Uint32(content[8:])); n != len(content) {
			t.Errorf("%s says that it has %d bytes of %d", name, n, len(content))
		}
		var doc gltf.Document
		if err := gltf.NewDecoder(bytes.NewReader(content)).Decode(&doc); err != nil {
			t.Fatal(err)
		}
		primitive := doc.Meshes[0].Primitives[0]
		positions, err := modeler.ReadPosition(&doc, doc.Accessors[primitive.Attributes[gltf.POSITION]], nil)
		if err != nil {
			t.Fatal(err)
		}
		normals, err := modeler.ReadNormal(&doc, doc.Accessors[primitive.Attributes[gltf.NORMAL]], nil)
		if err != nil {
			t.Fatal(err)
		}
		indices, err := modeler.ReadIndices(&doc, doc.Accessors[*primitive.Indices], nil)
		if err != nil {
			t.Fatal(err)
		}
		used := make([]bool, len(positions))
		for i := 0; i < len(indices); i += 3 {
			var p [3][3]float32
			for k, index := range indices[i : i+3] {
				p[k] = positions[index]
				used[index] = true
			}
			// Seen from above, counter-clockwise.
			if up := (p[1][2]-p[0][2])*(p[2][0]-p[0][0]) - (p[1][0]-p[0][0])*(p[2][2]-p[0][2]); up <= 0 {
				t.Fatalf("triangle %d faces down", i/3)
			}
		}
		for i, n := range normals {
			if length := math.Sqrt(float64(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])); math.Abs(length-1) > 1e-4 || n[1] <= 0 || !used[i] {
				t.Fatalf("corner %d has the normal %v, used %v", i, n, used[i])
			}
		}
		view := doc.BufferViews[*doc.Images[0].BufferView]
		skin, err := modeler.ReadBufferView(&doc, view)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jpeg.Decode(bytes.NewReader(skin)); err != nil {
			t.Error(err)
		}
	}
}

// featureCollection has the members of GeoJSON that contours use.
type featureCollection struct {
	Type     string
	Features []struct {
		Type       string
		Properties struct{ Elevation float64 }
		Geometry   struct {
			Type        string
			Coordinates [][][2]float64
		}
	}
}

func readContours(t testing.TB, content []byte) featureCollection {
	t.Helper()
	var c featureCollection
	if err := json.Unmarshal(content, &c); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.Features {
		if f.Geometry.Type != "MultiLineString" || len(f.Geometry.Coordinates) == 0 || f.Properties.Elevation == 0 {
			t.Errorf("a feature is %+v", f)
		}
	}
	return c
}

func verticesOf(t testing.TB, content []byte) [][2]float64 {
	var all [][2]float64
	t.Helper()
	for _, f := range readContours(t, content).Features {
		for _, line := range f.Geometry.Coordinates {
			all = append(all, line...)
		}
	}
	return all
}

// cloudPoint is a point of a LAS file.
type cloudPoint struct {
	x, y, z    float64
	class      byte
	number, of byte
}

// readCloud reads a LAS 1.2 file whose points have time and colour, and compares its header with them.
func readCloud(t testing.TB, b []byte) (points []cloudPoint, epsg int) {
	t.Helper()
	u16 := func(at int) int { return int(binary.LittleEndian.Uint16(b[at:])) }
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	f64 := func(at int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[at:])) }
	if string(b[:4]) != "LASF" || b[24] != 1 || b[25] != 2 || u16(94) != 227 || b[104] != 3 || u16(105) != 34 {
		t.Fatalf("it begins with % x", b[:110])
	}
	if got := string(bytes.TrimRight(b[229:245], "\x00")); u32(100) != 1 || got != "LASF_Projection" || u16(245) != 34735 {
		t.Fatalf("%d records, the first %q %d", u32(100), got, u16(245))
	}
	var keys []float64
	for i := range u16(247) / 2 {
		keys = append(keys, float64(u16(281+2*i)))
	}
	epsg = geoKey(keys, 3072)
	if epsg < 0 {
		epsg = geoKey(keys, 2048)
	}
	low := [3]float64{f64(187), f64(203), f64(219)}
	high := [3]float64{f64(179), f64(195), f64(211)}
	count := u32(107)
	start := u32(96)
	if len(b) != start+34*count || count == 0 {
		t.Fatalf("%d points in %d bytes", count, len(b)-start)
	}
	gotLow := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	gotHigh := [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	var returns [5]int
	for i := range count {
		at := start + 34*i
		var v [3]float64
		for k := range v {
			v[k] = float64(int32(u32(at+4*k)))*f64(131+8*k) + f64(155+8*k)
			gotLow[k] = min(gotLow[k], v[k])
			gotHigh[k] = max(gotHigh[k], v[k])
		}
		p := cloudPoint{
			x: v[0], y: v[1], z: v[2], class: b[at+15], number: b[at+14] & 7, of: b[at+14] >> 3 & 7,
		}
		if p.number < 1 || p.number > p.of {
			t.Fatalf("point %d is return %d of %d", i, p.number, p.of)
		}
		returns[p.number-1]++
		points = append(points, p)
	}
	if gotLow != low || gotHigh != high {
		t.Errorf("points from %v to %v, the head says %v to %v", gotLow, gotHigh, low, high)
	}
	for i, n := range returns {
		if u32(111+4*i) != n {
			t.Errorf("%d returns number %d, the head says %d", n, i+1, u32(111+4*i))
		}
	}
	return points, epsg
}
