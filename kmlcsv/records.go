package kmlcsv

import (
	"bytes"
	"regexp"
	"slices"
)

// maxColumns bounds the columns of a file, and the fields of a record that are
// looked at.
const maxColumns = 1000

// recordReader splits a delimited text into records. Unlike encoding/csv it counts
// rows as a spreadsheet does, blank ones included and line breaks in quotes
// not, takes a lone carriage return for an end of line, and puts up with
// quotes where none belong.
type recordReader struct {
	data  []byte
	pos   int
	delim byte

	row    int      // of fields, from 1
	fields [][]byte // the first maxColumns, valid until the next call of next
	over   int      // how many more there were
	stray  int      // row of the first quote where none belongs, 0 for none
	open   bool     // the last record has a quoted field without an end

	buf []byte // fields with quotes inside
}

// nextRecord reads a record and reports whether there was one.
func (r *recordReader) nextRecord() bool {
	if r.pos >= len(r.data) || r.open {
		return false
	}
	r.row++
	r.over = 0
	r.buf = r.buf[:0]
	data, i, fields := r.data, r.pos, r.fields[:0]
	for more := true; more; {
		var field []byte
		if i < len(data) && data[i] == '"' {
			field, i = r.readQuoted(i)
		} else {
			end := r.fieldEnd(i)
			field, i = data[i:end], end
		}
		if len(fields) < maxColumns {
			fields = append(fields, field)
		} else {
			r.over++
		}
		if i >= len(data) {
			break
		}
		more = data[i] == r.delim
		if i++; !more && data[i-1] == '\r' && i < len(data) && data[i] == '\n' {
			i++
		}
	}
	r.fields, r.pos = fields, i
	return !r.open
}

// fieldEnd returns where the field without quotes that goes on at i ends.
func (r *recordReader) fieldEnd(i int) int {
	delim := r.delim
	for at, c := range r.data[i:] {
		if c == delim || c < ' ' && (c == '\n' || c == '\r') {
			return i + at
		}
	}
	return len(r.data)
}

// readQuoted reads the field in quotes at i, and returns where it ends.
func (r *recordReader) readQuoted(i int) (field []byte, end int) {
	start := i + 1
	i = bytes.IndexByte(r.data[start:], '"')
	if i >= 0 && r.fieldEndsAt(start+i+1) {
		return r.data[start : start+i], start + i + 1
	}
	from := len(r.buf)
	for i >= 0 {
		r.buf = append(r.buf, r.data[start:start+i]...)
		start += i + 1
		if r.fieldEndsAt(start) {
			return r.buf[from:], start
		}
		if r.data[start] != '"' {
			end = r.fieldEnd(start)
			r.buf = append(r.buf, r.data[start:end]...)
			if r.stray == 0 {
				r.stray = r.row
			}
			return r.buf[from:], end
		}
		r.buf = append(r.buf, '"')
		start++
		i = bytes.IndexByte(r.data[start:], '"')
	}
	r.open = true
	return nil, len(r.data)
}

// fieldEndsAt reports whether a field may end at i.
func (r *recordReader) fieldEndsAt(i int) bool {
	return i >= len(r.data) || r.data[i] == r.delim || r.data[i] == '\n' || r.data[i] == '\r'
}

// isBlank reports whether all fields of the record are white space.
func (r *recordReader) isBlank() bool {
	for _, f := range r.fields {
		if len(f) > 0 && (isPlain(f[0]) || len(bytes.TrimSpace(f)) > 0) {
			return false
		}
	}
	return true
}

// delimiters are those that are looked for. Those that are rare in names and numbers come
// first. White space other than tabs is a delimiter only of lists whose rows have
// as many words.
var delimiters = []byte{'\t', ';', '|', ','}

// delimiterOf returns the likeliest delimiter, 0 for none.
func delimiterOf(data []byte) byte {
	return delimitersOf(data)[0]
}

// delimitersOf returns the delimiters that a text may have, the likeliest first: it splits
// the most of the first records into as many fields as one another, at least two. The
// last one is 0, which splits nothing.
func delimitersOf(data []byte) []byte {
	data = data[:min(len(data), 1<<18)]
	type candidate struct {
		delim byte
		same  int
	}
	var found []candidate
	for _, delim := range delimiters {
		r := recordReader{data: data, delim: delim}
		same := make(map[int]int)
		for n, more := 0, true; n < 50 && more; {
			more = r.nextRecord()
			if !more && (n > 0 || !r.open) || more && r.isBlank() {
				continue // a record cut off counts where it is the only one
			}
			n++
			if n == 1 && isGeometryOnly(r.fields) {
				break
			}
			same[len(r.fields)]++
		}
		delete(same, 1)
		most := 0
		for _, count := range same {
			most = max(most, count)
		}
		if most > 0 {
			found = append(found, candidate{delim, most})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return b.same - a.same })
	var order []byte
	for _, c := range found {
		order = append(order, c.delim)
	}
	return append(order, 0)
}

// isGeometryOnly reports whether a header names one column, of well-known text.
func isGeometryOnly(header [][]byte) bool {
	return len(header) == 1 && slices.Contains(geometryNames, foldName(string(header[0])))
}

var delimiterText = regexp.MustCompile(`(?i)^[" ]*sep=(.)[" ]*(?:\r?\n|\r)`)

// delimiterHint reads Excel's "sep=" line, which names the delimiter.
func delimiterHint(data []byte) (delim byte, rest []byte) {
	if m := delimiterText.FindSubmatch(data[:min(len(data), 18)]); m != nil {
		return m[1][0], data[len(m[0]):]
	}
	return 0, data
}
