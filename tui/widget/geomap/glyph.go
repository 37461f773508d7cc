package geomap

import (
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// glyphs are the characters of a set: one for each pattern of dots, where bit
// 2 row + column stands for a dot.
type glyphs struct {
	dots [256]string
	tint string // fills a selected polygon that has no background
}

var (
	brailleTable = sync.OnceValue(makeBraille)
	blocksTable  = sync.OnceValue(makeBlocks)
	asciiTable   = sync.OnceValue(makeASCII)
)

func glyphTable(g Glyphs) *glyphs {
	switch g {
	case Blocks:
		return blocksTable()
	case ASCII:
		return asciiTable()
	default:
		return brailleTable()
	}
}

// makeBraille reorders the bits: Unicode numbers dots by column, with the
// fourth row after the other three.
func makeBraille() *glyphs {
	order := [8]int{0, 3, 1, 4, 2, 5, 6, 7}
	g := &glyphs{tint: "·"}
	for pattern := range 256 {
		r := rune(0x2800)
		for bit, to := range order {
			if pattern>>bit&1 == 1 {
				r |= 1 << to
			}
		}
		g.dots[pattern] = string(r)
	}
	g.dots[0] = " "
	return g
}

// makeBlocks joins two rows of dots to one of quadrants.
func makeBlocks() *glyphs {
	quadrants := []rune(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")
	g := &glyphs{tint: "·"}
	for pattern := range 256 {
		upper, lower := pattern&0x0f, pattern>>4
		at := (upper|upper>>2)&3 | (lower|lower>>2)&3<<2
		g.dots[pattern] = string(quadrants[at])
	}
	return g
}

// makeASCII takes the character that is most like the pattern.
func makeASCII() *glyphs {
	g := &glyphs{tint: "."}
	for pattern := range 256 {
		g.dots[pattern] = likeASCII(pattern)
	}
	return g
}

func likeASCII(pattern int) string {
	var rows, left, right int
	for y := range 4 {
		two := pattern >> (2 * y) & 3
		if two != 0 {
			rows |= 1 << y
		}
		left |= two & 1 << y
		right |= two >> 1 << y
	}
	switch {
	case pattern == 0:
		return " "
	case left == 0 || right == 0:
		return [...]string{" ", "'", "-", "|", "-", "|", "|", "|", ".", "|", "|", "|", ".", "|", "|", "|"}[rows]
	case rows == 1:
		return `"`
	case rows == 8:
		return "_"
	case rows&(rows-1) == 0:
		return "-"
	case left > right && left&right == 0:
		return "/"
	case right > left && left&right == 0:
		return `\`
	default:
		return "+"
	}
}

// defaultMark is drawn for a feature that has none.
const defaultMark = '●'

var asciiMarks = map[rune]string{
	'◇': "~", '◆': "*", '◌': ".", '◔': "o", '◎': "@", '◕': "%", '●': "#",
	'△': "^", '▲': "^", '✗': "x", '⊖': "-", '□': "=", '⊗': "X", '▸': ">", '◦': "o", '…': ".",
}

// markText returns the character a mark is drawn as: one cell wide, whatever
// the caller sent.
func markText(mark rune, g Glyphs) string {
	text := string(mark)
	if mark == 0 || len(clusters(text, 1)) != 1 || ansi.StringWidth(text) != 1 {
		text = string(defaultMark)
	}
	if g != ASCII || text[0] < 0x80 {
		return text
	}
	if plain, ok := asciiMarks[[]rune(text)[0]]; ok {
		return plain
	}
	return "#"
}
