package kmlcsv

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/wkt"
)

// template is the text that [Template] returns. If the three sites are read and written with [WriteCSV], the result is
// the same text.
const template = "locationLabel,latitude,longitude,points,country,city\r\n" +
	"Solar farm north,48.3538,11.7861,,,\r\n" +
	"Quarry block A,,,\"52.5001,13.4001; 52.5001,13.4101; 52.5061,13.4101; 52.5061,13.4001\",Germany,Berlin\r\n" +
	"Pipeline km 12,25.1124,55.1395,,United Arab Emirates,Dubai\r\n"

// Template returns an example of a CSV file. The columns latitude and longitude have the position of a point, and
// the column points has the corners of a boundary. Country and city are optional.
func Template() []byte { return []byte(template) }

// NewPlacemark returns a placemark for a site that does not come from a file. The name is cleaned like a name in a
// file. The geometry must be an orb.Point, an orb.LineString or an orb.Polygon. If rings of a polygon are open, they
// are closed in a copy.
func NewPlacemark(name string, g orb.Geometry) Placemark {
	label, _, _ := tidyLabel([]byte(name), nil, maxLabel)
	if len(label) == 0 {
		label = []byte("Placemark 1")
	}
	p := Placemark{Name: string(label), Geometry: g}
	if open, isPolygon := g.(orb.Polygon); isPolygon {
		polygon := slices.Clone(open)
		for i, ring := range open {
			if n := len(ring); n > 0 && ring[0] != ring[n-1] {
				polygon[i] = append(ring[:n:n], ring[0])
			}
		}
		p.Geometry = polygon
	}
	p.measure()
	return p
}

// measure sets the area of a polygon, or the length of a line.
func (p *Placemark) measure() {
	switch g := p.Geometry.(type) {
	case orb.LineString:
		p.Length = LengthOf(g)
	case orb.Polygon:
		p.Area = AreaOf(g)
	}
}

// joinPoints returns the coordinates of points as text, with sep between the points. first says which coordinate of
// each point comes first: 0 for the longitude, 1 for the latitude.
func joinPoints(points []orb.Point, first int, sep string) string {
	texts := make([]string, len(points))
	for i, p := range points {
		texts[i] = formatDegrees(p[first]) + "," + formatDegrees(p[1-first])
	}
	return strings.Join(texts, sep)
}

