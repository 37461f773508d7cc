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

// Template returns an example of the CSV files that are read best. A row has
// either latitude and longitude or, for a boundary, points; country and city
// may be left empty.
func Template() []byte { return []byte(template) }

// New returns a placemark for a site that was not read from a file. The name
// is tidied as that of a file is. The geometry is an orb.Point, an
// orb.LineString or an orb.Polygon, whose rings are closed in a copy where they
// are not.
func New(name string, g orb.Geometry) Placemark {
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

// writer writes text and keeps the first error for the end.
type writer struct {
	*bufio.Writer
	buf []byte
}

func (w *writer) text(parts ...string) {
	for _, s := range parts {
		_, _ = w.WriteString(s) // Flush returns the error
	}
}

func (w *writer) number(v float64) {
	w.buf = strconv.AppendFloat(w.buf[:0], v, 'f', -1, 64)
	_, _ = w.Write(w.buf)
}

// points writes points with sep between them, each with its second or first
// coordinate first.
func (w *writer) points(points []orb.Point, first int, inner, sep string) {
	for i, p := range points {
		if i > 0 {
			w.text(sep)
		}
		w.number(p[first])
		w.text(inner)
		w.number(p[1-first])
	}
}

// strange is the error for a geometry that a placemark cannot have.
func strange(p *Placemark) error {
	return fmt.Errorf("placemark %q has neither a point, a line nor a polygon", p.Name)
}

// WriteCSV writes placemarks as a CSV file that [Parse] reads back as they
// are: points with latitude and longitude, polygons as pairs, lines and
// polygons with holes as well-known text. Cells that a spreadsheet would take
// for a formula get an apostrophe, which Parse takes off.
func WriteCSV(to io.Writer, ps []Placemark) error {
	w := &writer{Writer: bufio.NewWriter(to)}
	w.text("locationLabel,latitude,longitude,points,country,city\r\n")
	for i := range ps {
		p := &ps[i]
		w.text(csvCell(p.Name), ",")
		switch g := p.Geometry.(type) {
		case orb.Point:
			w.points([]orb.Point{g}, 1, ",", "")
			w.text(",,")
		case orb.LineString:
			w.text(`,,"LINESTRING (`)
			w.points(g, 0, " ", ", ")
			w.text(`)",`)
		case orb.Polygon:
			w.text(`,,"`)
			if len(g) == 1 {
				w.points(p.Points(), 1, ",", "; ")
			} else {
				w.wkt(g)
			}
			w.text(`",`)
		default:
			return strange(p)
		}
		w.text(csvCell(p.Country), ",", csvCell(p.City), "\r\n")
	}
	return w.Flush()
}

func (w *writer) wkt(g orb.Polygon) {
	w.text("POLYGON (")
	for i, ring := range g {
		if i > 0 {
			w.text(", ")
		}
		w.text("(")
		w.points(ring, 0, " ", ", ")
		w.text(")")
	}
	w.text(")")
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
	w := &writer{Writer: bufio.NewWriter(to)}
	w.text(xml.Header, `<kml xmlns="http://www.opengis.net/kml/2.2">`, "\n<Document>\n")
	for i := range ps {
		p := &ps[i]
		w.text("<Placemark>\n\t<name>")
		w.escaped(p.Name)
		w.text("</name>\n")
		w.places(p)
		switch g := p.Geometry.(type) {
		case orb.Point:
			w.text("\t<Point>")
			w.coordinates([]orb.Point{g})
			w.text("</Point>\n")
		case orb.LineString:
			w.text("\t<LineString><tessellate>1</tessellate>")
			w.coordinates(g)
			w.text("</LineString>\n")
		case orb.Polygon:
			w.rings(g)
		default:
			return strange(p)
		}
		w.text("</Placemark>\n")
	}
	w.text("</Document>\n</kml>\n")
	return w.Flush()
}

func (w *writer) escaped(s string) { _ = xml.EscapeText(w, []byte(s)) } // Flush returns the error

func (w *writer) coordinates(points []orb.Point) {
	w.text("<coordinates>")
	w.points(points, 0, ",", " ")
	w.text("</coordinates>")
}

// places writes country and city as extended data.
func (w *writer) places(p *Placemark) {
	if p.Country == "" && p.City == "" {
		return
	}
	w.text("\t<ExtendedData>")
	for _, field := range []struct{ name, value string }{{"country", p.Country}, {"city", p.City}} {
		if field.value != "" {
			w.text(`<Data name="`, field.name, `"><value>`)
			w.escaped(field.value)
			w.text("</value></Data>")
		}
	}
	w.text("</ExtendedData>\n")
}

func (w *writer) rings(g orb.Polygon) {
	w.text("\t<Polygon>\n")
	for i, ring := range g {
		boundary := "outerBoundaryIs"
		if i > 0 {
			boundary = "innerBoundaryIs"
		}
		w.text("\t\t<", boundary, "><LinearRing>")
		w.coordinates(ring)
		w.text("</LinearRing></", boundary, ">\n")
	}
	w.text("\t</Polygon>\n")
}

// WriteGeoJSON writes placemarks as a GeoJSON feature collection (RFC 7946)
// with the properties locationLabel, country, city, missionType, areaSize in
// square metres and length in metres. Boundaries run counterclockwise and holes
// clockwise, as that standard wants them. What crosses the antimeridian is not
// split.
func WriteGeoJSON(to io.Writer, ps []Placemark) error {
	w := &writer{Writer: bufio.NewWriter(to)}
	w.text(`{"type":"FeatureCollection","features":[`)
	for i := range ps {
		p := &ps[i]
		if i > 0 {
			w.text(",")
		}
		w.text("\n", `{"type":"Feature","properties":{"locationLabel":`, quoted(p.Name), `,"country":`, quoted(p.Country),
			`,"city":`, quoted(p.City), `,"missionType":`, quoted(string(p.Kind())), `,"areaSize":`)
		w.number(p.Area)
		w.text(`,"length":`)
		w.number(p.Length)
		w.text(`},"geometry":{"type":"`)
		switch g := p.Geometry.(type) {
		case orb.Point:
			w.text(`Point","coordinates":[`)
			w.points([]orb.Point{g}, 0, ",", "")
			w.text("]")
		case orb.LineString:
			w.text(`LineString","coordinates":[[`)
			w.points(g, 0, ",", "],[")
			w.text("]]")
		case orb.Polygon:
			w.text(`Polygon","coordinates":[`)
			for j, ring := range g {
				if j > 0 {
					w.text(",")
				}
				w.text("[[")
				w.points(turned(ring, j == 0), 0, ",", "],[")
				w.text("]]")
			}
			w.text("]")
		default:
			return strange(p)
		}
		w.text("}}")
	}
	w.text("\n]}\n")
	return w.Flush()
}

// turned returns the ring in the direction asked for.
func turned(ring orb.Ring, counterclockwise bool) orb.Ring {
	if len(ring) < 4 || (ring.Orientation() == orb.CCW) == counterclockwise {
		return ring
	}
	out := ring.Clone()
	out.Reverse()
	return out
}

// quoted returns a JSON string.
func quoted(s string) string {
	b, _ := json.Marshal(s) // strings always marshal
	return string(b)
}
