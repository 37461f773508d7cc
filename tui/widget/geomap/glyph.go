package geomap

import (
	"sync"

	"flightdesk/tui/glyph"
	"flightdesk/tui/layout"
)

// glyphSet are the characters of a set: one for each pattern of dots, where bit
// 2 row + column stands for a dot.
type glyphSet struct {
	dots [256]string
	tint string // fills a selected polygon that has no background
}

var (
	brailleTable = sync.OnceValue(makeBraille)
	blocksTable  = sync.OnceValue(makeBlocks)
	asciiTable   = sync.OnceValue(makeASCII)
)

func glyphTable(g Glyphs) *glyphSet {
	switch g {
	case Blocks:
		return blocksTable()
	case ASCII:
		return asciiTable()
	default:
		return brailleTable()
	}
}

func makeBraille() *glyphSet {
	g := &glyphSet{tint: "·"}
	for pattern := range 256 {
		g.dots[pattern] = string(glyph.BrailleDots(pattern))
	}
	g.dots[0] = " "
	return g
}

// makeBlocks joins two rows of dots to one of quadrants.
func makeBlocks() *glyphSet {
	quadrants := []rune(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")
	g := &glyphSet{tint: "·"}
	for pattern := range 256 {
		upper, lower := pattern&0x0f, pattern>>4
		at := (upper|upper>>2)&3 | (lower|lower>>2)&3<<2
		g.dots[pattern] = string(quadrants[at])
	}
	return g
}

// makeASCII takes the character that is most like the pattern.
func makeASCII() *glyphSet {
	g := &glyphSet{tint: "."}
	for pattern := range 256 {
		g.dots[pattern] = string(glyph.ASCIIDots(pattern))
	}
	return g
}

// defaultMark is drawn for a feature that has none.
const defaultMark = '●'

// markText returns the character a mark is drawn as: one cell wide, whatever
// the caller sent.
func markText(mark rune, g Glyphs) string {
	text := string(mark)
	if mark == 0 || len(cleanClusters(text, 1)) != 1 || layout.Width(text) != 1 {
		text = string(defaultMark)
	}
	if g != ASCII || text[0] < 0x80 {
		return text
	}
	if plain, ok := glyph.ASCIIShape(mark); ok {
		return string(plain)
	}
	return "#"
}
