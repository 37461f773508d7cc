package glyph

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
