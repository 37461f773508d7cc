package main

import (
	_ "embed"
	"fmt"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

//go:embed fonts/JetBrainsMono-Regular.ttf
var regularTTF []byte

//go:embed fonts/JetBrainsMono-Bold.ttf
var boldTTF []byte

//go:embed fonts/NotoSansCJKjp-subset.otf
var japaneseOTF []byte

// Sizes in pixels. JetBrains Mono is 0.6 em wide.
const (
	cellW, cellH = 12, 24
	emSize       = 20
	baseline     = 19 // below the top of the cell
	overhang     = 4  // how far a letter may reach out of its cells
)

// letters draws characters and remembers their masks.
type letters struct {
	regular, bold, japanese *sfnt.Font
	buf                     sfnt.Buffer
	drawn                   map[letter]mask
	missing                 map[rune]bool // drawn as a box
}

type letter struct {
	text  string // one grapheme cluster
	cells int
	bold  bool
}

func newLetters() (*letters, error) {
	l := &letters{drawn: map[letter]mask{}, missing: map[rune]bool{}}
	for _, f := range []struct {
		font **sfnt.Font
		data []byte
	}{{&l.regular, regularTTF}, {&l.bold, boldTTF}, {&l.japanese, japaneseOTF}} {
		var err error
		if *f.font, err = sfnt.Parse(f.data); err != nil {
			return nil, fmt.Errorf("reading a font of the pictures: %w", err)
		}
	}
	return l, nil
}

// mask returns the mask of a letter. It is overhang wider than the letter's
// cells at either side.
func (l *letters) mask(c letter) (mask, error) {
	if m, ok := l.drawn[c]; ok {
		return m, nil
	}
	m, err := l.draw(c)
	if err != nil {
		return mask{}, fmt.Errorf("drawing %q: %w", c.text, err)
	}
	l.drawn[c] = m
	return m, nil
}

func (l *letters) draw(c letter) (mask, error) {
	if r := []rune(c.text); len(r) == 1 {
		if m, ok := shape(r[0]); ok {
			return m, nil
		}
	}
	o := newOutline()
	for _, r := range c.text {
		if err := l.write(o, r, c); err != nil {
			return mask{}, err
		}
	}
	return o.mask(c.cells*cellW+2*overhang, cellH), nil
}

// write adds a character in the middle of its cells, or a box where no font
// has it.
func (l *letters) write(o outline, r rune, c letter) error {
	f, glyph, err := l.find(r, c.bold)
	if err != nil {
		return err
	}
	if glyph == 0 {
		l.missing[r] = true
		o.box(c.cells)
		return nil
	}
	advance, err := f.GlyphAdvance(&l.buf, glyph, fixed.I(emSize), font.HintingNone)
	if err != nil {
		return err
	}
	path, err := f.LoadGlyph(&l.buf, glyph, fixed.I(emSize), nil)
	if err != nil {
		return err
	}
	x := overhang*unit + (c.cells*fullW-int(advance))/2
	for _, s := range path {
		var at [6]float32
		for i, p := range s.Args {
			at[2*i], at[2*i+1] = pixels(int(p.X)+x), pixels(int(p.Y)+baseline*unit)
		}
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			o.raster.ClosePath()
			o.raster.MoveTo(at[0], at[1])
		case sfnt.SegmentOpLineTo:
			o.raster.LineTo(at[0], at[1])
		case sfnt.SegmentOpQuadTo:
			o.raster.QuadTo(at[0], at[1], at[2], at[3])
		case sfnt.SegmentOpCubeTo:
			o.raster.CubeTo(at[0], at[1], at[2], at[3], at[4], at[5])
		}
	}
	o.raster.ClosePath()
	return nil
}

// find returns the first font that has a character; glyph 0 is none.
func (l *letters) find(r rune, bold bool) (*sfnt.Font, sfnt.GlyphIndex, error) {
	fonts := []*sfnt.Font{l.regular, l.japanese}
	if bold {
		fonts[0] = l.bold
	}
	for _, f := range fonts {
		if glyph, err := f.GlyphIndex(&l.buf, r); glyph != 0 || err != nil {
			return f, glyph, err
		}
	}
	return nil, 0, nil
}

// box draws a frame as wide as so many cells.
func (o outline) box(cells int) {
	x0, y0, x1, y1 := (overhang+2)*unit, 4*unit, (overhang+cells*cellW-2)*unit, 20*unit
	o.rect(x0, y0, x1, y0+unit)
	o.rect(x0, y1-unit, x1, y1)
	o.rect(x0, y0, x0+unit, y1)
	o.rect(x1-unit, y0, x1, y1)
}