func formatDegrees(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// checkGeometries returns an error if a placemark has no points, or a geometry that is not a point, a line or a
// polygon.
func checkGeometries(ps []Placemark) error {
	for _, p := range ps {
		if len(p.Points()) == 0 {
			return fmt.Errorf("placemark %q has neither a point, a line nor a polygon", p.Name)
		}
	}
	return nil
}

// WriteCSV writes placemarks as a CSV file that [Parse] reads back without changes. The columns latitude and longitude
// have the position of a point. The column points has any other geometry: pairs of latitude and longitude for a
// polygon, and well-known text for a line or a polygon with holes. If a spreadsheet would evaluate a cell as a
// formula, the cell gets an apostrophe, which Parse removes.
func WriteCSV(to io.Writer, ps []Placemark) error {
	if err := checkGeometries(ps); err != nil {
		return err
	}
	w := csv.NewWriter(to)
	w.UseCRLF = true
	_ = w.Write([]string{"locationLabel", "latitude", "longitude", "points", "country", "city"}) // w.Error has errors
	for _, p := range ps {
		lat, lng, points := geometryCells(p)
		_ = w.Write([]string{csvCell(p.Name), lat, lng, points, csvCell(p.Country), csvCell(p.City)})
	}
	w.Flush()
	return w.Error()
}

// geometryCells returns the cells of the columns latitude, longitude and points for the geometry of a placemark.
func geometryCells(p Placemark) (lat, lng, points string) {
	switch g := p.Geometry.(type) {
	case orb.Point:
		return formatDegrees(g[1]), formatDegrees(g[0]), ""
	case orb.LineString:
		return "", "", wkt.MarshalString(g)
	case orb.Polygon:
		hasHoles := len(g) > 1
		if hasHoles {
			return "", "", wkt.MarshalString(g)
		}
		return "", "", joinPoints(p.Points(), 1, "; ")
	}
	return "", "", ""
}

// csvCell puts an apostrophe before a text that a spreadsheet would evaluate as a formula.
func csvCell(s string) string {
	if isFormula(s) {
		return "'" + s
	}
	return s
}

// documentXML is the KML document that [WriteKML] writes.
type documentXML struct {
	XMLName    xml.Name       `xml:"http://www.opengis.net/kml/2.2 kml"`
	Placemarks []placemarkXML `xml:"Document>Placemark"`
}

type placemarkXML struct {
	Name    string       `xml:"name"`
	Fields  *[]fieldXML  `xml:"ExtendedData>Data"` // nil writes no ExtendedData; an empty slice writes an empty one
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

// WriteKML writes placemarks as a KML document that [Parse] reads back without changes.
func WriteKML(to io.Writer, ps []Placemark) error {
	if err := checkGeometries(ps); err != nil {
		return err
	}
	var document documentXML
	for _, p := range ps {
		document.Placemarks = append(document.Placemarks, newPlacemarkXML(p))
	}
	return writeXML(to, document)
}

// newPlacemarkXML returns a placemark as an element of a KML document.
func newPlacemarkXML(p Placemark) placemarkXML {
	x := placemarkXML{Name: p.Name, Fields: fieldsXML(p)}
	switch g := p.Geometry.(type) {
	case orb.Point:
		x.Point = &positionXML{Coordinates: coordinatesXML([]orb.Point{g})}
	case orb.LineString:
		x.Line = &positionXML{Tessellate: "1", Coordinates: coordinatesXML(g)}
	case orb.Polygon:
		x.Polygon = &polygonXML{Outer: coordinatesXML(g[0])}
		for _, hole := range g[1:] {
			x.Polygon.Inner = append(x.Polygon.Inner, ringXML{coordinatesXML(hole)})
		}
	}
	return x
}

// fieldsXML returns the country and the city of a placemark, or nil if it has neither.
func fieldsXML(p Placemark) *[]fieldXML {
	var fields []fieldXML
	if p.Country != "" {
		fields = append(fields, fieldXML{"country", p.Country})
	}
	if p.City != "" {
		fields = append(fields, fieldXML{"city", p.City})
	}
	if len(fields) == 0 {
		return nil
	}
	return &fields
}

// coordinatesXML returns points as the text of a KML element: the longitude first, with blanks between the points.
func coordinatesXML(points []orb.Point) string { return joinPoints(points, 0, " ") }

// writeXML writes an XML declaration and the document.
func writeXML(to io.Writer, document any) error {
	data, err := xml.MarshalIndent(document, "", "\t")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(to, "%s%s\n", xml.Header, data)
	return err
}

// WriteGPX writes placemarks as a GPX file for GPS receivers: points as waypoints, lines and the
// boundaries of polygons as tracks. Holes are left out.
func WriteGPX(to io.Writer, ps []Placemark) error {
	if err := checkGeometries(ps); err != nil {
		return err
	}
	file := fileGPX{
		XMLName: xml.Name{Space: "http://www.topografix.com/GPX/1/1", Local: "gpx"},
		Version: "1.1", Creator: "flightdesk",
	}
	for _, p := range ps {
		if point, isPoint := p.Geometry.(orb.Point); isPoint {
			waypoint := newPointGPX(point)
			waypoint.Name = p.Name
			file.Waypoints = append(file.Waypoints, waypoint)
		} else {
			file.Tracks = append(file.Tracks, trackOf(p))
		}
	}
	return writeXML(to, file)
}

// trackOf returns a placemark as a track: a line, or the closed boundary of a polygon.
func trackOf(p Placemark) lineGPX {
	var points []pointGPX
	for _, point := range p.Points() {
		points = append(points, newPointGPX(point))
	}
	if p.Kind() == Area {
		points = append(points, points[0]) // close the boundary
	}
	return lineGPX{Name: p.Name, Segments: []segmentGPX{{points}}}
}

func newPointGPX(p orb.Point) pointGPX {
	return pointGPX{Lat: formatDegrees(p[1]), Lng: formatDegrees(p[0])}
}

// The elements of the GeoJSON that [WriteGeoJSON] writes.
type (
	collectionJSON struct {
		Type     string        `json:"type"`
		Features []featureJSON `json:"features"`
	}
	featureJSON struct {
		Type       string         `json:"type"`
		Properties propertiesJSON `json:"properties"`
		Geometry   shapeJSON      `json:"geometry"`
	}
	propertiesJSON struct {
		Name    string  `json:"locationLabel"`
		Country string  `json:"country"`
		City    string  `json:"city"`
		Kind    Kind    `json:"missionType"`
		Area    float64 `json:"areaSize"`
		Length  float64 `json:"length"`
	}
	shapeJSON struct {
		Type        string       `json:"type"`
		Coordinates orb.Geometry `json:"coordinates"`
	}
)

// WriteGeoJSON writes placemarks as a GeoJSON feature collection (RFC 7946). The properties of a feature are
// locationLabel, country, city, missionType, areaSize in square metres and length in metres. Boundaries are
// counterclockwise and holes clockwise, as the standard requires. Geometries that cross the antimeridian are not split.
func WriteGeoJSON(to io.Writer, ps []Placemark) error {
	if err := checkGeometries(ps); err != nil {
		return err
	}
	collection := collectionJSON{Type: "FeatureCollection", Features: make([]featureJSON, 0, len(ps))}
	for _, p := range ps {
		g := p.Geometry
		if polygon, isPolygon := g.(orb.Polygon); isPolygon {
			g = orientRings(polygon)
		}
		collection.Features = append(collection.Features, featureJSON{
			Type:       "Feature",
			Properties: propertiesJSON{p.Name, p.Country, p.City, p.Kind(), p.Area, p.Length},
			Geometry:   shapeJSON{g.GeoJSONType(), g},
		})
	}
	return json.NewEncoder(to).Encode(collection)
}

// orientRings returns a copy of a polygon with a counterclockwise boundary and clockwise holes, as RFC 7946 requires.
func orientRings(g orb.Polygon) orb.Polygon {
	g = g.Clone()
	for i, ring := range g {
		isBoundary := i == 0
		isClockwise := ring.Orientation() == orb.CW
		if isBoundary == isClockwise { // a clockwise boundary, or a hole that is not clockwise
			ring.Reverse()
		}
	}
	return g
}
