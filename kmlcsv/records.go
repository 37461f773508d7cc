package kmlcsv

import (
	"bytes"
	"regexp"
	"slices"
)

// maxColumns is the largest number of columns in a file. Further fields of a record are only counted.
const maxColumns = 1000

// recordReader splits a delimited text into records. Unlike encoding/csv, it counts rows as a spreadsheet does:
// blank rows count, and line breaks in quotes do not. It also accepts a lone carriage return as the end of a line,
// and text after a closing quote.
type recordReader struct {
	data  []byte
	pos   int
	delim byte

	row    int      // number of the current record, from 1
	fields [][]byte // the first maxColumns fields, valid until the next call of nextRecord
	over   int      // number of further fields
	stray  int      // first row with text after a closing quote, 0 for none
	open   bool     // the last record has a quoted field without a closing quote

	buf []byte // contents of fields with quotes inside
}

// nextRecord reads the next record and reports whether there is one.
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

// fieldEnd returns the end of the field at i, which is not in quotes.
func (r *recordReader) fieldEnd(i int) int {
	delim := r.delim
	for at, c := range r.data[i:] {
		if c == delim || c < ' ' && (c == '\n' || c == '\r') {
			return i + at
		}
	}
	return len(r.data)
}

// readQuoted reads the quoted field at i and returns its end.
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

// delimiters are the possible delimiters, those that are rare in names and numbers first. Blanks are no delimiter
// here; see spacedTable.
var delimiters = []byte{'\t', ';', '|', ','}

// delimiterOf returns the likeliest delimiter of a text, 0 for none.
func delimiterOf(data []byte) byte {
	return delimitersOf(data)[0]
}

// delimitersOf returns the possible delimiters of a text, the likeliest first. The likeliest delimiter splits the
// most of the first records into the same number of fields, at least two. The last delimiter is 0, which does not
// split records.
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
				continue // an incomplete record counts only if there is no other
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

// isGeometryOnly reports whether the only column of a header holds geometries. The commas in such
// a file belong to the geometries and are not delimiters.
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
