package kmlcsv

import (
	"context"
	"errors"
	"time"

	"github.com/dustin/go-humanize"
)

// maxReadingTime is the maximum time for reading a file. Even the largest ordinary files need only a fraction of it.
const maxReadingTime = 20 * time.Second

// maxPlacemarks is the maximum number of placemarks in a result. It limits the memory to about 400 MB.
const maxPlacemarks = 1_500_000

// The maximum amount of unpacked data is unpackFactor times the size of the file, but at least minUnpacked and at most
// maxUnpacked bytes.
const (
	unpackFactor = 20
	minUnpacked  = 64 << 20
	maxUnpacked  = 256 << 20
)

// work has the limits for reading one file, and counts how much of them was used. All files in an archive share one
// work.
type work struct {
	ctx       context.Context
	limit     int64 // maximum number of bytes after unpacking
	bytesLeft int64 // bytes that can still be unpacked
	depth     int   // number of archives around the current file

	maxSites int  // maximum number of sites
	isFull   bool // reading found more than maxSites sites
}

// newWork returns the limits for a file of size bytes. maxBytes is [Options.MaxBytes] or DefaultMaxBytes. If the
// caller has set Options.MaxBytes, it is also the limit of unpacked data.
func newWork(ctx context.Context, size, maxBytes int64) *work {
	limit := max(size, min(max(unpackFactor*size, minUnpacked), maxUnpacked))
	isSetByCaller := maxBytes != DefaultMaxBytes
	if isSetByCaller {
		limit = maxBytes
	}
	return &work{ctx: ctx, limit: limit, bytesLeft: limit, maxSites: maxPlacemarks}
}

// useBytes counts unpacked bytes. It returns false if their total is now over the limit.
func (w *work) useBytes(n int64) bool {
	w.bytesLeft -= n
	return w.bytesLeft >= 0
}

// tooLarge returns the error for a file that has too much unpacked data. kind names the file in the message, such as
// "the workbook".
func (w *work) tooLarge(kind string) *Error {
	return newError(TooLarge, "%s is too large: it expands to over %s", kind, humanize.IBytes(uint64(w.limit)))
}

// checkSites sets isFull if n, the number of sites that were read so far, is over maxSites.
func (w *work) checkSites(n int) { w.isFull = w.isFull || n > w.maxSites }

// tooManySites returns the error for a file with too many sites.
func (w *work) tooManySites() *Error {
	return newError(TooLarge, "the file has more than %d sites; split it", w.maxSites)
}

// check returns an error if reading must stop, because there are too many sites, it takes too long, or the context has
// ended.
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
