package main

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math"

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
	size := image.Rect(0, 0, w*cellW+2*marginX, h*cellH+marginTop+marginBottom)
	for _, n := range steps {
		if n > shades {
			continue
		}
		c := &canvas{image.NewRGBA(size), n}
		c.drawPapers(screen, view)
		c.drawInks(l, screen, view)
		c.roundCorners(frame)
		if img, ok := c.paletted(); ok {
			return img, nil
		}
	}
	return nil, errors.New("the screen has more colours than a picture of 256 can hold")
}

// canvas is a picture in the making.
type canvas struct {
	*image.RGBA
	steps int
}

// drawPapers fills the cells with their backgrounds; those at the edge reach over
// the margin.
func (c *canvas) drawPapers(screen uv.ScreenBuffer, view tea.View) {
	for y := range screen.Height() {
		for x := range screen.Width() {
			area := image.Rect(0, 0, cellW, cellH).Add(image.Pt(marginX+x*cellW, marginTop+y*cellH))
			if x == 0 {
				area.Min.X = 0
			}
			if y == 0 {
				area.Min.Y = 0
			}
			if x == screen.Width()-1 {
				area.Max.X = c.Rect.Max.X
			}
			if y == screen.Height()-1 {
				area.Max.Y = c.Rect.Max.Y
			}
			_, paper := colours(screen, view, x, y)
			draw.Draw(c, area, image.NewUniform(paper), image.Point{}, draw.Src)
		}
	}
}

// drawInks writes the cells' characters.
func (c *canvas) drawInks(l *letters, screen uv.ScreenBuffer, view tea.View) {
	for y := range screen.Height() {
		for x := range screen.Width() {
			cell := screen.CellAt(x, y)
			if cell.Width == 0 || cell.Content == " " || cell.Content == "" {
				continue
			}
			m := l.mask(letter{cell.Content, cell.Width, cell.Style.Attrs&uv.AttrBold != 0})
			shaded := image.NewAlpha(m.Rect)
			for i, ink := range m.Pix {
				shaded.Pix[i] = uint8(full * c.shade(float64(ink)/full))
			}
			ink, _ := colours(screen, view, x, y)
			at := image.Pt(marginX+x*cellW, marginTop+y*cellH)
			draw.DrawMask(
				c,
				m.Rect.Add(at),
				image.NewUniform(ink),
				image.Point{},
				shaded,
				m.Rect.Min,
				draw.Over,
			)
		}
	}
}

// colours returns the colours of a cell. The cursor turns them round.
func colours(screen uv.ScreenBuffer, view tea.View, x, y int) (ink, paper color.Color) {
	for x > 0 && screen.CellAt(x, y).Width == 0 {
		x-- // the rest of a wide character looks as its beginning does
	}
	style := screen.CellAt(x, y).Style
	ink, paper = view.ForegroundColor, view.BackgroundColor
	if style.Fg != nil {
		ink = style.Fg
	}
	if style.Bg != nil {
		paper = style.Bg
	}
	cursor := view.Cursor != nil && view.Cursor.X == x && view.Cursor.Y == y
	if style.Attrs&uv.AttrReverse != 0 != cursor {
		ink, paper = paper, ink
	}
	return ink, paper
}

// shade returns the nearest step between paper and ink, from 0 to 1.
func (c *canvas) shade(share float64) float64 {
	n := float64(c.steps)
	return math.Round(min(1, max(0, share))*n) / n
}

// roundCorners cuts the picture's corners off and draws a line one pixel wide along its
// edge.
func (c *canvas) roundCorners(frame color.Color) {
	inner := c.Rect.Inset(corner)
	for y := range c.Rect.Max.Y {
		for x := range c.Rect.Max.X {
			dx := max(inner.Min.X-x, x-inner.Max.X+1, 0)
			dy := max(inner.Min.Y-y, y-inner.Max.Y+1, 0)
			beyond := math.Sqrt(float64(dx*dx+dy*dy)) - corner
			if beyond <= -1 {
				continue
			}
			line := color.Alpha{uint8(full * c.shade(1+beyond))}
			pixel := image.Rect(x, y, x+1, y+1)
			draw.DrawMask(
				c,
				pixel,
				image.NewUniform(frame),
				image.Point{},
				image.NewUniform(line),
				image.Point{},
				draw.Over,
			)
			rest := color.Alpha{uint8(full * c.shade(1-beyond))}
			draw.DrawMask(
				c,
				pixel,
				c.SubImage(pixel),
				pixel.Min,
				image.NewUniform(rest),
				image.Point{},
				draw.Src,
			)
		}
	}
}

// paletted returns the picture with a palette of its colours, in the order
// that they come in.
func (c *canvas) paletted() (*image.Paletted, bool) {
	known := map[color.RGBA]uint8{}
	img := image.NewPaletted(c.Rect, nil)
	for i := range img.Pix {
		p := color.RGBA{c.Pix[4*i], c.Pix[4*i+1], c.Pix[4*i+2], c.Pix[4*i+3]}
		n, ok := known[p]
		if !ok {
			if len(known) == 256 {
				return nil, false
			}
			n = uint8(len(known))
			known[p] = n
			img.Palette = append(img.Palette, color.NRGBAModel.Convert(p))
		}
		img.Pix[i] = n
	}
	return img, true
}
