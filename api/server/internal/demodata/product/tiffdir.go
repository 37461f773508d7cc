package product

import (
	"encoding/binary"
	"math"
	"slices"
)

// Types of a tag's values.
const (
	typeByte      = 1
	typeASCII     = 2
	typeShort     = 3
	typeLong      = 4
	typeRational  = 5
	typeUndefined = 7
	typeSRational = 10
	typeDouble    = 12
)

type tiffField struct {
	tag, kind uint16
	count     int
	data      []byte
	sub       *TIFFDir
}

// TIFFDir is a directory of tags, little-endian. The zero value is empty.
type TIFFDir struct{ fields []tiffField }

func (d *TIFFDir) set(f tiffField) {
	d.fields = slices.DeleteFunc(d.fields, func(have tiffField) bool { return have.tag == f.tag })
	d.fields = append(d.fields, f)
}

// Short sets numbers of 16 bits.
func (d *TIFFDir) Short(tag uint16, values ...uint16) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	d.set(tiffField{tag: tag, kind: typeShort, count: len(values), data: b})
}

// Long sets numbers of 32 bits.
func (d *TIFFDir) Long(tag uint16, values ...uint32) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	d.set(tiffField{tag: tag, kind: typeLong, count: len(values), data: b})
}

// Double sets floating-point numbers.
func (d *TIFFDir) Double(tag uint16, values ...float64) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	d.set(tiffField{tag: tag, kind: typeDouble, count: len(values), data: b})
}

// ASCII sets a text. Characters outside ASCII become question marks.
func (d *TIFFDir) ASCII(tag uint16, text string) {
	b := make([]byte, 0, len(text)+1)
	for _, r := range text {
		if r < ' ' || r > '~' {
			r = '?'
		}
		b = append(b, byte(r))
	}
	d.Text(tag, string(b))
}

// Text sets a text as it is.
func (d *TIFFDir) Text(tag uint16, text string) {
	d.set(tiffField{tag: tag, kind: typeASCII, count: len(text) + 1, data: append([]byte(text), 0)})
}

// Bytes sets numbers of 8 bits.
func (d *TIFFDir) Bytes(tag uint16, values ...byte) {
	d.set(tiffField{tag: tag, kind: typeByte, count: len(values), data: values})
}

// Undefined sets bytes that have a meaning of their own.
func (d *TIFFDir) Undefined(tag uint16, values ...byte) {
	d.set(tiffField{tag: tag, kind: typeUndefined, count: len(values), data: values})
}

// Rational sets numbers that are not negative as fractions of the denominator.
func (d *TIFFDir) Rational(tag uint16, denominator uint32, values ...float64) {
	d.fraction(tag, typeRational, denominator, values)
}

// SRational writes numbers that can be negative, as Rational does.
func (d *TIFFDir) SRational(tag uint16, denominator uint32, values ...float64) {
	d.fraction(tag, typeSRational, denominator, values)
}

func (d *TIFFDir) fraction(tag, kind uint16, denominator uint32, values []float64) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(int64(math.Round(v*float64(denominator)))))
		b = binary.LittleEndian.AppendUint32(b, denominator)
	}
	d.set(tiffField{tag: tag, kind: kind, count: len(values), data: b})
}

// Sub sets a directory of its own.
func (d *TIFFDir) Sub(tag uint16, sub *TIFFDir) {
	d.set(tiffField{tag: tag, kind: typeLong, count: 1, sub: sub})
}

// Encode returns the directory, and those in it, as they stand at an offset of
// the file. Its length does not depend on the values of numbers.
func (d *TIFFDir) Encode(at uint32) []byte {
	fields := slices.Clone(d.fields)
	slices.SortFunc(fields, func(a, b tiffField) int { return int(a.tag) - int(b.tag) })
	head := binary.LittleEndian.AppendUint16(nil, uint16(len(fields)))
	more := []byte{}
	place := at + 2 + 12*uint32(len(fields)) + 4
	for _, f := range fields {
		head = binary.LittleEndian.AppendUint16(head, f.tag)
		head = binary.LittleEndian.AppendUint16(head, f.kind)
		head = binary.LittleEndian.AppendUint32(head, uint32(f.count))
		if f.sub == nil && len(f.data) <= 4 {
			head = append(head, append(slices.Clone(f.data), 0, 0, 0, 0)[:4]...)
			continue
		}
		if len(more)%2 == 1 {
			more = append(more, 0)
		}
		offset := place + uint32(len(more))
		head = binary.LittleEndian.AppendUint32(head, offset)
		if f.sub != nil {
			more = append(more, f.sub.Encode(offset)...)
		} else {
			more = append(more, f.data...)
		}
	}
	head = binary.LittleEndian.AppendUint32(head, 0) // no other directory
	head = append(head, more...)
	if len(head)%2 == 1 {
		head = append(head, 0)
	}
	return head
}

// headSize is the length of Header.
const headSize = 8

// TIFFHeader returns the start of a file whose first directory follows.
func TIFFHeader() []byte { return []byte{'I', 'I', 42, 0, headSize, 0, 0, 0} }

// EncodeTIFF returns a file of directories alone.
func EncodeTIFF(d *TIFFDir) []byte { return append(TIFFHeader(), d.Encode(headSize)...) }
