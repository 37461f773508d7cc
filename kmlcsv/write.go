package kmlcsv

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/wkt"
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

// joinPoints writes points with sep between them, each with its longitude or its
// latitude first.
func joinPoints(points []orb.Point, first int, inner, sep string) string {
	var text []byte
	for i, p := range points {
		if i > 0 {
			text = append(text, sep...)
		}
		text = strconv.AppendFloat(text, p[first], 'f', -1, 64)
		text = append(text, inner...)
		text = strconv.AppendFloat(text, p[1-first], 'f', -1, 64)
	}
	return string(text)
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
	w := csv.NewWriter(to)
	w.UseCRLF = true
	_ = w.Write(
		[]string{"locationLabel", "latitude", "longitude", "points", "country", "city"},
	) // its error stays
	for i := range ps {
		p := &ps[i]
		row := []string{csvCell(p.Name), "", "", "", csvCell(p.Country), csvCell(p.City)}
		switch g := p.Geometry.(type) {
		case orb.Point:
			row[1], row[2], _ = strings.Cut(joinPoints([]orb.Point{g}, 1, ",", ""), ",")
		case orb.LineString:
			row[3] = wkt.MarshalString(g)
		case orb.Polygon:
			if row[3] = joinPoints(p.Points(), 1, ",", "; "); len(g) > 1 {
				row[3] = wkt.MarshalString(g)
			}
		default:
			return unknownGeometry(p)
		}
		_ = w.Write(row)
	}
	w.Flush()
	return w.Error()
}

// csvCell guards a cell from being a formula.
func csvCell(s string) string {
	if rest := strings.TrimLeft(s, "'"); rest != "" && strings.ContainsRune("=+-@", rune(rest[0])) {
		return "'" + s
	}
	return s
}

// documentXML is a KML document as it is written.
type documentXML struct {
	XMLName    xml.Name       `xml:"http://www.opengis.net/kml/2.2 kml"`
	Placemarks []placemarkXML `xml:"Document>Placemark"`
}

type placemarkXML struct {
	Name    string       `xml:"name"`
	Fields  *[]fieldXML  `xml:"ExtendedData>Data"` // nil: no ExtendedData
	Point   *positionXML `xml:"Point"`
	Line    *positionXML `xml:"LineString"`
	Polygon *polygonXML  `xml:"Polygon"`
}

type fieldXML struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value"`
}

type positionXML struct {
	Tessellate  string `xml:"tessellate,omitempty"`
	Coordinates string `xml:"coordinates"`
}

type polygonXML struct {
	Outer string    `xml:"outerBoundaryIs>LinearRing>coordinates"`
	Inner []ringXML `xml:"innerBoundaryIs"`
}

type ringXML struct {
	Coordinates string `xml:"LinearRing>coordinates"`
}

// WriteKML writes placemarks as a KML document that [Parse] reads back as they
// are.
func WriteKML(to io.Writer, ps []Placemark) error {
	var document documentXML
	for i := range ps {
		p := &ps[i]
		written := placemarkXML{Name: p.Name}
		var fields []fieldXML
		for _, field := range []fieldXML{{"country", p.Country}, {"city", p.City}} {
			if field.Value != "" {
				fields = append(fields, field)
				written.Fields = &fields
			}
		}
		switch g := p.Geometry.(type) {
		case orb.Point:
			written.Point = &positionXML{Coordinates: joinPoints([]orb.Point{g}, 0, ",", " ")}
		case orb.LineString:
			written.Line = &positionXML{"1", joinPoints(g, 0, ",", " ")}
		case orb.Polygon:
			written.Polygon = &polygonXML{Outer: joinPoints(g[0], 0, ",", " ")}
			for _, ring := range g[1:] {
				written.Polygon.Inner = append(written.Polygon.Inner, ringXML{joinPoints(ring, 0, ",", " ")})
			}
		default:
			return unknownGeometry(p)
		}
		document.Placemarks = append(document.Placemarks, written)
	}
	return writeXML(to, document)
}

func writeXML(to io.Writer, document any) error {
	if _, err := io.WriteString(to, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(to)
	encoder.Indent("", "\t")
	if err := encoder.Encode(document); err != nil {
		return err
	}
	_, err := io.WriteString(to, "\n")
	return err
}

// WriteGPX writes placemarks for receivers: points as waypoints, lines and the
// boundaries of polygons as tracks. Holes are left out.
func WriteGPX(to io.Writer, ps []Placemark) error {
	file := fileGPX{
		XMLName: xml.Name{Space: "http://www.topografix.com/GPX/1/1", Local: "gpx"},
		Version: "1.1", Creator: "flightdesk",
	}
	for i := range ps {
		var points []pointGPX
		for _, p := range ps[i].outline() {
			lat, lng, _ := strings.Cut(joinPoints([]orb.Point{p}, 1, " ", ""), " ")
			points = append(points, pointGPX{Lat: lat, Lng: lng})
		}
		if len(points) == 0 {
			return unknownGeometry(&ps[i])
		}
		if ps[i].Kind() == Asset {
			points[0].Name = ps[i].Name
			file.Waypoints = append(file.Waypoints, points[0])
		} else {
			file.Tracks = append(file.Tracks, lineGPX{Name: ps[i].Name, Segments: []segmentGPX{{points}}})
		}
	}
	return writeXML(to, file)
}

// outline returns the vertices of a placemark, those of a boundary with its closing
// point.
func (p Placemark) outline() []orb.Point {
	if g, ok := p.Geometry.(orb.Polygon); ok && len(g) > 0 {
		return g[0]
	}
	return p.Points()
}

// WriteGeoJSON writes placemarks as a GeoJSON feature collection (RFC 7946)
// with the properties locationLabel, country, city, missionType, areaSize in
// square metres and length in metres. Boundaries run counterclockwise and holes
// clockwise, as that standard wants them. What crosses the antimeridian is not
// split.
func WriteGeoJSON(to io.Writer, ps []Placemark) error {
	type properties struct {
		Name    string  `json:"locationLabel"`
		Country string  `json:"country"`
		City    string  `json:"city"`
		Kind    Kind    `json:"missionType"`
		Area    float64 `json:"areaSize"`
		Length  float64 `json:"length"`
	}
	type geometry struct {
		Type        string       `json:"type"`
		Coordinates orb.Geometry `json:"coordinates"`
	}
	type feature struct {
		Type       string     `json:"type"`
		Properties properties `json:"properties"`
		Geometry   geometry   `json:"geometry"`
	}
	features := make([]feature, 0, len(ps))
	for i := range ps {
		p := &ps[i]
		g := p.Geometry
		if len(p.Points()) == 0 {
			return unknownGeometry(p)
		}
		if rings, ok := g.(orb.Polygon); ok {
			g = orientRings(rings)
		}
		features = append(features, feature{
			"Feature",
			properties{p.Name, p.Country, p.City, p.Kind(), p.Area, p.Length},
			geometry{g.GeoJSONType(), g},
		})
	}
	return json.NewEncoder(to).Encode(struct {
		Type     string    `json:"type"`
		Features []feature `json:"features"`
	}{"FeatureCollection", features})
}

// orientRings returns a polygon whose boundary runs counterclockwise, and its holes
// the other way.
func orientRings(g orb.Polygon) orb.Polygon {
	g = g.Clone()
	for i, ring := range g {
		if ring.Orientation() == orb.CW == (i == 0) {
			ring.Reverse()
		}
	}
	return g
}
