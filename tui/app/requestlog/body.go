package requestlog

import (
	"bytes"
	"compress/flate"
	"io"
	"sync"
)

// packedFrom is how long a body is that is kept packed, in bytes. A list of
// orders takes a tenth then.
const packedFrom = 512

// Body is a body as the log keeps it: packed where that is smaller.
type Body struct {
	kept []byte
	size int // of the text
}

// packers are made once: each has tables of some hundred kilobytes.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // a level that there is
	return w
}}

// Keep returns a text as a Body. It takes nothing of the slice.
func Keep(text []byte) Body {
	if len(text) >= packedFrom {
		var packed bytes.Buffer
		w := packers.Get().(*flate.Writer)
		defer packers.Put(w)
		w.Reset(&packed)
		_, _ = w.Write(text) // into memory
		_ = w.Close()
		if packed.Len() < len(text) {
			return Body{bytes.Clone(packed.Bytes()), len(text)}
		}
	}
	return Body{bytes.Clone(text), len(text)}
}

// Len returns how many bytes the text has.
func (b Body) Len() int { return b.size }

// Text returns what was kept, nil for nothing.
func (b Body) Text() []byte {
	if len(b.kept) == b.size {
		return b.kept
	}
	text := make([]byte, b.size)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(b.kept)), text); err != nil {
		return nil // it was packed by Keep
	}
	return text
}
