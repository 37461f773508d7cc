package checking_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/checking/internal/tifftest"
)

// hostile is a file that lies. Its name has the ending that it is read by.
type hostile struct {
	why     string
	ending  string
	content []byte
	isValid bool // it is strange, but nothing in it has to be refused
}

const (
	hostileMemory = 100 << 20
	hostileTime   = 5 * time.Second
)

// Files that declare the impossible are refused with one sentence, in little time and memory.
func TestLyingFilesAreRefused(t *testing.T) {
	files := slicesOf(lyingRasters(), lyingClouds(), lyingPhotos(), lyingModels(), lyingMedia(), lyingVectors())
	if len(files) < 60 {
		t.Errorf("there are only %d files", len(files))
	}
	for _, h := range files {
		t.Run(h.ending+" "+h.why, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file"+h.ending)
			if err := os.WriteFile(path, h.content, 0o600); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			p := deliver(t, dir, "MSN-1", delivered{"_2dMap", path})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := spent()
			r := check(t, dir, nil, []api.Mission{block(t)}, p)
			took := spent() - began
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > moreUnderRace*hostileMemory {
				t.Errorf("it took %d MB", used>>20)
			}
			if took > moreUnderRace*hostileTime {
				t.Errorf("it took %s", took)
			}
			got := r.Files[0]
			isSentence := got.Text != "" && !strings.ContainsAny(got.Text, "\n\r") && len(got.Text) < 300
			if got.Level == checking.OK && !h.isValid || got.Level != checking.OK && !isSentence {
				t.Errorf("it is %s: %q, %+v", got.Level, got.Text, got.Facts)
			}
		})
	}
}

func slicesOf(lists ...[]hostile) (all []hostile) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// small is a raster whose tags can be replaced.
func small(extra ...tifftest.Tag) []byte {
	r := tifftest.Raster{
		Width: 16, Height: 16, Pixels: func(x, _ int) byte { return byte(x) },
		Extra: append(append(extra, tifftest.Placed()...), tifftest.Text(42113, "0\x00")),
	}
	return r.Bytes()
}

func bigTIFF(extra ...tifftest.Tag) []byte {
	r := tifftest.Raster{
		Width: 16, Height: 16, Big: true, Pixels: func(x, _ int) byte { return byte(x) },
		Extra: append(append(extra, tifftest.Placed()...), tifftest.Text(42113, "0\x00")),
	}
	return r.Bytes()
}

// tag returns a tag whose value is somewhere in the file.
func tag(number, kind uint16, count, offset uint64) tifftest.Tag {
	return tifftest.Tag{Number: number, Kind: kind, Count: count, Value: binary.LittleEndian.AppendUint64(nil, offset)[:4]}
}

func bigTag(number, kind uint16, count, offset uint64) tifftest.Tag {
	return tifftest.Tag{Number: number, Kind: kind, Count: count, Value: binary.LittleEndian.AppendUint64(nil, offset)}
}

// looped returns a raster whose directory is followed by another offset.
func looped(next uint32) []byte {
	file := small()
	binary.LittleEndian.PutUint32(file[len(file)-4:], next)
	return file
}

// manyDirectories is a chain of directories without end.
func manyDirectories(n int) []byte {
	file := small()
	for range n {
		start := binary.LittleEndian.Uint32(file[4:])
		tags := []tifftest.Tag{
			tifftest.Longs(256, 1), tifftest.Longs(257, 1), tifftest.Longs(273, 8), tifftest.Longs(279, 1),
		}
		file = tifftest.AppendDirectory(file, false, tags, uint64(start))
	}
	return file
}

// bomb is a strip that unpacks to far more than it declares.
func bomb() []byte {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	chunk := make([]byte, 1<<20)
	for range 512 {
		_, _ = w.Write(chunk) // a buffer takes everything
	}
	_ = w.Close()
	file := append(make([]byte, 8), packed.Bytes()...)
	return tifftest.AppendDirectory(file, false, append([]tifftest.Tag{
		tifftest.Longs(256, 1<<20), tifftest.Longs(257, 512), tifftest.Shorts(258, 8), tifftest.Shorts(259, 8),
		tifftest.Longs(273, 8), tifftest.Longs(278, 512), tifftest.Longs(279, uint32(packed.Len())),
		tifftest.Text(42113, "255\x00"),
	}, tifftest.Placed()...), 0)
}

