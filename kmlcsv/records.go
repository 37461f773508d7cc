package kmlcsv

import "bytes"

// maxColumns bounds the columns of a file, and the fields of a record that are
// looked at.
const maxColumns = 1000

// records splits a delimited text into records. Unlike encoding/csv it counts
// rows as a spreadsheet does, blank ones included and line breaks in quotes
// not, takes a lone carriage return for an end of line, and puts up with
// quotes where none belong.
type records struct {
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

// next reads a record and reports whether there was one.
func (r *records) next() bool {
	if r.pos >= len(r.data) || r.open {
		return false
	}
	r.row++
	r.fields, r.over = r.fields[:0], 0
	r.buf = r.buf[:0]
	for {
		var field []byte
		if r.pos < len(r.data) && r.data[r.pos] == '"' {
			field = r.quoted()
		} else {
			field = r.data[r.pos:r.end(r.pos)]
			r.pos += len(field)
		}
		if len(r.fields) < maxColumns {
			r.fields = append(r.fields, field)
		} else {
			r.over++
		}
		if r.pos >= len(r.data) {
			return !r.open
		}
		c := r.data[r.pos]
		r.pos++
		if c == r.delim {
			continue
		}
		if c == '\r' && r.pos < len(r.data) && r.data[r.pos] == '\n' {
			r.pos++
		}
		return true
	}
}

// end returns where the field without quotes that goes on at i ends.
func (r *records) end(i int) int {
	data, delim := r.data, r.delim
	for i < len(data) {
		if c := data[i]; c == delim || c == '\n' || c == '\r' {
			break
		}
		i++
	}
	return i
}

// quoted reads the field in quotes at pos.
func (r *records) quoted() []byte {
	start := r.pos + 1
	i := bytes.IndexByte(r.data[start:], '"')
	if i >= 0 && r.ends(start+i+1) {
		r.pos = start + i + 1
		return r.data[start : start+i]
	}
	from := len(r.buf)
	for i >= 0 {
		r.buf = append(r.buf, r.data[start:start+i]...)
		start += i + 1
		if r.ends(start) {
			r.pos = start
			return r.buf[from:]
		}
		if r.data[start] != '"' {
			r.pos = r.end(start)
			r.buf = append(r.buf, r.data[start:r.pos]...)
			if r.stray == 0 {
				r.stray = r.row
			}
			return r.buf[from:]
		}
		r.buf = append(r.buf, '"')
		start++
		i = bytes.IndexByte(r.data[start:], '"')
	}
	r.pos, r.open = len(r.data), true
	return nil
}

// ends reports whether a field may end at i.
func (r *records) ends(i int) bool {
	return i >= len(r.data) || r.data[i] == r.delim || r.data[i] == '\n' || r.data[i] == '\r'
}

// blank reports whether all fields of the record are white space.
func (r *records) blank() bool {
	for _, f := range r.fields {
		if len(bytes.TrimSpace(f)) > 0 {
			return false
		}
	}
	return true
}

// delimiters are those that are looked for, the more usual ones first. White
// space other than tabs is never one.
var delimiters = []byte{',', ';', '\t', '|'}

// delimiterOf finds the delimiter by how many of the first records it splits
// into as many fields as the header, at least two. 0 stands for none.
func delimiterOf(data []byte) byte {
	data = data[:min(len(data), 1<<18)]
	best, most, wide := byte(0), 0, 0
	for _, delim := range delimiters {
		r := records{data: data, delim: delim}
		width, same := 0, 0
		for n, more := 0, true; n < 20 && more; {
			more = r.next()
			if !more && (n > 0 || !r.open) || more && r.blank() {
				continue // a record cut off counts where it is the only one
			}
			n++
			if width == 0 {
				width = len(r.fields)
			}
			if len(r.fields) == width {
				same++
			}
		}
		if width < 2 {
			continue
		}
		// Between equals the one that splits the header more often counts.
		if same > most || same == most && width > wide {
			best, most, wide = delim, same, width
		}
	}
	return best
}

// hint reads Excel's "sep=" line, which names the delimiter.
func hint(data []byte) (delim byte, rest []byte) {
	end := bytes.IndexAny(data[:min(len(data), 16)], "\r\n")
	if end < 0 {
		return 0, data
	}
	line := bytes.Trim(data[:end], `" `)
	if len(line) != 5 || !bytes.EqualFold(line[:4], []byte("sep=")) {
		return 0, data
	}
	if data[end] == '\r' && end+1 < len(data) && data[end+1] == '\n' {
		end++
	}
	return line[4], data[end+1:]
}
