package kmlcsv

import (
	"bytes"
	"slices"
)

// maxColumns is the maximum number of columns in a file. Further fields of a record are only counted.
const maxColumns = 1000

// recordReader splits a text such as a CSV into records. Unlike encoding/csv, it counts rows as a spreadsheet does:
// blank rows count, and line breaks in quotes do not. It also accepts a lone carriage return as a line break, and text
// after a closing quote.
type recordReader struct {
	data  []byte
	pos   int
	delim byte

	row    int      // number of the current record, from 1
	fields [][]byte // the first maxColumns fields, valid until the next call of nextRecord
	stray  int      // first row with text after a closing quote, 0 for none

	extraFields  int  // number of fields of the record beyond maxColumns
	hasOpenQuote bool // the last field has no closing quote, so it contains the rest of the text and is not used

	buf []byte // memory for fields with quotes inside, in which two quotes in the file stand for one
}

// nextRecord reads the next record. It returns false if there are no more records. It also returns false, and sets
// hasOpenQuote, if the record has a quoted field without a closing quote.
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

// readField reads the field that begins at i. end is the index after the field.
func (r *recordReader) readField(i int) (field []byte, end int) {
	isQuoted := i < len(r.data) && r.data[i] == '"'
	if isQuoted {
		return r.readQuoted(i)
	}
	end = r.fieldEnd(i)
	return r.data[i:end], end
}

// skipLineBreak returns the index after the line break at i. A line break is a line feed, a carriage return or both.
// At the end of the data, it returns i.
func skipLineBreak(data []byte, i int) int {
	if i >= len(data) {
		return i
	}
	if data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
		return i + 2
	}
	return i + 1
}

// fieldEnd returns the index after the field that begins at i. The field must not be in quotes.
func (r *recordReader) fieldEnd(i int) int {
	delim := r.delim
	for at, c := range r.data[i:] {
		if c == delim || c < ' ' && (c == '\n' || c == '\r') {
			return i + at
		}
	}
	return len(r.data)
}

// readQuoted reads the quoted field that begins at i, such as "Mast 4". end is the index after the field. Usually the
// result is a part of the data and not a copy.
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
// the index after the opening quote. The text of the field is stored in r.buf, and end is the index after the field.
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

// keepStray reads the text between a closing quote and the end of a field, as in "Mast" 4, and appends it to the field.
// It returns the index after this text. It also stores the number of the first row with such text, so that the result
// gets a warning.
func (r *recordReader) keepStray(afterQuote int) (end int) {
	end = r.fieldEnd(afterQuote)
	r.buf = append(r.buf, r.data[afterQuote:end]...)
	if r.stray == 0 {
		r.stray = r.row
	}
	return end
}

// fieldEndsAt reports whether index i is at a delimiter, at a line break or at the end of the data.
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

// hasText reports whether a field has more than white space. It is fast, because usually the first byte decides.
func hasText(field []byte) bool {
	return len(field) > 0 && (isPlain(field[0]) || len(bytes.TrimSpace(field)) > 0)
}

// delimiters are the possible delimiters, beginning with the rarest in names and numbers. They do not include the
// blank, because spacedTable reads tables with blanks between the columns.
var delimiters = []byte{'\t', ';', '|', ','}

// delimiterOf returns the likeliest delimiter of a text. It returns 0 if the text has none.
func delimiterOf(data []byte) byte {
	return delimitersOf(data)[0]
}

// The part of a text in which delimitersOf looks for delimiters.
const (
	delimiterBytes   = 1 << 18
	delimiterRecords = 50 // not counting blank records
)

// delimitersOf returns the possible delimiters of a text, the likeliest first. The likeliest splits most of the first
// records into the same number of fields. The last of the delimiters is always 0, which means that records are not
// split.
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

// countAlike splits the first records of a text into fields, and finds the most frequent number of fields. It returns
// how many records have this number of fields. It ignores records with only one field.
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
	if records == 0 && r.hasOpenQuote { // there is only an incomplete record
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

// delimiterHint reads the line "sep=" that Excel understands, which names the delimiter. delim is 0 if the text does
// not begin with this line. rest is the text after the line.
func delimiterHint(data []byte) (delim byte, rest []byte) {
	if m := delimiterText().FindSubmatch(data[:min(len(data), 18)]); m != nil {
		return m[1][0], data[len(m[0]):]
	}
	return 0, data
}
