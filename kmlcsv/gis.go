package kmlcsv

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/paulmach/orb"
	"github.com/twpayne/go-geom"
	"github.com/twpayne/go-shapefile"
	"golang.org/x/text/encoding/charmap"

	"flightdesk/kmlcsv/crs"
)

// The formats of GIS files and receivers.
const (
	FormatGPX       Format = "gpx"
	FormatShapefile Format = "shapefile"
)

// setSystem has the coordinates that follow be of the system that a file names, or
// that is chosen where it names none that is known.
func (b *resultBuilder) setSystem(named string) *Error {
	b.system = nil
	code := b.opts.CRS
	if named != "" {
		if code = cmp.Or(crs.Named(named), code); code == 0 {
			return newError(
				OtherReference,
				"the reference system %s is not known; export the sites as WGS 84",
				[]byte(named),
			)
		}
	}
	if code == 0 || code == 4326 {
		return nil
	}
	return b.takeSystem(code)
}

// findSystem returns the reference system of an EPSG code.
func findSystem(code int) (*crs.System, *Error) {
	if s := crs.Find(code); s != nil {
		return s, nil
	}
	return nil, newError(OtherReference, "EPSG:%d cannot be converted; export the sites as WGS 84", code)
}

// takeSystem has the coordinates that follow be of the system of an EPSG code.
func (b *resultBuilder) takeSystem(code int) (err *Error) {
	if b.system, err = findSystem(code); err == nil {
		b.warnFile(SystemConverted, "converted from %s, accurate to about %d m", b.system.Name(), b.system.Accuracy)
	}
	return err
}

// addFeature adds what a feature consists of, with its name and place among its
// attributes.
func (b *resultBuilder) addFeature(attributes map[string]string, figures []rawFigure) *Error {
	keys := slices.Sorted(maps.Keys(attributes))
	if b.attributes == nil || !slices.Equal(b.attributes.titles, keys) {
		b.attributes = newHeaderFinder(keys)
	}
	h := b.attributes
	value := func(names []string) string {
		if i := h.findColumn(names); i >= 0 {
			return b.makeName([]byte(attributes[keys[i]]))
		}
		return ""
	}
	b.noteAttributes(attributes)
	b.startPlacemark(b.line + 1)
	chosen := b.makeName([]byte(attributes[b.opts.NameAttribute]))
	b.name = cmp.Or(chosen, value(labelNames), value(idNames), fmt.Sprintf("Placemark %d", b.line))
	if len(figures) == 0 {
		b.skipPlacemark(noCoordinates)
	}
	for _, f := range figures {
		if b.system == nil && len(f.points) > 0 && isFar(f.points[0][0], f.points[0][1]) {
			return b.askSystem(f.points[0][0], f.points[0][1])
		}
		b.addChecked(f)
	}
	b.country, b.city = value(countryNames), value(cityNames)
	b.finishPlacemark()
	return nil
}

// noteAttributes adds a feature to the layout: its attributes, by the names of those
// that the first one has.
func (b *resultBuilder) noteAttributes(attributes map[string]string) {
	l, keys := &b.res.Layout, b.attributes.titles
	if len(l.Rows) == 0 {
		l.Rows, l.HeaderRow, b.res.Header = append(l.Rows, keys), 1, keys
		if i := b.attributes.findColumn(slices.Concat(labelNames, idNames)); i >= 0 {
			l.Name = keys[i]
		}
		l.Name = cmp.Or(b.opts.NameAttribute, l.Name)
	}
	if len(l.Rows) < layoutRows {
		row := make([]string, len(l.Rows[0]))
		for i, key := range l.Rows[0] {
			row[i] = layoutText(attributes[key])
		}
		l.Rows = append(l.Rows, row)
	}
}

// finishGIS returns the result, or that there is no feature.
func (b *resultBuilder) finishGIS() (*Result, *Error) {
	return b.finishResult(newError(NoPlacemarks, "no features in the file"))
}

// featureJSON is a GeoJSON object at the top or in a collection.
type featureJSON struct {
	geometryJSON
	ID         any            `json:"id"`
	Properties map[string]any `json:"properties"`
	Features   []featureJSON  `json:"features"`
	CRS        struct {
		Properties struct {
			Name string `json:"name"`
		} `json:"properties"`
	} `json:"crs"`
}

// isGeoJSON reports whether a text starts as GeoJSON does.
func isGeoJSON(data []byte) bool {
	head := bytes.TrimLeft(plainHead(data), " \t\r\n\x1e\xef\xbb\xbf\xfe\xff")
	return len(head) > 0 && head[0] == '{' && bytes.Contains(head, []byte(`"type"`))
}

