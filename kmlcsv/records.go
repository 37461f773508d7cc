package kmlcsv

import (
	"bytes"
	"slices"
)

// maxColumns is the largest number of columns in a file. Further fields of a record are only counted.
const maxColumns = 1000

// recordReader splits a delimited text into records. Unlike encoding/csv, it counts rows as a spreadsheet does: blank
// rows count, and line breaks in quotes do not. It also accepts a lone carriage return as a line break, and text after
// a closing quote.
type recordReader struct {
	data  []byte
	pos   int
	delim byte

	row    int      // number of the current record, from 1
	fields [][]byte // the first maxColumns fields, valid until the next call of nextRecord
	stray  int      // first row with text after a closing quote, 0 for none

	extraFields  int  // number of fields of the record beyond maxColumns
	hasOpenQuote bool // the rest of the text is a quoted field without a closing quote, so it is not a record

	buf []byte // text of the fields that have quotes inside; two quotes in the file are one quote here
}

// nextRecord reads the next record and reports whether there is one. A quoted field without a closing quote ends the
// records: readField sets hasOpenQuote, and the record with the field does not count.
func (r *recordReader) nextRecord() bool {
	if r.pos >= len(r.data) || r.hasOpenQuote {
		return false
	}
	r.row++
	r.extraFields = 0
	r.buf = r.buf[:0]
	fields := r.fields[:0]
	i := r.pos
	for {
		field, end := r.readField(i)
		if len(fields) < maxColumns {
			fields = append(fields, field)
		} else {
			r.extraFields++
		}
		i = end
		hasMoreFields := i < len(r.data) && r.data[i] == r.delim
		if !hasMoreFields {
			break
		}
		i++ // the delimiter
	}
	r.fields = fields
	r.pos = skipLineBreak(r.data, i)
	return !r.hasOpenQuote
}

// readField reads the field at i and returns its end.
func (r *recordReader) readField(i int) (field []byte, end int) {
	isQuoted := i < len(r.data) && r.data[i] == '"'
	if isQuoted {
		return r.readQuoted(i)
	}
	end = r.fieldEnd(i)
	return r.data[i:end], end
}

// skipLineBreak returns the index after the line break at i: a line feed, a carriage return or both. It returns i at
// the end of the data.
func skipLineBreak(data []byte, i int) int {
	if i >= len(data) {
		return i
	}
	if data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
		return i + 2
	}
	return i + 1
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

// readQuoted reads the quoted field at i, such as "Mast 4", and returns its end. Usually the field needs no copy of
// the data.
func (r *recordReader) readQuoted(i int) (field []byte, end int) {
	start := i + 1
	length := bytes.IndexByte(r.data[start:], '"')
	closing := start + length
	if length >= 0 && r.fieldEndsAt(closing+1) {
		return r.data[start:closing], closing + 1
	}
	return r.joinQuoted(start)
}

// joinQuoted reads a quoted field that has quotes inside, such as "Mast ""A""", or that has no closing quote. start is
// the index after the opening quote. The pieces between the quotes are joined in r.buf.
func (r *recordReader) joinQuoted(start int) (field []byte, end int) {
	from := len(r.buf)
	for {
		length := bytes.IndexByte(r.data[start:], '"')
		if length < 0 {
			r.hasOpenQuote = true
			return nil, len(r.data)
		}
		afterQuote := start + length + 1
		r.buf = append(r.buf, r.data[start:start+length]...)
		if r.fieldEndsAt(afterQuote) {
			return r.buf[from:], afterQuote
		}
		isDoubled := r.data[afterQuote] == '"'
		if !isDoubled {
			end = r.keepStray(afterQuote)
			return r.buf[from:], end
		}
		r.buf = append(r.buf, '"')
		start = afterQuote + 1
	}
}

// keepStray adds the text after a closing quote to the field, and returns the end of the field. It saves the number of
// the first row with such text.
func (r *recordReader) keepStray(afterQuote int) (end int) {
	end = r.fieldEnd(afterQuote)
	r.buf = append(r.buf, r.data[afterQuote:end]...)
	if r.stray == 0 {
		r.stray = r.row
	}
	return end
}

// fieldEndsAt reports whether a field may end at i.
func (r *recordReader) fieldEndsAt(i int) bool {
	return i >= len(r.data) || r.data[i] == r.delim || r.data[i] == '\n' || r.data[i] == '\r'
}

// isBlank reports whether all fields of the record are white space.
func (r *recordReader) isBlank() bool {
	for _, f := range r.fields {
		if hasText(f) {
			return false
		}
	}
	return true
}

// hasText reports whether a field has more than white space. Usually the first byte decides.
func hasText(field []byte) bool {
	return len(field) > 0 && (isPlain(field[0]) || len(bytes.TrimSpace(field)) > 0)
}

// delimiters are the possible delimiters, beginning with the rarest in names and numbers. They do not include the
// blank, because spacedTable reads tables with blanks between the columns.
var delimiters = []byte{'\t', ';', '|', ','}

// delimiterOf returns the likeliest delimiter of a text, 0 for none.
func delimiterOf(data []byte) byte {
	return delimitersOf(data)[0]
}

// The part of a text in which delimitersOf looks for delimiters.
const (
	delimiterBytes   = 1 << 18
	delimiterRecords = 50 // not counting blank records
)

// delimitersOf returns the possible delimiters of a text, the likeliest first. The more of the first records a
// delimiter splits into the same number of fields, the likelier it is. The last delimiter is always 0, which does not
// split records.
func delimitersOf(data []byte) []byte {
	data = data[:min(len(data), delimiterBytes)]
	var found []byte
	alike := make(map[byte]int) // number of records with the same number of fields, by delimiter
	for _, delim := range delimiters {
		alike[delim] = countAlike(recordReader{data: data, delim: delim})
		if alike[delim] > 0 {
			found = append(found, delim)
		}
	}
	slices.SortStableFunc(found, func(a, b byte) int { return alike[b] - alike[a] })
	return append(found, 0)
}

// countAlike returns how many of the first records have the most frequent number of fields. Records with only one
// field do not count.
func countAlike(r recordReader) int {
	counts := make(map[int]int) // number of records by their number of fields
	records := 0
	for records < delimiterRecords && r.nextRecord() {
		if r.isBlank() {
			continue
		}
		if records == 0 && isGeometryOnly(r.fields) {
			return 0
		}
		records++
		counts[len(r.fields)]++
	}
	if records == 0 && r.hasOpenQuote { // the only record is incomplete
		counts[len(r.fields)]++
	}
	delete(counts, 1)
	most := 0
	for _, count := range counts {
		most = max(most, count)
	}
	return most
}

// isGeometryOnly reports whether a header has a single column, and the column is named as a geometry. Commas in the
// file then belong to geometries and are not delimiters.
func isGeometryOnly(header [][]byte) bool {
	return len(header) == 1 && slices.Contains(geometryNames, foldName(string(header[0])))
}

var delimiterText = newPattern(`(?i)^[" ]*sep=(.)[" ]*(?:\r?\n|\r)`)

// delimiterHint reads Excel's "sep=" line, which names the delimiter.
func delimiterHint(data []byte) (delim byte, rest []byte) {
	if m := delimiterText().FindSubmatch(data[:min(len(data), 18)]); m != nil {
		return m[1][0], data[len(m[0]):]
	}
	return 0, data
}