// repeated is a raster of many strips that are all the same data.
func repeated() []byte {
	const strips = 100_000
	offsets := make([]uint32, strips)
	sizes := make([]uint32, strips)
	for i := range offsets {
		offsets[i] = 8
		sizes[i] = 1 << 10
	}
	file := make([]byte, 8+1<<10)
	return tifftest.AppendDirectory(file, false, append([]tifftest.Tag{
		tifftest.Longs(256, 1000), tifftest.Longs(257, strips), tifftest.Shorts(258, 8), tifftest.Shorts(259, 8),
		tifftest.Longs(273, offsets...), tifftest.Longs(278, 1), tifftest.Longs(279, sizes...),
		tifftest.Text(42113, "0\x00"),
	}, tifftest.Placed()...), 0)
}

func lyingRasters() []hostile {
	whole := small()
	list := []hostile{
		{why: "header only", content: []byte("II*\x00\x08\x00\x00\x00")},
		{why: "directory beyond the end", content: []byte("II*\x00\xff\xff\xff\xffxxxxxxxx")},
		{why: "directory at 0", content: []byte("II*\x00\x00\x00\x00\x00xxxxxxxx")},
		{why: "BigTIFF with a header of another size", content: []byte("II+\x00\x04\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00")},
		{why: "BigTIFF with a directory at 2^63", content: []byte("II+\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80")},
		{why: "BigTIFF with 2^63 tags", content: append([]byte("II+\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00"), "\x00\x00\x00\x00\x00\x00\x00\x80"...)},
		{why: "directory that is followed by itself", content: looped(binary.LittleEndian.Uint32(whole[4:]))},
		{why: "directory that is followed by pixels", content: looped(8)},
		{why: "more directories than are read", content: manyDirectories(200)},
		{why: "directories below themselves", content: small(tag(330, 4, 1, uint64(binary.LittleEndian.Uint32(whole[4:]))))},
		{why: "2^31 directories below", content: small(tag(330, 4, 1<<31, 8))},
		{why: "no pixels", content: small(tifftest.Longs(256, 0))},
		{why: "a width of 2^32", content: small(tifftest.Longs(256, math.MaxUint32))},
		{why: "a width and a height of 2^30", content: small(tifftest.Longs(256, 1<<30), tifftest.Longs(257, 1<<30))},
		{why: "2^60 tiles of the alpha band", content: small(
			tifftest.Longs(256, 1<<30), tifftest.Longs(257, 1<<30), tifftest.Shorts(277, 16), tifftest.Shorts(284, 2),
			tifftest.Longs(322, 1), tifftest.Longs(323, 1), tifftest.Longs(324, 8), tifftest.Longs(325, 1),
			tifftest.Shorts(338, 1, 0, 0, 0, 0, 0, 0, 0),
		)},
		{why: "a width of 2^63", content: bigTIFF(bigTag(256, 16, 1, 1<<63))},
		{why: "a height of 2^63", content: bigTIFF(bigTag(257, 16, 1, 1<<63))},
		{why: "2^63 widths", content: bigTIFF(bigTag(256, 16, 1<<63, 16))},
		{why: "2^63 strips", content: bigTIFF(bigTag(273, 16, 1<<63, 16))},
		{why: "2^61 strips, of which 2^64 bytes are none", content: bigTIFF(bigTag(273, 16, 1<<61, 16))},
		{why: "65,535 bands", content: small(tifftest.Shorts(277, math.MaxUint16))},
		{why: "no bands", content: small(tifftest.Shorts(277, 0))},
		{why: "no bits", content: small(tifftest.Shorts(258, 0))},
		{why: "65,535 bits", content: small(tifftest.Shorts(258, math.MaxUint16))},
		{why: "more extra bands than bands", content: small(tifftest.Shorts(338, 1, 1, 1))},
		{why: "no rows in a strip", content: small(tifftest.Longs(278, 0))},
		{why: "tiles without pixels", content: small(tifftest.Longs(324, 8), tifftest.Longs(325, 1), tifftest.Longs(322, 0), tifftest.Longs(323, 0))},
		{why: "tiles of 2^30 pixels", content: small(tifftest.Longs(324, 8), tifftest.Longs(325, 1), tifftest.Longs(322, 1<<30), tifftest.Longs(323, 1<<30))},
		{why: "fewer tiles than needed", content: small(tifftest.Longs(324, 8), tifftest.Longs(325, 1), tifftest.Longs(322, 1), tifftest.Longs(323, 1))},
		{why: "a strip beyond the end", content: small(tifftest.Longs(273, math.MaxUint32))},
		{why: "a strip that is longer than the file", content: small(tifftest.Longs(279, math.MaxUint32))},
		{why: "strips that are all the same data", content: repeated()},
		{why: "a strip that unpacks to 512 MB", content: bomb(), isValid: true},
		{why: "deflated pixels that are not deflated", content: small(tifftest.Shorts(259, 8))},
		{why: "LZW pixels that are not LZW", content: small(tifftest.Shorts(259, 5))},
		{why: "JPEG pixels that are not a JPEG", content: small(tifftest.Shorts(259, 7))},
		{why: "a value of 2^32 texts", content: small(tag(42113, 2, math.MaxUint32, 8))},
		{why: "text as a width", content: small(tifftest.Text(256, "wide"))},
		{why: "a position of text", content: small(tifftest.Text(33550, "here and there"))},
		{why: "a position that is not a number", content: small(tifftest.Doubles(33922, 0, 0, 0, math.NaN(), math.Inf(1), 0))},
		{why: "pixels of 0 m", content: small(tifftest.Doubles(33550, 0, 0, 0))},
		{why: "pixels of 10^300 m", content: small(tifftest.Doubles(33550, 1e300, 1e300, 0)), isValid: true},
		{why: "an unknown system", content: small(tifftest.Shorts(34735, 1, 1, 0, 1, 3072, 0, 1, 12))},
		{why: "65,535 GeoKeys", content: small(tifftest.Shorts(34735, 1, 1, 0, 65535))},
		{why: "GeoKeys beyond their text", content: small(tifftest.Shorts(34735, 1, 1, 0, 1, 3073, 34737, 65535, 65535))},
	}
	for i := range list {
		list[i].ending = ".tif"
	}
	return list
}

