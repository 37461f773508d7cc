package theme

import (
	"runtime"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/width"
)

// GlyphSet is the set of characters that a terminal can display.
type GlyphSet int

// The sets, each with fewer characters than the one before.
const (
	Unicode GlyphSet = iota
	Console          // lines and blocks; other shapes in ASCII
	ASCII            // all shapes in ASCII; other text unchanged
	Narrow           // like ASCII, without characters of ambiguous width, which take two cells in this terminal
	Bytes            // all text in ASCII
)

// shapes has pairs of a character of the app and its ASCII replacement.
const shapes = "◇~◆*◌.◔o◎@◕%●#△^✗x⊖-□=⊗X▷>■&▸>▹+▿-▴^▾v▲!▪*▫-○o◦o✎*✓+•*" +
	"─-━-┄-╸-│|┃|┊|┌+┐+└+┘+├+┤+╋+┼+" +
	"█=▉=▊=▋=▌=▍-▎-▏-░.▒:▓#▀\"▄_▐|▘'▝'▖.▗.▚\\▞/▛#▜#▙#▟#" +
	"….⋯.⋮:–-−-·-‹<›>←<→>↑^↓v↔=‘'’'“\"”\"×x\uFFFD?"

// onConsole has pairs of a character of the app and its replacement in console fonts.
const onConsole = "──━━┄─╸─││┃│┊│┌┌┐┐└└┘┘├├┤┤╋┼┼┼██▉█▊█▋▌▌▌▍▌▎ ▏ ░░▒▒▓▓▀▀▄▄▐▐··"

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

// ASCIIShape returns the ASCII replacement of a character of the app or a braille
// character.
func ASCIIShape(r rune) (plain rune, ok bool) {
	if r >= 0x2800 && r <= 0x28FF {
		return ASCIIDots(dotPattern(r)), true
	}
	plain, ok = shapeTable()[r]
	return plain, ok
}

// DrawText converts text to the characters of the set. Escape sequences stay unchanged.
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

// drawRune writes a character that is not ASCII. A character that the app uses as a shape, such as an arrow,
// is replaced. Any other character stays if the set has it. Otherwise drawRune writes the most similar ASCII
// letter, twice for a wide character.
func (s GlyphSet) drawRune(b *strings.Builder, r rune) {
	if s == Console {
		if replacement, ok := consoleTable()[r]; ok {
			b.WriteRune(replacement)
			return
		}
	}
	if replacement, ok := ASCIIShape(r); ok {
		b.WriteRune(replacement)
		return
	}
	cells := ansi.StringWidthWc(string(r))
	if s.hasText(r, cells) {
		b.WriteRune(r)
		return
	}
	b.WriteString(strings.Repeat(ASCIILetter(r), cells))
}

// hasText reports whether the set has a character that is not a shape of the app, for example a letter in a
// name. cells is the width of the character.
func (s GlyphSet) hasText(r rune, cells int) bool {
	switch s {
	case Narrow:
		isAmbiguous := cells == 1 && width.LookupRune(r).Kind() == width.EastAsianAmbiguous
		return !isAmbiguous
	case Bytes:
		return false
	default:
		return true
	}
}

// ASCIILetter returns the ASCII letter most similar to an accented letter, or a question
// mark.
func ASCIILetter(r rune) string {
	if plain, ok := letters()[r]; ok {
		return plain
	}
	return "?"
}

// letters maps accented letters to ASCII.
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

// places has the position of each dot in a braille character: bit i of a pattern becomes bit places[i]. A
// pattern numbers the dots by row. Unicode numbers them by column, with the fourth row last.
var places = [8]int{0, 3, 1, 4, 2, 5, 6, 7}

// BrailleDots returns the braille character for a pattern of dots: bit 2*row + column for
// four rows and two columns.
func BrailleDots(pattern int) rune {
	r := rune(0x2800)
	for bit, to := range places {
		if pattern>>bit&1 == 1 {
			r |= 1 << to
		}
	}
	return r
}

