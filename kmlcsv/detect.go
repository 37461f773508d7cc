package kmlcsv

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// parseFormat checks the options and the size of a file, and reads it.
func parseFormat(data []byte, opts readOptions) (*Result, *Error) {
	if int64(len(data)) > opts.MaxBytes {
		return nil, tooLarge(opts.MaxBytes)
	}
	if len(data) == 0 {
		return nil, newError(EmptyFile, "the file is empty")
	}
	if failed := checkEncoding(opts.Encoding); failed != nil {
		return nil, failed
	}
	// Only these formats can be chosen. All others are recognised by the content.
	if !slices.Contains([]Format{FormatAuto, FormatKML, FormatCSV}, opts.Format) {
		return nil, newError(WrongType, "%s is not a supported format", []byte(opts.Format))
	}
	return parseContent(data, opts)
}

// parseContent reads a file, or a file in an archive. It detects the format from the content, mostly from the first
// bytes.
func parseContent(data []byte, opts readOptions) (*Result, *Error) {
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return parseZip(data, opts)
	}
	if opts.Format == FormatAuto && bytes.HasPrefix(data, []byte(packageMagic)) {
		return parseGeoPackage(data, opts)
	}
	if opts.Format == FormatAuto && bytes.HasPrefix(data, []byte(shapeMagic)) {
		return parseShape(data, opts)
	}
	if kind := foreignFormat(data); kind != "" {
		return nil, newError(WrongType, "this is %s; export the sites as KML or CSV", kind)
	}
	return parseText(data, opts)
}

// parseText reads a text file: JSON, XML, a mission or a table.
func parseText(data []byte, opts readOptions) (*Result, *Error) {
	isAuto := opts.Format == FormatAuto
	if startsJSON(data) {
		if !isAuto {
			return nil, newError(WrongType, "this is GeoJSON or other JSON; export the sites as KML or CSV")
		}
		return parseJSON(data, opts)
	}
	if startsMarkup(data) {
		return parseMarkup(data, opts)
	}
	if opts.Format == FormatKML {
		return nil, notKML
	}
	if isAuto && startsMission(data) {
		return parseMission(data, opts)
	}
	return parsePlainText(data, opts)
}

// parseMarkup reads an XML file, which can be GPX or KML.
func parseMarkup(data []byte, opts readOptions) (*Result, *Error) {
	if opts.Format == FormatCSV {
		return nil, newError(WrongType, "this is KML or another XML file, not CSV")
	}
	root := rootName(data)
	if opts.Format == FormatAuto && root == "gpx" {
		return parseGPX(data, opts)
	}
	if kind := foreignRoots[root]; kind != "" {
		return nil, newError(WrongType, "this is %s; export the sites as KML or CSV", kind)
	}
	return parseKML(data, opts)
}

// foreignRoots maps the names of root elements to the kinds of XML that cannot be read.
var foreignRoots = map[string]string{
	"featurecollection": "GML", "osm": "OpenStreetMap data", "trainingcenterdatabase": "a Garmin training file (TCX)",
	"landxml": "LandXML", "svg": "an SVG picture", "workbook": "an Excel 2003 XML workbook",
	"rss": "a news feed", "feed": "a news feed", "plist": "a property list", "gml": "GML", "qgis": "a QGIS project",
	"transfer": "INTERLIS data", "citymodel": "CityGML",
}

var rootText = newPattern(`<(?:[A-Za-z_][-\w.]*:)?([A-Za-z_][-\w.]*)[\s/>]`)

// rootName returns the name of the root element, in lower case and without its namespace prefix. It returns "" if the
// start of the file has no element.
func rootName(data []byte) string {
	head := commentText().ReplaceAll(plainHead(data), nil)
	if m := rootText().FindSubmatch(head); m != nil {
		return strings.ToLower(string(m[1]))
	}
	return ""
}

var commentText = newPattern(`(?s)<!--.*?-->|<\?.*?\?>`)

// startsJSON reports whether a text starts like a JSON object or like an array of JSON objects.
func startsJSON(data []byte) bool {
	head := bytes.TrimLeft(plainHead(data), " \t\r\n\x1e\xef\xbb\xbf\xfe\xff")
	if len(head) > 0 && head[0] == '[' {
		head = bytes.TrimLeft(head[1:], " \t\r\n")
	}
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	rest := bytes.TrimLeft(head[1:], " \t\r\n")
	return len(rest) == 0 || rest[0] == '"' || rest[0] == '}'
}

// parsePlainText reads a text that is neither JSON nor XML as a table. If that fails for a file whose name ends in
// .kml or .kmz, the error says that the file is not KML.
func parsePlainText(data []byte, opts readOptions) (*Result, *Error) {
	res, err := parseTable(data, opts)
	ending := strings.ToLower(path.Ext(opts.Name))
	if err != nil && opts.Format == FormatAuto && (ending == ".kml" || ending == ".kmz") {
		return nil, notKML
	}
	return res, err
}

var notKML = newError(WrongType, "this is not KML: it does not start with a tag")

// parseKML reads a KML document. It detects the encoding of the document first.
func parseKML(data []byte, opts readOptions) (*Result, *Error) {
	text, note, err := decodeXML(data, opts.Encoding)
	if err != nil {
		return nil, err
	}
	b := newResultBuilder(opts, FormatKML)
	if note != nil {
		b.warnFile(note.Code, "%s", note.Message)
	}
	return b.readKML(text)
}

