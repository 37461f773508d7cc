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

// Options say how a file is read. The zero value is the usual way.
type Options struct {
	Format     Format   // FormatAuto recognises it by the content
	Name       string   // of the file, "" if unknown; its ending helps to say what is wrong
	MaxBytes   int64    // 0 means DefaultMaxBytes; otherwise also the limit of what an archive unpacks to
	SwapLatLng bool     // read latitude as longitude and the reverse
	Columns    *Columns // the columns of a CSV, nil to find them by their names
	NoPlaces   bool     // leave country and city as the file gives them

	MaxSites    int // of the file, 0 for no limit but that of the memory that a result may take
	MaxWarnings int // how many are listed, 0 for DefaultMaxWarnings; one more then says how many there are besides

	// Beside has the files beside a .shp by their endings: .dbf, .prj and .cpg; and
	// the write-ahead log of a GeoPackage as -wal.
	Beside map[string][]byte

	// Near has other sites of the customer. They order the reference systems that a file without one
	// is asked about.
	Near []orb.Point `json:"-"`

	// What a person chose in place of what is found, each zero for that. They have
	// no meaning for files of other kinds.
	HeaderRow     int    // row of a table's header as a spreadsheet counts, -1 for none
	Separator     byte   // of a CSV
	Sheet         string // of a workbook
	NameAttribute string // attribute that names the features of a GIS file

	Encoding   string     // of the text or the attributes, as browsers name it: "windows-1251"; "" as found
	Axes       AxisOrder  // which of two columns, or of two numbers in a cell, is first
	Hemisphere Hemisphere // of UTM zones without one
	LetterO    LetterO    // what O means behind or in front of a longitude
	Unit       string     // of coordinates whose unit the file leaves open: "deg", "gon", "e6", "dms"

	CRS  int  // EPSG code of the coordinates of a file that names none, 0 for WGS 84
	Join Kind // Linear or Area: the rows of a CSV are the vertices of one line or polygon, in order

	work       *work                  // limits of reading, which the files of an archive share
	isSheet    bool                   // the table comes from a sheet, whose cells are certain
	merged     []mergedCells          // of the sheet that a table comes from
	followLink func(href string) bool // reports whether a network link names a file of the archive, nil outside
}

// Result is the outcome of reading a file.
type Result struct {
	Format     Format
	Placemarks []Placemark
	Warnings   []Warning
	Header     []string // header cells of a table as in the file, or the attributes of features; nil for KML
	Columns    Columns  // columns of a CSV as used, or as guessed where they are not known
	Layout     Layout
	Systems    []Guess // reference systems that the coordinates of a file that names none can be of
	Skipped    int     // placemarks and parts of placemarks that were not read

	Accounts  []Account  // what became of every record, for each container in the file
	Questions []Question // what can be read in more than one way

	parts []partResult // what came from each document of an archive
}

// Layout is how a table, or the attributes of features, look: what [Options] can choose
// from.
type Layout struct {
	Rows      [][]string // the first rows, the row at index 0 is row 1; cells are cut
	HeaderRow int        // row of the header, -1 for none
	Separator byte       // of a CSV
	Encoding  string     // of a text, as browsers name it; "" if it is not known
	Sheet     string     // of a workbook
	Sheets    []string   // all of them
	Name      string     // attribute that names the features
}

const (
	layoutRows = maxAbove + 10 // of a layout
	layoutCell = 80            // bytes of a cell in it
)

// Guess is a reference system that a file may use.
type Guess struct {
	Code int    // EPSG
	Town string // where the first site would be
}

// Parse reads a survey file. It keeps nothing of data.
//
// The error is always an [*Error]. Where the file was understood but nothing
// in it is usable, the result is there too, so that its warnings and header
// can be shown; after other errors it is nil.
func Parse(data []byte, opts Options) (*Result, error) {
	return ParseContext(context.Background(), data, opts)
}

