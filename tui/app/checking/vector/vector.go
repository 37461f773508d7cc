// Package vector reads the features of delivered vector files. It reads GeoJSON, KML, shapefiles and
// GeoPackages with kmlcsv. Of a DXF drawing it reads only the extent in the header (AutoCAD DXF reference,
// "HEADER Section": $EXTMIN and $EXTMAX).
package vector

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
)

// Layer describes the content of a vector file: how many features it has and where they are.
type Layer struct {
	Features int
	Bound    orb.Bound // rectangle around all features, in WGS 84
	HasBound bool      // Bound is known
	Note     string    // why HasBound is false, such as "has no features", or ""
}

const (
	maxSize      = 64 << 20 // bytes of a file that is read
	maxDXFHeader = 4 << 20
)

// Knows reports whether [Read] supports files with an extension such as ".kml". Case does not matter.
func Knows(ending string) bool {
	switch strings.ToLower(ending) {
	case ".geojson", ".json", ".kml", ".kmz", ".shp", ".gpkg", ".gpx", ".dxf":
		return true
	}
	return false
}

// ErrTooLarge is returned for a file that is too large to be read.
var ErrTooLarge = fmt.Errorf("vector files of more than %d MB are not read", maxSize>>20)

// Read reads a vector file of size bytes. beside has the companion files of a .shp file by their
// extensions, such as .dbf.
func Read(ctx context.Context, name string, r io.ReaderAt, size int64, beside map[string][]byte) (Layer, error) {
	if strings.HasSuffix(strings.ToLower(name), ".dxf") {
		return readDXF(io.NewSectionReader(r, 0, min(size, maxDXFHeader)))
	}
	if size > maxSize {
		return Layer{}, ErrTooLarge
	}
	data, err := io.ReadAll(io.NewSectionReader(r, 0, size))
	if err != nil {
		return Layer{}, err
	}
	result, err := kmlcsv.ParseContext(ctx, data, kmlcsv.Options{
		Name:     name,
		NoPlaces: true,
		MaxBytes: maxSize,
		Beside:   beside,
	})
	if err != nil {
		if note := describeUnplaced(name, data, err); note != "" {
			return Layer{Note: note}, nil
		}
		return Layer{}, err
	}
	return layerOf(result.Placemarks), nil
}

// layerOf counts placemarks and returns the rectangle around them.
func layerOf(placemarks []kmlcsv.Placemark) Layer {
	layer := Layer{Features: len(placemarks)}
	for i, p := range placemarks {
		bound := p.Geometry.Bound()
		if i > 0 {
			bound = bound.Union(layer.Bound)
		}
		layer.Bound = bound
		layer.HasBound = true
	}
	return layer
}

// describeUnplaced returns a note if a valid file has no features, or if their position cannot be determined.
// It returns "" if the error err means that the file is damaged or that its name does not fit its content.
func describeUnplaced(name string, data []byte, err error) string {
	failed, ok := errors.AsType[*kmlcsv.Error](err)
	if !ok {
		return ""
	}
	switch failed.Code {
	case kmlcsv.NoPlacemarks:
		return "has no features"
	case kmlcsv.OtherReference, kmlcsv.ProjectedCoords:
		return "has a reference system that is not known, so its place is not checked"
	case kmlcsv.NeedsAnswer:
		return "can be read in several ways, so its place is not checked"
	case kmlcsv.WrongType, kmlcsv.NoColumns:
		if strings.HasSuffix(strings.ToLower(name), ".json") {
			return describeJSON(data)
		}
	}
	return ""
}

// describeJSON returns a note about a JSON file without features, for instance a tileset of 3D Tiles
// (version 1.1, section "Tileset JSON"). It returns "" if the JSON is damaged.
func describeJSON(data []byte) string {
	if !jsontext.Value(data).IsValid() {
		return ""
	}
	var tileset struct {
		Asset jsontext.Value `json:"asset"`
		Root  jsontext.Value `json:"root"`
	}
	if json.Unmarshal(data, &tileset) == nil && tileset.Asset != nil && tileset.Root != nil {
		return "is a 3D Tiles tileset, whose place is not checked"
	}
	return "is JSON without features, so it is not checked"
}

// readDXF reads the extent from the header of a DXF drawing. The reference system of a drawing is unknown.
func readDXF(r io.Reader) (Layer, error) {
	groups := newDXFScanner(r)
	if groups.scan() && groups.code != dxfEntity && groups.code != dxfComment {
		return Layer{}, errors.New("the file is not a DXF drawing")
	}
	extent := groups.readExtent()
	if extent == nil {
		return Layer{Note: "does not declare its extent"}, nil
	}
	return Layer{Note: fmt.Sprintf(
		"extends from %.0f, %.0f to %.0f, %.0f, and does not name its reference system",
		extent.Min[0], extent.Min[1], extent.Max[0], extent.Max[1],
	)}, nil
}

// dxfScanner reads a DXF drawing, which is a sequence of groups. A group is a line with a code and a
// line with a value.
type dxfScanner struct {
	lines       *bufio.Scanner
	code, value string // of the current group
}

func newDXFScanner(r io.Reader) *dxfScanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<16)
	return &dxfScanner{lines: lines}
}

// scan reads the next group into code and value. It returns false at the end of the drawing.
func (s *dxfScanner) scan() bool {
	if !s.lines.Scan() {
		return false
	}
	code := strings.TrimSpace(s.lines.Text())
	if !s.lines.Scan() {
		return false
	}
	s.code = code
	s.value = strings.TrimSpace(s.lines.Text())
	return true
}

// readExtent reads the extent of the drawing from the rest of the current section, or returns nil if
// the section does not have it.
func (s *dxfScanner) readExtent() *orb.Bound {
	var extent orb.Bound
	variable := ""
	coordinates := 0
	for s.scan() {
		if s.code == dxfEntity && s.value == "ENDSEC" {
			break
		}
		if s.code == dxfVariable {
			variable = s.value
		}
		axis, isCoordinate := dxfAxes[s.code]
		if !isCoordinate {
			continue
		}
		number, err := strconv.ParseFloat(s.value, 64)
		if err != nil || math.IsNaN(number) {
			continue
		}
		switch variable {
		case "$EXTMIN":
			extent.Min[axis] = number
			coordinates++
		case "$EXTMAX":
			extent.Max[axis] = number
			coordinates++
		}
	}
	isDeclared := coordinates >= 4 // two for each corner
	// Programs that do not compute the extent write 1e20 as its minimum and -1e20 as its maximum.
	isComputed := extent.Min[0] <= extent.Max[0] && extent.Min[1] <= extent.Max[1]
	if !isDeclared || !isComputed {
		return nil
	}
	return &extent
}

// Codes of groups.
const (
	dxfEntity   = "0" // the beginning or the end of a section or an entity
	dxfVariable = "9" // the name of a variable of the header
	dxfComment  = "999"
)

// dxfAxes has the axis of a coordinate (0 for x, 1 for y) by the code of its group.
var dxfAxes = map[string]int{"10": 0, "20": 1}
