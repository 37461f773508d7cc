package fetch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// signatures are the first bytes of files of a media type.
var signatures = map[string][]string{
	"image/tiff":             {"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"},
	"image/jpeg":             {"\xff\xd8\xff"},
	"image/png":              {"\x89PNG"},
	"application/vnd.las":    {"LASF"},
	"application/vnd.laszip": {"LASF"},
	"application/pdf":        {"%PDF"},
	"application/zip":        {"PK"},
	"model/gltf-binary":      {"glTF"},
}

// refusals are the first bytes of answers that are sent in place of a file of any type.
var refusals = []string{"<!doctype html", "<html", "<error", `{"success":false`, `{"error`}

// maxQuoted is how many bytes of an answer an error quotes.
const maxQuoted = 120

// checkContent returns an error if a file begins as none of its media type does. It is for
// files whose size is not listed: others are compared with that.
func (t *fileTransfer) checkContent() error {
	file, _ := t.listedFile()
	if file.Size >= 0 || t.isProven() {
		return nil
	}
	head := make([]byte, maxQuoted)
	n, err := t.part.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return onDisk(err)
	}
	if head = head[:n]; isPlausible(head, file.MediaType) {
		return nil
	}
	sent := "other content"
	switch {
	case n == 0:
		sent = "an empty answer"
	case strings.HasPrefix(http.DetectContentType(head), "text/"):
		sent = fmt.Sprintf("%q", head)
	}
	return fmt.Errorf("%w: the server sent %s in place of the file", ErrMismatch, sent)
}

// isPlausible reports whether a file of a media type may begin with head.
func isPlausible(head []byte, mediaType string) bool {
	kind, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	if first, ok := signatures[strings.TrimSpace(kind)]; ok {
		return slices.ContainsFunc(first, func(s string) bool { return bytes.HasPrefix(head, []byte(s)) })
	}
	text := strings.ToLower(strings.TrimSpace(string(head)))
	if _, rest, ok := strings.Cut(text, "?>"); ok && strings.HasPrefix(text, "<?xml") {
		text = strings.TrimSpace(rest)
	}
	return strings.HasPrefix(kind, "text/html") ||
		!slices.ContainsFunc(refusals, func(s string) bool { return strings.HasPrefix(text, s) })
}

// byteRange is a range of bytes, from the first to the one after the last.
type byteRange [2]int64

func (s byteRange) length() int64 { return s[1] - s[0] }

// byteRanges are sorted, do not touch and are not empty.
type byteRanges []byteRange

// include returns the ranges including x.
func (s byteRanges) include(x byteRange) byteRanges {
	if x.length() <= 0 {
		return s
	}
	first, _ := slices.BinarySearchFunc(
		s,
		x[0],
		func(have byteRange, at int64) int { return cmp.Compare(have[1], at) },
	)
	last := first
	for last < len(s) && s[last][0] <= x[1] {
		x = byteRange{min(x[0], s[last][0]), max(x[1], s[last][1])}
		last++
	}
	return slices.Replace(slices.Clone(s), first, last, x)
}

// totalBytes returns the number of bytes in the ranges.
func (s byteRanges) totalBytes() (n int64) {
	for _, x := range s {
		n += x.length()
	}
	return n
}

// prefixLength returns how many bytes there are from the beginning without a gap.
func (s byteRanges) prefixLength() int64 {
	if len(s) == 0 || s[0][0] != 0 {
		return 0
	}
	return s[0][1]
}

// firstGap returns the first range below size that is missing, an empty one if none
// is. A size below 0 is not known: the gap after the last range has the end -1.
func (s byteRanges) firstGap(size int64) byteRange {
	at := int64(0)
	for _, x := range s {
		if x[0] > at {
			return byteRange{at, x[0]}
		}
		at = x[1]
	}
	if size < 0 {
		return byteRange{at, -1}
	}
	return byteRange{at, max(at, size)}
}

// isValid reports whether the ranges are what add makes, below size; a size below
// 0 is not known.
func (s byteRanges) isValid(size int64) bool {
	at := int64(-1)
	for _, x := range s {
		if x[0] <= at || x.length() <= 0 || size >= 0 && x[1] > size {
			return false
		}
		at = x[1]
	}
	return true
}