// ParseContext is [Parse] until ctx ends; the error then wraps that of ctx. It returns
// an error of the code [TooComplex] for a file that takes more than 20 seconds.
func ParseContext(ctx context.Context, data []byte, opts Options) (*Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxReadingTime, errReadingTime)
	defer cancel()
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	opts.work = newWork(ctx, int64(len(data)), opts.MaxBytes)
	if opts.MaxSites > 0 {
		opts.work.maxSites = min(opts.MaxSites, maxPlacemarks)
	}
	if err := opts.work.check(); err != nil {
		return nil, err
	}
	res, err := parseFormat(data, opts)
	if opts.work.isFull {
		return nil, opts.work.tooManySites()
	}
	if err == nil {
		return res, nil
	}
	if hasResult(err) {
		return res, err
	}
	return nil, err
}

// hasResult reports whether a file was understood in spite of an error, so that its
// result has something to show.
func hasResult(err *Error) bool {
	switch err.Code {
	case NothingUsable, NoPlacemarks, OnlyLinks, NoColumns, NoRows, ProjectedCoords, NeedsAnswer:
		return true
	}
	return false
}

// DefaultMaxBytes is the size of the largest file that is read unless [Options] say
// otherwise: 512 MiB.
const DefaultMaxBytes = 512 << 20

// CheckSize returns the error of [Parse] for a file of more than limit bytes, so that such
// a file need not be read. A limit of 0 is [DefaultMaxBytes].
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

// DefaultMaxWarnings is how many warnings a result lists unless [Options] say
// otherwise.
const DefaultMaxWarnings = 5000

// Kind says what a placemark's geometry is surveyed as. Its values are those
// of the service's mission type.
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
	Country string // English short name, from the file or else suggested; "" where unknown
	City    string // likewise

	// Geometry is an orb.Point, an orb.LineString or an orb.Polygon. The first
	// ring of a polygon is its boundary, the others are holes; rings are closed.
	Geometry orb.Geometry

	Area   float64 // square metres on the ellipsoid, holes subtracted; 0 but for polygons
	Length float64 // metres on the ellipsoid; 0 but for line strings
	Line   int     // where it starts: line of a KML file, row of a CSV as a spreadsheet counts
}

// Kind returns what the geometry is surveyed as.
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

// Points returns the vertices as an order carries them: of a polygon the
// boundary without its closing point, without holes. The result may share
// memory with the geometry.
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

// Warning is something about a file that its user should know: a leniency that
// was needed to read it, or a placemark that was not read.
type Warning struct {
	Code      Code
	Line      int    // line of a KML file, row of a CSV as a spreadsheet counts; 0 for the whole file
	Index     int    // into Result.Placemarks, -1 for none
	Placemark string // label, "" for none
	Message   string // one line without control characters

	Skipped bool       // what it is about is not among the placemarks
	Fixed   *Placemark // the placemark mended in the one way that is possible, nil where there is none
	Fix     string     // what Fixed did, one short sentence; "" for latitude and longitude exchanged
}

// String returns the message with the place in the file that it is about.
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

// Error says why a file cannot be read at all.
type Error struct {
	Code    Code
	Line    int // from 1; of a CSV the row as a spreadsheet counts; 0 where unknown
	Column  int // in bytes from 1, 0 where unknown
	Message string

	cause error // error of a context that ended
}

// Unwrap returns the error of the context if reading was stopped, otherwise nil.
func (e *Error) Unwrap() error { return e.cause }

// Error returns the message on one line, after line and column where known.
func (e *Error) Error() string {
	switch {
	case e.Line > 0 && e.Column > 0:
		return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
	case e.Line > 0:
		return fmt.Sprintf("line %d: %s", e.Line, e.Message)
	default:
		return e.Message
	}
}

func (e *Error) isOf(code Code) bool { return e != nil && e.Code == code }

func newError(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: writeMessage(format, args...)}
}

// writeMessage formats a message. Bytes, which are those of a file, are made fit for it.
func writeMessage(format string, args ...any) string {
	for i, arg := range args {
		if text, ok := arg.([]byte); ok {
			args[i] = oneLine(text)
		}
	}
	return fmt.Sprintf(format, args...)
}
