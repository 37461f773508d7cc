package fetch

import (
	"bytes"
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
