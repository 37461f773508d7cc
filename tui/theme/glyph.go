package theme

import (
	"runtime"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/width"
)

// GlyphSet is a set of characters.
type GlyphSet int

// The sets, each with fewer characters than the one before.
const (
	Unicode GlyphSet = iota
	Console          // the app's lines and blocks; other shapes in ASCII
	ASCII            // the app's shapes in ASCII; names unchanged
	Narrow           // ASCII, and no character that can be two cells wide although it is counted as one
	Bytes            // ASCII for names as well
)

// shapes are the app's own characters, each before what stands for it.
const shapes = "◇~◆*◌.◔o◎@◕%●#△^✗x⊖-□=⊗X▷>■#▸>▴^▾v▲!▪*▫-○o◦o✎*✓+•*" +
	"─-━-┄-╸-│|┃|┊|┌+┐+└+┘+├+┤+╋+" +
	"█=▉=▊=▋=▌=▍-▎-▏-░.▒:▓#▀\"▄_▐|▘'▝'▖.▗.▚\\▞/▛#▜#▙#▟#" +
	"….⋯.⋮:–-−-·-‹<›>←<→>↑^↓v↔=‘'’'“\"”\"×x\uFFFD?"

// onConsole are the shapes that the fonts of consoles have, each before what is
// drawn.
const onConsole = "──━━┄─╸─││┃│┊│┌┌┐┐└└┘┘├├┤┤╋┼██▉█▊█▋▌▌▌▍▌▎ ▏ ░░▒▒▓▓▀▀▄▄▐▐··"

var (
	shapeTable   = sync.OnceValue(func() map[rune]rune { return runePairs(shapes) })
	consoleTable = sync.OnceValue(func() map[rune]rune { return runePairs(onConsole) })
)

func runePairs(list string) map[rune]rune {
	runes := []rune(list)
	table := make(map[rune]rune, len(runes)/2)
	for i := 0; i+1 < len(runes); i += 2 {
		table[runes[i]] = runes[i+1]
	}
	return table
}

// ASCIIShape returns the ASCII character for a shape of the app's, or a pattern of dots.
func ASCIIShape(r rune) (plain rune, ok bool) {
	if r >= 0x2800 && r <= 0x28FF {
		return ASCIIDots(dotPattern(r)), true
	}
	plain, ok = shapeTable()[r]
	return plain, ok
}

// DrawText returns text in the characters of the set. Escape sequences stay.
func (s GlyphSet) DrawText(text string) string {
	if s == Unicode {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if r < 0x80 {
			b.WriteByte(byte(r))
		} else {
			s.drawRune(&b, r)
		}
	}
	return b.String()
}

func (s GlyphSet) drawRune(b *strings.Builder, r rune) {
	if s == Console {
		if own, ok := consoleTable()[r]; ok {
			b.WriteRune(own)
			return
		}
	}
	if plain, ok := ASCIIShape(r); ok {
		b.WriteRune(plain)
		return
	}
	cells := ansi.StringWidthWc(string(r))
	ambiguous := cells == 1 && width.LookupRune(r).Kind() == width.EastAsianAmbiguous
	if s < Narrow || s == Narrow && !ambiguous {
		b.WriteRune(r)
		return
	}
	b.WriteString(strings.Repeat(ASCIILetter(r), cells))
}

// ASCIILetter returns the ASCII letter that is most like one with marks, or a question
// mark.
func ASCIILetter(r rune) string {
	if plain, ok := letters()[r]; ok {
		return plain
	}
	return "?"
}

// letters maps letters with marks to those without.
var letters = sync.OnceValue(func() map[rune]string {
	const groups = "AÀÁÂÃÄÅĀĂĄ aàáâãäåāăą CÇĆČ cçćč DĎĐ dďđ EÈÉÊËĒĖĘĚ eèéêëēėęě GĞĢ gğģ IÌÍÎÏĪİĮ iìíîïīįı " +
		"KĶ kķ LĹĻĽŁ lĺļľł NÑŃŅŇ nñńņň OÒÓÔÕÖØŌŐƠ oòóôõöøōőơ° RŔŘ rŕř SŚŞŠȘ sśşšșß TŢŤȚ tţťț " +
		"UÙÚÛÜŪŮŰŲƯ uùúûüūůűųư YÝŸ yýÿ ZŹŻŽ zźżž '’‘ .…· 1¹ 2² 3³ ~±"
	m := map[rune]string{}
	for _, group := range strings.Fields(groups) {
		for _, r := range group[1:] {
			m[r] = group[:1]
		}
	}
	return m
})

