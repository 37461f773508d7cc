package kmlcsv

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/paulmach/orb"
)

// Format is a kind of survey file.
type Format string

// The formats.
const (
	FormatAuto    Format = ""    // recognised by the content
	FormatKML     Format = "kml" // KMZ too, by its first bytes
	FormatCSV     Format = "csv"
	FormatGeoJSON Format = "geojson"
)

// Options controls how a file is read. The zero value detects everything from the file.
type Options struct {
	Format     Format   // format of the file, FormatAuto to recognise it by the content
	Name       string   // file name, "" if unknown; its ending makes errors more specific
	MaxBytes   int64    // maximum size of the file, 0 for DefaultMaxBytes; if set, also the limit of unpacked data
	SwapLatLng bool     // read latitudes as longitudes and longitudes as latitudes
	Columns    *Columns // columns of a CSV, nil to find them by their names
	NoPlaces   bool     // do not look up the country and city of a position

	MaxSites    int // maximum number of sites in the file, 0 for no limit other than the memory for the result
	MaxWarnings int // maximum number of warnings in the result, 0 for DefaultMaxWarnings; the last one counts the rest

	// Beside has the other files that belong to the file, by their endings: .dbf, .prj and .cpg for a .shp, and -wal
	// with the write-ahead log of a GeoPackage.
	Beside map[string][]byte

	// Near has other sites of the customer. If the file names no reference system, the
	// possible systems near these sites are listed first.
	Near []orb.Point `json:"-"`

	// The fields below override what is detected in the file. With the zero value, the detected value is used. Fields
	// that do not apply to the kind of file have no effect.
	HeaderRow     int    // row of a table's header, counted as in a spreadsheet, -1 for a table without a header
	Separator     byte   // separator of a CSV
	Sheet         string // sheet of a workbook
	NameAttribute string // attribute that names the features of a GIS file

	Encoding   string     // encoding of texts, by its name in web standards such as "windows-1251"
	Axes       AxisOrder  // order of latitude and longitude in two columns, or in two numbers of a cell
	Hemisphere Hemisphere // hemisphere of UTM zones that name none
	LetterO    LetterO    // meaning of the letter O before or after a longitude
	Unit       string     // unit of the coordinates if the file does not name it: "deg", "gon", "e6", "dms"

	CRS  int  // EPSG code of the coordinates if the file names none, 0 for WGS 84
	Join Kind // Linear or Area: the rows of a CSV are the vertices of one line or polygon, in order
}

// readOptions are the options of the caller, and further values for reading a part of a file, such as a sheet of a
// workbook.
type readOptions struct {
	Options

	work       *work                  // limits of reading, shared by the files of an archive
	isSheet    bool                   // the table is a sheet of a workbook, so decimal commas do not separate cells
	merged     []mergedCells          // merged cells of the sheet
	followLink func(href string) bool // reports whether a network link names a file of the archive; nil outside archives
}

// Result is the outcome of reading a file.
type Result struct {
	Format     Format
	Placemarks []Placemark
	Warnings   []Warning
	Header     []string // header of a table as in the file, or names of the attributes; nil for KML
	Columns    Columns  // columns of a CSV that were used; a guess if the columns could not be found
	Layout     Layout
	Systems    []Guess // possible reference systems, if the file names none
	Skipped    int     // placemarks and parts of placemarks that were not read

	Accounts  []Account  // number of records that were read or skipped, for each sheet, layer or document in the file
	Questions []Question // questions about data that can be read in more than one way

	parts []partResult // which parts of the result come from which document of an archive
}

// Layout shows how a table or the attributes of features were read, so that a user can choose other [Options].
type Layout struct {
	Rows      [][]string // the first rows, row 1 at index 0; long cells are cut
	HeaderRow int        // row of the header, -1 for none
	Separator byte       // separator of a CSV
	Encoding  string     // encoding of a text, by its name in web standards; "" if unknown
	Sheet     string     // sheet of a workbook that was read
	Sheets    []string   // all sheets of the workbook
	Name      string     // attribute that names the features of a GIS file
}

const (
	layoutRows = maxAbove + 10 // rows in a layout
	layoutCell = 80            // maximum length of a cell in a layout, in bytes
)

// Guess is a reference system that a file may use.
type Guess struct {
	Code int    // EPSG code
	Town string // town near the first site if the file uses the system
}

// Parse reads a survey file. The result shares no memory with data.
//
// The error is always an [*Error]. If the file was understood but nothing in it is
// usable, the result is returned too, so that its warnings and header can be shown. After
// any other error the result is nil.
func Parse(data []byte, opts Options) (*Result, error) {
	return ParseContext(context.Background(), data, opts)
}

// ParseContext is like [Parse] but stops when ctx ends. The error then wraps the error of ctx. It also stops if
// reading takes more than 20 seconds, with an error that has the code [TooComplex].
func ParseContext(ctx context.Context, data []byte, opts Options) (*Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxReadingTime, errReadingTime)
	defer cancel()
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	limits := newWork(ctx, int64(len(data)), opts.MaxBytes)
	if opts.MaxSites > 0 {
		limits.maxSites = min(opts.MaxSites, maxPlacemarks)
	}
	if failed := limits.check(); failed != nil { // the context has ended already
		return nil, failed
	}
	result, failed := parseFormat(data, readOptions{Options: opts, work: limits})
	if limits.isFull { // too many sites, so reading stopped; this may have caused another error
		return nil, limits.tooManySites()
	}
	if failed == nil {
		return result, nil
	}
	if wasUnderstood(failed) { // the result has the header, the questions and the warnings
		return result, failed
	}
	return nil, failed
}

