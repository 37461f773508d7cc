package main

import (
	"bytes"
	"image"
	"image/color"
	imagedraw "image/draw"
	"image/gif"
	"testing"
	"time"
)

// Each frame of the film has only the part of the screen that changed. Drawn over one another, the
// frames are the recorded screens.
func TestAFilmShowsTheRecordedFrames(t *testing.T) {
	shown := color.NRGBA{200, 30, 30, 255}
	palette := color.Palette{color.NRGBA{}, color.NRGBA{255, 255, 255, 255}, shown, color.NRGBA{1, 2, 3, 90}}
	paintings := make([]*image.Paletted, 3)
	for i := range paintings {
		paintings[i] = image.NewPaletted(image.Rect(0, 0, 8, 6), palette)
		for p := range paintings[i].Pix {
			paintings[i].Pix[p] = 1
		}
		paintings[i].SetColorIndex(0, 0, 3)   // a corner that is nearly transparent
		paintings[i].SetColorIndex(2+i, 3, 2) // the pixel that moves
	}
	film, err := makeFilm([]frame{{img: paintings[0], time: time.Second}, {img: paintings[1], time: 50 * time.Millisecond}, {img: paintings[2]}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := film.Image[1].Rect, image.Rect(2, 3, 4, 4); got != want {
		t.Errorf("the second frame covers %v, want %v", got, want)
	}
	if got, want := film.Delay[1], 5; got != want {
		t.Errorf("the second frame stands for %d hundredths, want %d", got, want)
	}
	var file bytes.Buffer
	if err := gif.EncodeAll(&file, film); err != nil {
		t.Fatal(err)
	}
	read, err := gif.DecodeAll(&file)
	if err != nil {
		t.Fatal(err)
	}
	screen := image.NewNRGBA(image.Rect(0, 0, 8, 6))
	for i, part := range read.Image {
		imagedraw.Draw(screen, part.Rect, part, part.Rect.Min, imagedraw.Over)
		for y := range 6 {
			for x := range 8 {
				if got, want := screen.NRGBAAt(x, y), solid(paintings[i], x, y); got != want {
					t.Fatalf("frame %d has %v at %d, %d, want %v", i, got, x, y, want)
				}
			}
		}
	}
}

func TestWhatStaysTheSameStaysLonger(t *testing.T) {
	still := image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.NRGBA{9, 9, 9, 255}})
	film, err := makeFilm([]frame{{img: still, time: time.Second}, {img: still, time: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	if got := film.Image[1].Rect; got != image.Rect(0, 0, 1, 1) {
		t.Errorf("a frame in which no change covers %v", got)
	}
}
