package kmlcsv

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"strconv"
)

// pow10 holds the powers of ten that both a float64 and a uint64 represent
// exactly.
var pow10 = [20]uint64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// number reads a decimal number at i and returns where it ends, i where none
// starts there. The value is the float64 that [strconv.ParseFloat] returns for
// those bytes, of what overflows an infinity. Neither words (inf, nan) nor
// hexadecimal nor underscores are numbers here.
//
// Up to 19 digits the mantissa does not wrap, and the number is a quotient of
// integers. Anything else goes to slowNumber.
func number(b []byte, i int) (v float64, end int) { //nolint:cyclop // one pass; a call for each part would cost a third of the speed
	end = i
	if end < len(b) && b[end] == '-' {
		end++
	}
	start := end
	var mantissa uint64
	for end < len(b) && b[end]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(b[end]-'0')
		end++
	}
	count, fraction := end-start, 0
	if count > 0 && end < len(b) && b[end] == '.' {
		end++
		point := end
		for len(b)-end >= 8 {
			value, ok := eightDigits(b[end:])
			if !ok {
				break
			}
			mantissa = mantissa*1e8 + value
			end += 8
		}
		for end < len(b) && b[end]-'0' <= 9 {
			mantissa = mantissa*10 + uint64(b[end]-'0')
			end++
		}
		fraction = end - point
		count += fraction
	}
	if count == 0 || count > 19 || end < len(b) && b[end]|0x20 == 'e' {
		return slowNumber(b, i)
	}
	if mantissa <= 1<<53 {
		v = float64(mantissa) / float64(pow10[fraction]) // both exact, so rounded once
	} else {
		v = quotient(mantissa, pow10[fraction])
	}
	if start > i {
		v = -v
	}
	return v, end
}

// eightDigits reads eight digits at once. Of each byte less '0' it adds pairs,
// then pairs of pairs, then the two halves.
func eightDigits(b []byte) (value uint64, ok bool) {
	v := binary.LittleEndian.Uint64(b) ^ 0x3030303030303030
	if (v+0x7676767676767676|v)&0x8080808080808080 != 0 {
		return 0, false
	}
	v = v*10 + v>>8
	return (v&0x000000ff000000ff*0x000f424000000064 + v>>16&0x000000ff000000ff*0x0000271000000001) >> 32, true
}

// quotient returns m/d rounded to the nearest float64, to even where two are
// as near. Neither m nor d is 0.
func quotient(m, d uint64) float64 {
	shift := bits.LeadingZeros64(m) - bits.LeadingZeros64(d)
	m <<= uint(bits.LeadingZeros64(m))
	d <<= uint(bits.LeadingZeros64(d))
	high, low := m, uint64(0)
	if high >= d {
		high, low = m>>1, m<<63
		shift--
	}
	q, rest := bits.Div64(high, low, d) // 64 bits, the first one set
	if rest != 0 {
		q |= 1 // so that what looks like a half is more
	}
	top, below := q>>11, q&(1<<11-1)
	if below > 1<<10 || below == 1<<10 && top&1 == 1 {
		top++
	}
	return float64(top) * math.Float64frombits(uint64(1023-64-shift+11)<<52)
}

// slowNumber reads any number, through strconv.
func slowNumber(b []byte, i int) (float64, int) {
	end := i
	if end < len(b) && (b[end] == '-' || b[end] == '+') {
		end++
	}
	start := end
	end = afterDigits(b, end)
	count := end - start
	if end < len(b) && b[end] == '.' {
		fraction := afterDigits(b, end+1)
		count += fraction - end - 1
		end = fraction
	}
	if count == 0 {
		return 0, i
	}
	if end < len(b) && b[end]|0x20 == 'e' {
		exponent := end + 1
		if exponent < len(b) && (b[exponent] == '-' || b[exponent] == '+') {
			exponent++
		}
		if last := afterDigits(b, exponent); last > exponent {
			end = last
		}
	}
	v, err := strconv.ParseFloat(string(b[i:end]), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, i
	}
	return v, end
}

func afterDigits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}
