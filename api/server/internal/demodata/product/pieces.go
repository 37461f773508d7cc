package product

import (
	"bytes"
	"io"
)

const keptPieceBytes = 4 << 20 // bytes

// Pieces are the parts of a file. Make must give the same bytes every time.
type Pieces struct {
	Sizes []int64

	make func(i int, to *bytes.Buffer) error
	kept [][]byte
}

// MeasurePieces makes n pieces to learn their sizes, and keeps the first ones.
func MeasurePieces(n int, piece func(i int, to *bytes.Buffer) error) (*Pieces, error) {
	p := &Pieces{make: piece, Sizes: make([]int64, n)}
	var b bytes.Buffer
	room := keptPieceBytes
	for i := range n {
		b.Reset()
		if err := piece(i, &b); err != nil {
			return nil, err
		}
		p.Sizes[i] = int64(b.Len())
		if room -= b.Len(); room >= 0 && len(p.kept) == i {
			p.kept = append(p.kept, bytes.Clone(b.Bytes()))
		}
	}
	return p, nil
}

// Total returns the sum of the sizes.
func (p *Pieces) Total() (sum int64) {
	for _, size := range p.Sizes {
		sum += size
	}
	return sum
}

// WriteTo writes one piece after the other.
func (p *Pieces) WriteTo(w io.Writer) (written int64, err error) {
	var b bytes.Buffer
	for i := range p.Sizes {
		n, err := p.write(w, i, &b)
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// write writes one piece; b is room to make it in.
func (p *Pieces) write(w io.Writer, i int, b *bytes.Buffer) (int64, error) {
	if i < len(p.kept) {
		n, err := w.Write(p.kept[i])
		return int64(n), err
	}
	b.Reset()
	if err := p.make(i, b); err != nil {
		return 0, err
	}
	n, err := w.Write(b.Bytes())
	return int64(n), err
}
