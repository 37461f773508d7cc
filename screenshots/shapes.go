package main

import "strings"

// Lines, blocks and braille are drawn here and not taken from a font: they
// have to meet their neighbours without a gap.

// Arms of a line drawing character.
const (
	left = 1 << iota
	right
	up
	down
)

var lines = map[rune]int{
	'─': left | right, '│': up | down, '┌': right | down, '┐': left | down, '└': right | up, '┘': left | up,
	'├': up | down | right, '┤': up | down | left, '┬': left | right | down, '┴': left | right | up,
	'┼': left | right | up | down, '╴': left, '╵': up, '╶': right, '╷': down,
}

var heavyLines = map[rune]int{'━': left | right, '┃': up | down}

// dashes is how often the line of a character is broken.
var (
	dashes     = map[rune]int{'╌': 2, '┄': 3, '┈': 4}
	dashesDown = map[rune]int{'╎': 2, '┆': 3, '┊': 4}
)

// quadrants are the inked quarters of ▖ to ▟: upper left, upper right, lower
// left, lower right.
var quadrants = strings.Fields("0010 0001 1000 1011 1001 1110 1101 0100 0110 0111")

// Width of a line, in units.
const light, heavy = 2 * unit, 4 * unit

// shape returns the mask of a character that is drawn and not written.
func shape(r rune) (mask, bool) {
	o := newOutline()
	switch {
	case r > 0x2800 && r <= 0x28FF:
		o.braille(int(r - 0x2800))
	case r >= '▀' && r <= '▟':
		if r >= '░' && r <= '▓' {
			return flat(cellW, cellH, full*int(r-'░'+1)/4), true
		}
		o.block(r)
	case lines[r] != 0:
		o.line(lines[r], light)
	case heavyLines[r] != 0:
		o.line(heavyLines[r], heavy)
	case dashes[r] != 0:
		o.dashed(dashes[r], false)
	case dashesDown[r] != 0:
		o.dashed(dashesDown[r], true)
	default:
		return mask{}, false
	}
	return o.mask(cellW, cellH), true
}

// Size of a cell, in units.
const fullW, fullH = cellW * unit, cellH * unit

// line draws arms from the middle of the cell to its edges.
func (o outline) line(arms, thick int) {
	x0, y0 := (fullW-thick)/2, (fullH-thick)/2
	x1, y1 := x0+thick, y0+thick
	if arms&left != 0 {
		o.rect(0, y0, x1, y1)
	}
	if arms&right != 0 {
		o.rect(x0, y0, fullW, y1)
	}
	if arms&up != 0 {
		o.rect(x0, 0, x1, y1)
	}
	if arms&down != 0 {
		o.rect(x0, y0, x1, fullH)
	}
}

// dashed draws a line of n dashes that goes on evenly in the next cell.
func (o outline) dashed(n int, upright bool) {
	for i := range n {
		if upright {
			step, x := fullH/n, (fullW-light)/2
			o.rect(x, i*step+step/4, x+light, i*step+step/4+step/2)
			continue
		}
		step, y := fullW/n, (fullH-light)/2
		o.rect(i*step+step/4, y, i*step+step/4+step/2, y+light)
	}
}

// block draws the block elements but the shades.
func (o outline) block(r rune) {
	switch {
	case r == '▀':
		o.rect(0, 0, fullW, fullH/2)
	case r <= '█':
		o.rect(0, fullH-fullH*int(r-'▀')/8, fullW, fullH)
	case r <= '▏':
		o.rect(0, 0, fullW*int('▐'-r)/8, fullH)
	case r == '▐':
		o.rect(fullW/2, 0, fullW, fullH)
	case r == '▔':
		o.rect(0, 0, fullW, fullH/8)
	case r == '▕':
		o.rect(fullW-fullW/8, 0, fullW, fullH)
	default:
		for i, on := range quadrants[r-'▖'] {
			if on == '1' {
				x, y := i%2*fullW/2, i/2*fullH/2
				o.rect(x, y, x+fullW/2, y+fullH/2)
			}
		}
	}
}

// dotBits are the bits of a braille pattern, from the left to the right and
// from the top to the bottom.
var dotBits = [8]int{0, 3, 1, 4, 2, 5, 6, 7}

const dotRadius = 2*unit - unit/8

func (o outline) braille(dots int) {
	for i, bit := range dotBits {
		if dots&(1<<bit) != 0 {
			o.circle((2*(i%2)+1)*fullW/4, (2*(i/2)+1)*fullH/8, dotRadius)
		}
	}
}
