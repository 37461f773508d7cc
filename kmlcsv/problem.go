package kmlcsv

import "fmt"

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
}

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

// TooLarge reports whether the file was refused for its size alone.
func (e *Error) TooLarge() bool { return e.Code == TooLarge }

func newError(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
