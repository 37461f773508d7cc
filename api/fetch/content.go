package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
)

// signatures are the possible first bytes of files, by file extension.
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

// sameSignature maps a file extension to another extension with the same signature.
var sameSignature = map[string]string{
	".tiff": ".tif",
	".dng":  ".tif",
	".jpeg": ".jpg",
	".laz":  ".las",
	".kmz":  ".zip",
	".xlsx": ".zip",
}

// endingOfType maps media types to file extensions. It is used for names without an extension.
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

// refusals are texts with which error responses begin. Spaces are ignored.
var refusals = []string{"<error", `{"success":false`, `{"error`}

// shortRefusals are texts with which short error responses begin. A longer response that begins
// with one of them can be a file.
var shortRefusals = []string{`{"message":`, `{"detail":`, `{"status":`, `{"code":`}

// maxQuoted is the number of bytes of a response that an error quotes.
const maxQuoted = 120

// headLength is the number of bytes that are inspected to find the type of a file.
const headLength = 512

// checkContent returns an error if the server sent something other than the file, such as a login
// page. It does not check a file whose size was listed or whose digest was compared.
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
	if IsPlausible(head, file.Name, file.MediaType) {
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

// IsPlausible reports whether head can be the beginning of a file with this name and media type.
// The media type can be empty.
func IsPlausible(head []byte, name, mediaType string) bool {
	if len(head) == 0 {
		return false
	}
	kind, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	kind = strings.TrimSpace(kind)
	ending := strings.ToLower(path.Ext(name))
	if ending == "" {
		ending = endingOfType[kind]
	}
	if other := sameSignature[ending]; other != "" {
		ending = other
	}
	if possible, ok := signatures[ending]; ok {
		beginsHead := func(signature string) bool { return bytes.HasPrefix(head, []byte(signature)) }
		return slices.ContainsFunc(possible, beginsHead)
	}
	isHTML := kind == "text/html" || ending == ".html" || ending == ".htm"
	return isHTML || !isRefusal(head)
}

// isRefusal reports whether a response begins like a web page or an error.
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
	beginsText := func(s string) bool { return strings.HasPrefix(text, s) }
	if slices.ContainsFunc(refusals, beginsText) {
		return true
	}
	isShort := len(head) < headLength
	return isShort && slices.ContainsFunc(shortRefusals, beginsText)
}