// parseGeoJSON reads a geometry, a feature or a collection, or one after another.
func parseGeoJSON(data []byte, opts Options) (*Result, *Error) {
	text, _, failed := decodeText(data, "")
	if failed != nil {
		return nil, failed
	}
	var b *resultBuilder
	decoder := json.NewDecoder(bytes.NewReader(bytes.ReplaceAll(text, []byte{0x1e}, nil)))
	for {
		var top featureJSON
		err := decoder.Decode(&top)
		switch {
		case errors.Is(err, io.EOF) && b != nil:
			return b.finishGIS()
		case err != nil:
			return nil, newError(
				BadJSON,
				"the GeoJSON is damaged at byte %d; export it again",
				decoder.InputOffset(),
			)
		}
		if b == nil {
			b = newResultBuilder(opts, FormatGeoJSON)
			if failed := b.setSystem(top.CRS.Properties.Name); failed != nil {
				return nil, failed
			}
		}
		features := top.Features
		if top.Type != "FeatureCollection" {
			features = []featureJSON{top}
		}
		for i := range features {
			if failed := b.addJSON(&features[i]); failed != nil {
				return b.res, failed
			}
		}
	}
}

func (b *resultBuilder) addJSON(f *featureJSON) *Error {
	attributes := make(map[string]string, len(f.Properties)+1)
	for key, value := range f.Properties {
		if value != nil {
			attributes[key] = fmt.Sprint(value)
		}
	}
	if f.ID != nil && attributes["id"] == "" {
		attributes["id"] = fmt.Sprint(f.ID)
	}
	g := &f.geometryJSON
	if f.Type == "Feature" {
		g = f.Geometry
	}
	var figures []rawFigure
	if g != nil && !g.appendFigures(&figures, 0) {
		b.line++
		b.skipPlacemark(unreadableJSON)
		return nil
	}
	return b.addFeature(attributes, figures)
}

// fileGPX is a file of a receiver.
type fileGPX struct {
	XMLName   xml.Name
	Version   string     `xml:"version,attr"`
	Creator   string     `xml:"creator,attr"`
	Waypoints []pointGPX `xml:"wpt"`
	Routes    []lineGPX  `xml:"rte"`
	Tracks    []lineGPX  `xml:"trk"`
}

// pointGPX is a position with perhaps a name.
type pointGPX struct {
	Lat  string `xml:"lat,attr"`
	Lng  string `xml:"lon,attr"`
	Name string `xml:"name,omitempty"`
}

// lineGPX is a route, or a track of segments.
type lineGPX struct {
	Name     string       `xml:"name"`
	Points   []pointGPX   `xml:"rtept"`
	Segments []segmentGPX `xml:"trkseg"`
}

type segmentGPX struct {
	Points []pointGPX `xml:"trkpt"`
}

// parseGPX reads waypoints, routes and tracks.
func parseGPX(data []byte, opts Options) (*Result, *Error) {
	text, _, failed := decodeText(data, declaredEncoding(data))
	if failed != nil {
		return nil, failed
	}
	var file fileGPX
	decoder := xml.NewDecoder(bytes.NewReader(text))
	decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is decoded
	if err := decoder.Decode(&file); err != nil {
		return nil, newError(BadXML, "the GPX is damaged: %s", []byte(err.Error()))
	}
	b := newResultBuilder(opts, FormatGPX) // degrees, whatever is chosen
	for _, p := range file.Waypoints {
		b.addGPX(p.Name, []segmentGPX{{[]pointGPX{p}}}, pointFigure)
	}
	for _, line := range append(file.Routes, file.Tracks...) {
		parts := line.Segments
		if len(line.Points) > 0 {
			parts = slices.Insert(parts, 0, segmentGPX{line.Points})
		}
		b.addGPX(line.Name, parts, lineFigure)
	}
	return b.finishGIS()
}

func (b *resultBuilder) addGPX(name string, parts []segmentGPX, kind figureKind) {
	var figures []rawFigure
	for _, part := range parts {
		if len(part.Points) == 0 {
			continue
		}
		f := rawFigure{kind: kind}
		for _, p := range part.Points {
			at, ok := plainPair(p.Lat + " " + p.Lng)
			if !ok || strings.Contains(p.Lat+p.Lng, ",") {
				at[0] = math.NaN() // which is reported
			}
			f.points = append(f.points, at)
		}
		figures = append(figures, f)
	}
	_ = b.addFeature(map[string]string{"name": name}, figures) // degrees have no other system
}

// parseShapefiles reads the layers of an archive.
func parseShapefiles(files []*zip.File, opts Options) (*Result, *Error) {
	left := opts.MaxBytes
	parts := make(map[string][]byte)
	var layers []string
	for _, f := range files {
		extension := strings.ToLower(path.Ext(f.Name))
		if strings.Contains(f.Name, "__MACOSX") ||
			!slices.Contains(layerEndings, extension) {
			continue
		}
		data, err := inflateFile(f, left)
		if err != nil && err.Code != EmptyFile {
			return nil, newError(
				err.Code,
				"the shapefile in the archive is damaged, or larger than %s",
				humanize.IBytes(uint64(opts.MaxBytes)),
			)
		}
		left -= int64(len(data))
		base := f.Name[:len(f.Name)-len(extension)]
		parts[base+extension] = data
		if extension == ".shp" {
			layers = append(layers, base)
		}
	}
	slices.Sort(layers)
	return readLayers(layers, parts, opts)
}