// las returns the head of a point cloud with numbers written over it.
func lasHead(change func(head []byte)) []byte {
	head := make([]byte, 400)
	copy(head, "LASF")
	head[24], head[25] = 1, 4
	binary.LittleEndian.PutUint16(head[94:], 375)
	binary.LittleEndian.PutUint32(head[96:], 375)
	binary.LittleEndian.PutUint16(head[105:], 20)
	binary.LittleEndian.PutUint64(head[247:], 1)
	for i, v := range []float64{0.01, 0.01, 0.01, 0, 0, 0, 10, 0, 10, 0, 10, 0} {
		binary.LittleEndian.PutUint64(head[131+8*i:], math.Float64bits(v))
	}
	change(head)
	return head
}

func lyingClouds() []hostile {
	order := binary.LittleEndian
	list := []hostile{
		{why: "signature only", content: []byte("LASF")},
		{why: "version 9.9", content: lasHead(func(b []byte) { b[24], b[25] = 9, 9 })},
		{why: "2^64 points", content: lasHead(func(b []byte) { order.PutUint64(b[247:], math.MaxUint64) })},
		{why: "no points", content: lasHead(func(b []byte) { order.PutUint64(b[247:], 0) })},
		{why: "points beyond the end", content: lasHead(func(b []byte) { order.PutUint32(b[96:], math.MaxUint32) })},
		{why: "points of 0 bytes", content: lasHead(func(b []byte) { order.PutUint16(b[105:], 0) })},
		{why: "point format 63", content: lasHead(func(b []byte) { b[104] = 63 })},
		{why: "2^32 records", content: lasHead(func(b []byte) { order.PutUint32(b[100:], math.MaxUint32) })},
		{why: "records into the points", content: lasHead(func(b []byte) { order.PutUint32(b[100:], 9) })},
		{why: "2^32 records after the points", content: lasHead(func(b []byte) { order.PutUint32(b[243:], math.MaxUint32) })},
		{why: "records after the points at 2^63", content: lasHead(func(b []byte) {
			order.PutUint64(b[235:], 1<<63)
			order.PutUint32(b[243:], 1)
		})},
		{why: "a scale of 0", content: lasHead(func(b []byte) { order.PutUint64(b[131:], 0) })},
		{why: "an extent that is not a number", content: lasHead(func(b []byte) { order.PutUint64(b[179:], math.Float64bits(math.NaN())) })},
		{why: "an endless extent", content: lasHead(func(b []byte) { order.PutUint64(b[179:], math.Float64bits(math.Inf(1))) })},
		{why: "an extent of 10^300 m", content: lasHead(func(b []byte) { order.PutUint64(b[179:], math.Float64bits(1e300)) })},
		{why: "an extent that ends before it begins", content: lasHead(func(b []byte) { order.PutUint64(b[179:], math.Float64bits(-1)) })},
		{why: "points outside the extent", content: lasHead(func(b []byte) { order.PutUint32(b[375:], 1<<30) })},
	}
	for i := range list {
		list[i].ending = ".las"
	}
	return list
}

