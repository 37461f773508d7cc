package checking_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/checking/internal/tifftest"
)

// slack multiplies the allowed times: machines that run tests are busy, which also slows down the processor.
const slack = 5

// measured checks files of a mission within a processor time and an amount of allocated memory.
func measured(t *testing.T, m api.Mission, limit time.Duration, memory uint64, files ...delivered) *checking.Report {
	t.Helper()
	dir := t.TempDir()
	p := deliver(t, dir, m.MissionCode, files...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := spent()
	r := check(t, dir, nil, []api.Mission{m}, p)
	took := spent() - began
	runtime.ReadMemStats(&after)
	t.Logf("%s, %d MB", took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20)
	if took > moreUnderRace*slack*limit {
		t.Errorf("it took %s", took)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > moreUnderRace*memory {
		t.Errorf("it took %d MB", used>>20)
	}
	return r
}

// sparseFile makes a file of a size whose end is data.
func sparseFile(t *testing.T, name string, head, end []byte, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(head, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(end, size-int64(len(end))); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// hugeRaster makes a BigTIFF of side × side pixels of 1 m in tiles, with overviews down to a side of
// least pixels. All pixels are 0.
func hugeRaster(t *testing.T, side, least int) string {
	t.Helper()
	const (
		tile  = 256
		start = 64 << 20 // of the pixels
	)
	size := int64(start)
	file := make([]byte, 16)
	next := uint64(0)
	// The smallest overview is written first: each directory is followed by the one before.
	for width := least; width <= side; width *= 2 {
		at := make([]uint64, (width/tile)*(width/tile))
		sizes := make([]uint64, len(at))
		for i := range at {
			at[i] = uint64(size)
			sizes[i] = tile * tile
			size += tile * tile
		}
		isOverview := uint64(1)
		if width == side {
			isOverview = 0
		}
		tags := append([]tifftest.Tag{
			bigNumbers(254, isOverview), bigNumbers(256, uint64(width)), bigNumbers(257, uint64(width)),
			tifftest.Shorts(258, 8), bigNumbers(322, tile), bigNumbers(323, tile), bigNumbers(324, at...),
			bigNumbers(325, sizes...), tifftest.Text(42113, "255\x00"),
		}, tifftest.Placed()...)
		file = tifftest.AppendDirectory(file, true, tags, next)
		next = binary.LittleEndian.Uint64(file[8:])
	}
	return sparseFile(t, "huge.tif", file, []byte{0}, size)
}

// bigNumbers returns a tag with numbers of 64 bits of a BigTIFF.
func bigNumbers(number uint16, values ...uint64) tifftest.Tag {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
		panic(err) // the type has a fixed size
	}
	return tifftest.Tag{Number: number, Kind: 16, Count: uint64(len(values)), Value: b.Bytes()}
}

// wide is a mission of 60 × 60 km within a huge raster.
func wide(t *testing.T) api.Mission {
	t.Helper()
	m := block(t)
	m.LocationMap = square(t, 2000, 2000, 60_000, 60_000)
	return m
}

func TestAHugeRasterWithOverviewsIsCheckedAtOnce(t *testing.T) {
	path := hugeRaster(t, 65_536, 1024)
	if info, err := os.Stat(path); err != nil || info.Size() < 4<<30 {
		t.Fatalf("the raster is too small: %v", err)
	}
	r := measured(t, wide(t), time.Second, 60<<20, delivered{"_2dMap", path})
	if r.Problems != 0 || *r.Findings[0].Covered != 1 {
		t.Errorf("findings: %+v", r.Findings)
	}
}

// A sixteenth of 4 GB, to be read in a sixteenth of 20 s.
func TestAHugeRasterWithoutOverviewsIsReadWithProgress(t *testing.T) {
	dir := t.TempDir()
	m := block(t)
	m.LocationMap = square(t, 500, 500, 15_000, 15_000)
	p := deliver(t, dir, m.MissionCode, delivered{"_2dMap", hugeRaster(t, 16_384, 16_384)})
	last := 0.0
	began := spent()
	r, err := checking.Checker{Dir: dir, Now: now}.Check(t.Context(), checking.Delivery{
		Missions: []api.Mission{m}, Packages: []fetch.Package{p},
	}, func(p checking.Progress) { last = max(last, p.Share) })
	if err != nil {
		t.Fatal(err)
	}
	if took := spent() - began; took > moreUnderRace*slack*20*time.Second/16 {
		t.Errorf("it took %s", took)
	}
	if r.Problems != 0 || *r.Findings[0].Covered != 1 || last < 0.99 {
		t.Errorf("the progress ends at %.2f, findings: %+v", last, r.Findings)
	}
}

func TestAHugePointCloudIsSampled(t *testing.T) {
	const points = 2 << 30 / 20
	head := lasHead(func(b []byte) {
		binary.LittleEndian.PutUint64(b[247:], points)
	})
	path := sparseFile(t, "huge.las", head[:375], make([]byte, 20), 375+points*20)
	r := measured(t, block(t), 2*time.Second, 60<<20, delivered{"LiDAR", path})
	if r.Files[0].Level == checking.Problem {
		t.Errorf("it is a problem: %s", r.Files[0].Text)
	}
}

func TestThousandsOfPhotosAreChecked(t *testing.T) {
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 400, 300)), nil); err != nil {
		t.Fatal(err)
	}
	description := "Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x32\x01\x02\x00\x14\x00\x00\x00\x1a\x00\x00\x00\x00\x00\x00\x002026:06:19 10:11:12\x00"
	content := fmt.Appendf(nil, "\xff\xd8\xff\xe1\x00%c%s%s", len(description)+2, description, photo.Bytes()[2:])
	dir := t.TempDir()
	files := make([]delivered, 2000)
	for i := range files {
		path := filepath.Join(dir, fmt.Sprintf("DJI_%04d.JPG", i))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		files[i] = delivered{api.DeliverableJPG, path}
	}
	r := measured(t, block(t), 3*time.Second, 1<<30, files...)
	if len(r.Files) != 2000 || !strings.Contains(r.Findings[0].Text, "none of 2,000 photos has a position") {
		t.Errorf("findings: %+v", r.Findings)
	}
	if text := fmt.Sprint(r.Files[1999].Facts); !strings.Contains(text, "19 Jun 2026 10:11") {
		t.Errorf("the facts of a photo are %s", text)
	}
}
