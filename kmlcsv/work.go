package kmlcsv

import (
	"context"
	"errors"
	"time"

	"github.com/dustin/go-humanize"
)

// maxReadingTime is how long a file may be read. A file of the largest size needs a
// fraction of it.
const maxReadingTime = 20 * time.Second

// maxPlacemarks limits the memory of a result, to about 400 MB while it grows.
const maxPlacemarks = 1_500_000

// Limits of the bytes that are unpacked from a file: a multiple of its size, but at
// least and at most so many bytes.
const (
	unpackFactor = 20
	minUnpacked  = 64 << 20
	maxUnpacked  = 256 << 20
)

// work limits what reading one file may cost. Archives inside the file share it.
type work struct {
	ctx   context.Context
	limit int64 // bytes that may be unpacked
	left  int64
	depth int // archives around the file that is read

	maxSites int  // of the file
	isFull   bool // the documents of the file have more sites than that
}

// newWork returns the limits for a file of so many bytes. largest is what the caller
// allows a file to have; unpacking may exceed it only if the caller named none.
func newWork(ctx context.Context, size, largest int64) *work {
	limit := max(size, min(max(unpackFactor*size, minUnpacked), maxUnpacked))
	if largest != DefaultMaxBytes {
		limit = largest
	}
	return &work{ctx: ctx, limit: limit, left: limit, maxSites: maxPlacemarks}
}

// useBytes counts unpacked bytes and reports whether they are within the limit.
func (w *work) useBytes(n int64) bool {
	w.left -= n
	return w.left >= 0
}

// tooLarge returns the error for a file of which too much would be unpacked.
func (w *work) tooLarge(kind string) *Error {
	return newError(TooLarge, "%s is too large: it expands to over %s", kind, humanize.IBytes(uint64(w.limit)))
}

// checkSites notes whether the file has too many sites.
func (w *work) checkSites(n int) { w.isFull = w.isFull || n > w.maxSites }

// tooManySites returns the error for a file with too many sites.
func (w *work) tooManySites() *Error {
	return newError(TooLarge, "the file has more than %d sites; split it", w.maxSites)
}

// check returns why reading has to end, nil if it may go on.
func (w *work) check() *Error {
	if w.isFull {
		return w.tooManySites()
	}
	err := w.ctx.Err()
	if err == nil {
		return nil
	}
	if errors.Is(context.Cause(w.ctx), errReadingTime) {
		return newError(TooComplex, "reading the file needs over %d s; split it, or export fewer sites",
			int(maxReadingTime.Seconds()))
	}
	return &Error{Code: Stopped, Message: "reading the file was stopped", cause: err}
}

var errReadingTime = errors.New("reading the file needs too long")
