package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/widget/picture"
)

// halves returns an image with a white upper and a black lower half.
func halves(t *testing.T, w, h int) *picture.Picture {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.White)
			if y >= h/2 {
				img.Set(x, y, color.Black)
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	p, err := picture.ReadUpTo(bytes.NewReader(b.Bytes()), picture.Blocks, picture.MaxPixels)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPictureKeepsItsAspectRatioAndIsCentred(t *testing.T) {
	p := halves(t, 8, 8)
	if p.Width != 8 || p.Height != 8 || p.Format != "png" {
		t.Errorf("%+v", p)
	}
	want := "  ████████  \n  ████████  \n            \n            "
	if got := p.View(12, 4, true); got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if colour := p.View(12, 4, false); !strings.Contains(colour, "38;2;255;255;255") || strings.Count(ansi.Strip(colour), "▀") != 32 {
		t.Errorf("in colour it is %q", colour)
	}
}

func TestPictureFillsAnyRectangle(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 900}, {900, 1}, {500, 300}, {3, 7}} {
		p := halves(t, size[0], size[1])
		for w := range 30 {
			for h := range 12 {
				lines := strings.Split(p.View(w, h, false), "\n")
				if h > 0 && len(lines) != h {
					t.Fatalf("%v at %dx%d has %d lines", size, w, h, len(lines))
				}
				for _, l := range lines {
					if h > 0 && ansi.StringWidth(l) != w {
						t.Fatalf("%v at %dx%d: a line of %d cells", size, w, h, ansi.StringWidth(l))
					}
				}
			}
		}
	}
}

func TestInvalidPicturesAreRejected(t *testing.T) {
	if _, err := picture.ReadUpTo(strings.NewReader("hello"), picture.Blocks, picture.MaxPixels); err == nil {
		t.Error("text is a picture")
	}
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	huge := bytes.Clone(b.Bytes())
	binary.BigEndian.PutUint32(huge[16:], 60_000) // the width and the height in the header
	binary.BigEndian.PutUint32(huge[20:], 60_000)
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	if _, err := picture.ReadUpTo(
		bytes.NewReader(huge), picture.Blocks, picture.MaxPixels,
	); !errors.Is(err, picture.ErrTooLarge) {
		t.Errorf("60,000 × 60,000 pixels are read: %v", err)
	}
	if _, err := picture.ReadUpTo(bytes.NewReader(b.Bytes()[:50]), picture.Blocks, picture.MaxPixels); err == nil {
		t.Error("half a picture is one")
	}
}