func lyingPhotos() []hostile {
	exif := func(entries string) []byte {
		tiff := "Exif\x00\x00II*\x00\x08\x00\x00\x00" + entries
		return fmt.Appendf(nil, "\xff\xd8\xff\xe1%c%c%s\xff\xd9", (len(tiff)+2)>>8, (len(tiff)+2)&255, tiff)
	}
	list := []hostile{
		{why: "start only", content: []byte("\xff\xd8\xff\xe0")},
		{why: "a segment beyond the end", content: []byte("\xff\xd8\xff\xe1\xff\xffExif\x00\x00")},
		{why: "Exif of 65,535 tags", content: exif("\xff\xff")},
		{why: "an Exif value of 2^32 texts", content: exif("\x01\x00\x0f\x01\x02\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00")},
		{why: "Exif in Exif", content: exif("\x01\x00\x69\x87\x04\x00\x01\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00\x00")},
	}
	for i := range list {
		list[i].ending = ".jpg"
		list[i].isValid = true // a damaged description is optional
	}
	return append(list, hostile{why: "no end", ending: ".jpg", content: []byte("\xff\xd8\xff\xe0" + strings.Repeat("x", 100))},
		hostile{why: "a directory beyond the end", ending: ".dng", content: []byte("II*\x00\xff\xff\xff\x7fxxxxxxxx"), isValid: true},
		hostile{why: "a value of 4 GB", ending: ".dng", content: small(tag(700, 1, math.MaxUint32, 8)), isValid: true})
}

func lyingModels() []hostile {
	return []hostile{
		{why: "longer than the file", ending: ".glb", content: []byte("glTF\x02\x00\x00\x00\xff\xff\xff\x7f\x02\x00\x00\x00JSON{}")},
		{why: "description longer than the file", ending: ".glb", content: []byte("glTF\x02\x00\x00\x00\x16\x00\x00\x00\xff\xff\x00\x00JSON{}")},
		{why: "description that is not JSON", ending: ".glb", content: []byte("glTF\x02\x00\x00\x00\x16\x00\x00\x00\x02\x00\x00\x00JSON{{")},
		{why: "version 1", ending: ".glb", content: []byte("glTF\x01\x00\x00\x00\x16\x00\x00\x00\x02\x00\x00\x00JSON{}")},
		{why: "one endless line", ending: ".obj", content: bytes.Repeat([]byte("x"), 8<<20)},
		{why: "2^63 points", ending: ".ply", content: []byte("ply\nformat binary_little_endian 1.0\nelement vertex 9223372036854775807\nproperty float x\nend_header\n")},
		{why: "more points than a number", ending: ".ply", content: []byte("ply\nformat ascii 1.0\nelement vertex 99999999999999999999\nend_header\n")},
		{why: "no end of the header", ending: ".ply", content: []byte("ply\nformat ascii 1.0\n" + strings.Repeat("comment x\n", 20_000))},
	}
}

func lyingMedia() []hostile {
	return []hostile{
		{why: "no end", ending: ".pdf", content: []byte("%PDF-1.7\n1 0 obj")},
		{why: "a part beyond the end", ending: ".mp4", content: []byte("\xff\xff\xff\xffmoovxxxx")},
		{why: "a part of 2^63 bytes", ending: ".mp4", content: []byte("\x00\x00\x00\x01moov\x80\x00\x00\x00\x00\x00\x00\x00")},
		{why: "a part of 2 bytes", ending: ".mp4", content: []byte("\x00\x00\x00\x02moov\x00\x00\x00\x00")},
		{why: "no index", ending: ".mp4", content: []byte("\x00\x00\x00\x08ftyp\x00\x00\x00\x08mdat")},
		{why: "endless parts", ending: ".mov", content: bytes.Repeat([]byte("\x00\x00\x00\x08free"), 100_000)},
		{why: "an index without a header", ending: ".mov", content: []byte("\x00\x00\x00\x10moov\x00\x00\x00\x08mvhd")},
		{why: "longer than the file", ending: ".avi", content: append([]byte("RIFF\xff\xff\xff\x7fAVI LIST\x00\x00\x00\x00hdrlavih"), make([]byte, 64)...)},
	}
}

func lyingVectors() []hostile {
	return []hostile{
		{why: "cut off", ending: ".geojson", content: []byte(`{"type":"FeatureCollection","features":[{"type":"Feature"`)},
		{why: "nested without end", ending: ".geojson", content: bytes.Repeat([]byte("["), 1<<20)},
		{why: "not numbers", ending: ".dxf", content: []byte("0\nSECTION\n9\n$EXTMIN\n10\nNaN\n20\nInf\n0\nENDSEC\n")},
		{why: "no drawing", ending: ".dxf", content: []byte("hello\nworld\n")},
		{why: "header only", ending: ".shp", content: append([]byte("\x00\x00\x27\x0a"), make([]byte, 96)...)},
	}
}