// places are the bits of a braille character for each bit of a pattern: Unicode
// numbers dots by column, with the fourth row after the other three.
var places = [8]int{0, 3, 1, 4, 2, 5, 6, 7}

// BrailleDots returns the character with a pattern of dots: bit 2 row + column stands for
// the dot in one of four rows and two columns.
func BrailleDots(pattern int) rune {
	r := rune(0x2800)
	for bit, to := range places {
		if pattern>>bit&1 == 1 {
			r |= 1 << to
		}
	}
	return r
}

// dotPattern returns what Braille makes a character of.
func dotPattern(r rune) (dots int) {
	for bit, from := range places {
		dots |= int(r>>from&1) << bit
	}
	return dots
}

// ASCIIDots returns the ASCII character that is most like a pattern of dots.
func ASCIIDots(pattern int) rune {
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
		return ' '
	case left == 0 || right == 0:
		return rune(` '-|-|||.|||.|||`[rows])
	case rows == 1:
		return '"'
	case rows == 8:
		return '_'
	case rows&(rows-1) == 0:
		return '-'
	case left > right && left&right == 0:
		return '/'
	case right > left && left&right == 0:
		return '\\'
	default:
		return '+'
	}
}

// The settings besides "auto".
const (
	GlyphsUnicode = "unicode"
	GlyphsASCII   = "ascii"
)

// Terminal is what is known of the characters that a terminal shows.
type Terminal struct {
	Setting string // one of the settings, or auto, as "" is
	Charset string // NAME=value of the environment that names another charset than UTF-8; "" for none
	Console bool   // Linux without a display
	cells   int    // that probed took, 0 where that is not known
}

// TerminalOf returns what the environment says.
func TerminalOf(setting string, getenv func(string) string) Terminal {
	return Terminal{
		Setting: setting,
		Charset: terminalCharset(getenv),
		Console: getenv("TERM") == "linux",
	}
}

func terminalCharset(getenv func(string) string) string {
	if runtime.GOOS == "windows" {
		return ""
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // the first one that is set counts
		value := getenv(name)
		if value == "" {
			continue
		}
		if upper := strings.ToUpper(
			value,
		); strings.Contains(upper, "UTF-8") ||
			strings.Contains(upper, "UTF8") {
			return ""
		}
		return name + "=" + value
	}
	return ""
}

const (
	// probed are two characters of two bytes each; the first one is two cells
	// wide where those of ambiguous width are.
	probed     = "°ñ"
	probeStart = 20 // column; with a small one the answer is like that to a key
)

// WidthProbe has a terminal show two characters for a moment and tell the column
// after them, which is for [Terminal.Hear]. It is sent before anything is
// drawn, from the beginning of a line.
const WidthProbe = "\x1b7\x1b[20G" + probed + "\x1b[6n\x1b[20G\x1b[K\x1b8"

// TakeColumn takes the column, counted from 0, that a terminal tells after a probe.
func (t *Terminal) TakeColumn(column int) {
	if cells := column + 1 - probeStart; cells >= 2 && cells <= 4 {
		t.cells = cells
	}
}

// IsWide reports whether characters of ambiguous width are two cells wide.
func (t Terminal) IsWide() bool { return t.cells == 3 }

// IsBytes reports whether the terminal shows each byte as a character, or may
// do so.
func (t Terminal) IsBytes() bool { return t.cells == 4 || t.cells == 0 && t.Charset != "" }

// GlyphSet returns the set of characters to draw with.
func (t Terminal) GlyphSet() GlyphSet {
	switch {
	case t.Setting == GlyphsUnicode:
		return Unicode
	case t.IsBytes():
		return Bytes
	case t.IsWide():
		return Narrow
	case t.Setting == GlyphsASCII || t.Charset != "":
		return ASCII
	case t.Console:
		return Console
	default:
		return Unicode
	}
}