// decodeXML converts an XML document to UTF-8. chosen is the encoding that the user chose. If it is "", the encoding
// in the XML declaration is used. note is nil, or a warning for the user about the encoding.
func decodeXML(data []byte, chosen string) (text []byte, note, failed *Error) {
	if chosen == "" {
		return decodeText(data, declaredEncoding(data))
	}
	text, decoded, failed := decodeChosen(data, chosen)
	return text, decoded.note, failed
}

var encodingText = newPattern(`^\s*<\?xml[^>]*\sencoding\s*=\s*["\']([^"\'>]*)["\']`)

// declaredEncoding returns the encoding in the XML declaration of a document, or "".
func declaredEncoding(data []byte) string {
	if m := encodingText().FindSubmatch(bytes.TrimPrefix(data[:min(len(data), 512)], byteOrderMark)); m != nil {
		return string(m[1])
	}
	return ""
}

// plainHead returns the start of a text without NUL bytes. If the text is UTF-16, this turns ASCII characters into
// single bytes, so that callers can search for them as in UTF-8.
func plainHead(data []byte) []byte {
	return bytes.ReplaceAll(data[:min(len(data), 4096)], []byte{0}, nil)
}

// startsMarkup reports whether a text starts with '<', after white space and a byte order mark.
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

// foreignFormat examines whether a file is certainly not a survey file. If so, it returns a description of the file for
// the user, such as "a PDF document". Otherwise it returns "".
func foreignFormat(data []byte) string {
	for _, m := range []struct{ magic, kind string }{
		{"%PDF", "a PDF document"},
		{"\x1f\x8b", "a gzip archive"},
		{"BZh", "a bzip2 archive"},
		{"\xfd7zXZ", "an xz archive"},
		{"\x28\xb5\x2f\xfd", "a Zstandard archive"},
		{"Rar!", "a RAR archive"},
		{"7z\xbc\xaf", "a 7-Zip archive"},
		{"PK\x05\x06", "an empty ZIP archive"},
		{"PK\x07\x08", "a part of a split ZIP archive"},
		{"{\\rtf", "a formatted text (RTF)"},
		{shapeMagic, "a shapefile"},
		{packageMagic, "a GeoPackage or another SQLite database"},
		{"\x89PNG", "a PNG image"},
		{"\xff\xd8\xff", "a JPEG image"},
		{"II*\x00", "a TIFF image"},
		{"MM\x00*", "a TIFF image"},
		{"GIF8", "a GIF image"},
		{"RIFF", "a picture, sound or video"},
		{"fgb\x03", "a FlatGeobuf file"},
		{"AC10", "an AutoCAD drawing (DWG)"},
		{"AutoCAD Binary DXF", "an AutoCAD drawing (DXF)"},
		{"LASF", "a point cloud (LAS)"},
		{"PAR1", "a Parquet file"},
		{"\x89HDF", "an HDF5 file"},
		{"MZ", "a Windows program"},
		{"\x7fELF", "a program"},
		{"!table", "a MapInfo table (TAB); choose its .mif, or export it"},
	} {
		if bytes.HasPrefix(data, []byte(m.magic)) {
			return m.kind
		}
	}
	if bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0")) {
		return oldOfficeKind(data)
	}
	return foreignText(data)
}

// oldOfficeKind returns the kind of a document that Office before 2007 wrote, such as "an old Word document". The names
// of the streams in the file show which program wrote it.
func oldOfficeKind(data []byte) string {
	for _, m := range []struct{ stream, kind string }{
		{"W\x00o\x00r\x00d\x00D\x00o\x00c\x00u\x00m\x00e\x00n\x00t", "an old Word document"},
		{"W\x00o\x00r\x00k\x00b\x00o\x00o\x00k", "an old Excel workbook (.xls)"},
		{"P\x00o\x00w\x00e\x00r\x00P\x00o\x00i\x00n\x00t", "an old PowerPoint presentation"},
	} {
		if bytes.Contains(data, []byte(m.stream)) {
			return m.kind
		}
	}
	return "an old Excel or Word document"
}

var (
	dxfText  = newPattern(`^\s*(999\s*\r?\n[^\n]*\n\s*)*0\s*\r?\n\s*SECTION\s`)
	nmeaText = newPattern(`^\$G[A-Z]{4},`)
	mifText  = newPattern(`(?i)^version\s+\d+\s*\r?\n(charset|delimiter|coordsys|columns)\b`)
)

// foreignText examines whether a text file is certainly not a survey file. If so, it returns a description of the file
// for the user, such as "an HTML page". Otherwise it returns "".
func foreignText(data []byte) string {
	if len(data) > 262 && string(data[257:262]) == "ustar" {
		return "a tar archive"
	}
	text := bytes.TrimLeft(data[:min(len(data), 512)], " \t\r\n\xef\xbb\xbf")
	head := bytes.ToLower(text)
	switch {
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")):
		return "an HTML page, perhaps a saved login page"
	case dxfText().Match(text):
		return "an AutoCAD drawing (DXF)"
	case nmeaText().Match(text):
		return "the log of a satellite receiver (NMEA)"
	case mifText().Match(text):
		return "a MapInfo exchange file (MIF)"
	}
	return ""
}
