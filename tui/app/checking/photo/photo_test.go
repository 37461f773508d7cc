package photo_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/jpeg"
	"math"
	"testing"
	"time"

	"flightdesk/tui/app/checking/photo"
)

// exif returns the Exif of a photo: the time, and a position if it has one.
func exif(hasPosition bool) []byte {
	order := binary.LittleEndian
	var values []byte
	const head = 8
	entry := func(number, kind uint16, count uint32, value []byte) []byte {
		b := order.AppendUint16(nil, number)
		b = order.AppendUint16(b, kind)
		b = order.AppendUint32(b, count)
		return append(b, append(value, 0, 0, 0, 0)[:4]...)
	}
	at := func(start int, value []byte) []byte {
		values = append(values, value...)
		return order.AppendUint32(nil, uint32(start+len(values)-len(value)))
	}
	entries := 2
	if hasPosition {
		entries = 3
	}
	start := head + 2 + 12*entries + 4
	tiff := append([]byte("II*\x00\x08\x00\x00\x00"), byte(entries), 0)
	tiff = append(tiff, entry(0x0110, 2, 6, at(start, []byte("Mavic\x00")))...)
	tiff = append(tiff, entry(0x0132, 2, 20, at(start, []byte("2026:05:04 10:11:12\x00")))...)
	if hasPosition {
		angle := func(degrees uint32) []byte {
			var b []byte
			for _, v := range []uint32{degrees, 1, 30, 1, 0, 1} {
				b = order.AppendUint32(b, v)
			}
			return b
		}
		lat, lng := at(start, angle(50)), at(start, angle(6))
		gps := append([]byte{4, 0}, entry(1, 2, 2, []byte("N\x00"))...)
		gps = append(gps, entry(2, 5, 3, lat)...)
		gps = append(gps, entry(3, 2, 2, []byte("W\x00"))...)
		gps = append(gps, entry(4, 5, 3, lng)...)
		tiff = append(tiff, entry(0x8825, 4, 1, at(start, append(gps, 0, 0, 0, 0)))...)
	}
	return append(append(tiff, 0, 0, 0, 0), values...)
}

// taken returns a JPEG with Exif.
func taken(t testing.TB, hasPosition bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	segment := append([]byte("Exif\x00\x00"), exif(hasPosition)...)
	head := []byte{0xff, 0xd8, 0xff, 0xe1, byte((len(segment) + 2) >> 8), byte(len(segment) + 2)}
	return append(append(head, segment...), b.Bytes()[2:]...)
}

func read(file []byte) (photo.Photo, error) {
	return photo.Read(bytes.NewReader(file), int64(len(file)))
}

func TestAPhotoSaysWhereAndWhenItWasTaken(t *testing.T) {
	p, err := read(taken(t, true))
	if err != nil {
		t.Fatal(err)
	}
	if !p.HasPosition || math.Abs(p.Lat-50.5) > 1e-9 || math.Abs(p.Lng+6.5) > 1e-9 || p.Camera != "Mavic" ||
		p.Taken.Format(time.DateTime) != "2026-05-04 10:11:12" {
		t.Errorf("it says %+v", p)
	}
	p, err = read(taken(t, false))
	if err != nil || p.HasPosition || p.Taken.IsZero() {
		t.Errorf("without a position it says %+v, %v", p, err)
	}
}

func TestATruncatedPhotoIsRefused(t *testing.T) {
	file := taken(t, true)
	if _, err := read(file[:len(file)-10]); !errors.Is(err, photo.ErrTruncated) {
		t.Errorf("it is read: %v", err)
	}
}

// Whatever a file declares, it is read or refused.
func FuzzRead(f *testing.F) {
	f.Add(taken(f, true))
	f.Add(exif(true))
	f.Fuzz(func(_ *testing.T, file []byte) { _, _ = read(file) })
}
