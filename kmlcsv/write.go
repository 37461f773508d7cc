package kmlcsv

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// template is what [Template] returns: what [WriteCSV] makes of its placemarks.
const template = "locationLabel,latitude,longitude,points,country,city\r\n" +
	"Solar farm north,48.3538,11.7861,,,\r\n" +
	"Quarry block A,,,\"52.5001,13.4001; 52.5001,13.4101; 52.5061,13.4101; 52.5061,13.4001\",Germany,Berlin\r\n" +
	"Pipeline km 12,25.1124,55.1395,,United Arab Emirates,Dubai\r\n"

// Template returns an example of a CSV file. A row has
// either latitude and longitude or, for a boundary, points; country and city
// may be left empty.
func Template() []byte { return []byte(template) }

// NewPlacemark returns a placemark for a site that was not read from a file. The name
// is tidied as that of a file is. The geometry is an orb.Point, an
// orb.LineString or an orb.Polygon, whose rings are closed in a copy where they
// are not.
func NewPlacemark(name string, g orb.Geometry) Placemark {
	label, _, _ := tidyLabel([]byte(name), nil)
	if len(label) == 0 {
		label = []byte("Placemark 1")
	}
	p := Placemark{Name: string(label), Geometry: g}
	switch g := g.(type) {
	case orb.LineString:
		p.Length = LengthOf(g)
	case orb.Polygon:
		polygon := make(orb.Polygon, 0, len(g))
		for _, ring := range g {
			if n := len(ring); n > 0 && ring[0] != ring[n-1] {
				ring = append(ring[:n:n], ring[0])
			}
			polygon = append(polygon, ring)
		}
		p.Geometry, p.Area = polygon, AreaOf(polygon)
	}
	return p
}

// textWriter writes text and keeps the first error for the end.
type textWriter struct {
	*bufio.Writer
	buf []byte
}

func (w *textWriter) writeText(parts ...string) {
	for _, s := range parts {
		_, _ = w.WriteString(s) // Flush returns the error
	}
}

func (w *textWriter) writeNumber(v float64) {
	w.buf = strconv.AppendFloat(w.buf[:0], v, 'f', -1, 64)
	_, _ = w.Write(w.buf)
}

// writePoints writes points with sep between them, each with its second or first
// coordinate first.
func (w *textWriter) writePoints(points []orb.Point, first int, inner, sep string) {
	for i, p := range points {
		if i > 0 {
			w.writeText(sep)
		}
		w.writeNumber(p[first])
		w.writeText(inner)
		w.writeNumber(p[1-first])
	}
}

// unknownGeometry returns the error for a geometry that a placemark cannot have.
func unknownGeometry(p *Placemark) error {
	return fmt.Errorf("placemark %q has neither a point, a line nor a polygon", p.Name)
}

// WriteCSV writes placemarks as a CSV file that [Parse] reads back as they
// are: points with latitude and longitude, polygons as pairs, lines and
// polygons with holes as well-known text. Cells that a spreadsheet would take
// for a formula get an apostrophe, which Parse takes off.
func WriteCSV(to io.Writer, ps []Placemark) error {
	w := &textWriter{Writer: bufio.NewWriter(to)}
	w.writeText("locationLabel,latitude,longitude,points,country,city\r\n")
	for i := range ps {
		p := &ps[i]
		w.writeText(csvCell(p.Name), ",")
		switch g := p.Geometry.(type) {
		case orb.Point:
			w.writePoints([]orb.Point{g}, 1, ",", "")
			w.writeText(",,")
		case orb.LineString:
			w.writeText(`,,"LINESTRING (`)
			w.writePoints(g, 0, " ", ", ")
			w.writeText(`)",`)
		case orb.Polygon:
			w.writeText(`,,"`)
			if len(g) == 1 {
				w.writePoints(p.Points(), 1, ",", "; ")
			} else {
				w.writeWKT(g)
			}
			w.writeText(`",`)
		default:
			return unknownGeometry(p)
		}
		w.writeText(csvCell(p.Country), ",", csvCell(p.City), "\r\n")
	}
	return w.Flush()
}

func (w *textWriter) writeWKT(g orb.Polygon) {
	w.writeText("POLYGON (")
	for i, ring := range g {
		if i > 0 {
			w.writeText(", ")
		}
		w.writeText("(")
		w.writePoints(ring, 0, " ", ", ")
		w.writeText(")")
	}
	w.writeText(")")
}

