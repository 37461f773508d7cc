package main

import (
	"image"
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestAnOutlineCoversItsArea(t *testing.T) {
	o := newOutline()
	o.rect(unit/2, 0, 2*unit, unit)
	o.rect(3*unit, unit/4, 4*unit, unit)
	o.rect(6*unit, 0, 4*unit, unit)
	o.rect(4*unit, 0, 5*unit, unit) // a hole: against the turn of the one before
	m := o.mask(6, 1)
	for x, want := range []int{full / 2, full, 0, full * 3 / 4, 0, full} {
		if got := m.at(x, 0); got < want-1 || got > want+1 {
			t.Errorf("pixel %d is covered by %d, want %d", x, got, want)
		}
	}
}

func TestACircleHasTheAreaOfACircle(t *testing.T) {
	o := newOutline()
	o.circle(10*unit, 10*unit, 8*unit)
	if area := float64(total(o.mask(20, 20).ink)) / full; area < 196 || area > 202 { // 8²π = 201.1
		t.Errorf("a circle of radius 8 covers %.1f pixels", area)
	}
}

// edges returns the ink along the left, right, upper and lower edge.
func (m mask) edges() (sides [4][]uint8) {
	for y := range m.h {
		sides[0], sides[1] = append(sides[0], m.ink[y*m.w]), append(sides[1], m.ink[y*m.w+m.w-1])
	}
	for x := range m.w {
		sides[2], sides[3] = append(sides[2], m.ink[x]), append(sides[3], m.ink[(m.h-1)*m.w+x])
	}
	return sides
}

func total(ink []uint8) (sum int) {
	for _, n := range ink {
		sum += int(n)
	}
	return sum
}

func TestLinesMeetTheirNeighbours(t *testing.T) {
	for r, arms := range lines {
		m, ok := shape(r)
		if !ok {
			t.Fatalf("%c is not drawn", r)
		}
		for i, side := range m.edges() {
			want := 0
			if arms&(1<<i) != 0 {
				want = light / unit * full
			}
			if total(side) != want {
				t.Errorf("%c has ink %v at side %d, want %d in all", r, side, i, want)
			}
		}
	}
}

func TestBlocksFillTheirShare(t *testing.T) {
	for r, eighths := range map[rune]int{
		'▁': 1, '▄': 4, '█': 8, '▉': 7, '▏': 1, '▀': 4, '▐': 4, '▔': 1, '▕': 1, '░': 2, '▒': 4, '▓': 6,
		'▖': 2, '▙': 6, '▚': 4, '▛': 6, '▜': 6, '▝': 2, '▞': 4, '▟': 6, '▘': 2, '▗': 2,
	} {
		m, _ := shape(r)
		if got, want := total(m.ink), cellW*cellH*full*eighths/8; got > want+cellW*cellH || got < want-cellW*cellH {
			t.Errorf("%c covers %d of %d, want %d eighths", r, got, cellW*cellH*full, eighths)
		}
	}
}

func TestBrailleDotsAreEvenlySpread(t *testing.T) {
	m, _ := shape('⣿')
	const pitch = cellW / 2
	for y := range m.h {
		for x := range m.w {
			if m.at(x, y) != m.at(x%pitch, y%pitch) {
				t.Fatalf("the dots differ at %d, %d", x, y)
			}
		}
	}
	top, _ := shape('⠁')
	for y := range top.h {
		for x := range top.w {
			if inside := x < pitch && y < pitch; top.at(x, y) != 0 && !inside || inside && top.at(x, y) != m.at(x, y) {
				t.Fatalf("⠁ is not the first dot of ⣿ at %d, %d", x, y)
			}
		}
	}
}

func TestLettersComeFromTheirFonts(t *testing.T) {
	l, err := newLetters()
	if err != nil {
		t.Fatal(err)
	}
	ink := func(text string, cells int, bold bool) int {
		m, err := l.mask(letter{text, cells, bold})
		if err != nil {
			t.Fatal(err)
		}
		if m.w != cells*cellW+2*overhang || m.h != cellH {
			t.Errorf("the mask of %q is %d by %d", text, m.w, m.h)
		}
		return total(m.ink)
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
	img, err := paint(l, view, 4, 2, steps[0], red)
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
		{3, 0, white}, // its ink is the page's
		{0, 1, black}, // reversed
		{1, 1, black}, // the cursor
		{2, 1, white},
		{-1, 0, red}, // the margin goes on as the cell beside it
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

func TestManyColoursTakeFewerShades(t *testing.T) {
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
	img, err := paint(l, view, 40, 1, steps[0], color.White)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(img.Palette); n < 41 || n > 256 {
		t.Errorf("%d colours", n)
	}
}