// wasUnderstood reports whether the file could be read although there is an error: it has no sites, or a question must
// be answered. It returns false if the data is damaged or in an unknown form.
func wasUnderstood(failed *Error) bool {
	switch failed.Code {
	case NothingUsable, NoPlacemarks, OnlyLinks, NoColumns, NoRows, ProjectedCoords, NeedsAnswer:
		return true
	}
	return false
}

// DefaultMaxBytes is the maximum size of a file unless [Options] say otherwise: 512 MiB.
const DefaultMaxBytes = 512 << 20

// CheckSize returns an error if a file of the given size has more than limit bytes. It is the error that [Parse]
// returns for such a file. Callers can use it before they load a file. A limit of 0 is [DefaultMaxBytes].
func CheckSize(size, limit int64) error {
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	if size <= limit {
		return nil
	}
	return tooLarge(limit)
}

func tooLarge(limit int64) *Error {
	return newError(TooLarge, "the file is too large: over %s", humanize.IBytes(uint64(limit)))
}

// DefaultMaxWarnings is the maximum number of warnings in a result unless [Options] say otherwise.
const DefaultMaxWarnings = 5000

// Kind is the kind of survey that a placemark needs. It has the same values as the mission types of the API.
type Kind string

// The kinds of placemark.
const (
	Area   Kind = "area"   // a polygon
	Linear Kind = "linear" // a line string
	Asset  Kind = "asset"  // a point
)

// Placemark is one site of a survey file.
type Placemark struct {
	Name    string // label, one line of at most 200 characters, never empty
	Country string // English short name, from the file or looked up by the position; "" if unknown
	City    string // from the file or looked up by the position; "" if unknown

	// Geometry is an orb.Point, an orb.LineString or an orb.Polygon. The first
	// ring of a polygon is its boundary, the others are holes; rings are closed.
	Geometry orb.Geometry

	Area   float64 // square metres on the ellipsoid without holes, 0 unless the geometry is a polygon
	Length float64 // metres on the ellipsoid, 0 unless the geometry is a line string
	Line   int     // start in the file: line of a KML, row of a CSV as a spreadsheet counts
}

// Kind returns the kind of survey for the geometry: Area for a polygon, Linear for a line, otherwise Asset.
func (p Placemark) Kind() Kind {
	switch p.Geometry.(type) {
	case orb.Polygon:
		return Area
	case orb.LineString:
		return Linear
	default:
		return Asset
	}
}

// Points returns the vertices of the placemark. For a polygon these are the vertices of the boundary, without the
// closing point and without holes. The result may share memory with the geometry.
func (p Placemark) Points() []orb.Point {
	switch g := p.Geometry.(type) {
	case orb.Point:
		return []orb.Point{g}
	case orb.LineString:
		return g
	case orb.Polygon:
		if len(g) == 0 {
			return nil
		}
		ring := g[0]
		if n := len(ring) - 1; n >= 0 && ring[0] == ring[n] {
			ring = ring[:n]
		}
		return ring
	}
	return nil
}

// Warning describes a fault in a file that was tolerated, or a placemark that was not read.
type Warning struct {
	Code      Code
	Line      int    // line of a KML file, row of a CSV as a spreadsheet counts; 0 for the whole file
	Index     int    // index of the placemark in Result.Placemarks, -1 for none
	Placemark string // label of the placemark, "" for none
	Message   string // one line without control characters

	Skipped bool       // the placemark, or a part of it, was not read
	Fixed   *Placemark // the corrected placemark if exactly one correction is possible, otherwise nil
	Fix     string     // describes the correction in one sentence; "" for the most common, exchanged latitude and longitude
}

// String returns the message, with the label and the line of the placemark before it.
func (w Warning) String() string {
	s := w.Message
	if w.Placemark != "" {
		s = fmt.Sprintf("%q: %s", w.Placemark, s)
	}
	if w.Line > 0 {
		s = fmt.Sprintf("line %d: %s", w.Line, s)
	}
	return s
}

// Error is the reason why a file cannot be read.
type Error struct {
	Code    Code
	Line    int // line from 1, for a CSV the row as a spreadsheet counts; 0 if unknown
	Column  int // column from 1 in bytes, 0 if unknown
	Message string

	cause error // error of the context that stopped reading, or of the database driver; or nil
}

// Unwrap returns the error of the context if reading was stopped, or the error of the database driver if a GeoPackage
// is damaged. Otherwise it returns nil.
func (e *Error) Unwrap() error { return e.cause }

// Error returns the message on one line, with the line and the column before it if they are known.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	if e.Column == 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Message)
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

func (e *Error) isOf(code Code) bool { return e != nil && e.Code == code }

func newError(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: writeMessage(format, args...)}
}

// writeMessage formats a message. An argument of the type []byte is text from a file: it is reduced to one line
// without control characters.
func writeMessage(format string, args ...any) string {
	for i, arg := range args {
		if text, ok := arg.([]byte); ok {
			args[i] = oneLine(text)
		}
	}
	return fmt.Sprintf(format, args...)
}
