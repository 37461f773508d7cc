package kmlcsv

import "strings"

// sliceArena hands out slices of one large allocation, so that a file of a hundred
// thousand placemarks does not cost as many allocations. What it handed out is
// never reused.
type sliceArena[T any] struct{ free []T }

// reserveRoom makes room for n, in a new block of at least block where there is none.
func (a *sliceArena[T]) reserveRoom(n, block int) {
	if len(a.free) < n {
		a.free = make([]T, max(n, block))
	}
}

// open returns an empty slice to append to. close must be called with what
// came of it before the next open.
func (a *sliceArena[T]) open() []T { return a.free[:0] }

// close takes the rest of the block back.
func (a *sliceArena[T]) close(s []T) []T {
	a.free = s[len(s):cap(s)]
	return s[:len(s):len(s)]
}

// textArena makes strings in blocks that grow with what was used.
type textArena struct {
	block strings.Builder
	size  int
}

// makeString returns b as a string.
func (t *textArena) makeString(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if t.block.Cap()-t.block.Len() < len(b) {
		t.size = min(max(2*t.size, 1<<10), 1<<18)
		t.block = strings.Builder{}
		t.block.Grow(max(t.size, len(b)))
	}
	start := t.block.Len()
	t.block.Write(b)
	return t.block.String()[start:]
}
