package main

import (
	"fmt"
	"image"
	"image/color"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Around the cells, in pixels. There is less above than below, as the account
// band reaches over it.
const (
	marginX      = 16
	marginTop    = 4
	marginBottom = 12
	corner       = 10
)

// steps are the numbers of shades between paper and ink to draw with. Few keep
// the picture small; the first that needs no more than 256 colours is taken.
var steps = [...]int{15, 11, 7, 5, 3}

// paint draws a view of w by h cells, with at most so many shades between paper
// and ink; frame is the colour of the line around.
func paint(l *letters, view tea.View, w, h, shades int, frame color.Color) (*image.Paletted, error) {
	screen := uv.NewScreenBuffer(w, h)
	screen.Method = ansi.GraphemeWidth // as the app measures
	uv.NewStyledString(view.Content).Draw(screen, screen.Bounds())
	for _, n := range steps {
		if n > shades {
			continue
		}
		c := newCanvas(w, h, n)
		c.papers(screen, view)
		if err := c.inks(l, screen, view); err != nil {
			return nil, err
		}
		c.round(rgb(frame))
		if img, ok := c.paletted(); ok {
			return img, nil
		}
	}
	return nil, fmt.Errorf("the screen has more colours than a picture of 256 can hold")
}

// canvas is a picture in the making.
type canvas struct {
	w, h, steps int
	pix         []color.NRGBA
}

func newCanvas(w, h, steps int) *canvas {
	c := &canvas{w: w*cellW + 2*marginX, h: h*cellH + marginTop + marginBottom, steps: steps}
	c.pix = make([]color.NRGBA, c.w*c.h)
	return c
}

// papers fills the cells with their backgrounds; those at the edge reach over
// the margin.
func (c *canvas) papers(screen uv.ScreenBuffer, view tea.View) {
	for y := range screen.Height() {
		top, bottom := marginTop+y*cellH, marginTop+(y+1)*cellH
		if y == 0 {
			top = 0
		}
		if y == screen.Height()-1 {
			bottom = c.h
		}
		row := c.pix[top*c.w:][:c.w]
		for px := range row {
			x := min(max(px-marginX, 0)/cellW, screen.Width()-1)
			if px > 0 && px-marginX != x*cellW {
				row[px] = row[px-1]
				continue
			}
			_, row[px] = colours(screen, view, x, y)
		}
		for py := top + 1; py < bottom; py++ {
			copy(c.pix[py*c.w:], row)
		}
	}
}

// inks writes the cells' characters.
func (c *canvas) inks(l *letters, screen uv.ScreenBuffer, view tea.View) error {
	for y := range screen.Height() {
		for x := range screen.Width() {
			cell := screen.CellAt(x, y)
			if cell.Width == 0 || cell.Content == " " || cell.Content == "" || cell.Content == "\u2800" {
				continue
			}
			m, err := l.mask(letter{cell.Content, cell.Width, cell.Style.Attrs&uv.AttrBold != 0})
			if err != nil {
				return err
			}
			ink, _ := colours(screen, view, x, y)
			c.stamp(m, marginX+x*cellW-(m.w-cell.Width*cellW)/2, marginTop+y*cellH, ink)
		}
	}
	return nil
}

// colours returns the colours of a cell. The cursor turns them round.
func colours(screen uv.ScreenBuffer, view tea.View, x, y int) (ink, paper color.NRGBA) {
	for x > 0 && screen.CellAt(x, y).Width == 0 {
		x-- // the rest of a wide character looks as its beginning does
	}
	style := screen.CellAt(x, y).Style
	ink, paper = rgb(view.ForegroundColor), rgb(view.BackgroundColor)
	if style.Fg != nil {
		ink = rgb(style.Fg)
	}
	if style.Bg != nil {
		paper = rgb(style.Bg)
	}
	cursor := view.Cursor != nil && view.Cursor.X == x && view.Cursor.Y == y
	if style.Attrs&uv.AttrReverse != 0 != cursor {
		ink, paper = paper, ink
	}
	return ink, paper
}

// stamp inks a mask at a place.
func (c *canvas) stamp(m mask, left, top int, ink color.NRGBA) {
	for y := range m.h {
		for x := range m.w {
			px, py := left+x, top+y
			if a := c.shade(m.at(x, y)); a > 0 && px >= 0 && px < c.w && py >= 0 && py < c.h {
				c.pix[py*c.w+px] = mix(c.pix[py*c.w+px], ink, a, c.steps)
			}
		}
	}
}

// shade returns the step between paper and ink for a coverage.
func (c *canvas) shade(coverage int) int { return (coverage*c.steps + full/2) / full }

// round cuts the picture's corners off and draws a line one pixel wide along
// its edge.
func (c *canvas) round(frame color.NRGBA) {
	const n = 2*corner + 1
	outer, inner := newOutline(), newOutline()
	outer.rounded(0, 0, n*unit, n*unit, corner*unit)
	inner.rounded(unit, unit, (n-1)*unit, (n-1)*unit, (corner-1)*unit)
	out, in := outer.mask(n, n), inner.mask(n, n)
	for y := range c.h {
		for x := range c.w {
			if x >= corner && x < c.w-corner && y > 0 && y < c.h-1 {
				continue
			}
			// A small square has the same corners and edges.
			cx, cy := fold(x, c.w), fold(y, c.h)
			p := &c.pix[y*c.w+x]
			*p = mix(*p, frame, c.shade(full-in.at(cx, cy)), c.steps)
			p.A = uint8(255 * c.shade(out.at(cx, cy)) / c.steps)
			if p.A == 0 {
				*p = color.NRGBA{}
			}
		}
	}
}

// fold maps a place on a length of n to one on a length of 2*corner + 1, where
// the one in the middle stands for all that are not in the corners.
func fold(i, n int) int { return min(i, corner) + max(0, i-(n-corner-1)) }

// paletted returns the picture with a palette of its colours, in the order
// that they come in.
func (c *canvas) paletted() (*image.Paletted, bool) {
	var palette color.Palette
	known := map[color.NRGBA]uint8{}
	img := image.NewPaletted(image.Rect(0, 0, c.w, c.h), nil)
	for i, p := range c.pix {
		if i > 0 && p == c.pix[i-1] {
			img.Pix[i] = img.Pix[i-1]
			continue
		}
		n, ok := known[p]
		if !ok {
			if len(palette) == 256 {
				return nil, false
			}
			n = uint8(len(palette))
			known[p] = n
			palette = append(palette, p)
		}
		img.Pix[i] = n
	}
	img.Palette = palette
	return img, true
}

// mix goes n of steps from a to b.
func mix(a, b color.NRGBA, n, steps int) color.NRGBA {
	part := func(a, b uint8) uint8 { return uint8((int(a)*(steps-n) + int(b)*n + steps/2) / steps) }
	return color.NRGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 255}
}

// rgb returns an opaque colour.
func rgb(c color.Color) color.NRGBA {
	r, g, b, _ := c.RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
}