// parseShape reads a shapefile by itself, with the files beside it.
func parseShape(data []byte, opts Options) (*Result, *Error) {
	parts := make(map[string][]byte)
	for ending, part := range opts.Beside {
		if int64(len(part)) <= opts.MaxBytes {
			parts[ending] = part
		}
	}
	parts[".shp"] = data
	return readLayers([]string{""}, parts, opts)
}

// layerEndings are those of the files of a shapefile that are read.
var layerEndings = []string{".shp", ".dbf", ".prj", ".cpg"}

// readLayers reads shapefiles; parts are their files by layer and ending.
func readLayers(layers []string, parts map[string][]byte, opts Options) (*Result, *Error) {
	b := newResultBuilder(opts, FormatShapefile)
	for _, base := range layers {
		if err := b.setSystem(string(parts[base+".prj"])); err != nil {
			return nil, err
		}
		charset := string(bytes.TrimSpace(parts[base+".cpg"]))
		if err := b.addLayer(parts[base+".shp"], parts[base+".dbf"], charset); err != nil {
			return b.res, err
		}
	}
	return b.finishGIS()
}

// addLayer adds the records of a shapefile, with the attributes of its table.
func (b *resultBuilder) addLayer(shp, dbf []byte, charset string) *Error {
	shapes, err := shapefile.ReadSHP(bytes.NewReader(shp), int64(len(shp)), &shapefile.ReadSHPOptions{
		MaxParts: len(shp) / 4, MaxPoints: len(shp) / 16, MaxRecordSize: len(shp),
	})
	if err != nil {
		return newError(BadArchive, "the shapefile is damaged: %v", err)
	}
	var table *shapefile.DBF
	if len(dbf) == 0 {
		b.warnFile(GeometryUnreadable, "no .dbf beside the .shp; its sites have no names")
	} else {
		options := &shapefile.ReadDBFOptions{
			MaxRecords: len(dbf), MaxRecordSize: len(dbf), SkipBrokenFields: true,
		}
		page := charset[strings.LastIndexAny(charset, " pP")+1:] // of "1252", "ANSI 1252" or "CP1252"
		for _, options.Charset = range []string{charset, "windows-" + page, ""} {
			if table, err = shapefile.ReadDBF(bytes.NewReader(dbf), int64(len(dbf)), options); err == nil {
				charset = options.Charset
				break
			}
		}
		if err != nil {
			b.warnFile(GeometryUnreadable, "the table of the shapefile cannot be read; its sites have no names")
			table = nil
		}
	}
	for i, record := range shapes.Records {
		attributes := make(map[string]string)
		if table != nil && i < len(table.Records) && table.Records[i] != nil {
			for k, value := range table.Records[i] {
				if value == nil {
					continue
				}
				text := fmt.Sprint(value)
				if charset == "" {
					text = recode(text)
				}
				attributes[table.FieldDescriptors[k].Name] = strings.TrimSpace(text)
			}
		}
		if failed := b.addFeature(attributes, figuresOf(record.Geom)); failed != nil {
			return failed
		}
	}
	return nil
}

// recode returns a text that was read as Latin-1 as what its bytes are: UTF-8,
// or else Windows-1252.
func recode(text string) string {
	raw, err := charmap.ISO8859_1.NewEncoder().String(text)
	if err != nil {
		return text
	}
	if utf8.ValidString(raw) {
		return raw
	}
	text, _ = charmap.Windows1252.NewDecoder().String(raw) // of any bytes
	return text
}

// figuresOf returns what a geometry consists of.
func figuresOf(g geom.T) (figures []rawFigure) {
	kind, rings := pointFigure, [][]int(nil)
	switch g := g.(type) {
	case nil:
		return nil
	case *geom.GeometryCollection:
		for _, part := range g.Geoms() {
			figures = append(figures, figuresOf(part)...)
		}
		return figures
	case *geom.LineString:
		kind = lineFigure
	case *geom.MultiLineString:
		kind, rings = lineFigure, [][]int{g.Ends()}
	case *geom.Polygon:
		kind, rings = polygonFigure, [][]int{g.Ends()}
	case *geom.MultiPolygon:
		kind, rings = polygonFigure, g.Endss()
	}
	flat, stride, start := g.FlatCoords(), g.Stride(), 0
	if rings == nil {
		rings = [][]int{{len(flat)}}
	}
	for _, ends := range rings {
		parts := make([][]orb.Point, len(ends))
		for i, end := range ends {
			parts[i] = make([]orb.Point, 0, (end-start)/stride+1)
			for ; start < end; start += stride {
				parts[i] = append(parts[i], orb.Point{flat[start], flat[start+1]})
			}
		}
		figures = appendRings(figures, kind, parts)
	}
	return figures
}
