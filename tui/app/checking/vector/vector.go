// Package vector reads the features of delivered vector files: GeoJSON, KML, shapefiles and
// GeoPackages with kmlcsv, and of a DXF drawing the extent in its header (AutoCAD DXF reference,
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

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
)

// Layer is what a vector file has.
type Layer struct {
	Features int
	Bound    orb.Bound // WGS 84; empty if the file does not say where it is
	HasBound bool
	Note     string // why HasBound is false, or ""
}

const (
	maxSize      = 64 << 20 // bytes of a file that is read
	maxDXFHeader = 4 << 20
)

// Knows reports whether files with an ending, such as ".kml", can be read.
func Knows(ending string) bool {
	switch strings.ToLower(ending) {
	case ".geojson", ".json", ".kml", ".kmz", ".shp", ".gpkg", ".gpx", ".dxf":
		return true
	}
	return false
}

// ErrTooLarge is returned for a file that is too large to be read.
var ErrTooLarge = fmt.Errorf("vector files of more than %d MB are not read", maxSize>>20)

// Read reads a vector file of size bytes. beside has the files beside a .shp by their endings.
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
		return Layer{}, err
	}
	layer := Layer{Features: len(result.Placemarks)}
	for i, p := range result.Placemarks {
		bound := p.Geometry.Bound()
		if i > 0 {
			bound = bound.Union(layer.Bound)
		}
		layer.Bound = bound
		layer.HasBound = true
	}
	return layer, nil
}

// readDXF reads the header of a drawing, which is pairs of lines: a code and a value. A drawing does
// not name its reference system.
func readDXF(r io.Reader) (Layer, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<16)
	variable := ""
	var low, high [2]float64
	found := 0
	for first := true; lines.Scan(); first = false {
		code := strings.TrimSpace(lines.Text())
		if !lines.Scan() {
			break
		}
		value := strings.TrimSpace(lines.Text())
		if first && (code != "0" && code != "999") {
			return Layer{}, errors.New("the file is not a DXF drawing")
		}
		if code == "9" {
			variable = value
		}
		if code == "0" && value == "ENDSEC" {
			break
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(number) || code != "10" && code != "20" {
			continue
		}
		axis := int(code[0] - '1')
		switch variable {
		case "$EXTMIN":
			low[axis] = number
			found++
		case "$EXTMAX":
			high[axis] = number
			found++
		}
	}
	if found < 4 {
		return Layer{Note: "does not declare its extent"}, nil
	}
	if low[0] > high[0] || low[1] > high[1] {
		return Layer{}, errors.New("the drawing is empty")
	}
	return Layer{Note: fmt.Sprintf(
		"extends from %.0f, %.0f to %.0f, %.0f, and does not name its reference system",
		low[0], low[1], high[0], high[1],
	)}, nil
}
