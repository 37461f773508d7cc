package fetch

import (
	"cmp"
	"encoding/json"
	"slices"
)

// byteRange is a range of bytes in a file. Its JSON is [from, end].
type byteRange struct {
	from int64
	end  int64 // position after the last byte; -1 if unknown
}

// length returns the number of bytes in a range with an end.
func (r byteRange) length() int64 { return r.end - r.from }

// MarshalJSON implements [json.Marshaler].
func (r byteRange) MarshalJSON() ([]byte, error) { return json.Marshal([2]int64{r.from, r.end}) }

// UnmarshalJSON implements [json.Unmarshaler].
func (r *byteRange) UnmarshalJSON(data []byte) error {
	var positions [2]int64
	err := json.Unmarshal(data, &positions)
	r.from = positions[0]
	r.end = positions[1]
	return err
}

// byteRanges are sorted ranges that are not empty and do not touch.
type byteRanges []byteRange

// include returns the ranges with added included. Ranges that overlap or touch become one.
func (s byteRanges) include(added byteRange) byteRanges {
	if added.length() <= 0 {
		return s
	}
	compareEnd := func(r byteRange, position int64) int { return cmp.Compare(r.end, position) }
	first, _ := slices.BinarySearchFunc(s, added.from, compareEnd) // the first range that touches added or is after it
	next := first                                                  // the first range that does not touch added
	for next < len(s) && s[next].from <= added.end {
		added.from = min(added.from, s[next].from)
		added.end = max(added.end, s[next].end)
		next++
	}
	return slices.Replace(slices.Clone(s), first, next, added)
}

// totalBytes returns the number of bytes in the ranges.
func (s byteRanges) totalBytes() (n int64) {
	for _, r := range s {
		n += r.length()
	}
	return n
}

// prefixLength returns the number of bytes before the first gap.
func (s byteRanges) prefixLength() int64 {
	if len(s) == 0 || s[0].from != 0 {
		return 0
	}
	return s[0].end
}

// firstGap returns the first missing range below size, or an empty range if nothing is missing. If
// size is below 0, it is unknown, and the gap after the last range has the end -1.
func (s byteRanges) firstGap(size int64) byteRange {
	end := int64(0) // of the ranges so far
	for _, r := range s {
		if r.from > end {
			return byteRange{end, r.from}
		}
		end = r.end
	}
	if size < 0 {
		return byteRange{end, -1}
	}
	return byteRange{end, max(end, size)}
}

// isValid reports whether the ranges are sorted, separate and below size. A size below 0 is
// unknown.
func (s byteRanges) isValid(size int64) bool {
	end := int64(-1) // of the ranges so far
	for _, r := range s {
		isBeyond := size >= 0 && r.end > size
		if r.from <= end || r.length() <= 0 || isBeyond {
			return false
		}
		end = r.end
	}
	return true
}
