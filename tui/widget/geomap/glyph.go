package geomap

import (
	"strings"
	"sync"

	"flightdesk/tui/glyph"
	"flightdesk/tui/layout"
)

// glyphTable has a character for each pattern of dots, where bit 2 row + column stands
// for a dot.
type glyphTable [256]string

var (
	brailleTable = sync.OnceValue(makeBraille)
	blocksTable  = sync.OnceValue(makeBlocks)
)

func makeBraille() *glyphTable {
	g := &glyphTable{" "}
	for pattern := 1; pattern < len(g); pattern++ {
		g[pattern] = string(glyph.BrailleDots(pattern))
	}
	return g
}

// makeBlocks joins two rows of dots to one of quadrants.
func makeBlocks() *glyphTable {
	quadrants := []rune(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")
	g := &glyphTable{}
	for pattern := range g {
		upper, lower := pattern&0x0f, pattern>>4
		at := (upper|upper>>2)&3 | (lower|lower>>2)&3<<2
		g[pattern] = string(quadrants[at])
	}
	return g
}

// defaultMark is drawn for a feature that has none.
const defaultMark = '●'

// drawASCII returns text of a map in ASCII.
func drawASCII(text string) string { return glyph.Bytes.DrawText(strings.ReplaceAll(text, "·", ".")) }

// markText returns the character a mark is drawn as: one cell wide, whatever
// the caller sent.
func markText(mark rune) string {
	text := string(mark)
	if mark == 0 || len(cleanClusters(text, 1)) != 1 || layout.Width(text) != 1 {
		return string(defaultMark)
	}
	return text
}
