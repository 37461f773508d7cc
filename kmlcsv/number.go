package kmlcsv

import (
	"encoding/binary"
	"errors"
	"strconv"
)

// tens are the powers of ten that parseNumber divides by. All of them are exact.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16}

// parseNumber reads a decimal number at i and returns its end. It returns i if there is no number, and may
// return i if bytes such as + or a second point follow the number. The value is that of [strconv.ParseFloat], or
// an infinity if it overflows. Words such as inf, hexadecimal numbers and underscores are not numbers.
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
	point := end
	if len(b)-end >= 12 { // convert eight digits at once: join digits to pairs, then pairs to four digits, then all
		v := binary.LittleEndian.Uint64(b[end:]) ^ 0x3030303030303030
		if (v+0x7676767676767676|v)&0x8080808080808080 == 0 {
			v = v*10 + v>>8
			v = (v&0xff000000ff*(100+1e6<<32) + v>>16&0xff000000ff*(1+1e4<<32)) >> 32
			mantissa = mantissa*1e8 + v
			end += 8
		}
		w := binary.LittleEndian.Uint32(b[end:]) ^ 0x30303030
		if (w+0x76767676|w)&0x80808080 == 0 {
			w = w*10 + w>>8
			mantissa = mantissa*1e4 + uint64(w&0xff*100+w>>16&0xff)
			end += 4
		}
	}
	for end < len(b) && b[end]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(b[end]-'0')
		end++
	}
	if end-point > 16 || mantissa > 1<<53 || end < len(b) && b[end]|0x20 == 'e' {
		return slowNumber(b, i)
	}
	v = float64(int64(mantissa)) / tens[end-point] // both are exact, so the quotient is rounded correctly
	if start > i {
		v = -v
	}
	return v, end
}

// numberByte marks the bytes of a number.
var numberByte = func() (t [256]bool) {
	for _, c := range "0123456789+-.eE" {
		t[c] = true
	}
	return t
}()

// slowNumber reads any decimal number with [strconv.ParseFloat].
func slowNumber(b []byte, i int) (float64, int) {
	end := i
	for end < len(b) && numberByte[b[end]] {
		end++
	}
	v, err := strconv.ParseFloat(string(b[i:end]), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, i
	}
	return v, end
}
