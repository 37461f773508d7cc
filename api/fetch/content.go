package fetch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
)

// signatures are the first bytes of files, by the ending of their names.
var signatures = map[string][]string{
	".tif":  {"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"},
	".jpg":  {"\xff\xd8\xff"},
	".png":  {"\x89PNG"},
	".las":  {"LASF"},
	".pdf":  {"%PDF"},
	".zip":  {"PK"},
	".glb":  {"glTF"},
	".shp":  {"\x00\x00\x27\x0a"},
	".gpkg": {"SQLite format 3\x00"},
	".webp": {"RIFF"},
}

// sameSignature are endings whose files begin as those of another ending.
var sameSignature = map[string]string{
	".tiff": ".tif", ".dng": ".tif", ".jpeg": ".jpg", ".laz": ".las", ".kmz": ".zip", ".xlsx": ".zip",
}

// endingOfType are the endings of files of a media type, for names that have none.
var endingOfType = map[string]string{
	"image/tiff":             ".tif",
	"image/jpeg":             ".jpg",
	"image/png":              ".png",
	"application/vnd.las":    ".las",
	"application/vnd.laszip": ".laz",
	"application/pdf":        ".pdf",
	"application/zip":        ".zip",
	"model/gltf-binary":      ".glb",
}

// refusals are the first bytes, without spaces, of answers that are sent instead of a file.
var refusals = []string{"<error", `{"success":false`, `{"error`}

// shortRefusals are those of answers that are short; a larger file may begin like this.
var shortRefusals = []string{`{"message":`, `{"detail":`, `{"status":`, `{"code":`}

// maxQuoted is how many bytes of an answer an error quotes.
const maxQuoted = 120

// headLength is how much of a file is looked at to tell what it is.
const headLength = 512

// checkContent returns an error if the server sent something else instead of the file, such
// as a login page. Only files whose size is not listed and that have no digest are checked:
// other files are compared with these.
func (t *fileTransfer) checkContent() error {
	file, _ := t.listedFile()
	if file.Size >= 0 || t.isProven() {
		return nil
	}
	head := make([]byte, headLength)
	n, err := t.part.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return onDisk(err)
	}
	head = head[:n]
	if isPlausible(head, file.Name, file.MediaType) {
		return nil
	}
	sent := "other content"
	if n == 0 {
		sent = "an empty answer"
	} else if strings.HasPrefix(http.DetectContentType(head), "text/") {
		sent = fmt.Sprintf("%q", head[:min(n, maxQuoted)])
	}
	return fmt.Errorf("%w: the server sent %s in place of the file", ErrMismatch, sent)
}

// isPlausible reports whether a file with a name and a media type, which may be "", may begin
// with head.
func isPlausible(head []byte, name, mediaType string) bool {
	if len(head) == 0 {
		return false
	}
	kind, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	kind = strings.TrimSpace(kind)
	ending := strings.ToLower(path.Ext(name))
	if ending == "" {
		ending = endingOfType[kind]
	}
	if like := sameSignature[ending]; like != "" {
		ending = like
	}
	if first, ok := signatures[ending]; ok {
		return slices.ContainsFunc(first, func(s string) bool { return bytes.HasPrefix(head, []byte(s)) })
	}
	if kind == "text/html" || ending == ".html" || ending == ".htm" {
		return true
	}
	return !isRefusal(head)
}

// isRefusal reports whether an answer begins as a web page or an error does.
func isRefusal(head []byte) bool {
	text := strings.TrimPrefix(string(head), "\ufeff")
	if strings.HasPrefix(http.DetectContentType([]byte(text)), "text/html") {
		return true
	}
	text = strings.ToLower(strings.TrimSpace(text))
	if _, rest, ok := strings.Cut(text, "?>"); ok && strings.HasPrefix(text, "<?xml") {
		text = strings.TrimSpace(rest)
		if strings.HasPrefix(text, "<!doctype html") || strings.HasPrefix(text, "<html") {
			return true
		}
	}
	text = strings.ReplaceAll(text, " ", "")
	text = strings.ReplaceAll(text, "\n", "")
	begins := func(s string) bool { return strings.HasPrefix(text, s) }
	if slices.ContainsFunc(refusals, begins) {
		return true
	}
	return len(head) < headLength && slices.ContainsFunc(shortRefusals, begins)
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
