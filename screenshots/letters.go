package main

import (
	_ "embed"
	"fmt"
	"image"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

//go:embed fonts/JetBrainsMono-Regular.ttf
var regularTTF []byte

//go:embed fonts/JetBrainsMono-Bold.ttf
var boldTTF []byte

//go:embed fonts/NotoSansCJKjp-subset.otf
var japaneseOTF []byte

// Sizes in pixels. JetBrains Mono is 0.6 em wide; its lines and blocks are higher than
// a cell, so that they meet their neighbours.
const (
	cellW, cellH = 12, 24
	emSize       = 20
	baseline     = 19 // below the top of the cell
	overhang     = 4  // pixels that a letter may reach out of its cells at either side
	full         = 255
)

// letters draws characters and caches their masks.
type letters struct {
	regular, bold, japanese font.Face
	drawn                   map[letter]*image.Alpha
	missing                 map[rune]bool // characters that no font has; drawn as a box
}

type letter struct {
	text  string // one grapheme cluster
	cells int
	bold  bool
}

func newLetters() (*letters, error) {
	l := &letters{drawn: map[letter]*image.Alpha{}, missing: map[rune]bool{}}
	for face, data := range map[*font.Face][]byte{&l.regular: regularTTF, &l.bold: boldTTF, &l.japanese: japaneseOTF} {
		parsed, err := parseFont(data)
		if err != nil {
			return nil, fmt.Errorf("reading a font of the pictures: %w", err)
		}
		*face = parsed
	}
	return l, nil
}

// parseFont parses a font file and returns its characters in the size of the pictures.
func parseFont(data []byte) (font.Face, error) {
	parsed, err := opentype.Parse(data)
	if err != nil {
		return nil, err
	}
	return opentype.NewFace(parsed, &opentype.FaceOptions{Size: emSize, DPI: 72})
}

// mask returns the mask of a letter. On each side, the mask is overhang pixels wider than the cells of the
// letter.
func (l *letters) mask(c letter) *image.Alpha {
	if m := l.drawn[c]; m != nil {
		return m
	}
	m := image.NewAlpha(image.Rect(-overhang, 0, c.cells*cellW+overhang, cellH))
	for _, r := range c.text {
		if r >= blankBraille && r <= blankBraille+0xFF {
			drawBraille(m, r-blankBraille)
		} else {
			l.write(m, r, c)
		}
	}
	l.drawn[c] = m
	return m
}

// write draws a character in the middle of its cells, or a box if no font has the character.
func (l *letters) write(m *image.Alpha, r rune, c letter) {
	face := l.regular
	if c.bold {
		face = l.bold
	}
	advance, ok := face.GlyphAdvance(r)
	if !ok {
		face = l.japanese
		advance, ok = face.GlyphAdvance(r)
	}
	if !ok {
		l.missing[r] = true
		l.write(m, '□', c)
		return
	}
	dot := fixed.Point26_6{X: (fixed.I(c.cells*cellW) - advance) / 2, Y: fixed.I(baseline)}
	area, glyph, at, _, _ := face.Glyph(dot, r)
	draw.DrawMask(m, area, image.Opaque, image.Point{}, glyph, at, draw.Over)
}

// blankBraille is the braille pattern without dots; the fonts have none.
const blankBraille = '\u2800'

// dotBits are the bits of the dots in a braille pattern, row by row and from left to right.
var dotBits = [8]int{0, 3, 1, 4, 2, 5, 6, 7}

// dot is the mask of a dot of a braille pattern, 4 pixels wide and high.
var dot = image.Alpha{Rect: image.Rect(0, 0, 4, 4), Stride: 4, Pix: []uint8{
	150, 250, 250, 150,
	250, 255, 255, 250,
	250, 255, 255, 250,
	150, 250, 250, 150,
}}

// drawBraille draws the dots of a braille pattern, evenly spread.
func drawBraille(m *image.Alpha, dots rune) {
	for i, bit := range dotBits {
		if dots&(1<<bit) != 0 {
			at := image.Pt(i%2*cellW/2+1, i/2*cellH/4+1)
			draw.Draw(m, dot.Rect.Add(at), &dot, image.Point{}, draw.Over)
		}
	}
}
