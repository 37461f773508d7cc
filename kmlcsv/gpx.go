package kmlcsv

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"math"

	"github.com/paulmach/orb"
)

// fileGPX is a GPX document as [WriteGPX] writes it.
type fileGPX struct {
	XMLName   xml.Name
	Version   string     `xml:"version,attr"`
	Creator   string     `xml:"creator,attr"`
	Waypoints []pointGPX `xml:"wpt"`
	Routes    []lineGPX  `xml:"rte"`
	Tracks    []lineGPX  `xml:"trk"`
}

// pointGPX is a waypoint, or a point of a route or a track. Its name is optional.
type pointGPX struct {
	Lat  string `xml:"lat,attr"`
	Lng  string `xml:"lon,attr"`
	Name string `xml:"name,omitempty"`
}

// lineGPX is a route or a track. A route has points, and a track has segments of points.
type lineGPX struct {
	Name     string       `xml:"name"`
	Points   []pointGPX   `xml:"rtept"`
	Segments []segmentGPX `xml:"trkseg"`
}

type segmentGPX struct {
	Points []pointGPX `xml:"trkpt"`
}

// gpxReader reads the waypoints, routes and tracks of a GPX document. It ignores namespace prefixes.
type gpxReader struct {
	out *resultBuilder
	s   xmlScanner
}

// gpxNames are the attributes of a feature in GPX. There is only the name.
var gpxNames = []string{"name"}

// gpxText has the descriptive texts of a waypoint, a route or a track.
type gpxText struct{ name, comment, description string }

// best returns the text that is used as the name of the site: the name, otherwise the comment, otherwise the
// description.
func (t *gpxText) best() string { return cmp.Or(t.name, t.comment, t.description) }

// parseGPX reads the waypoints, routes and tracks of a GPX document as sites.
func parseGPX(data []byte, opts readOptions) (*Result, *Error) {
	text, _, failed := decodeXML(data, opts.Encoding)
	if failed != nil {
		return nil, failed
	}
	r := &gpxReader{out: newResultBuilder(opts, FormatGPX), s: xmlScanner{data: text}}
	r.out.progress = func() float64 { return float64(r.s.pos) / float64(len(text)) }
	r.out.openAccount("", "feature")
	if r.s.startRoot("GPX") {
		r.readFile()
	}
	if r.s.err != nil {
		return nil, r.s.err
	}
	return r.out.finishGIS()
}

func (r *gpxReader) readFile() {
	for r.s.nextElement() && r.out.stop == nil {
		switch r.s.local() {
		case "wpt":
			var text gpxText
			points := r.readPoint(nil, &text)
			r.addLine(&text, pointFigure, [][]orb.Point{points[:1]})
		case "rte":
			r.readLine("rtept")
		case "trk":
			r.readLine("trkpt")
		default:
			r.s.skipElement()
		}
	}
}

// readLine reads a route or a track and adds it. pointName is the name of the elements that are its points: rtept or
// trkpt. A track should have its points in segments. Points that are not in a segment become a segment of their own.
func (r *gpxReader) readLine(pointName string) {
	var text gpxText
	var direct []orb.Point // points that are not in a segment
	var segments [][]orb.Point
	for r.s.nextElement() {
		switch name := r.s.local(); name {
		case pointName:
			direct = r.readPoint(direct, nil)
		case "trkseg":
			if segment := r.readSegment(); len(segment) > 0 {
				segments = append(segments, segment)
			}
		default:
			r.readText(name, &text)
		}
	}
	if len(direct) > 0 {
		segments = append([][]orb.Point{direct}, segments...)
	}
	r.addLine(&text, lineFigure, segments)
}

func (r *gpxReader) readSegment() (segment []orb.Point) {
	for r.s.nextElement() {
		if r.s.local() == "trkpt" {
			segment = r.readPoint(segment, nil)
		} else {
			r.s.skipElement()
		}
	}
	return segment
}

// readPoint reads the current point and appends its position to line. In a route, a point can also contain further
// positions, which describe the path to the next point. They are appended, too. If text is not nil, it stores the texts
// of the point in text.
func (r *gpxReader) readPoint(line []orb.Point, text *gpxText) []orb.Point {
	line = append(line, r.position())
	for r.s.nextElement() {
		name := r.s.local()
		if name == "extensions" {
			line = r.readShaping(line)
			continue
		}
		if text != nil {
			r.readText(name, text)
		} else {
			r.s.skipElement()
		}
	}
	return line
}

// readShaping appends the points with which Garmin describes the path to the next route point. They are inside the
// extensions of a route point, at any depth.
func (r *gpxReader) readShaping(line []orb.Point) []orb.Point {
	for r.s.nextElement() {
		if r.s.local() == "rpt" {
			line = append(line, r.position())
		}
		line = r.readShaping(line)
	}
	return line
}

// readText reads the current element. If it is a name, a comment or a description, its content is stored in text.
// Otherwise it is skipped. element is the name of the element.
func (r *gpxReader) readText(element string, text *gpxText) {
	var field *string
	switch element {
	case "name":
		field = &text.name
	case "cmt":
		field = &text.comment
	case "desc":
		field = &text.description
	default:
		r.s.skipElement()
		return
	}
	*field = string(bytes.TrimSpace(r.s.elementText()))
}

// position returns the position in the attributes lat and lon of the current element. It returns NaN coordinates if
// an attribute cannot be read.
func (r *gpxReader) position() orb.Point {
	lat, latOK := plainNumber(r.s.attribute("lat"))
	lng, lngOK := plainNumber(r.s.attribute("lon"))
	if !latOK || !lngOK {
		return orb.Point{math.NaN(), math.NaN()}
	}
	return orb.Point{lng, lat}
}

// plainNumber reads a number in the usual notation of programs, with a decimal point. The bool result is false if the
// text is not such a number.
func plainNumber(text []byte) (float64, bool) {
	text = bytes.TrimPrefix(bytes.TrimSpace(text), []byte("+"))
	value, n := parseNumber(text, 0)
	return value, n > 0 && n == len(text)
}

// addLine adds a waypoint, a route or a track as a site. kind says whether segments are points or lines.
func (r *gpxReader) addLine(text *gpxText, kind figureKind, segments [][]orb.Point) {
	if r.s.err != nil {
		return
	}
	f := feature{names: gpxNames, text: func(int) string { return text.best() }}
	for _, points := range segments {
		f.figures = append(f.figures, rawFigure{kind: kind, points: points})
	}
	_ = r.out.addFeature(f) // the error needs no handling: GPX is always in degrees, and out.stop ends the loop
}
