package kmlcsv

import (
	"errors"
	"math"
	"strconv"
)

// pow10 holds the powers of ten that a float64 represents exactly.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// number reads a decimal number at the start of b and returns the bytes that
// it takes, 0 where none starts there. The value is the float64 that
// [strconv.ParseFloat] returns for those bytes, of what overflows an infinity.
// Neither words (inf, nan) nor hexadecimal nor underscores are numbers here.
func number(b []byte) (float64, int) { //nolint:cyclop // one pass; a call for each part would cost a third of the speed
	i, negative := 0, false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	start := i
	var mantissa uint64
	for i < len(b) {
		d := b[i] - '0'
		if d > 9 {
			break
		}
		mantissa = mantissa*10 + uint64(d)
		i++
	}
	digits, fraction := i-start, 0
	if i < len(b) && b[i] == '.' {
		i++
		point := i
		for i < len(b) {
			d := b[i] - '0'
			if d > 9 {
				break
			}
			mantissa = mantissa*10 + uint64(d)
			i++
		}
		fraction = i - point
		digits += fraction
	}
	if digits == 0 {
		return 0, 0
	}
	// Up to 19 digits the mantissa did not wrap. Where it and the power of ten
	// are exact, one division rounds once, and so correctly.
	if digits > 19 || mantissa > 1<<53 || fraction > 22 || i < len(b) && b[i]|0x20 == 'e' {
		return slowNumber(b, i)
	}
	v := float64(mantissa)
	if fraction > 0 {
		v /= pow10[fraction]
	}
	if negative {
		v = -v
	}
	return v, i
}

// slowNumber goes on where number found digits up to i but cannot be exact.
func slowNumber(b []byte, i int) (float64, int) {
	if i < len(b) && b[i]|0x20 == 'e' {
		j := i + 1
		if j < len(b) && (b[j] == '-' || b[j] == '+') {
			j++
		}
		start := j
		for j < len(b) && b[j]-'0' <= 9 {
			j++
		}
		if j > start {
			i = j
		}
	}
	v, err := strconv.ParseFloat(string(b[:i]), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return math.NaN(), 0
	}
	return v, i
}