// csvCell quotes a cell where needed, and guards it from being a formula.
func csvCell(s string) string {
	if rest := strings.TrimLeft(s, "'"); rest != "" && strings.ContainsRune("=+-@", rune(rest[0])) {
		s = "'" + s
	}
	if strings.ContainsAny(s, "\",;\t|\r\n") {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// WriteKML writes placemarks as a KML document that [Parse] reads back as they
// are.
func WriteKML(to io.Writer, ps []Placemark) error {
	w := &textWriter{Writer: bufio.NewWriter(to)}
	w.writeText(xml.Header, `<kml xmlns="http://www.opengis.net/kml/2.2">`, "\n<Document>\n")
	for i := range ps {
		p := &ps[i]
		w.writeText("<Placemark>\n\t<name>")
		w.writeEscaped(p.Name)
		w.writeText("</name>\n")
		w.writePlaces(p)
		switch g := p.Geometry.(type) {
		case orb.Point:
			w.writeText("\t<Point>")
			w.writeCoordinates([]orb.Point{g})
			w.writeText("</Point>\n")
		case orb.LineString:
			w.writeText("\t<LineString><tessellate>1</tessellate>")
			w.writeCoordinates(g)
			w.writeText("</LineString>\n")
		case orb.Polygon:
			w.writeRings(g)
		default:
			return unknownGeometry(p)
		}
		w.writeText("</Placemark>\n")
	}
	w.writeText("</Document>\n</kml>\n")
	return w.Flush()
}

func (w *textWriter) writeEscaped(s string) { _ = xml.EscapeText(w, []byte(s)) } // Flush returns the error

func (w *textWriter) writeCoordinates(points []orb.Point) {
	w.writeText("<coordinates>")
	w.writePoints(points, 0, ",", " ")
	w.writeText("</coordinates>")
}

// writePlaces writes country and city as extended data.
func (w *textWriter) writePlaces(p *Placemark) {
	if p.Country == "" && p.City == "" {
		return
	}
	w.writeText("\t<ExtendedData>")
	for _, field := range []struct{ name, value string }{{"country", p.Country}, {"city", p.City}} {
		if field.value != "" {
			w.writeText(`<Data name="`, field.name, `"><value>`)
			w.writeEscaped(field.value)
			w.writeText("</value></Data>")
		}
	}
	w.writeText("</ExtendedData>\n")
}

func (w *textWriter) writeRings(g orb.Polygon) {
	w.writeText("\t<Polygon>\n")
	for i, ring := range g {
		boundary := "outerBoundaryIs"
		if i > 0 {
			boundary = "innerBoundaryIs"
		}
		w.writeText("\t\t<", boundary, "><LinearRing>")
		w.writeCoordinates(ring)
		w.writeText("</LinearRing></", boundary, ">\n")
	}
	w.writeText("\t</Polygon>\n")
}

// WriteGPX writes placemarks for receivers: points as waypoints, lines and the
// boundaries of polygons as tracks. Holes are left out.
func WriteGPX(to io.Writer, ps []Placemark) error {
	w := &textWriter{Writer: bufio.NewWriter(to)}
	w.writeText(xml.Header, `<gpx version="1.1" creator="flightdesk" xmlns="http://www.topografix.com/GPX/1/1">`, "\n")
	point := func(tag string, p orb.Point) {
		w.writeText("<", tag, ` lat="`)
		w.writeNumber(p[1])
		w.writeText(`" lon="`)
		w.writeNumber(p[0])
		w.writeText(`">`)
	}
	// Waypoints come first.
	for _, lines := range []bool{false, true} {
		for i := range ps {
			var track []orb.Point
			switch g := ps[i].Geometry.(type) {
			case orb.Point:
				if !lines {
					point("wpt", g)
					w.writeText("<name>")
					w.writeEscaped(ps[i].Name)
					w.writeText("</name></wpt>\n")
				}
			case orb.LineString:
				track = g
			case orb.Polygon:
				track = g[0]
			default:
				return unknownGeometry(&ps[i])
			}
			if lines && len(track) > 0 {
				w.writeText("<trk><name>")
				w.writeEscaped(ps[i].Name)
				w.writeText("</name><trkseg>")
				for _, p := range track {
					point("trkpt", p)
					w.writeText("</trkpt>")
				}
				w.writeText("</trkseg></trk>\n")
			}
		}
	}
	w.writeText("</gpx>\n")
	return w.Flush()
}

// WriteGeoJSON writes placemarks as a GeoJSON feature collection (RFC 7946)
// with the properties locationLabel, country, city, missionType, areaSize in
// square metres and length in metres. Boundaries run counterclockwise and holes
// clockwise, as that standard wants them. What crosses the antimeridian is not
// split.
func WriteGeoJSON(to io.Writer, ps []Placemark) error {
	w := &textWriter{Writer: bufio.NewWriter(to)}
	w.writeText(`{"type":"FeatureCollection","features":[`)
	for i := range ps {
		p := &ps[i]
		if i > 0 {
			w.writeText(",")
		}
		w.writeText(
			"\n",
			`{"type":"Feature","properties":{"locationLabel":`,
			quoteJSON(p.Name),
			`,"country":`,
			quoteJSON(p.Country),
			`,"city":`,
			quoteJSON(p.City),
			`,"missionType":`,
			quoteJSON(string(p.Kind())),
			`,"areaSize":`,
		)
		w.writeNumber(p.Area)
		w.writeText(`,"length":`)
		w.writeNumber(p.Length)
		w.writeText(`},"geometry":{"type":"`)
		switch g := p.Geometry.(type) {
		case orb.Point:
			w.writeText(`Point","coordinates":[`)
			w.writePoints([]orb.Point{g}, 0, ",", "")
			w.writeText("]")
		case orb.LineString:
			w.writeText(`LineString","coordinates":[[`)
			w.writePoints(g, 0, ",", "],[")
			w.writeText("]]")
		case orb.Polygon:
			w.writeText(`Polygon","coordinates":[`)
			for j, ring := range g {
				if j > 0 {
					w.writeText(",")
				}
				w.writeText("[[")
				w.writePoints(orientRing(ring, j == 0), 0, ",", "],[")
				w.writeText("]]")
			}
			w.writeText("]")
		default:
			return unknownGeometry(p)
		}
		w.writeText("}}")
	}
	w.writeText("\n]}\n")
	return w.Flush()
}

// orientRing returns the ring in the direction asked for.
func orientRing(ring orb.Ring, counterclockwise bool) orb.Ring {
	if len(ring) < 4 || (ring.Orientation() == orb.CCW) == counterclockwise {
		return ring
	}
	out := ring.Clone()
	out.Reverse()
	return out
}

// quoteJSON returns a JSON string.
func quoteJSON(s string) string {
	b, _ := json.Marshal(s) // strings always marshal
	return string(b)
}