// dotPattern returns the pattern of dots of a braille character, as described at BrailleDots.
func dotPattern(r rune) (dots int) {
	for bit, from := range places {
		dots |= int(r>>from&1) << bit
	}
	return dots
}

// columnShapes has the ASCII character for each pattern of dots in a single column of four dots. Bit 0 of a
// pattern is the top dot. For example, a dot in the top row (0b0001) is ', and a dot in the bottom row
// (0b1000) is a full stop.
const columnShapes = ` '-|-|||.|||.|||`

// ASCIIDots returns the ASCII character most similar to a pattern of dots (see BrailleDots): a line such as - or /
// if the dots are on a line, otherwise +.
func ASCIIDots(pattern int) rune {
	left := columnDots(pattern, 0)
	right := columnDots(pattern, 1)
	if left == 0 || right == 0 {
		return rune(columnShapes[left|right])
	}
	if left == right {
		return fullRowsShape(left)
	}
	hasFullRow := left&right != 0 // a row with both dots, in addition to other dots
	if hasFullRow {
		return '+'
	}
	isLeftLower := left > right // the lowest dot has the highest bit
	if isLeftLower {
		return '/'
	}
	return '\\'
}

// fullRowsShape returns the ASCII character for rows with both dots. Bit 0 of rows is the top row. For example,
// the bottom row (0b1000) is an underscore, and two rows are +.
func fullRowsShape(rows int) rune {
	switch rows {
	case 0b0001:
		return '"'
	case 0b0010, 0b0100:
		return '-'
	case 0b1000:
		return '_'
	default:
		return '+'
	}
}

// columnDots returns the dots of a column of a pattern. Bit 0 of the result is the top dot.
func columnDots(pattern, column int) int {
	dots := 0
	for row := range 4 {
		dot := pattern >> (2*row + column) & 1
		dots |= dot << row
	}
	return dots
}

// The values of Terminal.Setting, besides "auto", which is the default.
const (
	GlyphsUnicode = "unicode"
	GlyphsASCII   = "ascii"
)

// Terminal has what is known about the characters that a terminal can display. GlyphSet chooses a set of characters
// from it.
type Terminal struct {
	Setting string // choice of the user: GlyphsUnicode, GlyphsASCII, or "auto" or "" to decide by the other fields
	Charset string // locale without UTF-8 and its variable, such as "LANG=de_DE.ISO8859-1"; "" for UTF-8
	Console bool   // the terminal is the console of Linux, which has few characters
	cells   int    // number of columns that the terminal uses for the text of WidthProbe; 0 if unknown
}

// TerminalOf describes a terminal by its environment variables. setting is the value of Terminal.Setting. getenv
// returns the value of a variable, like [os.Getenv].
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
		upper := strings.ToUpper(value)
		if strings.Contains(upper, "UTF-8") || strings.Contains(upper, "UTF8") {
			return ""
		}
		return name + "=" + value
	}
	return ""
}

const (
	// probed is the text whose width is measured: two characters of two bytes each. The first one
	// has an ambiguous width.
	probed     = "°ñ"
	probeStart = 20 // column; the reply for a small column would look like a key
)

// WidthProbe makes a terminal display two characters and report the column after them, for
// [Terminal.TakeColumn]. It is sent at the beginning of a line before anything is drawn.
const WidthProbe = "\x1b7\x1b[20G" + probed + "\x1b[6n\x1b[20G\x1b[K\x1b8"

// TakeColumn records the column that a terminal reports after a WidthProbe. The column shows how wide the
// terminal draws the two characters. The first column is 0.
func (t *Terminal) TakeColumn(column int) {
	cells := column + 1 - probeStart
	if cells >= 2 && cells <= 4 {
		t.cells = cells
	}
}

// IsWide reports whether characters of ambiguous width have two cells.
func (t Terminal) IsWide() bool { return t.cells == 3 }

// IsBytes reports whether the terminal displays each byte as a character. It also returns true if the charset
// is not UTF-8 and the terminal has not answered a WidthProbe.
func (t Terminal) IsBytes() bool { return t.cells == 4 || t.cells == 0 && t.Charset != "" }

// GlyphSet returns the set of characters for the terminal.
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
