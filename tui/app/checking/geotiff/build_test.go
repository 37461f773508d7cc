package geotiff_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"math"
	"testing"

	"flightdesk/tui/app/checking/geotiff"
)

// tag is a tag of a TIFF that a test writes.
type tag struct {
	number, kind uint16
	count        uint64
	value        []byte
}

func shorts(number uint16, values ...uint16) tag {
	return tag{number, 3, uint64(len(values)), encode(values)}
}

func longs(number uint16, values ...uint32) tag {
	return tag{number, 4, uint64(len(values)), encode(values)}
}

func doubles(number uint16, values ...float64) tag {
	return tag{number, 12, uint64(len(values)), encode(values)}
}

func ascii(number uint16, value string) tag {
	return tag{number, 2, uint64(len(value)), []byte(value)}
}

func encode(values any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
		panic(err) // the types of tests have a fixed size
	}
	return b.Bytes()
}

// raster is an image of one band of bytes that a test writes.
type raster struct {
	width, height int
	pixels        func(x, y int) byte
	big           bool
	deflate       bool
	extra         []tag
}

// tags returns the tags of the image, whose pixels are at an offset.
func (r *raster) tags(offset, size int) []tag {
	compression := uint16(1)
	if r.deflate {
		compression = 8
	}
	return append([]tag{
		longs(256, uint32(r.width)), longs(257, uint32(r.height)), shorts(258, 8), shorts(259, compression),
		shorts(262, 1), longs(273, uint32(offset)), shorts(277, 1), longs(278, uint32(r.height)),
		longs(279, uint32(size)),
	}, r.extra...)
}

// placed are tags that put pixels of 1 m in EPSG:32637.
func placed() []tag {
	return []tag{
		doubles(33550, 1, 1, 0), doubles(33922, 0, 0, 0, 745000, 255000, 0),
		shorts(34735, 1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32637),
	}
}

// bytes returns the file.
func (r *raster) bytes() []byte {
	pixels := make([]byte, 0, r.width*r.height)
	for y := range r.height {
		for x := range r.width {
			pixels = append(pixels, r.pixels(x, y))
		}
	}
	if r.deflate {
		var packed bytes.Buffer
		w := zlib.NewWriter(&packed)
		_, _ = w.Write(pixels) // a buffer takes everything
		_ = w.Close()
		pixels = packed.Bytes()
	}
	head := 8
	if r.big {
		head = 16
	}
	file := append(make([]byte, head), pixels...)
	return appendDirectory(file, r.big, r.tags(head, len(pixels)), 0)
}

// appendDirectory appends a directory, and lets the header point to it.
func appendDirectory(file []byte, big bool, tags []tag, next uint64) []byte {
	order := binary.LittleEndian
	room := 4
	if big {
		room = 8
	}
	for i := range tags {
		if len(tags[i].value) > room {
			at := len(file)
			file = append(file, tags[i].value...)
			tags[i].value = order.AppendUint64(nil, uint64(at))[:room]
		}
	}
	start := uint64(len(file))
	if big {
		copy(file, "II+\x00\x08\x00\x00\x00")
		order.PutUint64(file[8:], start)
		file = order.AppendUint64(file, uint64(len(tags)))
	} else {
		copy(file, "II*\x00")
		order.PutUint32(file[4:], uint32(start))
		file = order.AppendUint16(file, uint16(len(tags)))
	}
	for _, t := range tags {
		file = order.AppendUint16(file, t.number)
		file = order.AppendUint16(file, t.kind)
		if big {
			file = order.AppendUint64(file, t.count)
		} else {
			file = order.AppendUint32(file, uint32(t.count))
		}
		file = append(file, append(bytes.Clone(t.value), make([]byte, 8)...)[:room]...)
	}
	if big {
		return order.AppendUint64(file, next)
	}
	return order.AppendUint32(file, uint32(next))
}

// open opens a file that must be readable.
func open(t *testing.T, file []byte, beside geotiff.Sidecars) *geotiff.File {
	t.Helper()
	f, err := geotiff.Open(bytes.NewReader(file), int64(len(file)), beside)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// half has data in its western half.
func half(x, _ int) byte {
	if x < 50 {
		return 7
	}
	return 0
}

func TestARasterIsDescribedByItsTags(t *testing.T) {
	for name, r := range map[string]raster{
		"TIFF":    {width: 100, height: 80, pixels: half},
		"BigTIFF": {width: 100, height: 80, pixels: half, big: true},
		"deflate": {width: 100, height: 80, pixels: half, deflate: true},
	} {
		t.Run(name, func(t *testing.T) {
			r.extra = append(placed(), ascii(42113, "0\x00"))
			f := open(t, r.bytes(), geotiff.Sidecars{})
			if f.Width != 100 || f.Height != 80 || f.Bands != 1 || f.Type != "8-bit" || f.Big != r.big {
				t.Errorf("it is %+v", f)
			}
			if f.System == nil || f.System.Code() != 32637 {
				t.Errorf("the system is %v, %s", f.System, f.SystemFault)
			}
			if side := f.Resolution(); math.Abs(side-1) > 0.001 {
				t.Errorf("a pixel has %.4f m", side)
			}
			p, err := f.Footprint(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if p.Basis != geotiff.BasisNoData || !p.Covers(745010, 254990) || p.Covers(745060, 254990) || p.Covers(744999, 254990) {
				t.Errorf("the footprint is wrong: %+v", p)
			}
		})
	}
}

func TestASystemIsReadFromFilesBesideTheRaster(t *testing.T) {
	r := raster{width: 10, height: 10, pixels: half}
	prj := `PROJCS["WGS_1984_UTM_Zone_37N",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],` +
		`PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000],` +
		`PARAMETER["False_Northing",0],PARAMETER["Central_Meridian",39],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0],UNIT["Meter",1]]`
	f := open(t, r.bytes(), geotiff.Sidecars{
		World: []byte("2\n0\n0\n-2\n745001\n254999\n"), Projection: []byte(prj),
	})
	if f.System == nil || f.System.Code() != 32637 || !f.IsPlaced {
		t.Fatalf("the system is %v, %s", f.System, f.SystemFault)
	}
	p, err := f.Footprint(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Basis != geotiff.BasisRectangle || !p.Covers(745000.5, 254999.5) || p.Covers(745020.5, 254990) {
		t.Errorf("the footprint is wrong: %+v", p)
	}
}

func TestPixelsOfUnknownCompressionCountAsARectangle(t *testing.T) {
	r := raster{width: 10, height: 10, pixels: half}
	r.extra = append(placed(), ascii(42113, "0\x00"))
	file := r.bytes()
	at := bytes.Index(file, encode([]uint16{259, 3, 1, 0}))
	binary.LittleEndian.PutUint16(file[at+8:], 50000)
	p, err := open(t, file, geotiff.Sidecars{}).Footprint(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Basis != geotiff.BasisRectangle || p.Fault != "its Zstandard pixels cannot be read" || !p.Covers(745009, 254991) {
		t.Errorf("the basis is %s, %s", p.Basis, p.Fault)
	}
}

func TestReadingStopsWithItsContext(t *testing.T) {
	r := raster{width: 100, height: 100, pixels: half, extra: append(placed(), ascii(42113, "0\x00"))}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, r.bytes(), geotiff.Sidecars{}).Footprint(ctx, nil); err == nil {
		t.Error("the raster was read")
	}
}
