package fetch

import (
	"cmp"
	"slices"
)

// byteRange is a range of bytes, from the first to the one after the last.
type byteRange [2]int64

func (s byteRange) length() int64 { return s[1] - s[0] }

// byteRanges are sorted, do not touch and are not empty.
type byteRanges []byteRange

// include returns the ranges including x.
func (s byteRanges) include(x byteRange) byteRanges {
	if x.length() <= 0 {
		return s
	}
	first, _ := slices.BinarySearchFunc(
		s,
		x[0],
		func(have byteRange, at int64) int { return cmp.Compare(have[1], at) },
	)
	last := first
	for last < len(s) && s[last][0] <= x[1] {
		x = byteRange{min(x[0], s[last][0]), max(x[1], s[last][1])}
		last++
	}
	return slices.Replace(slices.Clone(s), first, last, x)
}

// totalBytes returns the number of bytes in the ranges.
func (s byteRanges) totalBytes() (n int64) {
	for _, x := range s {
		n += x.length()
	}
	return n
}

// prefixLength returns how many bytes there are from the beginning without a gap.
func (s byteRanges) prefixLength() int64 {
	if len(s) == 0 || s[0][0] != 0 {
		return 0
	}
	return s[0][1]
}

// firstGap returns the first range below size that is missing, an empty one if none
// is. A size below 0 is not known: the gap after the last range has the end -1.
func (s byteRanges) firstGap(size int64) byteRange {
	at := int64(0)
	for _, x := range s {
		if x[0] > at {
			return byteRange{at, x[0]}
		}
		at = x[1]
	}
	if size < 0 {
		return byteRange{at, -1}
	}
	return byteRange{at, max(at, size)}
}

// isValid reports whether the ranges are what add makes, below size; a size below
// 0 is not known.
func (s byteRanges) isValid(size int64) bool {
	at := int64(-1)
	for _, x := range s {
		if x[0] <= at || x.length() <= 0 || size >= 0 && x[1] > size {
			return false
		}
		at = x[1]
	}
	return true
}
