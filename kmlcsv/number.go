package kmlcsv

import (
	"encoding/binary"
	"errors"
	"strconv"
)

// tens are the powers of ten that parseNumber divides by. All of them are exact.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16}

// parseNumber reads a decimal number at i and returns its end, or i if there is no number. If a sign or a second
// point follows a number directly, as in 1.5.2, either the first part or nothing is read. The value is the same as
// from [strconv.ParseFloat], or an infinity if it overflows. Words such as inf, hexadecimal numbers and underscores
// are not numbers.
//
// It has a fast path for usual coordinates, which have one to three digits before a point, and leaves other
// numbers to slowNumber.
//
//nolint:cyclop // one pass; a call for each part would cost a third of the speed
func parseNumber(b []byte, i int) (v float64, end int) {
	end = i
	if end < len(b) && b[end] == '-' {
		end++
	}
	start := end
	if len(b)-end < 8 {
		return slowNumber(b, i)
	}
	var mantissa uint64
	head := (*[4]byte)(b[end:])
	first, second, third := uint64(head[0]-'0'), uint64(head[1]-'0'), uint64(head[2]-'0')
	switch {
	case head[1] == '.' && first <= 9:
		mantissa, end = first, end+2
	case head[2] == '.' && first <= 9 && second <= 9:
		mantissa, end = 10*first+second, end+3
	case head[3] == '.' && first <= 9 && second <= 9 && third <= 9:
		mantissa, end = 100*first+10*second+third, end+4
	default:
		return slowNumber(b, i)
	}
	decimals := end       // index of the first decimal
	if len(b)-end >= 12 { // convert up to twelve decimals in blocks of eight and four bytes
		// The XOR makes the numbers 0 to 9 of the bytes '0' to '9'. Adding 0x76 sets the highest bit of larger bytes,
		// unless they have it already.
		eight := binary.LittleEndian.Uint64(b[end:]) ^ 0x3030303030303030
		if (eight+0x7676767676767676|eight)&0x8080808080808080 == 0 {
			// Join the digits to four pairs, then multiply each pair by its power of 100. The sum of the products is
			// in the upper 32 bits.
			eight = eight*10 + eight>>8
			evenPairs := eight & 0xff000000ff
			oddPairs := eight >> 16 & 0xff000000ff
			eight = (evenPairs*(100+1e6<<32) + oddPairs*(1+1e4<<32)) >> 32
			mantissa = mantissa*1e8 + eight
			end += 8
		}
		four := binary.LittleEndian.Uint32(b[end:]) ^ 0x30303030
		if (four+0x76767676|four)&0x80808080 == 0 {
			four = four*10 + four>>8 // two pairs of digits, in bytes 0 and 2
			mantissa = mantissa*1e4 + uint64(four&0xff*100+four>>16&0xff)
			end += 4
		}
	}
	for end < len(b) && b[end]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(b[end]-'0')
		end++
	}
	// A number with too many digits is not exact in the fast path. A number with an exponent ends in e or E here.
	if end-decimals > 16 || mantissa > 1<<53 || end < len(b) && b[end]|0x20 == 'e' {
		return slowNumber(b, i)
	}
	v = float64(int64(mantissa)) / tens[end-decimals] // both are exact, so the quotient is rounded correctly
	if start > i {
		v = -v
	}
	return v, end
}

// numberByte marks the bytes that can be in a number.
var numberByte = func() (t [256]bool) {
	for _, c := range "0123456789+-.eE" {
		t[c] = true
	}
	return t
}()

// endOfNumber returns the end of the bytes at i that can be in a number.
func endOfNumber(b []byte, i int) int {
	for i < len(b) && numberByte[b[i]] {
		i++
	}
	return i
}

// slowNumber reads any decimal number with [strconv.ParseFloat].
func slowNumber(b []byte, i int) (float64, int) {
	end := endOfNumber(b, i)
	v, err := strconv.ParseFloat(string(b[i:end]), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, i
	}
	return v, end
}
