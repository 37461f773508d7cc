package kmlcsv

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// parseFormat reads a file of the format that the options or its bytes say.
func parseFormat(data []byte, opts Options) (*Result, *Error) {
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	if int64(len(data)) > opts.MaxBytes {
		return nil, newError(TooLarge, "the file is too large: over %s", humanize.IBytes(uint64(opts.MaxBytes)))
	}
	if len(data) == 0 {
		return nil, newError(EmptyFile, "the file is empty")
	}
	if !slices.Contains(
		[]Format{FormatAuto, FormatKML, FormatCSV},
		opts.Format,
	) { // the others are told by the content
		return nil, newError(WrongType, "%s is not a supported format", []byte(opts.Format))
	}
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return parseZip(data, opts)
	}
	switch kind := foreignFormat(data); {
	case opts.Format == FormatAuto && bytes.HasPrefix(data, []byte("SQLite format 3\x00")):
		return parseGeoPackage(data, opts)
	case opts.Format == FormatAuto && kind == "a shapefile":
		return parseShape(data, opts)
	case kind != "":
		return nil, newError(WrongType, "this is %s; export the sites as KML or CSV", kind)
	}
	return parseText(data, opts)
}

// parseText reads a file that is neither an archive nor of a foreign format.
func parseText(data []byte, opts Options) (*Result, *Error) {
	markup := startsMarkup(data)
	switch {
	case opts.Format == FormatAuto && isGeoJSON(data):
		return parseGeoJSON(data, opts)
	case opts.Format == FormatAuto && markup && bytes.Contains(plainHead(data), []byte("<gpx")):
		return parseGPX(data, opts)
	case isGeoJSON(data):
		return nil, newError(WrongType, "this is GeoJSON; export the sites as KML or CSV")
	case opts.Format == FormatCSV && markup:
		return nil, newError(WrongType, "this is KML or another XML file, not CSV")
	case opts.Format == FormatCSV, opts.Format == FormatAuto && !markup:
		return parseNamedCSV(data, opts)
	case !markup:
		return nil, notKML
	}
	return parseKML(data, opts)
}

// parseNamedCSV reads a CSV. What cannot be read as one and is named as KML is
// broken KML.
func parseNamedCSV(data []byte, opts Options) (*Result, *Error) {
	res, err := parseCSV(data, opts)
	ending := strings.ToLower(path.Ext(opts.Name))
	if err != nil && opts.Format == FormatAuto && (ending == ".kml" || ending == ".kmz") {
		return nil, notKML
	}
	return res, err
}

var notKML = newError(WrongType, "this is not KML: it does not start with a tag")

// parseKML reads a KML document in whichever encoding.
func parseKML(data []byte, opts Options) (*Result, *Error) {
	text, note, err := decodeText(data, declaredEncoding(data))
	if err != nil {
		return nil, err
	}
	b := newResultBuilder(opts, FormatKML)
	if note != nil {
		b.warnFile(note.Code, "%s", note.Message)
	}
	return b.readKML(text)
}

var encodingText = regexp.MustCompile(`^\s*<\?xml[^>]*\sencoding\s*=\s*["\']([^"\'>]*)["\']`)

// declaredEncoding returns what an XML declaration in ASCII says, "" for none.
func declaredEncoding(data []byte) string {
	if m := encodingText.FindSubmatch(bytes.TrimPrefix(data[:min(len(data), 512)], byteOrderMark)); m != nil {
		return string(m[1])
	}
	return ""
}

// plainHead returns the start of a text, of one in UTF-16 its ASCII.
func plainHead(data []byte) []byte {
	return bytes.ReplaceAll(data[:min(len(data), 4096)], []byte{0}, nil)
}

// startsMarkup reports whether the first character of a text is a '<'.
func startsMarkup(data []byte) bool {
	for _, c := range data[:min(len(data), 4096)] {
		switch c {
		case ' ', '\t', '\r', '\n', 0, 0xef, 0xbb, 0xbf, 0xfe, 0xff:
		default:
			return c == '<'
		}
	}
	return false
}

// foreignFormat names a kind of file that is often taken for a survey file, "" for none.
func foreignFormat(data []byte) string {
	for _, m := range []struct{ magic, kind string }{
		{"%PDF", "a PDF document"},
		{"\x1f\x8b", "a gzip archive"},
		{"Rar!", "a RAR archive"},
		{"7z\xbc\xaf", "a 7-Zip archive"},
		{"PK\x05\x06", "an empty ZIP archive"},
		{"PK\x07\x08", "a part of a split ZIP archive"},
		{"\xd0\xcf\x11\xe0", "an old Excel or Word document"},
		{"\x00\x00\x27\x0a", "a shapefile"},
		{"SQLite format 3", "a GeoPackage or another SQLite database"},
		{"\x89PNG", "a PNG image"},
		{"\xff\xd8\xff", "a JPEG image"},
		{"II*\x00", "a TIFF image"},
		{"MM\x00*", "a TIFF image"},
		{"GIF8", "a GIF image"},
	} {
		if bytes.HasPrefix(data, []byte(m.magic)) {
			return m.kind
		}
	}
	head := bytes.ToLower(bytes.TrimLeft(data[:min(len(data), 512)], " \t\r\n\xef\xbb\xbf"))
	if bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html")) {
		return "an HTML page, perhaps a saved login page"
	}
	return ""
}
