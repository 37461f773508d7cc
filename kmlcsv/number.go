package kmlcsv

import (
	"encoding/binary"
	"errors"
	"strconv"
)

// tens are the powers of ten by which parseNumber divides. A float64 can store each of them exactly.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16}

// parseNumber reads the decimal number that begins at i, such as -11.78125. end is the index after the number, or i if
// there is no number. The value is the same that [strconv.ParseFloat] returns. It is an infinity if the number is too
// large. Words such as inf, hexadecimal numbers and numbers with underscores are not read. Numbers such as 1.5.2 or
// 1.5-2 are faulty: for these, parseNumber returns either the part before the second point or sign, or no number.
//
// parseNumber itself reads only the usual coordinates, which have one to three digits before a point, because this
// must be fast. For all other numbers, and for numbers in the last bytes of the text, it calls slowNumber.
func parseNumber(b []byte, i int) (v float64, end int) {
	start := i // index of the first digit
	if start < len(b) && b[start] == '-' {
		start++
	}
	if len(b)-start < leastAhead {
		return slowNumber(b, i)
	}
	head := (*[4]byte)(b[start:])
	first := digitValue(head[0])
	second := digitValue(head[1])
	third := digitValue(head[2])
	var mantissa uint64 // all digits of the number as a whole number
	switch {            // sets end to the index after the point
	case head[1] == '.' && first <= 9: // as in 9.
		mantissa = first
		end = start + 2
	case head[2] == '.' && first <= 9 && second <= 9: // as in 48.
		mantissa = 10*first + second
		end = start + 3
	case head[3] == '.' && first <= 9 && second <= 9 && third <= 9: // as in 179.
		mantissa = 100*first + 10*second + third
		end = start + 4
	default:
		return slowNumber(b, i)
	}
	firstDecimal := end
	canReadTwelve := len(b)-end >= 8+4
	if canReadTwelve { // read the first eight decimals at once, if there are eight, and then the next four
		if eight := binary.LittleEndian.Uint64(b[end:]); areEightDigits(eight) {
			mantissa = mantissa*1e8 + valueOfEight(eight)
			end += 8
		}
		if four := binary.LittleEndian.Uint32(b[end:]); areFourDigits(four) {
			mantissa = mantissa*1e4 + valueOfFour(four)
			end += 4
		}
	}
	for end < len(b) && digitValue(b[end]) <= 9 { // the other decimals one by one
		mantissa = mantissa*10 + digitValue(b[end])
		end++
	}
	decimals := end - firstDecimal
	isExact := decimals <= maxDecimals && mantissa <= 1<<53 // mantissa only overflows with more than maxDecimals
	hasExponent := end < len(b) && b[end]|0x20 == 'e'       // e or E
	if !isExact || hasExponent {
		return slowNumber(b, i)
	}
	v = float64(int64(mantissa)) / tens[decimals] // both are exact, so the quotient is rounded correctly
	isNegative := start > i                       // set here because setting it at the sign costs 6 % more time
	if isNegative {
		v = -v
	}
	return v, end
}

const (
	leastAhead  = 8  // minimum number of bytes after the sign, so that head can be read without checking the length
	maxDecimals = 16 // largest exponent in tens
)

// digitValue returns the value of a digit. For any other byte, the value is more than 9, because the bytes before '0'
// wrap around to large numbers.
func digitValue(c byte) uint64 { return uint64(c - '0') }

// areEightDigits reports whether eight bytes of text are digits, by checking all of them at once. The XOR turns the
// characters '0' to '9' into the numbers 0 to 9. Adding 0x76 to a byte sets its highest bit if it is above 9. Bytes
// above 0x7f have this bit already.
func areEightDigits(text uint64) bool {
	digits := text ^ 0x3030303030303030
	return (digits+0x7676767676767676|digits)&0x8080808080808080 == 0
}

// areFourDigits reports whether four bytes of text are digits, like areEightDigits.
func areFourDigits(text uint32) bool {
	digits := text ^ 0x30303030
	return (digits+0x76767676|digits)&0x80808080 == 0
}

// valueOfEight returns the value of eight digits. The first digit is in the lowest byte. It joins the digits to four
// numbers of two digits, multiplies each of them by its power of 100, and adds up the products in the upper 32 bits.
func valueOfEight(text uint64) uint64 {
	digits := text ^ 0x3030303030303030
	pairs := digits*10 + digits>>8
	evenPairs := pairs & 0xff000000ff
	oddPairs := pairs >> 16 & 0xff000000ff
	return (evenPairs*(100+1e6<<32) + oddPairs*(1+1e4<<32)) >> 32
}

// valueOfFour returns the value of four digits. The first digit is in the lowest byte.
func valueOfFour(text uint32) uint64 {
	digits := text ^ 0x30303030
	pairs := digits*10 + digits>>8 // the two pairs are in bytes 0 and 2
	return uint64(pairs&0xff*100 + pairs>>16&0xff)
}

// numberByte marks the bytes that can be in a number.
var numberByte = func() (t [256]bool) {
	for _, c := range "0123456789+-.eE" {
		t[c] = true
	}
	return t
}()

// endOfNumber returns the index of the first byte, from i on, that cannot be in a number.
func endOfNumber(b []byte, i int) int {
	for i < len(b) && numberByte[b[i]] {
		i++
	}
	return i
}

// slowNumber reads any decimal number that begins at i, with [strconv.ParseFloat]. It returns the value and the index
// after the number, or i if there is no number.
func slowNumber(b []byte, i int) (float64, int) {
	end := endOfNumber(b, i)
	v, err := strconv.ParseFloat(string(b[i:end]), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, i
	}
	return v, end
}
