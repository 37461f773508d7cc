package main

import (
	"image"
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// cellOf returns the mask of a character that is one cell wide, without its overhang.
func cellOf(t *testing.T, text string) *image.Alpha {
	t.Helper()
	l, err := newLetters()
	if err != nil {
		t.Fatal(err)
	}
	return l.mask(letter{text, 1, false}).SubImage(image.Rect(0, 0, cellW, cellH)).(*image.Alpha)
}

func total(m *image.Alpha, area image.Rectangle) (sum int) {
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			sum += int(m.AlphaAt(x, y).A)
		}
	}
	return sum
}

func TestLinesMeetTheirNeighbours(t *testing.T) {
	const left, right, up, down = 1, 2, 4, 8
	sides := []image.Rectangle{
		image.Rect(0, 0, 1, cellH), image.Rect(cellW-1, 0, cellW, cellH),
		image.Rect(0, 0, cellW, 1), image.Rect(0, cellH-1, cellW, cellH),
	}
	for text, arms := range map[string]int{
		"─": left | right, "│": up | down, "┌": right | down, "┐": left | down, "└": right | up, "┘": left | up,
		"├": up | down | right, "┤": up | down | left, "┬": left | right | down, "┴": left | right | up,
		"┼": left | right | up | down,
	} {
		m := cellOf(t, text)
		for i, side := range sides {
			if has, want := total(m, side) > full, arms&(1<<i) != 0; has != want {
				t.Errorf("%s has ink %d at side %d", text, total(m, side), i)
			}
		}
	}
}

func TestBlocksFillTheirShare(t *testing.T) {
	for text, eighths := range map[string]int{"▄": 4, "█": 8, "▉": 7, "▏": 1, "▀": 4, "▐": 4} {
		m := cellOf(t, text)
		if got, want := total(m, m.Rect), cellW*cellH*full*eighths/8; got > want+want/6 || got < want-want/6 {
			t.Errorf("%s covers %d, want %d", text, got, want)
		}
	}
}

func TestBrailleDotsAreEvenlySpread(t *testing.T) {
	m := cellOf(t, "⣿")
	const pitch = cellW / 2
	for y := range cellH {
		for x := range cellW {
			if m.AlphaAt(x, y) != m.AlphaAt(x%pitch, y%pitch) {
				t.Fatalf("the dots differ at %d, %d", x, y)
			}
		}
	}
	first := image.Rect(0, 0, pitch, pitch)
	if top := cellOf(t, "⠁"); total(top, top.Rect) != total(m, first) || total(top, first) != total(m, first) {
		t.Error("⠁ is not the first dot of ⣿")
	}
}

func TestLettersComeFromTheirFonts(t *testing.T) {
	l, err := newLetters()
	if err != nil {
		t.Fatal(err)
	}
	ink := func(text string, cells int, bold bool) int {
		m := l.mask(letter{text, cells, bold})
		if m.Rect.Dx() != cells*cellW+2*overhang || m.Rect.Dy() != cellH {
			t.Errorf("the mask of %q is %v", text, m.Rect)
		}
		return total(m, m.Rect)
	}
	if ink("m", 1, true) <= ink("m", 1, false) {
		t.Error("bold is not bolder")
	}
	if ink("e\u0301", 1, false) <= ink("e", 1, false) {
		t.Error("the combining accent is not drawn")
	}
	ink("苫", 2, false)
	if len(l.missing) > 0 {
		t.Errorf("missing %v", l.missing)
	}
	if ink("\U0010FFFD", 2, false) == 0 || !l.missing['\U0010FFFD'] {
		t.Error("a character that no font has is not drawn as a box")
	}
}

func TestAViewIsPainted(t *testing.T) {
	l, err := newLetters()
	if err != nil {
		t.Fatal(err)
	}
	white, black := color.NRGBA{255, 255, 255, 255}, color.NRGBA{0, 0, 0, 255}
	red, blue := color.NRGBA{200, 0, 0, 255}, color.NRGBA{0, 0, 200, 255}
	view := tea.NewView("\x1b[48;2;200;0;0m \x1b[0m█\x1b[38;2;0;0;200m█\x1b[7m█\x1b[0m\n\x1b[7m \x1b[0m  ")
	view.ForegroundColor, view.BackgroundColor = black, white
	view.Cursor = tea.NewCursor(1, 1)
	img, err := paint(l, view, 4, 2, shadeCounts[0], red)
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y int) color.Color {
		return img.At(marginX+x*cellW+cellW/2, marginTop+y*cellH+cellH/2)
	}
	for _, c := range []struct {
		x, y int
		want color.NRGBA
	}{
		{0, 0, red},
		{1, 0, black},
		{2, 0, blue},
		{3, 0, white}, // its ink has the colour of the page
		{0, 1, black}, // reversed colours
		{1, 1, black}, // the cursor
		{2, 1, white},
		{-1, 0, red}, // the margin has the colour of the cell beside it
	} {
		if got := at(c.x, c.y); got != c.want {
			t.Errorf("cell %d, %d is %v, want %v", c.x, c.y, got, c.want)
		}
	}
	last := img.Rect.Max.Sub(image.Pt(1, 1))
	if img.At(0, 0) != (color.NRGBA{}) || img.At(last.X, last.Y) != (color.NRGBA{}) {
		t.Error("the corners are not cut off")
	}
	if img.At(last.X/2, 0) != red || img.At(0, last.Y/2) != red || img.At(last.X, last.Y/2) != red {
		t.Error("there is no line around")
	}
}

func TestAPictureOfManyColoursHasFewerShades(t *testing.T) {
	l, err := newLetters()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range 40 {
		b.WriteString("\x1b[38;2;200;0;" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "m@")
	}
	view := tea.NewView(b.String())
	view.ForegroundColor, view.BackgroundColor = color.White, color.Black
	img, err := paint(l, view, 40, 1, shadeCounts[0], color.White)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(img.Palette); n < 41 || n > 256 {
		t.Errorf("%d colours", n)
	}
}
