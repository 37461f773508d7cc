package geotiff_test

import (
	"bytes"
	"context"
	"encoding/binary"
	stdimage "image"
	"image/color"
	"image/jpeg"
	"math"
	"strings"
	"testing"

	"flightdesk/tui/app/checking/geotiff"
	"flightdesk/tui/app/checking/internal/tifftest"
)

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
	for name, r := range map[string]tifftest.Raster{
		"TIFF":    {Width: 100, Height: 80, Pixels: half},
		"BigTIFF": {Width: 100, Height: 80, Pixels: half, Big: true},
		"deflate": {Width: 100, Height: 80, Pixels: half, Deflate: true},
	} {
		t.Run(name, func(t *testing.T) {
			r.Extra = append(tifftest.Placed(), tifftest.Text(42113, "0\x00"))
			f := open(t, r.Bytes(), geotiff.Sidecars{})
			if f.Width != 100 || f.Height != 80 || f.Bands != 1 || f.Type != "8-bit" || f.Big != r.Big {
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
	r := tifftest.Raster{Width: 10, Height: 10, Pixels: half}
	prj := `PROJCS["WGS_1984_UTM_Zone_37N",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],` +
		`PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000],` +
		`PARAMETER["False_Northing",0],PARAMETER["Central_Meridian",39],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0],UNIT["Meter",1]]`
	f := open(t, r.Bytes(), geotiff.Sidecars{
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

func TestAMaskFileBesideTheRasterCounts(t *testing.T) {
	r := tifftest.Raster{Width: 100, Height: 80, Pixels: func(int, int) byte { return 7 }, Extra: tifftest.Placed()}
	mask := tifftest.Raster{Width: 100, Height: 80, Pixels: half}
	content := mask.Bytes()
	f := open(t, r.Bytes(), geotiff.Sidecars{Mask: sidecar(content)})
	p, err := f.Footprint(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Basis != geotiff.BasisMask || !p.Covers(745010, 254990) || p.Covers(745060, 254990) {
		t.Errorf("the footprint is wrong: %s", p.Basis)
	}
	mask.Width = 50
	content = mask.Bytes()
	_, err = geotiff.Open(bytes.NewReader(r.Bytes()), int64(len(r.Bytes())), geotiff.Sidecars{Mask: sidecar(content)})
	if err == nil {
		t.Error("a mask of another size is accepted")
	}
}

// sidecar is a file beside a raster.
func sidecar(content []byte) geotiff.Sidecar {
	return geotiff.Sidecar{R: bytes.NewReader(content), Size: int64(len(content))}
}

// The overviews show another half than the raster, so that the footprint says which of them was read.
func TestOverviewsBesideTheRasterAreRead(t *testing.T) {
	otherHalf := func(x, y int) byte { return 7 - half(x, y) }
	noData := tifftest.Text(42113, "0\x00")
	raster := tifftest.Raster{
		Width: 5000, Height: 100, Pixels: func(x, _ int) byte { return half(x/50, 0) }, Extra: append(tifftest.Placed(), noData),
	}
	overviews := tifftest.Raster{Width: 2500, Height: 50, Pixels: func(x, _ int) byte { return otherHalf(x/25, 0) }, Deflate: true}
	isReadFrom := func(name string, beside geotiff.Sidecars, wantOverviews int, want bool) {
		t.Helper()
		f := open(t, raster.Bytes(), beside)
		p, err := f.Footprint(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if f.Overviews != wantOverviews || p.Covers(745500, 254950) == want || p.Covers(749500, 254950) != want {
			t.Errorf("%s: %d overviews, by %s: the footprint is from the wrong file", name, f.Overviews, p.Basis)
		}
	}
	isReadFrom("no overviews", geotiff.Sidecars{}, 0, false)
	isReadFrom("overviews", geotiff.Sidecars{Overviews: sidecar(overviews.Bytes())}, 1, true)
	mask := raster
	mask.Extra = nil
	isReadFrom("overviews of a mask", geotiff.Sidecars{
		Mask: sidecar(mask.Bytes()), MaskOverviews: sidecar(overviews.Bytes()),
	}, 0, true)
	overviews.Height = 200
	isReadFrom("overviews of another raster", geotiff.Sidecars{Overviews: sidecar(overviews.Bytes())}, 0, false)
	file := raster.Bytes()
	cut := overviews.Bytes()
	_, err := geotiff.Open(bytes.NewReader(file), int64(len(file)), geotiff.Sidecars{Overviews: sidecar(cut[:len(cut)-9])})
	if err == nil || !strings.Contains(err.Error(), "its overview file (.ovr) is damaged") {
		t.Errorf("damaged overviews: %v", err)
	}
}

func TestPixelsOfUnknownCompressionCountAsARectangle(t *testing.T) {
	r := tifftest.Raster{Width: 10, Height: 10, Pixels: half}
	r.Extra = append(tifftest.Placed(), tifftest.Text(42113, "0\x00"))
	file := r.Bytes()
	at := bytes.Index(file, []byte{3, 1, 3, 0, 1, 0, 0, 0})
	binary.LittleEndian.PutUint16(file[at+8:], 50000)
	p, err := open(t, file, geotiff.Sidecars{}).Footprint(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Basis != geotiff.BasisRectangle || p.Fault != "its Zstandard pixels cannot be read" || !p.Covers(745009, 254991) {
		t.Errorf("the basis is %s, %s", p.Basis, p.Fault)
	}
}

func TestTheBaseOfAProjectedSystemIsNotTheSystem(t *testing.T) {
	const unknown = "has a projected reference system that is not known"
	for name, c := range map[string]struct {
		keys  []uint64
		text  string
		code  int // 0 for none
		fault string
	}{
		"geographic":                    {keys: []uint64{1024, 0, 1, 2, 2048, 0, 1, 4326}, code: 4326},
		"projected without a code":      {keys: []uint64{1024, 0, 1, 1, 2048, 0, 1, 4326}, fault: unknown},
		"user-defined":                  {keys: []uint64{2048, 0, 1, 4326, 3072, 0, 1, 32767}, fault: unknown},
		"UTM without a code":            {keys: []uint64{1024, 0, 1, 1, 2048, 0, 1, 4326, 3074, 0, 1, 16037}, code: 32637},
		"UTM without a model type":      {keys: []uint64{2048, 0, 1, 4326, 3074, 0, 1, 16037}, code: 32637},
		"user-defined UTM":              {keys: []uint64{1024, 0, 1, 1, 2048, 0, 1, 4326, 3072, 0, 1, 32767, 3074, 0, 1, 16137}, code: 32737},
		"user-defined, cites the base":  {keys: []uint64{1024, 0, 1, 1, 2049, 34737, 7, 0, 3072, 0, 1, 32767}, text: "WGS 84|", fault: unknown},
		"projected, cites a geographic": {keys: []uint64{1024, 0, 1, 1, 1026, 34737, 7, 0, 3072, 0, 1, 32767}, text: "WGS 84|", fault: unknown},
		"geographic, cites its name":    {keys: []uint64{1024, 0, 1, 2, 2049, 34737, 7, 0}, text: "WGS 84|", code: 4326},
	} {
		t.Run(name, func(t *testing.T) {
			directory := append([]uint64{1, 1, 0, uint64(len(c.keys) / 4)}, c.keys...)
			system, fault := geotiff.ParseGeoKeys(directory, []byte(c.text)).System()
			code := 0
			if system != nil {
				code = system.Code()
			}
			if code != c.code || fault != c.fault {
				t.Errorf("it is EPSG:%d, %q", code, fault)
			}
		})
	}
}

func TestAnOverviewWithAnUnknownLayoutIsSkipped(t *testing.T) {
	r := tifftest.Raster{
		Width: 100, Height: 80, Pixels: half, Extra: append(tifftest.Placed(), tifftest.Text(42113, "0\x00")),
	}
	file := r.Bytes()
	first := binary.LittleEndian.Uint32(file[4:])
	next := uint32(len(file))
	binary.LittleEndian.PutUint32(file[next-4:], next)
	file = tifftest.AppendDirectory(file, false, []tifftest.Tag{
		tifftest.Longs(254, 1), tifftest.Longs(256, 50), tifftest.Longs(257, 40), tifftest.Shorts(277, 0),
	}, 0)
	binary.LittleEndian.PutUint32(file[4:], first)
	f := open(t, file, geotiff.Sidecars{})
	p, err := f.Footprint(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.Overviews != 0 || p.Basis != geotiff.BasisNoData || !p.Covers(745010, 254990) || p.Covers(745060, 254990) {
		t.Errorf("it has %d overviews; the basis is %s", f.Overviews, p.Basis)
	}
}

// jpegMask returns a mask of one JPEG block that declares a number of bits and a compression.
func jpegMask(t *testing.T, bits, compression uint16) []byte {
	t.Helper()
	picture := stdimage.NewGray(stdimage.Rect(0, 0, 100, 80))
	for y := range 80 {
		for x := range 50 {
			picture.SetGray(x, y, color.Gray{Y: 255})
		}
	}
	var packed bytes.Buffer
	if err := jpeg.Encode(&packed, picture, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	file := append(make([]byte, 8), packed.Bytes()...)
	return tifftest.AppendDirectory(file, false, []tifftest.Tag{
		tifftest.Longs(256, 100), tifftest.Longs(257, 80), tifftest.Shorts(258, bits), tifftest.Shorts(259, compression),
		tifftest.Longs(273, 8), tifftest.Longs(278, 80), tifftest.Longs(279, uint32(packed.Len())),
	}, 0)
}

func TestAMaskThatCannotBeDecodedCountsAsARectangle(t *testing.T) {
	r := tifftest.Raster{Width: 100, Height: 80, Pixels: func(int, int) byte { return 7 }, Extra: tifftest.Placed()}
	for _, c := range []struct {
		bits, compression uint16
		basis, fault      string
	}{
		{8, 7, geotiff.BasisMask, ""},
		{1, 7, geotiff.BasisRectangle, "its JPEG pixels have an unusual layout"},
		{1, 4, geotiff.BasisRectangle, "its CCITT group 4 pixels cannot be read"},
		{8, 50000, geotiff.BasisRectangle, "its Zstandard pixels cannot be read"},
	} {
		mask := jpegMask(t, c.bits, c.compression)
		f := open(t, r.Bytes(), geotiff.Sidecars{Mask: sidecar(mask)})
		p, err := f.Footprint(t.Context(), nil)
		if err != nil {
			t.Errorf("%d bits, compression %d: %v", c.bits, c.compression, err)
			continue
		}
		if p.Basis != c.basis || p.Fault != c.fault {
			t.Errorf("%d bits, compression %d: the basis is %s, %s", c.bits, c.compression, p.Basis, p.Fault)
		}
		isEast := p.Covers(745090, 254990)
		if !p.Covers(745010, 254990) || isEast != (c.basis == geotiff.BasisRectangle) {
			t.Errorf("%d bits, compression %d: the footprint is wrong", c.bits, c.compression)
		}
	}
}

func TestAFootprintStoresOneBitForEachCell(t *testing.T) {
	const width, height = 101, 83
	isValid := func(x, y int) bool { return (x*7+y*3)%5 < 2 }
	r := tifftest.Raster{
		Width: width, Height: height, Extra: append(tifftest.Placed(), tifftest.Text(42113, "0\x00")),
		Pixels: func(x, y int) byte {
			if isValid(x, y) {
				return 7
			}
			return 0
		},
	}
	p, err := open(t, r.Bytes(), geotiff.Sidecars{}).Footprint(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.StoredBytes(); got != (width*height+7)/8 {
		t.Errorf("it has %d bytes", got)
	}
	for y := range height {
		for x := range width {
			if got := p.Covers(745000.5+float64(x), 254999.5-float64(y)); got != isValid(x, y) {
				t.Fatalf("pixel %d, %d is covered: %t", x, y, got)
			}
		}
	}
}

// A large raster is read in part, with the same result.
func TestALargeCompressedRasterIsReadInPart(t *testing.T) {
	const side = 2048
	hasData := func(x, y int) bool {
		inBlob := math.Hypot(float64(x-1000), float64(y-1000)) < 800+120*math.Sin(7*math.Atan2(float64(y-1000), float64(x-1000)))
		inHole := x > 900 && x < 1100 && y > 500 && y < 560
		inTile := x >= 1024 && x < 1056 && y >= 1280 && y < 1312
		return inBlob && !inHole && !inTile
	}
	r := tifftest.Raster{
		Width: side, Height: side, Tile: 32, Deflate: true, Extra: append(tifftest.Placed(), tifftest.Text(42113, "0\x00")),
		Pixels: func(x, y int) byte {
			if hasData(x, y) {
				return byte(1 + (x*31+y*17+x*y)%61)
			}
			return 0
		},
	}
	file := r.Bytes()
	geotiff.LimitDecoded(t, side*side/4)
	last := 0.0
	p, err := open(t, file, geotiff.Sidecars{}).Footprint(t.Context(), func(share float64) { last = max(last, share) })
	if err != nil {
		t.Fatal(err)
	}
	if p.Inferred < 0.5 || p.Inferred > 0.95 || last != 1 {
		t.Errorf("%.3f of the blocks were not read, the progress ends at %.2f", p.Inferred, last)
	}
	wrong := 0
	for y := range side {
		for x := range side {
			if p.Covers(745000.5+float64(x), 254999.5-float64(y)) != hasData(x, y) {
				wrong++
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d pixels are wrong", wrong)
	}
}

// A block that is not stored has pixels of 0, which are valid if only NaN is not.
func TestSparseBlocksWithoutANodataValueAreValid(t *testing.T) {
	r := tifftest.Raster{Width: 8, Height: 8, Pixels: half, Extra: append([]tifftest.Tag{
		tifftest.Shorts(258, 32), tifftest.Shorts(339, 3), tifftest.Longs(273, 0), tifftest.Longs(279, 0),
	}, tifftest.Placed()...)}
	p, err := open(t, r.Bytes(), geotiff.Sidecars{}).Footprint(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Covers(745004, 254996) {
		t.Errorf("a sparse block of a raster with the basis %q is empty", p.Basis)
	}
}

func TestReadingStopsWithItsContext(t *testing.T) {
	r := tifftest.Raster{Width: 100, Height: 100, Pixels: half, Extra: append(tifftest.Placed(), tifftest.Text(42113, "0\x00"))}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, r.Bytes(), geotiff.Sidecars{}).Footprint(ctx, nil); err == nil {
		t.Error("the raster was read")
	}
}

// Whatever a file declares, it is read or refused.
func FuzzOpen(f *testing.F) {
	r := tifftest.Raster{
		Width: 20, Height: 20, Pixels: half, Extra: append(tifftest.Placed(), tifftest.Text(42113, "0\x00")),
	}
	f.Add(r.Bytes())
	r.Deflate = true
	f.Add(r.Bytes())
	r.Big = true
	r.Extra = append(r.Extra, tifftest.Shorts(338, 1), tifftest.Shorts(317, 2))
	f.Add(r.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		raster, err := geotiff.Open(bytes.NewReader(file), int64(len(file)), geotiff.Sidecars{})
		if err != nil {
			return
		}
		raster.Outline()
		p, err := raster.Footprint(t.Context(), nil)
		if err == nil {
			p.Covers(745010, 254990)
		}
	})
}

// Whatever the files beside a raster declare, they are read or refused.
func FuzzSidecars(f *testing.F) {
	raster := tifftest.Raster{
		Width: 20, Height: 20, Pixels: half, Extra: append(tifftest.Placed(), tifftest.Text(42113, "0\x00")),
	}
	file := raster.Bytes()
	like := tifftest.Raster{Width: 20, Height: 20, Pixels: half, Deflate: true}
	mask := like.Bytes()
	like.Width, like.Height = 10, 10
	overviews := like.Bytes()
	like.Big = true
	f.Add(mask, overviews, like.Bytes())
	f.Add(mask[:len(mask)-3], overviews, []byte{})
	f.Add([]byte{}, overviews, mask)
	f.Fuzz(func(t *testing.T, mask, overviews, maskOverviews []byte) {
		raster, err := geotiff.Open(bytes.NewReader(file), int64(len(file)), geotiff.Sidecars{
			Mask: sidecar(mask), Overviews: sidecar(overviews), MaskOverviews: sidecar(maskOverviews),
		})
		if err != nil {
			return
		}
		p, err := raster.Footprint(t.Context(), nil)
		if err == nil {
			p.Covers(745010, 254990)
		}
	})
}
